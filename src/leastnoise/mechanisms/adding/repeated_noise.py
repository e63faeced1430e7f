"""`RepeatedNoise`: several queries answered at one price, each with noise of its own."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.adding.lattice_places import answer_places
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws import identity
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.cost import Cost, CostLike, checked_cost
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification
from leastnoise.randomness.source import Source

Answers = Draws | NDArray[np.float64]
"""One released number per query."""


@dataclass(frozen=True, init=False, repr=False)
class RepeatedNoise:
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
        >>> from leastnoise.noise import DiscreteGaussian
        >>> promise = ApproxDP(epsilon=1, delta="1e-6")
        >>> law = DiscreteGaussian(variance=179)
        >>> mechanism = RepeatedNoise(law, count=10, sensitivity=1, guarantee=promise)
        >>> mechanism.release([40, 2, 0, 7, 11, 5, 0, 1, 3, 8]).value.shape
        (10,)
        >>> mechanism.error("0.95"), mechanism.simultaneous("0.95")
        (Fraction(26, 1), Fraction(37, 1))
    """

    law: LatticeLaw
    count: int
    sensitivity: Fraction
    guarantee: PureDP | ApproxDP
    granularity: Fraction
    cost: Cost

    def __init__(  # noqa: PLR0913 - these are what one such mechanism differs in from another
        self,
        law: LatticeLaw,
        *,
        count: SupportsIndex,
        sensitivity: Exact,
        guarantee: PureDP | ApproxDP,
        granularity: Exact = 1,
        cost: CostLike = "absolute",
    ) -> None:
        object.__setattr__(self, "law", _worst_shift_known(law))
        object.__setattr__(self, "count", _check.integer_between(count, "count", 1))
        object.__setattr__(self, "sensitivity", _check.positive(sensitivity, "sensitivity"))
        object.__setattr__(self, "guarantee", guarantee)
        object.__setattr__(self, "granularity", _check.positive(granularity, "granularity"))
        object.__setattr__(self, "cost", checked_cost(cost))
        if not self.verification.holds:
            raise _check.refuse(
                "`law` must keep the guarantee for all answers together", str(self.verification),
                "Give more noise, or promise less.",
            )  # fmt: skip

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor's parameters by name, with their exact values."""
        return identity.parameters(self)

    def __repr__(self) -> str:
        return identity.description(self)

    @property
    def lattice(self) -> Lattice:
        """Where the queries' values are put before noise is added."""
        return Lattice(self.granularity)

    @property
    def steps(self) -> int:
        """The integer sensitivity: how many steps apart each answer's neighbours can be."""
        return self.lattice.reach(self.sensitivity)

    @cached_property
    def verification(self) -> Verification:
        """The proof of the guarantee."""
        epsilon, delta = self.guarantee.epsilon, self._delta
        if self.count == 1:
            return self.law.verify(sensitivity=self.steps, epsilon=epsilon, delta=delta)
        attained, holds, argument = self._composed(epsilon, delta)
        return Verification(holds, epsilon, delta, self.steps, attained, self.steps, argument)

    def _composed(self, epsilon: Fraction, delta: Fraction) -> tuple[Interval, bool, str]:
        if delta:
            leak = self.privacy().delta(epsilon)
            return leak, leak.upper <= delta, f"the losses of {self.count} answers added up"
        single = self.law.verify(sensitivity=self.steps, epsilon=epsilon / self.count)
        return single.attained, single.holds, f"{self.count} answers share epsilon equally"

    @property
    def _delta(self) -> Fraction:
        return self.guarantee.delta if isinstance(self.guarantee, ApproxDP) else Fraction(0)

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """All answers with noise, for an array with one value per query.

        Raises:
            InvalidParameter: not `count` finite numbers; what was found is not said.
        """
        places = answer_places(self.lattice, value, self.count)
        noise = self.law.sample(self.count, source=source)
        noisy = self.lattice.values(self.lattice.shifted(places, noise))
        return Release(noisy, self.guarantee, repr(self))

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of all answers if up to `distance` records change, each query Δ by each."""
        changed = _check.integer_between(distance, "distance", 1)
        return self.law.privacy(self.steps * changed).self_compose(self.count)

    def certificate(self) -> None:
        """None: a law chosen by hand comes with no claim to be best."""
        return

    @property
    def rounding(self) -> Fraction:
        """The most that quantisation moves a value; 0 if every value is on the lattice."""
        whole = self.granularity == 1 and self.sensitivity.denominator == 1
        return Fraction(0) if whole else self.granularity / 2

    def error(self, confidence: Exact) -> Fraction:
        """The bound on one answer's |released − true| that holds with at least this probability."""
        return self.law.quantile(confidence) * self.granularity + self.rounding

    def simultaneous(self, confidence: Exact) -> Fraction:
        """The bound that *all* answers' errors keep with at least this probability."""
        level = _check.probability(confidence, "confidence")
        # Answers are independent: each must keep the bound with the count-th root of the chance.
        root = balls.enclosure(lambda: balls.ball(level).root(self.count)) if level else None
        each = Fraction(0) if root is None else min(Fraction(1), Fraction(root.upper))
        return self.error(1 if level == 1 else each)

    def expected_cost(self) -> Interval:
        r"""E c(|released − true|) of one answer, for the value where it is greatest.

        The noise alone gives the lower end; if values are rounded to the lattice, the upper end
        has every |noise| increased by half a step.
        """
        return expected_cost(self.law, self.cost, self.granularity, self.rounding)


def _worst_shift_known(law: LatticeLaw) -> LatticeLaw:
    if law.shape.symmetric_unimodal:
        return law
    raise UnsupportedQuery(
        "`law` must be symmetric and unimodal to be repeated: only then is moving every answer as "
        "far as possible the worst that can happen; got another. Find the epsilon and delta of a "
        "single answer with verify, and compose PrivacyLoss.worst_case."
    )
