"""`RepeatedNoise`: several queries answered at one price, each with noise of its own."""

from fractions import Fraction
from functools import cached_property
from typing import Any, SupportsIndex

from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, Number, Whole, checked, frozen
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.additive_mechanism import AdditiveMechanism, Answers
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric import ball as balls
from leastnoise.numeric.cost import Cost, CostLike, checked_cost
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification
from leastnoise.randomness.source import Source


@frozen(kw_only=True, repr=False)
class RepeatedNoise(AdditiveMechanism[LatticeLaw]):
    r"""step·(⌊xᵢ/step + 1/2⌋ + Xᵢ) for i = 1..count, the Xᵢ independent draws from one law.

    Theorem: let a person change each of `count` real queries by up to Δ, all at once, and let the
    law be symmetric and unimodal. The release is (ε, δ)-DP exactly if the law's privacy loss at
    the integer distance ⌈Δ/step⌉, added up `count` times, leaks at most δ at ε; for δ = 0, if the
    law is (ε/count)-DP at that distance. The law is made to prove this when the mechanism is
    built; one that cannot is refused. ("Exactly": for values on the lattice, Δ a multiple of the
    step.)
    Proof: docs/proofs/repeated_noise.md.

    Args:
        law: the noise of one answer, on the integers; symmetric and unimodal.
        count: the number of queries.
        sensitivity: Δ > 0, the most each query changes between neighbours.
        guarantee: the (ε, δ) or ε to prove, for all answers together.
        granularity: the lattice's step; 1 for counts.
        cost: what `expected_cost` is asked for.

    Raises:
        InvalidParameter: the law does not keep the guarantee, or is not symmetric and unimodal.

    Example:
        >>> from leastnoise import ApproxDP
        >>> from leastnoise.noise import DiscreteGaussian
        >>> promise = ApproxDP(epsilon=1, delta="1e-6")
        >>> law = DiscreteGaussian(variance=179)
        >>> mechanism = RepeatedNoise(law, count=10, sensitivity=1, guarantee=promise)
        >>> mechanism.release([40, 2, 0, 7, 11, 5, 0, 1, 3, 8]).value.shape
        (10,)
        >>> mechanism.error("0.95"), mechanism.simultaneous("0.95")
        (Fraction(26, 1), Fraction(37, 1))
    """

    count: Whole = checked(_check.whole(1))
    # Said again for mypy, which takes an inherited field to hold what the constructor was given.
    sensitivity: Number = checked(_check.positive)
    granularity: Number = checked(_check.positive, default=1)
    cost: Checked[CostLike, Cost] = checked(checked_cost, default="absolute")

    _proved_for = "for all answers together"

    def _refuse_law(self) -> None:
        if not self.law.shape.symmetric_unimodal:
            raise UnsupportedQuery(
                "`law` must be symmetric and unimodal to be repeated: only then is moving every "
                f"answer as far as possible the worst that can happen; got {_check.shown(self.law)}"
                ". Find the epsilon and delta of a single answer with verify, and compose "
                "PrivacyLoss.worst_case."
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor's parameters by name, with their exact values."""
        return {"law": self.law, "count": self.count, **super().parameters}

    @cached_property
    def verification(self) -> Verification:
        """The proof of the guarantee."""
        if self.count == 1:
            return super().verification
        epsilon, delta = self.guarantee.epsilon, self._delta
        attained, holds, argument = self._composed(epsilon, delta)
        return Verification(holds, epsilon, delta, self.steps, attained, self.steps, argument)

    def _composed(self, epsilon: Fraction, delta: Fraction) -> tuple[Interval, bool, str]:
        if delta:
            leak = self.privacy().delta(epsilon)
            return leak, leak.upper <= delta, f"the losses of {self.count} answers added up"
        single = self.law.verify(sensitivity=self.steps, epsilon=epsilon / self.count)
        return single.attained, single.holds, f"{self.count} answers share epsilon equally"

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """All answers with noise, for an array with one value per query.

        Raises:
            InvalidParameter: not `count` finite numbers; what was found is not said.
        """
        places = self.lattice.row(value, self.count)
        return self._released(places, self.law.sample(self.count, source=source))

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of all answers if up to `distance` records change, each query Δ by each."""
        changed = _check.integer_between(distance, "distance", 1)
        return self.law.privacy(self.steps * changed).self_compose(self.count)

    def simultaneous(self, confidence: Exact) -> Fraction:
        """The bound that *all* answers' errors keep with at least this probability."""
        level = _check.probability(confidence, "confidence")
        # Answers are independent: each must keep the bound with the count-th root of the chance.
        root = balls.enclosure(lambda: balls.ball(level).root(self.count)) if level else None
        each = Fraction(0) if root is None else min(Fraction(1), Fraction(root.upper))
        return self.error(1 if level == 1 else each)

    def expected_cost(self) -> Interval:
        r"""E c(|released − true|) of one answer, for the value where it is greatest."""
        return expected_cost(self.law, self.cost, self.granularity, self.rounding)
