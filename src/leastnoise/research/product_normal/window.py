r"""Where two products of normal variables are compared: choices in floats, and a bound on the rest.

Proof: docs/proofs/document_algorithms.md, section 6.
"""

import math

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric.normal_cdf import normal_density
from leastnoise.research.product_normal.chart import (
    FIRST_AT_REST,
    ROOT,
    SECOND_AT_REST,
    Chart,
    Disc,
)
from leastnoise.research.product_normal.peaks import log_parabola

_NEGLIGIBLE = 40.0  # e^-40 is below 2^-57
_CRUDE_ENOUGH = 20.0  # up to it the box is hardly wider than it must be
_SCANNED = 64  # places to look for the peak at
_REFINED = 16  # rounds beside the best place at most, each four times as fine
_FLAT = 0.01  # where the logarithm differs by less, the peak is found well enough


@dataclass(frozen=True)
class ProductPair:
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
        """The |y| at which panels end, a power of two, small enough for `origin_share`."""
        product = max(abs(float(mean * self.other)) for mean in (self.mean, self.neighbour))
        return 2.0 ** math.floor(min(-12.0, -math.log2(64 * float(self.order) * (1 + product))))

    @property
    def inner_chart(self) -> Chart:
        """|y|, with the larger factor at rest."""
        larger = max(abs(float(self.mean)), abs(float(self.neighbour)))
        return FIRST_AT_REST if larger >= abs(float(self.other)) else SECOND_AT_REST

    @property
    def far_out(self) -> float:
        """A power of two: for √|y| beyond it both factors are large, and √|y| is the variable."""
        means = (self.mean, self.neighbour, self.other)
        return 2.0 ** math.ceil(math.log2(1 + 2 * max(abs(float(mean)) for mean in means)))

    @property
    def tilted(self) -> arb:
        """The mean of p under the law ∝ N(a, 1)^α·N(a′, 1)^(1−α)."""
        return self.order * self.mean + (1 - self.order) * self.neighbour


@dataclass(frozen=True)
class Stretch:
    """A sign of y, a chart, and the range of its variable to walk over."""

    sign: int
    chart: Chart
    low: float
    high: float


@dataclass(frozen=True)
class Window:
    """What to walk over, and what is left then."""

    stretches: list[Stretch]
    around_origin: bool
    beyond: arb
    scale: float


def window(pair: ProductPair) -> Window:
    """A box that (p, q) leaves with negligible probability, and the y = pq it allows."""
    estimate = _estimate(pair)
    reach = math.sqrt(2 * (_NEGLIGIBLE + max(0.0, float(pair.crude) - estimate)))
    p = float(pair.tilted) - reach, float(pair.tilted) + reach
    q = float(pair.other) - reach, float(pair.other) + reach
    products = [first * second for first in p for second in q]
    low, high = min(products), max(products)
    stretches = [
        *_stretches(pair, 1, low, high * 1.001),
        *_stretches(pair, -1, -high, -low * 1.001),
    ]
    near = low < pair.origin and high > -pair.origin
    return Window(stretches, near, _beyond(pair, p, q), estimate)


def _stretches(pair: ProductPair, sign: int, low: float, high: float) -> list[Stretch]:
    """The part |y| ≥ origin of low ≤ |y| ≤ high, in one or two charts that meet exactly."""
    start, turn = _few_bits(max(low, pair.origin)), pair.far_out
    found = []
    if start < min(high, turn**2):
        found.append(Stretch(sign, pair.inner_chart, start, min(high, turn**2)))
    if high > turn**2:
        found.append(Stretch(sign, ROOT, max(turn, _few_bits(math.sqrt(start))), math.sqrt(high)))
    return found


def _few_bits(value: float) -> float:
    """Rounded down to 8 significant bits, so that walking on in powers of two is exact."""
    unit = 2.0 ** (math.frexp(value)[1] - 8)
    return math.floor(value / unit) * unit


def _beyond(pair: ProductPair, p: tuple[float, float], q: tuple[float, float]) -> arb:
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


def _estimate(pair: ProductPair) -> float:
    """The logarithm of the integral, roughly; 0 is the least it can be."""
    if not pair.crude > _CRUDE_ENOUGH:
        return 0.0
    tilted = abs(float(pair.tilted))
    reach = math.sqrt(2 * float(pair.crude))
    least = math.sqrt(pair.origin)
    most = math.sqrt((tilted + reach + 9) * (abs(float(pair.other)) + reach + 9))
    ratio = (most / least) ** (1 / _SCANNED)
    found = 0.0
    for sign in (1, -1):
        best = max((least * ratio**k for k in range(_SCANNED)), key=lambda w: _log(pair, sign, w))
        width = best * (ratio - 1)
        for _ in range(_REFINED):
            places = [best + width * k / 4 for k in range(-4, 5) if best + width * k / 4 > 0]
            logs = [_log(pair, sign, w) for w in places]
            best, width = places[logs.index(max(logs))], width / 4
            if max(logs) - min(logs) < _FLAT:
                break
        found = max(found, *logs)
    return found


def _log(pair: ProductPair, sign: int, w: float) -> float:
    """The logarithm of the integrand in w."""
    order, b = float(pair.order), sign * float(pair.other)
    logs = [
        log_parabola([(mean, b), (-mean, -b)], Disc(ROOT, w, 0.0)).height
        for mean in (float(pair.mean), float(pair.neighbour))
    ]
    return math.log(w / math.pi) + order * logs[0] + (1 - order) * logs[1]
