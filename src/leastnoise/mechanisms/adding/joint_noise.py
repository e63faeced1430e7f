"""`JointNoise`: several queries answered at one price, with noise drawn for all of them at once."""

from fractions import Fraction
from functools import cached_property

from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.additive_mechanism import AdditiveMechanism, Answers
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.vectors.cube_coordinate import CubeCoordinate
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from leastnoise.numeric.interval import Interval
from leastnoise.randomness.source import Source


class JointNoise(AdditiveMechanism[NormLaplace | NormStaircase]):
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
        >>> from leastnoise import PureDP
        >>> law = NormLaplace(dimension=10, scale=1, norm="linf")
        >>> mechanism = JointNoise(law, sensitivity=1, guarantee=PureDP(epsilon=1))
        >>> mechanism.error("0.95"), mechanism.simultaneous("0.95")
        (Fraction(12, 1), Fraction(16, 1))
    """

    _proved_for = "for all answers together"

    def _refuse_law(self) -> None:
        known = isinstance(self.law, NormLaplace | NormStaircase)
        if not known or self.law.norm != "linf" or self.law.dimension < 2:
            raise _check.refuse(
                "`law` must be NormLaplace or NormStaircase in the norm 'linf', of dimension 2 or "
                "more",
                _check.shown(self.law),
                "For one query use AdditiveNoise.",
            )

    @property
    def count(self) -> int:
        """The number of queries."""
        return self.law.dimension

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """All answers with noise, for an array with one value per query.

        Raises:
            InvalidParameter: not `count` finite numbers; what was found is not said.
        """
        places = self.lattice.row(value, self.count)
        return self._released(places, self.law.sample(source=source))

    @cached_property
    def _answer(self) -> CubeCoordinate:
        return CubeCoordinate(self.law.shape)

    def error(self, confidence: Exact) -> Fraction:
        """The bound on one answer's |released − true| that holds with at least this probability."""
        level = below_one(confidence)
        return self._answer.quantile(level) * self.granularity + self.rounding

    def simultaneous(self, confidence: Exact) -> Fraction:
        """The bound that *all* answers' errors keep with at least this probability."""
        return self.law.quantile(confidence) * self.granularity + self.rounding

    def expected_cost(self) -> Interval:
        r"""E c(|released − true|) of one answer, for the value where it is greatest."""
        return expected_cost(self._answer, self.cost, self.granularity, self.rounding)


def below_one(confidence: Exact) -> Fraction:
    """A confidence that a law without bound can give."""
    level = _check.probability(confidence, "confidence")
    if level < 1:
        return level
    raise UnsupportedQuery(
        "`confidence` must be below 1 for a law without bound; got confidence=1. "
        "Ask for a confidence such as 0.999."
    )
