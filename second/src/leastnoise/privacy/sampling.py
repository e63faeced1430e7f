r"""Steps on a random part of the records, as maps of hockey-stick curves.

With q the sampling rate, P the law with the record and Q the law without it:

- Poisson, remove: ((1-q)Q + qP, Q) has q*H(1 + (a-1)/q), and 1 - a where the argument is below 0;
- Poisson, add: the reversed pair;
- Poisson, replace, Gaussian noise: (1-q)N(0) + qN(mu) against (1-q)N(0) + qN(-mu);
- q*n of n records without replacement, replace: remove for a >= 1, and for a < 1 the reversed of
  remove of the reversed pair;
- one of T steps, chosen uniformly: dP/dQ is the mean of T independent dP/dQ of a step.

Each map is increasing in H, so bounds stay bounds. References: Zhu, Dong and Wang 2022 (pairs that
dominate), Balle, Barthe and Gaboardi 2018. Proof page: docs/proofs/sampling.md.
"""

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, expm1, log1p, log2, sqrt

from flint import arb, fmpz, fmpz_poly

from leastnoise.numbers.ball import Computation, ball, exact_value, normal_tail, precision
from leastnoise.privacy.curve import Curve, Gaussian, Line, greatest_line


@dataclass(frozen=True)
class _OfBase(Curve):
    """A step on a share `rate` of the records, by the curve of the step itself."""

    base: Curve
    rate: Fraction

    @property
    def spread(self) -> float:  # type: ignore[override]
        return _sampled_spread(self.base, self.rate)

    @property
    def infinite(self) -> Fraction:
        return self.rate * self.base.infinite

    @property
    def is_exact(self) -> bool:
        return self.base.is_exact

    def side(self, upper: bool, fineness: int) -> Curve:
        return replace(self, base=self.base.side(upper, fineness))


@dataclass(frozen=True)
class Sampled(_OfBase):
    """((1-q)Q + qP, Q): a record removed from a Poisson sample of rate q in (0, 1)."""

    def at(self, alpha: arb) -> Line:
        rate = ball(self.rate)
        beta = 1 + (alpha - 1) / rate
        if beta > arb(2) ** -256:
            value, slope = self.base.at(beta)
            return rate * value, slope
        # H(b) is between 1 - b and 1.
        line = 1 - alpha
        return (line if beta < 0 else line.union(line + rate * abs(beta))), arb(-1)

    def ends(self) -> tuple[arb, arb]:
        low, high = ((1 + ball(self.rate) * end.expm1()).log() for end in self.base.ends())
        return low, high

    def power_mean(self, order: Fraction) -> Computation | None:
        """Of whole orders, by the binomial theorem (Mironov, Talwar and Zhang 2019)."""
        count, rate = int(order), self.rate
        powers = [self.base.power_mean(Fraction(k)) for k in range(2, min(count, 256) + 1)]
        known = [each for each in powers if each]
        if order.denominator > 1 or len(known) != count - 1:
            return None

        def mean() -> arb:
            terms = [arb(1), arb(1), *(each() for each in known)]
            weights = (
                comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(count + 1)
            )
            return sum((ball(w) * each for w, each in zip(weights, terms, strict=True)), arb(0))

        return mean

    def power_bound(self, order: Fraction) -> arb:
        return self.base.power_bound(order)  # E is convex in dP/dQ and 1 at rate 0


def _sampled_spread(base: Curve, rate: Fraction) -> float:
    """q * sqrt(chi-squared), at most what it was."""
    q = float(rate)
    if isinstance(base, Gaussian):
        return min(q * sqrt(expm1(min(float(base.square), 600.0))), base.spread)
    return min(q * expm1(min(base.spread, 600.0)), base.spread)


@dataclass(frozen=True)
class WithoutReplacement(_OfBase):
    """A fixed share `rate` of the records, one record replaced; `base` is for one replaced too.

    Losses above 0 are those of remove, losses below 0 of its mirror image; what is left is 0.
    """

    def _halves(self) -> tuple[Curve, Curve]:
        return (
            Sampled(self.base, self.rate),
            Sampled(self.base.reversed(), self.rate).reversed(),
        )

    def at(self, alpha: arb) -> Line:
        above, below = self._halves()
        if alpha < 1:
            return below.at(alpha)
        if alpha > 1:
            return above.at(alpha)
        one, other = below.at(alpha), above.at(alpha)
        return one[0].union(other[0]), one[1].union(other[1])

    def ends(self) -> tuple[arb, arb]:
        above, below = self._halves()
        return below.ends()[0], above.ends()[1]

    def power_bound(self, order: Fraction) -> arb:
        return 1 + self.base.power_bound(order)

    def reversed(self) -> Curve:
        return WithoutReplacement(self.base.reversed(), self.rate)


@dataclass(frozen=True)
class ReplacedGaussian(Curve):
    """(1-q)N(0) + qN(mu) against (1-q)N(0) + qN(-mu), mu^2 = `square`."""

    square: Fraction
    rate: Fraction

    @property
    def spread(self) -> float:  # type: ignore[override]
        return 2 * _sampled_spread(Gaussian(self.square), self.rate)

    def at(self, alpha: arb) -> Line:
        mu, rate, rest = ball(self.square).sqrt(), ball(self.rate), ball(1 - self.rate)
        # The loss exceeds log(alpha) where e^(mu*z) exceeds the root of a quadratic equation.
        peak = rate * (-ball(self.square) / 2).exp()
        linear = rest * (alpha - 1)
        root = (linear**2 + 4 * alpha * peak**2).sqrt()
        above = alpha > 1
        ratio = (linear + root) / (2 * peak) if above else 2 * alpha * peak / (root - linear)
        place = ratio.log() / mu
        without = rest * normal_tail(place)
        seen = without + rate * normal_tail(place + mu)
        return without + rate * normal_tail(place - mu) - alpha * seen, -seen

    def ends(self) -> tuple[arb, arb]:
        return arb.neg_inf(), arb.pos_inf()

    def power_bound(self, order: Fraction) -> arb:
        # The second law is at least 1-q times N(0), against which the first is sampled.
        scale = ball(1 - self.rate) ** ball(1 - order)
        return scale * Gaussian(self.square).power_bound(order)

    def reversed(self) -> Curve:
        return self


@dataclass(frozen=True)
class Allocated(Curve):
    """Each record is in exactly one of `steps` steps, chosen uniformly; a record removed.

    Known from two sides: with Y = dP/dQ of a step under Q, its law is spread or pooled on a linear
    grid, and H(a) = 1 - a + E max(0, a - mean of Y_1 .. Y_steps).
    """

    base: Curve
    steps: int

    @property
    def spread(self) -> float:  # type: ignore[override]
        return sqrt(log1p(expm1(min(self.base.spread**2, 600.0)) / self.steps))

    def ends(self) -> tuple[arb, arb]:
        return self.base.ends()

    @property
    def is_exact(self) -> bool:
        return False

    def power_bound(self, order: Fraction) -> arb:
        return self.base.power_bound(order)  # who is told the step is told no less

    def side(self, upper: bool, fineness: int) -> Curve:
        return _Allocated(self, upper, min(max(1 << 13, 256 * fineness), 1 << 17))


_LEVELS = range(-12, 13)


@dataclass(frozen=True)
class _Allocated(Curve):
    """One side of `Allocated`: up to a = 2^k by a linear grid that ends there."""

    curve: Allocated
    upper: bool
    points: int

    def at(self, alpha: arb) -> Line:
        level = ceil(log2(alpha.mid()) - 2.0**-40)
        if level in _LEVELS:
            return _puts(self.curve, self.upper, self.points, level).at(alpha)
        if level < 0 and not self.upper:
            return 1 - alpha, arb(-1)
        if level < 0:  # H(a) - (1 - a) rises
            end = arb(2) ** _LEVELS[0]
            return self.at(end)[0] - 1 + end + 1 - alpha, arb(-1)
        return (self.at(arb(2) ** _LEVELS[-1])[0] if self.upper else arb(0)), arb(0)

    def ends(self) -> tuple[arb, arb]:
        return arb.neg_inf(), arb.pos_inf()

    @property
    def infinite(self) -> Fraction:
        if not self.upper:
            return Fraction(0)
        with precision(_PUT_BITS + 60):
            return exact_value(self.at(arb(2) ** _LEVELS[-1])[0].lower())


@dataclass(frozen=True)
class _Puts:
    """H(a) = 1 - a + the sum of w_j * max(0, a - unit*j), masses w_j / 2^bits, below the last point."""

    weights: tuple[int, ...]  # running sums of w_j
    moments: tuple[int, ...]  # running sums of j*w_j
    unit: Fraction

    def at(self, alpha: arb) -> Line:
        place = int((alpha.mid() / ball(self.unit)).floor().unique_fmpz())
        j = min(max(place, 0), len(self.weights) - 1)
        near = [self._line(i, alpha) for i in (j - 1, j, j + 1) if 0 <= i < len(self.weights)]
        return greatest_line([(1 - alpha, arb(-1)), *near])

    def _line(self, j: int, alpha: arb) -> Line:
        weight, moment = (
            arb(each[j]) / arb(2) ** _PUT_BITS for each in (self.weights, self.moments)
        )
        return 1 - alpha + alpha * weight - ball(self.unit) * moment, weight - 1


_PUT_BITS = 128


@lru_cache(maxsize=64)
def _puts(curve: Allocated, upper: bool, points: int, level: int) -> _Puts:
    """The law of the sum of all Y on the points 0 .. points-1 of 0 .. steps*2^level."""
    gap = curve.steps * Fraction(2) ** level / points
    turned = curve.base.side(upper, points).reversed()
    with precision(_PUT_BITS + 60):
        masses = _put_masses(turned, gap, points, upper)
    total = _power(fmpz_poly(masses), curve.steps, points, upper)
    weights, moments, weight, moment = [], [], 0, 0
    for j in range(points):
        mass = int(total[j])
        weight, moment = weight + mass, moment + j * mass
        weights.append(weight)
        moments.append(moment)
    return _Puts(tuple(weights), tuple(moments), gap / curve.steps)


def _put_masses(turned: Curve, gap: Fraction, points: int, upper: bool) -> list[int]:
    """Second differences of E max(0, k - Y) = k*H(1/k), of chords or of tangents."""
    scale, unit = arb(2) ** (_PUT_BITS + 20), ball(gap)

    def put(k: arb) -> Line:
        value, slope = turned.at(1 / k)
        return k * value, value - slope / k

    if upper:
        values = [0, *(_ends(put(unit * j)[0] * scale)[1] for j in range(1, points + 1))]
    else:
        values = [0]
        for j in range(points):
            value, slope = put(unit * (j + arb(1) / 2))
            left, right = (
                _ends((value + slope * side) * scale)[0] for side in (-unit / 2, unit / 2)
            )
            if left < 0:  # nothing is below 0
                left, right = 0, 0
            values[-1] = min(values[-1], left)
            values.append(right)
        values = _convex(values)
    found, before = [], 0
    for left, right in itertools.pairwise(values):
        rise = (right - left) * gap.denominator // gap.numerator
        found.append(max(0, (rise - before + ((1 << 20) + 1 if upper else -1)) >> 20))
        before = rise
    return found


def _ends(value: arb) -> tuple[int, int]:
    return int(value.lower().floor().unique_fmpz()), int(value.upper().ceil().unique_fmpz())


def _convex(values: list[int]) -> list[int]:
    """The greatest convex sequence up to these values, rounded down."""
    kept: list[int] = []
    for j, value in enumerate(values):
        while len(kept) > 1:
            a, b = kept[-2:]
            if (values[b] - values[a]) * (j - b) < (value - values[b]) * (b - a):
                break
            kept.pop()
        kept.append(j)
    found = [values[0]]
    for a, b in itertools.pairwise(kept):
        found += [values[a] + (values[b] - values[a]) * (j - a) // (b - a) for j in range(a + 1, b)]
        found.append(values[b])
    return found


def _power(masses: fmpz_poly, count: int, length: int, upper: bool) -> fmpz_poly:
    ones = fmpz_poly([1] * length)

    def times(one: fmpz_poly, other: fmpz_poly) -> fmpz_poly:
        product = one.mul_low(other, length) // fmpz(1 << _PUT_BITS)
        return product + ones if upper else product

    found, block = None, masses
    while True:
        if count & 1:
            found = block if found is None else times(found, block)
        count >>= 1
        if not count:
            return found
        block = times(block, block)
