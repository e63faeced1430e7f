r"""∫ f^α·g^(1−α) for two products of normal variables that differ in one mean, as a ball.

With p ∼ N(a, 1) under the first law, p ∼ N(a′, 1) under the second, and q ∼ N(b, 1) under both, the
integral over y = pq splits into both signs of y. On each side w = √|y| walks over panels; on every
panel the integrand is a power series with a proved remainder. What lies far out and what lies next
to 0 is bounded by itself.

Proof: docs/proofs/document_algorithms.md, sections 4 to 6.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_series, ctx

from leastnoise.errors import Undecided
from leastnoise.groupwise.product_normal_expansion import TERMS, Expansion, expansion
from leastnoise.groupwise.product_normal_nodes import OutOfReach
from leastnoise.groupwise.product_normal_origin import origin_share
from leastnoise.groupwise.product_normal_peaks import log_parabola
from leastnoise.numeric import ball as balls
from leastnoise.numeric.normal_cdf import normal_density

_BITS = 128
_NEGLIGIBLE = 40.0
_PANEL_SHARE = 2.0**-50
_DISC = 2.5
_LARGEST_STEP = 0.25
_SMALLEST_STEP = 2.0**-30
_SUCCESSES = 3
_SCANNED = 160
_REFINED = 12


@dataclass(frozen=True)
class Pair:
    """The means a, a′ and b, and the order α ≥ 1, as balls."""

    mean: arb
    neighbour: arb
    other: arb
    order: arb

    @property
    def crude(self) -> arb:
        """α(α−1)(a−a′)²/2: the logarithm of the integral cannot exceed it."""
        return self.order * (self.order - 1) * (self.mean - self.neighbour) ** 2 / 2

    @property
    def origin(self) -> float:
        """The w at which panels end, small enough for `origin_share` to be sharp."""
        product = max(
            1.0, abs(float(self.mean * self.other)), abs(float(self.neighbour * self.other))
        )
        return 2.0 ** math.floor(min(-6.0, -math.log2(64 * float(self.order) * product) / 2))

    @property
    def tilted(self) -> arb:
        """The mean of p under the law ∝ N(a, 1)^α·N(a′, 1)^(1−α)."""
        return self.order * self.mean + (1 - self.order) * self.neighbour


def power_integral(
    mean: balls.Computation, neighbour: balls.Computation, other: balls.Computation, order: Fraction
) -> arb:
    """A ball around ∫ f^α·g^(1−α) for an order α > 1, around ∫ f·ln(f/g) for α = 1.

    Raises:
        Undecided: the integrand has too many scales for the panels; a less extreme question helps.
    """
    with _long_series():
        pair = Pair(mean(), neighbour(), other(), balls.ball(order))
        window = _window(pair, _estimate(pair))
        total = window.beyond
        for sign, low, high in window.sides:
            total += _walk(pair, sign, low, high, window.scale)
        if window.around_origin:
            edge = arb(pair.origin) ** 2
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


# Where to look: choices in floats, and a bound on what lies outside them.


@dataclass(frozen=True)
class _Window:
    """The pieces (sign of y, least w, greatest w) to walk over, and the rest."""

    sides: list[tuple[int, float, float]]
    around_origin: bool
    beyond: arb
    scale: float


def _window(pair: Pair, estimate: float) -> _Window:
    """A box that (p, q) leaves with negligible probability, and the y = pq it allows."""
    reach = math.sqrt(2 * (_NEGLIGIBLE + max(0.0, float(pair.crude) - estimate)))
    p = float(pair.tilted) - reach, float(pair.tilted) + reach
    q = float(pair.other) - reach, float(pair.other) + reach
    products = [first * second for first in p for second in q]
    low, high = min(products), max(products)
    sides = [
        (sign, _start(least, pair.origin), math.sqrt(most) * 1.001)
        for sign, least, most in ((1, low, high), (-1, -high, -low))
        if most > pair.origin**2
    ]
    near = low < pair.origin**2 and high > -(pair.origin**2)
    return _Window(sides, near, _beyond(pair, p, q), estimate)


def _beyond(pair: Pair, p: tuple[float, float], q: tuple[float, float]) -> arb:
    r"""A ball around what the integral adds up to outside the box's image.

    By convexity it grows if p and q are given instead of pq. For α = 1 it is then at most
    E[|Δ|·|p−a| + Δ²/2] outside the box, and f·ln(f/g) ≥ −g bounds it from below.
    """
    first, second = _leaving(pair.tilted, *p), _leaving(pair.other, *q)
    if pair.order > 1:
        return arb(0).union(pair.crude.exp() * (first + second))
    apart = abs(pair.mean - pair.neighbour)
    distance = sum((normal_density(arb(end) - pair.mean) for end in p), second)
    upper = apart * distance + apart**2 / 2 * (first + second)
    lower = -_leaving(pair.neighbour, *p) - _leaving(pair.other, *q)
    return lower.lower().union(upper.upper())


def _leaving(mean: arb, low: float, high: float) -> arb:
    """A bound on P(X ∉ [low, high]) for X ∼ N(mean, 1) and a mean inside."""
    return sum(((-((arb(end) - mean) ** 2) / 2).exp() / 2 for end in (low, high)), arb(0))


def _start(least: float, origin: float) -> float:
    """√least rounded down to few enough bits that walking on in powers of two is exact."""
    if least < 1:
        return origin
    return math.floor(math.sqrt(least) * 64) / 64


def _estimate(pair: Pair) -> float:
    """The logarithm of the integral, roughly; 0 is the least it can be."""
    if not pair.crude > 3:
        return 0.0
    tilted = abs(float(pair.tilted))
    reach = math.sqrt(2 * float(pair.crude))
    most = math.sqrt((tilted + reach + 9) * (abs(float(pair.other)) + reach + 9))
    ratio = (most / pair.origin) ** (1 / _SCANNED)
    found = 0.0
    for sign in (1, -1):
        best = max(
            (pair.origin * ratio**k for k in range(_SCANNED)), key=lambda w: _log(pair, sign, w)
        )
        width = best * (ratio - 1)
        for _ in range(_REFINED):
            places = [best + width * k / 4 for k in range(-4, 5) if best + width * k / 4 > 0]
            best, width = max(places, key=lambda w: _log(pair, sign, w)), width / 4
        found = max(found, _log(pair, sign, best))
    return found


def _log(pair: Pair, sign: int, w: float) -> float:
    """The logarithm of the integrand in w."""
    order, b = float(pair.order), sign * float(pair.other)
    logs = [
        log_parabola([(mean, b), (-mean, -b)], w).height
        for mean in (float(pair.mean), float(pair.neighbour))
    ]
    return math.log(w / math.pi) + order * logs[0] + (1 - order) * logs[1]


# Walking over panels.


def _walk(pair: Pair, sign: int, low: float, high: float, scale: float) -> arb:
    """The integral over w from low to high or a little further.

    Steps are powers of two, and double only where the place is a multiple of the double: so all
    places are exact, and the panels neither overlap nor leave gaps.
    """
    fine = arb(_PANEL_SHARE) * arb(scale).exp()
    place, step, successes, total = low, 1.0, 0, arb(0)
    while place < high:
        panel = None
        if step <= _LARGEST_STEP * place:
            panel = _panel(pair, sign, place + step / 2, step / 2)
        if panel is not None and panel.rad() < fine:
            total, place, successes = total + panel, place + step, successes + 1
            if successes >= _SUCCESSES and place % (2 * step) == 0:
                step, successes = 2 * step, 0
        else:
            step, successes = step / 2, 0
            if step < _SMALLEST_STEP * place:
                raise Undecided(
                    "two laws must not be too extreme for quadrature; the panels became too "
                    "small. Ask for a smaller order, or for less extreme parameters."
                )
    return total


def _panel(pair: Pair, sign: int, centre: float, half: float) -> arb | None:
    """The integral over |w − centre| ≤ half, or None where no bound was found."""
    try:
        bottom = expansion(pair.neighbour, sign * pair.other, centre, half * _DISC)
        top = expansion(pair.mean, sign * pair.other, centre, half * _DISC)
    except OutOfReach:
        return None
    if not (bottom.least > 0 and top.least > 0):
        return None
    radius, place = arb(half * _DISC), arb_series([arb(centre), arb(1)], prec=TERMS)
    if pair.order == 1:
        loss = _logarithm(top) - _logarithm(bottom)
        series = _logarithm(top).exp() * loss * place
        greatest = _greatest(top, radius) * (_size(top, radius) + _size(bottom, radius))
    else:
        alpha, rest = pair.order, 1 - pair.order
        series = (alpha * _logarithm(top) + rest * _logarithm(bottom)).exp() * place
        parabola = [
            alpha * arb(x) + rest * arb(y) for x, y in zip(top.scale, bottom.scale, strict=True)
        ]
        greatest = (parabola[0] + abs(parabola[1]) * radius + abs(parabola[2]) * radius**2).exp()
        greatest *= top.greatest**alpha * bottom.least**rest
    greatest *= arb(centre) + radius
    return (_integral(series, arb(half)) + _remainder(greatest, arb(half))) / arb.pi()


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
    """∫ of the terms there are not: term k is at most greatest·_DISC^−k on the panel."""
    rest = greatest * arb(_DISC) ** -TERMS / (1 - 1 / arb(_DISC))
    return arb(0, (2 * half * rest).upper())
