"""`AdvancedComposition`: the oldest composition theorem that beats adding up."""

from fractions import Fraction
from typing import SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.numeric.ball import ball, enclosure
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import NEVER, at_most_one, sound_end
from leastnoise.privacy.guarantee import ApproxDP


@frozen
class AdvancedComposition:
    r"""The bound of Dwork, Rothblum and Vadhan for k mechanisms that are each (ε₀, δ₀)-DP.

    Theorem: for every slack δ′ in (0, 1), every k-fold adaptive composition is (ε, kδ₀ + δ′)-DP
    with ε = ε₀·√(2k·ln(1/δ′)) + k·ε₀·(e^ε₀ − 1). An upper bound; `OptimalComposition` is never
    larger. With `sharp` the last term is k·ε₀·(e^ε₀ − 1)/(e^ε₀ + 1), the mean of the loss.
    Proof: docs/proofs/composition.md, section 2.

    Args:
        promise: (ε₀, δ₀) of each mechanism.
        count: the number k of mechanisms.
        sharp: whether the smaller last term is taken.

    References: DworkRothblumVadhan2010, Theorem III.3; DworkRoth2014, Theorem 3.20. The lecture
    notes announce the theorem and end before it (errata A12).

    Example:
        >>> hundred = AdvancedComposition(ApproxDP(epsilon="0.1", delta=0), 100)
        >>> round(float(hundred.epsilon(delta="1e-6")), 4)
        6.3082
    """

    promise: ApproxDP
    count: Whole = checked(_check.whole(1))
    sharp: bool = checked(_check.flag, default=False)

    def epsilon(self, delta: Exact) -> Interval:
        """The theorem's ε at a total δ; infinite if δ leaves no slack above kδ₀."""
        slack = _check.delta(delta) - self.count * self.promise.delta
        if not self.promise.epsilon:
            return Interval.exactly(0) if slack >= 0 else NEVER
        return enclosure(lambda: self._epsilon(slack)) if slack > 0 else NEVER

    def delta(self, epsilon: Exact) -> Interval:
        """The theorem's total δ at ε, capped at 1."""
        wanted, leak = _check.non_negative(epsilon, "epsilon"), self.count * self.promise.delta
        if not self.promise.epsilon:
            return at_most_one(Interval.exactly(leak))
        return at_most_one(enclosure(lambda: ball(leak) + self._slack(wanted)))

    def _mean(self) -> arb:
        loss = ball(self.promise.epsilon)
        return self.count * loss * ((loss / 2).tanh() if self.sharp else loss.expm1())

    def _epsilon(self, slack: Fraction) -> arb:
        deviation = (-2 * self.count * ball(slack).log()).sqrt()
        return ball(self.promise.epsilon) * deviation + self._mean()

    def _slack(self, epsilon: Fraction) -> arb:
        room = (ball(epsilon) - self._mean()).nonnegative_part()
        return (-((room / ball(self.promise.epsilon)) ** 2) / (2 * self.count)).exp()


def advanced(
    *, epsilon: Exact, delta: Exact, count: SupportsIndex, slack: Exact, sharp: bool = False
) -> ApproxDP:
    """The promise of `AdvancedComposition` at a slack δ′: the total δ is count·delta + slack.

    With `sharp` the term count·ε·(e^ε − 1) is divided by e^ε + 1.

    Example:
        >>> advanced(epsilon="0.1", delta=0, count=100, slack="1e-6")
        ApproxDP(epsilon='6.30823095051341', delta='0.000001')
        >>> advanced(epsilon="0.1", delta=0, count=100, slack="1e-6", sharp=True)
        ApproxDP(epsilon='5.75610551933574', delta='0.000001')
    """
    spare = _check.positive_delta(slack, "slack")
    times = _check.integer_between(count, "count", 1)
    promise = ApproxDP(epsilon=epsilon, delta=delta)
    total = _check.delta(times * promise.delta + spare, "count·delta + slack")
    bound = AdvancedComposition(promise, times, sharp).epsilon(total)
    return ApproxDP(epsilon=sound_end(bound), delta=total)
