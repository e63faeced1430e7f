"""`ContinuousStaircase`: the staircase law on the real line, for comparing it with its shifts."""

import math
from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, checked, frozen
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.laws.finite_law import at_least_0
from leastnoise.privacy.laws.stair_runs import StairRuns
from leastnoise.privacy.order import renyi_order


@frozen
class ContinuousStaircase:
    r"""The law whose density is flat but for drops by the factor e^ε at |x − mean| = (k + γ)·Δ.

    Theorem: seen from a copy with another mean, the privacy loss is a multiple of ε, constant
    between drops; every divergence is a sum of finitely many geometric series. At distances up to
    Δ the max divergence is at most ε.
    Proof: docs/proofs/divergences.md.

    Args:
        mean: any number.
        sensitivity: Δ > 0, the distance from drop to drop.
        epsilon: ε > 0.
        gamma: γ in [0, 1]: the first drop lies at γ·Δ.

    References: GengViswanath2016.

    Example:
        >>> law, copy = (ContinuousStaircase(mean, 1, 2, "0.25") for mean in (0, 1))
        >>> law.renyi(copy, math.inf), law.hockey_stick(copy, Fraction(1))
        (Interval(2), Interval(0.510430859050418, 0.510430859050419))
    """

    mean: Number = checked(_check.rational)
    sensitivity: Number = checked(_check.positive)
    epsilon: Number = checked(_check.positive)
    gamma: Number = checked(_check.probability)

    def renyi(self, other: "ContinuousStaircase", order: Exact) -> Interval:
        """The Rényi divergence of a positive order, 1 and ∞ included."""
        order = renyi_order(order)
        runs = self._beside(other)
        if not runs.shift:
            return Interval.exactly(0)
        if order == math.inf:
            return Interval.exactly(runs.greatest_loss())
        return stairs_renyi(runs, Fraction(order))

    def hockey_stick(self, other: "ContinuousStaircase", epsilon: Exact) -> Interval:
        """∫ max(0, p − e^ε·q)."""
        epsilon = _check.rational(epsilon, "epsilon")
        runs = self._beside(other)
        if epsilon >= (runs.greatest_loss() if runs.shift else 0):
            return Interval.exactly(0)
        if not runs.shift:
            return at_least_0(lambda: -balls.ball(epsilon).expm1())
        return at_least_0(lambda: runs.leak(epsilon) / runs.power_sum(Fraction(1)))

    def _beside(self, other: "ContinuousStaircase") -> StairRuns:
        mine = (self.sensitivity, self.epsilon, self.gamma)
        if mine != (other.sensitivity, other.epsilon, other.gamma):
            raise UnsupportedQuery(
                f"two staircases must differ in their mean alone; got {self} and {other}. "
                "Compare them as two Density."
            )
        return StairRuns(
            period=self.sensitivity,
            width=self.gamma * self.sensitivity,
            rate=self.epsilon,
            shift=abs(self.mean - other.mean),
            tick=0,
        )


def stairs_renyi(runs: StairRuns, order: Fraction) -> Interval:
    """The Rényi divergence of finite order between endless stairs and their shifted copy."""
    if order == 1:
        return at_least_0(lambda: runs.loss_sum() / runs.power_sum(Fraction(1)))
    return at_least_0(
        lambda: (runs.power_sum(order) / runs.power_sum(Fraction(1))).log() / balls.ball(order - 1)
    )
