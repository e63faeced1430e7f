r"""Rigorous sums Σ k**order·exp(−(k/scale)**power) over integers, for 1 < power < 2.

A narrow law, or the far tail of any, is summed term by term, with a geometric bound on the rest. A
wide one is summed term by term over its first places only, where the weight is not smooth, and from
there on by Euler and Maclaurin's formula. Cauchy's estimate of derivatives bounds the remainder.
Proofs: docs/proofs/generalized_gaussian.md, section 2.
"""

from fractions import Fraction
from functools import lru_cache
from math import comb

from flint import arb, ctx

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.log_concave import log_concave_sum

# Below this scale few terms matter.
_WIDE = 64
# Where the bound on the remainder is lifted by more than e to this power, few terms matter too.
_MOST_LIFT = 16
_VAST = 1 << 30  # e^-(2^30) is 0 at every precision in use


@dataclass(frozen=True)
class WeightSums:
    """The weights exp(−(|k|/scale)**power) and their sums, as balls at the working precision."""

    scale: Fraction
    power: Fraction

    def exponent(self, k: int) -> arb:
        """(|k|/scale)**power."""
        unit, power = _parameters(self, ctx.prec)
        return (abs(k) * unit) ** power if k else arb(0)

    def weight(self, k: int) -> arb:
        """exp(−(|k|/scale)**power)."""
        return (-self.exponent(k)).exp()

    def total(self) -> arb:
        """Σ of the weights over all integers."""
        return 1 + 2 * self.beyond(1)

    def beyond(self, start: int) -> arb:
        """Σ of the weights over k ≥ start, for start ≥ 1."""
        exponent = self.exponent(start)
        if exponent < _VAST:
            return _summed(self, start, 0, ctx.prec)
        # Too small to be told from 0. The exponent is convex and 0 at 0, so from here on it grows
        # by at least exponent/start per step.
        return arb(0).union((-exponent).exp() / -(-exponent / start).expm1())

    def powers(self, order: int) -> arb:
        """Σ k**order·weight(k) over k ≥ 1."""
        return _summed(self, 1, order, ctx.prec)


@lru_cache(maxsize=256)
def _parameters(sums: WeightSums, bits: int) -> tuple[arb, arb]:
    """1/scale and the power."""
    del bits  # only the cache needs it: balls of one precision are not those of another
    return balls.ball(1 / sums.scale), balls.ball(sums.power)


@lru_cache(maxsize=1 << 12)
def _summed(sums: WeightSums, start: int, order: int, bits: int) -> arb:
    """Σ k**order·weight(k) over k ≥ start."""

    def term(k: int) -> arb:
        return arb(k) ** order * sums.weight(k)

    radius = 4 + bits // 6
    first = max(start, radius + 1)
    formula = _EulerMaclaurin(sums, first, order, radius)
    if sums.scale < max(_WIDE, 2 * radius) or formula.lift() > _MOST_LIFT:
        # x**order·exp(−(x/s)**q) is greatest where (x/s)**q = order/q.
        peak = int(float(sums.scale) * float(order / sums.power) ** float(1 / sums.power))
        return log_concave_sum(term, start, peak)
    return sum((term(k) for k in range(start, first)), arb(0)) + formula.sum()


@dataclass(frozen=True)
class _EulerMaclaurin:
    """Σ f(k) over k ≥ start for f(x) = x**order·exp(−(x/scale)**power), start > radius."""

    sums: WeightSums
    start: int
    order: int
    radius: int

    def sum(self) -> arb:
        """The formula with its remainder."""
        count = 2 * self.radius + 2 * self.order
        taylor = self._taylor(count)
        total = self._integral(arb(1), self.start) + taylor[0] / 2
        for n in range(1, count, 2):
            total -= arb.bernoulli(n + 1) / (n + 1) * taylor[n]
        return total + arb(0, self._remainder(count).upper())

    def _integral(self, factor: arb, start: int) -> arb:
        """The integral of x**order·exp(−factor·(x/scale)**power) from start on."""
        with balls.precision(2 * ctx.prec):  # Arb's gamma function may lose half of its digits
            unit, power = _parameters(self.sums, ctx.prec)
            degree, place = (self.order + 1) / power, factor * self.sums.exponent(start)
            return place.gamma_upper(degree) / (power * factor**degree * unit ** (self.order + 1))

    def _taylor(self, count: int) -> list[arb]:
        """The Taylor coefficients of f at start, below the count.

        g = exp(h) has n·gₙ = Σ i·hᵢ·gₙ₋ᵢ; here h(t) = −((start + t)/scale)**power.
        """
        power, inner = balls.ball(self.sums.power), -self.sums.exponent(self.start)
        slopes = []
        for i in range(count):
            inner *= (power - i) / ((i + 1) * self.start)
            slopes.append((i + 1) * inner)
        weights = [self.sums.weight(self.start)]
        for n in range(1, count):
            products = (slopes[i] * weights[n - 1 - i] for i in range(n))
            weights.append(sum(products, arb(0)) / n)
        # Term by term: a fast product would round all coefficients as coarsely as the largest.
        powers = [comb(self.order, i) * arb(self.start) ** (self.order - i) for i in self._degrees]
        return [
            sum((powers[i] * weights[n - i] for i in self._degrees[: n + 1]), arb(0))
            for n in range(count)
        ]

    @property
    def _degrees(self) -> range:
        return range(self.order + 1)

    def _share(self) -> Fraction:
        """η of the remainder's bound: about one over the exponent where the integral begins."""
        far = (self.start + self.radius) / self.sums.scale
        return 1 / max(Fraction(2), Fraction(float(far) ** float(self.sums.power)))

    def lift(self) -> float:
        """C of the remainder's bound, roughly."""
        ratio, power = float(2 * self.radius / self.sums.scale), float(self.sums.power)
        return float(ratio * (ratio * (power - 1) / float(self._share())) ** (power - 1))

    def _remainder(self, count: int) -> arb:
        r"""A bound on what the formula with derivatives below the even count leaves out.

        |B_n|·r^−n·e^C·∫ y^order·exp(−(1 − η)(y/s)^q) dy over y ≥ start + r, with n the count, r the
        radius, C = 2ρ·(2ρ(q−1)/η)^(q−1) and ρ = r/s, for any η in (0, 1).
        """
        unit, power = _parameters(self.sums, ctx.prec)
        share, ratio = balls.ball(self._share()), 2 * self.radius * unit
        lift = (ratio * (ratio * (power - 1) / share) ** (power - 1)).exp()
        bound = lift * self._integral(1 - share, self.start + self.radius)
        return abs(arb.bernoulli(count)) * bound / arb(self.radius) ** count
