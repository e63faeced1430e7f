"""`Laplace`: a Laplace law on the real line, for comparing two of them in closed form."""

import math
from fractions import Fraction

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, checked, frozen
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.laws.finite_law import at_least_0
from leastnoise.privacy.laws.normal import complement
from leastnoise.privacy.order import renyi_order


@frozen
class Laplace:
    r"""The law with density exp(−|x − mean|/scale)/(2·scale).

    Theorem: for equal scales b and means d apart, E_ε = max(0, 1 − e^((ε − d/b)/2)) for |ε| ≤ d/b,
    D_∞ = d/b, D_1 = d/b + e^(−d/b) − 1, and for α other than 1/2 and 1
    D_α = ln((α·e^((α−1)d/b) + (α−1)·e^(−αd/b))/(2α−1))/(α−1).
    For unequal scales the densities are exponential on each side of either mean, and all
    divergences are sums of three closed integrals.
    Proof: docs/proofs/divergences.md.

    Args:
        mean: any number.
        scale: a positive number; grows with the noise.

    Example:
        >>> Laplace(0, 1).hockey_stick(Laplace(1, 1), Fraction(1, 2))
        Interval(0.221199216928595, 0.221199216928596)
        >>> Laplace(0, 2).renyi(Laplace(0, 1), Fraction(2))
        Interval(inf)
    """

    mean: Number = checked(_check.rational)
    scale: Number = checked(_check.positive)

    def renyi(self, other: "Laplace", order: Exact) -> Interval:
        """The Rényi divergence of a positive order, 1 and ∞ included."""
        order = renyi_order(order)
        if self == other:
            return Interval.exactly(0)
        if order == math.inf:
            return self._greatest_loss(other)
        alpha = Fraction(order)
        if alpha == 1:
            return at_least_0(lambda: self._kl(other))
        if alpha / self.scale + (1 - alpha) / other.scale <= 0:
            return Interval(math.inf, math.inf)
        return at_least_0(lambda: self._power_integral(other, alpha).log() / balls.ball(alpha - 1))

    def _distance(self, other: "Laplace") -> Fraction:
        return abs(self.mean - other.mean)

    def _greatest_loss(self, other: "Laplace") -> Interval:
        if self.scale > other.scale:
            return Interval(math.inf, math.inf)
        distance = self._distance(other)
        if self.scale == other.scale:
            return Interval.exactly(distance / self.scale)
        return at_least_0(lambda: self._peak(other))

    def _peak(self, other: "Laplace") -> arb:
        """The loss at this law's own mean, the greatest there is if the other law is wider."""
        ratio = balls.ball(other.scale / self.scale).log()
        return ratio + balls.ball(self._distance(other) / other.scale)

    def _kl(self, other: "Laplace") -> arb:
        distance = self._distance(other)
        own = balls.ball(self.scale / other.scale) * balls.ball(-distance / self.scale).exp()
        return self._peak(other) + own - 1

    def _power_integral(self, other: "Laplace", alpha: Fraction) -> arb:
        """∫ p^α·q^(1−α): two outer pieces and the one between the means."""
        distance = self._distance(other)
        mine, theirs = alpha / self.scale, (1 - alpha) / other.scale
        outer = (balls.ball(-theirs * distance).exp() + balls.ball(-mine * distance).exp()) / (
            balls.ball(mine + theirs)
        )
        # Between the means the logarithm runs from −theirs·d down or up to −mine·d.
        inner = balls.ball(-theirs * distance).exp() * _ramp(theirs - mine, distance)
        heights = balls.ball(2 * self.scale) ** balls.ball(-alpha)
        return heights * balls.ball(2 * other.scale) ** balls.ball(alpha - 1) * (outer + inner)

    def hockey_stick(self, other: "Laplace", epsilon: Exact) -> Interval:
        """∫ max(0, p − e^ε·q)."""
        epsilon = _check.rational(epsilon, "epsilon")
        if self.scale == other.scale:
            return self._shifted_leak(self._distance(other) / self.scale, epsilon)
        if self.scale < other.scale:
            return at_least_0(lambda: self._inner_leak(other, epsilon))
        return at_least_0(lambda: complement(epsilon, other._inner_leak(self, -epsilon)))

    def _shifted_leak(self, greatest_loss: Fraction, epsilon: Fraction) -> Interval:
        if epsilon >= greatest_loss:
            return Interval.exactly(0)
        exponent = epsilon if epsilon <= -greatest_loss else (epsilon - greatest_loss) / 2
        return at_least_0(lambda: -balls.ball(exponent).expm1())

    def _inner_leak(self, wider: "Laplace", epsilon: Fraction) -> arb:
        """∫ max(0, p − e^ε·q) for a q of greater scale: p is above on an interval or nowhere.

        Seen from this law's mean: away from the other mean the loss falls by 1/b − 1/b′ per unit;
        towards it by 1/b + 1/b′ up to that mean, and then by 1/b − 1/b′ again.
        """
        distance = balls.ball(self._distance(wider))
        height = self._peak(wider) - balls.ball(epsilon)
        if height < 0:
            return arb(0)
        height = height.nonnegative_part()
        slow = balls.ball(1 / self.scale - 1 / wider.scale)
        fast = balls.ball(1 / self.scale + 1 / wider.scale)
        beyond = (height - distance * fast).nonnegative_part()
        away, towards = height / slow, (height / fast).min(distance) + beyond / slow
        mine = self._upto(towards) - self._upto(-away)
        return mine - balls.ball(epsilon).exp() * (
            wider._upto(towards - distance) - wider._upto(-away - distance)
        )

    def _upto(self, place: arb) -> arb:
        """P(X − mean ≤ place)."""
        # Both branches at once: a ball may contain 0, and then either formula alone would be wrong.
        below = place.min(arb(0)) / balls.ball(self.scale)
        above = place.max(arb(0)) / balls.ball(self.scale)
        return below.exp() / 2 + (1 - (-above).exp()) / 2


def _ramp(slope: Fraction, length: Fraction) -> arb:
    """∫ exp(slope·x) over 0..length."""
    if not slope:
        return balls.ball(length)
    return balls.ball(slope * length).expm1() / balls.ball(slope)
