"""`JointNoise`: several queries answered at one price, with noise drawn for all of them at once."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, SupportsIndex

from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.mechanisms.adding.lattice_places import answer_places
from leastnoise.mechanisms.adding.repeated_noise import Answers
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws import identity
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.vectors.cube_coordinate import CubeCoordinate
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from leastnoise.numeric.cost import Cost, CostLike, checked_cost
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification
from leastnoise.randomness.source import Source


@dataclass(frozen=True, init=False, repr=False)
class JointNoise:
    r"""step·(⌊xᵢ/step + 1/2⌋ + Xᵢ) for i = 1..d, X drawn from a law that knows the largest |Xᵢ|.

    Theorem: let a person change each of d real queries by up to Δ, all at once. If the law on Z^d
    is (ε, δ)-DP at the integer distance ⌈Δ/step⌉ in the maximum norm, so is the release. The law is
    made to prove this when the mechanism is built; one that cannot is refused.
    Proof: neighbours' places differ by at most ⌈Δ/step⌉ in every coordinate (`Lattice`), hence in
    the maximum norm; the rest is post-processing.

    For few queries this is far less noise than independent draws: under pure ε-DP, about half the
    expected error and a third of its square for d queries. The price is that the errors are not
    independent: they share one random size.

    Args:
        law: `NormLaplace` or `NormStaircase` noise in the norm "linf"; its dimension is the number
            of queries, at least 2.
        sensitivity: Δ > 0, the most each query changes between neighbours.
        guarantee: the (ε, δ) or ε to prove, for all answers together.
        granularity: the lattice's step; 1 for counts.
        cost: what `expected_cost` is asked for.

    Raises:
        InvalidParameter: the law does not keep the guarantee, or measures in another norm.

    References: SteinkeUllman2016, Theorem 4.1; HardtTalwar2010, Section 4.

    Example:
        >>> law = NormLaplace(dimension=10, scale=1, norm="linf")
        >>> mechanism = JointNoise(law, sensitivity=1, guarantee=PureDP(epsilon=1))
        >>> mechanism.error("0.95"), mechanism.simultaneous("0.95")
        (Fraction(12, 1), Fraction(16, 1))
    """

    law: NormLaplace | NormStaircase
    sensitivity: Fraction
    guarantee: PureDP | ApproxDP
    granularity: Fraction
    cost: Cost

    def __init__(
        self,
        law: NormLaplace | NormStaircase,
        *,
        sensitivity: Exact,
        guarantee: PureDP | ApproxDP,
        granularity: Exact = 1,
        cost: CostLike = "absolute",
    ) -> None:
        object.__setattr__(self, "law", _in_maximum_norm(law))
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
    def count(self) -> int:
        """The number of queries."""
        return self.law.dimension

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
        """The law's own proof of the guarantee."""
        return self.law.verify(
            sensitivity=self.steps, epsilon=self.guarantee.epsilon, delta=self._delta
        )

    @property
    def _delta(self) -> Fraction:
        return self.guarantee.delta if isinstance(self.guarantee, ApproxDP) else Fraction(0)

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """All answers with noise, for an array with one value per query.

        Raises:
            InvalidParameter: not `count` finite numbers; what was found is not said.
        """
        places = answer_places(self.lattice, value, self.count)
        noise = self.law.sample(source=source)
        noisy = self.lattice.values(self.lattice.shifted(places, noise))
        return Release(noisy, self.guarantee, repr(self))

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of all answers if up to `distance` records change, each query Δ by each."""
        changed = _check.integer_between(distance, "distance", 1)
        try:
            return self.law.privacy(self.steps * changed)
        except UnsupportedQuery:  # too many drops to list: the guarantee is all that is known
            worst = PrivacyLoss.worst_case(epsilon=self.guarantee.epsilon, delta=self._delta)
            return worst if changed == 1 else worst.for_group(changed)

    def certificate(self) -> None:
        """None: a law chosen by hand comes with no claim to be best."""
        return

    @property
    def rounding(self) -> Fraction:
        """The most that quantisation moves a value; 0 if every value is on the lattice."""
        whole = self.granularity == 1 and self.sensitivity.denominator == 1
        return Fraction(0) if whole else self.granularity / 2

    @cached_property
    def _answer(self) -> CubeCoordinate:
        return CubeCoordinate(self.law.shape)

    def error(self, confidence: Exact) -> Fraction:
        """The bound on one answer's |released − true| that holds with at least this probability."""
        level = _below_one(confidence)
        return self._answer.quantile(level) * self.granularity + self.rounding

    def simultaneous(self, confidence: Exact) -> Fraction:
        """The bound that *all* answers' errors keep with at least this probability."""
        return self.law.quantile(confidence) * self.granularity + self.rounding

    def expected_cost(self) -> Interval:
        r"""E c(|released − true|) of one answer, for the value where it is greatest.

        The noise alone gives the lower end; if values are rounded to the lattice, the upper end
        has every |noise| increased by half a step.
        """
        return expected_cost(self._answer, self.cost, self.granularity, self.rounding)


def _in_maximum_norm(law: object) -> NormLaplace | NormStaircase:
    if isinstance(law, NormLaplace | NormStaircase) and law.norm == "linf" and law.dimension > 1:
        return law
    raise _check.refuse(
        "`law` must be NormLaplace or NormStaircase in the norm 'linf', of dimension 2 or more",
        f"a {type(law).__name__}",
        "For one query use AdditiveNoise.",
    )


def _below_one(confidence: Exact) -> Fraction:
    level = _check.probability(confidence, "confidence")
    if level < 1:
        return level
    raise UnsupportedQuery(
        "`confidence` must be below 1 for a law without bound; got confidence=1. "
        "Ask for a confidence such as 0.999."
    )
