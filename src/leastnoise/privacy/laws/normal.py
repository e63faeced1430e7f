"""`Normal`: a normal law, for comparing two of them in closed form."""

import math
from fractions import Fraction

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, checked, frozen
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.normal_cdf import normal_cdf
from leastnoise.numeric.real import Computable
from leastnoise.privacy.gaussian import gaussian_delta
from leastnoise.privacy.laws.finite_law import at_least_0
from leastnoise.privacy.order import renyi_order


@frozen
class Normal:
    r"""N(mean, variance).

    Theorem: with s = α·v′ + (1−α)·v, the Rényi divergence of order α ≠ 1 of N(m, v) from N(m′, v′)
    is ∞ if s ≤ 0, else ln(v′/v)/2 + ln(v′/s)/(2(α−1)) + α·(m−m′)²/(2s).
    The set where one density exceeds a multiple of the other is an interval or its complement, so
    the hockey-stick divergence is a difference of normal probabilities.
    Proof: docs/proofs/divergences.md.

    Args:
        mean: any number.
        variance: a positive number.

    References: GilAlajajiLinder2013 for the Rényi divergence.

    Example:
        >>> Normal(6, 9).renyi(Normal(5, "6.25"), Fraction(36, 11))
        Interval(inf)
        >>> Normal(5, "6.25").renyi(Normal(6, 9), Fraction(2))
        Interval(0.134113608145703, 0.134113608145704)
    """

    mean: Number = checked(_check.rational)
    variance: Number = checked(_check.positive)

    def renyi(self, other: "Normal", order: Exact) -> Interval:
        """The Rényi divergence of a positive order, 1 and ∞ included."""
        order = renyi_order(order)
        if self == other:
            return Interval.exactly(0)
        if order == math.inf:
            return self._greatest_loss(other)
        alpha = Fraction(order)
        mixed = alpha * other.variance + (1 - alpha) * self.variance
        if mixed <= 0:
            return Interval(math.inf, math.inf)
        square = (self.mean - other.mean) ** 2
        if self.variance == other.variance:
            return Interval.exactly(alpha * square / (2 * mixed))
        return at_least_0(lambda: self._unequal(other, alpha, mixed, square))

    def _greatest_loss(self, other: "Normal") -> Interval:
        gap = other.variance - self.variance
        if gap <= 0:
            return Interval(math.inf, math.inf)
        square = (self.mean - other.mean) ** 2
        return at_least_0(lambda: self._log_ratio(other) + balls.ball(square / (2 * gap)))

    def _log_ratio(self, other: "Normal") -> arb:
        """The logarithm of the quotient of the two standard deviations, the other's on top."""
        return balls.ball(other.variance / self.variance).log() / 2

    def _unequal(self, other: "Normal", alpha: Fraction, mixed: Fraction, square: Fraction) -> arb:
        if alpha == 1:
            rest = (self.variance + square) / (2 * other.variance) - Fraction(1, 2)
            return self._log_ratio(other) + balls.ball(rest)
        spread = balls.ball(other.variance / mixed).log() / balls.ball(2 * (alpha - 1))
        return self._log_ratio(other) + spread + balls.ball(alpha * square / (2 * mixed))

    def hockey_stick(self, other: "Normal", epsilon: Exact) -> Interval:
        """∫ max(0, p − e^ε·q)."""
        epsilon = _check.rational(epsilon, "epsilon")
        if self.variance == other.variance:
            square = (self.mean - other.mean) ** 2 / self.variance
            mu = Computable(lambda: balls.ball(square).sqrt()) if square else 0
            return gaussian_delta(epsilon, mu).interval()
        if self.variance < other.variance:
            return at_least_0(lambda: self._inner_leak(other, epsilon))
        # p > e^ε·q is the complement of q ≥ e^−ε·p, where the narrower law is on top.
        return at_least_0(lambda: complement(epsilon, other._inner_leak(self, -epsilon)))

    def _inner_leak(self, wider: "Normal", epsilon: Fraction) -> arb:
        """∫ max(0, p − e^ε·q) for a q of greater variance: p is above on an interval or nowhere."""
        # The loss is a parabola open below: a peak minus (x − centre)²·gap/(2·v·v′).
        gap = wider.variance - self.variance
        centre = (self.mean * wider.variance - wider.mean * self.variance) / gap
        lift = (self.mean - wider.mean) ** 2 / (2 * gap) - epsilon
        height = self._log_ratio(wider) + balls.ball(lift)
        if height < 0:
            return arb(0)
        square = height.nonnegative_part() * balls.ball(2 * self.variance * wider.variance / gap)
        reach = square.sqrt()
        inside = self._mass(balls.ball(centre), reach)
        return inside - balls.ball(epsilon).exp() * wider._mass(balls.ball(centre), reach)

    def _mass(self, centre: arb, reach: arb) -> arb:
        """The probability of [centre − reach, centre + reach]."""
        place, spread = abs(centre - balls.ball(self.mean)), balls.ball(self.variance).sqrt()
        return normal_cdf((reach - place) / spread) - normal_cdf((-reach - place) / spread)


def complement(epsilon: Fraction, reverse: arb) -> arb:
    """E_ε(P‖Q) from E_−ε(Q‖P): 1 − e^ε + e^ε times it."""
    factor = balls.ball(epsilon).exp()
    return 1 - factor + factor * reverse
