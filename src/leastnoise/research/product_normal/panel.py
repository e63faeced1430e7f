"""`panel_integral`: ∫ f^α·g^(1−α) over a short range of |y|, from two power series."""

from flint import arb, arb_series

from leastnoise.research.product_normal.chart import Disc
from leastnoise.research.product_normal.expansion import TERMS, Expansion, expansion
from leastnoise.research.product_normal.nodes import OutOfReach
from leastnoise.research.product_normal.window import Pair

WIDER = 2.0
"""The radius of a disc, in half-lengths of the panel inside it."""


def panel_integral(pair: Pair, sign: int, disc: Disc) -> arb | None:
    """The integral over the inner part of a disc, or None where no bound was found."""
    try:
        bottom = expansion(pair.neighbour, sign * pair.other, disc)
        top = expansion(pair.mean, sign * pair.other, disc)
    except OutOfReach:
        return None
    if not (bottom.least > 0 and top.least > 0):
        return None
    radius, measure = arb(disc.radius), disc.chart.measure(disc.centre, TERMS)
    if pair.order == 1:
        loss = _logarithm(top) - _logarithm(bottom)
        series = _logarithm(top).exp() * loss * measure
        greatest = _greatest(top, radius) * (_size(top, radius) + _size(bottom, radius))
    else:
        alpha, rest = pair.order, 1 - pair.order
        series = (alpha * _logarithm(top) + rest * _logarithm(bottom)).exp() * measure
        parabola = [
            alpha * arb(x) + rest * arb(y) for x, y in zip(top.scale, bottom.scale, strict=True)
        ]
        greatest = (parabola[0] + abs(parabola[1]) * radius + abs(parabola[2]) * radius**2).exp()
        greatest *= top.greatest**alpha * bottom.least**rest
    half = radius / arb(WIDER)
    greatest *= sum((abs(c) * radius**k for k, c in enumerate(measure.coeffs())), arb(0))
    return _integral(series, half) + _remainder(greatest, half)


def _logarithm(part: Expansion) -> arb_series:
    """The series of ln φ."""
    scale = arb_series([arb(value) for value in part.scale], prec=TERMS)
    return scale + arb_series(part.coefficients, prec=TERMS).log()


def _greatest(part: Expansion, radius: arb) -> arb:
    """A bound on |φ| over the disc."""
    height, slope, bend = map(arb, part.scale)
    return (height + abs(slope) * radius + abs(bend) * radius**2).exp() * part.greatest


def _size(part: Expansion, radius: arb) -> arb:
    """A bound on |ln φ| over the disc: the series stays in the right half-plane."""
    height, slope, bend = map(arb, part.scale)
    logs = abs(part.least.log()).max(abs(part.greatest.log())) + arb.pi() / 2
    return abs(height) + abs(slope) * radius + abs(bend) * radius**2 + logs


def _integral(series: arb_series, half: arb) -> arb:
    """∫ of the terms there are, over |δ| ≤ half."""
    coefficients = series.coeffs()
    return sum(
        (2 * coefficients[k] * half ** (k + 1) / (k + 1) for k in range(0, len(coefficients), 2)),
        arb(0),
    )


def _remainder(greatest: arb, half: arb) -> arb:
    """∫ of the terms there are not: term k is at most greatest·WIDER^−k on the panel."""
    rest = greatest * arb(WIDER) ** -TERMS / (1 - 1 / arb(WIDER))
    return arb(0, (2 * half * rest).upper())
