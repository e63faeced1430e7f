r"""∫ f^α·g^(1−α) for two products of normal variables that differ in one mean, as a ball.

With p ∼ N(a, 1) under the first law, p ∼ N(a′, 1) under the second, and q ∼ N(b, 1) under both, the
integral over y = pq splits into both signs of y. On each side |y|, and far out √|y|, walks over
panels; on every panel the integrand is a power series with a proved remainder. What lies beyond the
panels and what lies next to 0 is bounded by itself.

Proof: docs/proofs/document_algorithms.md, sections 4 to 6.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, arb_series, ctx

from leastnoise.errors import Undecided
from leastnoise.numeric import ball as balls
from leastnoise.research.product_normal.chart import Disc
from leastnoise.research.product_normal.expansion import TERMS, Expansion, expansion
from leastnoise.research.product_normal.nodes import OutOfReach
from leastnoise.research.product_normal.origin import origin_share
from leastnoise.research.product_normal.window import ProductPair, Stretch, window

_BITS = 128  # of the working precision
_PANEL_SHARE = 2.0**-50  # of the whole that a panel may be off by
_LARGEST_STEP = 0.5  # of the place: discs keep clear of 0
_SMALLEST_STEP = 2.0**-30  # of the place: then the panels give up
WIDER = 2.0
"""The radius of a disc, in half-lengths of the panel inside it."""


def power_integral(
    mean: balls.Computation, neighbour: balls.Computation, other: balls.Computation, order: Fraction
) -> arb:
    """A ball around ∫ f^α·g^(1−α) for an order α > 1, around ∫ f·ln(f/g) for α = 1.

    Raises:
        Undecided: the integrand has too many scales for the panels; a less extreme question helps.
    """
    with _long_series():
        pair = ProductPair(mean(), neighbour(), other(), balls.ball(order))
        where = window(pair)
        total = where.beyond
        for stretch in where.stretches:
            total += _walk(pair, stretch, where.scale)
        if where.around_origin:
            edge = arb(pair.origin)
            total += origin_share(pair.mean, pair.neighbour, pair.other, pair.order, edge)
        return total


@contextmanager
def _long_series() -> Iterator[None]:
    """FLINT cuts all power series off at one length for the whole process."""
    with balls.precision(_BITS):
        saved = ctx.cap
        ctx.cap = TERMS
        try:
            yield
        finally:
            ctx.cap = saved


def _walk(pair: ProductPair, stretch: Stretch, scale: float) -> arb:
    """The integral over a stretch.

    Steps are powers of two, and every place is a multiple of the step made there: so all places are
    exact, the panels neither overlap nor leave gaps, and they meet every larger power of two.
    """
    fine = arb(_PANEL_SHARE) * arb(scale).exp()
    place, total = stretch.low, arb(0)
    step = 2.0 ** (math.frexp(place)[1] - 3)
    while place < stretch.high:
        panel = None
        if step <= _LARGEST_STEP * place and place % step == 0:
            disc = Disc(stretch.chart, place + step / 2, step / 2 * WIDER)
            panel = panel_integral(pair, stretch.sign, disc)
        if panel is not None and panel.rad() < fine:
            total, place = total + panel, place + step
            step = 2 * step if place % (2 * step) == 0 else step
        else:
            step /= 2
            if step < _SMALLEST_STEP * place:
                raise Undecided(
                    "two laws must not be too extreme for quadrature; the panels became too "
                    "small. Ask for a smaller order, or for less extreme parameters."
                )
    return total


def panel_integral(pair: ProductPair, sign: int, disc: Disc) -> arb | None:
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
