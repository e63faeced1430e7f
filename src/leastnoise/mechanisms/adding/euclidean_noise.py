"""`EuclideanNoise`: a vector of bounded Euclidean sensitivity plus noise, on a fine lattice."""

from fractions import Fraction
from math import ceil, isqrt

from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.additive_mechanism import AdditiveMechanism, Answers
from leastnoise.mechanisms.adding.joint_noise import below_one
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.expected_cost import power_cost
from leastnoise.noise.vectors.euclidean_law import EuclideanLaw
from leastnoise.numeric.cost import whole_power
from leastnoise.numeric.interval import Interval
from leastnoise.randomness.source import Source


class EuclideanNoise(AdditiveMechanism[EuclideanLaw]):
    r"""step·(⌊x/step + 1/2⌋ + X) for a vector x, X drawn from a law for the Euclidean norm.

    Theorem: let the query's values on neighbours differ by at most Δ in the Euclidean norm. If the
    law is (ε, δ)-DP at the distance ⌈Δ/step⌉ + ⌈√d⌉, so is the release. The law is made to prove
    this when the mechanism is built; one that cannot is refused.
    Proof: ⌊x/step + 1/2⌋ differs from x/step by at most 1/2 in every coordinate, so places differ
    by at most Δ/step + √d; the rest is the law's theorem and post-processing.

    Args:
        law: an `EuclideanLaw`.
        sensitivity: Δ > 0.
        guarantee: the (ε, δ) or ε to prove.
        granularity: the lattice's step: much smaller than the noise.
        cost: what `expected_cost` is asked for, "absolute" or "squared", of the norm of the error.

    Raises:
        InvalidParameter: the law does not keep the guarantee at this sensitivity.

    Example:
        >>> from leastnoise import PureDP
        >>> law = EuclideanLaw(dimension=3, scale=1026, power=1)
        >>> promise = PureDP(epsilon=1)
        >>> noise = EuclideanNoise(law, sensitivity=1, guarantee=promise, granularity=2**-10)
        >>> noise.release([0.25, 0.5, 1]).value.shape
        (3,)
    """

    def _refuse_law(self) -> None:
        remedy = "For other norms use AdditiveVectorNoise."
        _check.kind(self.law, EuclideanLaw, "`law` must be an EuclideanLaw", remedy)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.law.dimension

    def _steps(self, changed: int) -> int:
        return euclidean_steps(self.sensitivity * changed, self.granularity, self.dimension)

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """The vector with noise.

        Raises:
            InvalidParameter: not `dimension` finite numbers; what was found is not said.
        """
        places = self.lattice.row(value, self.dimension)
        return self._released(places, self.law.sample(source=source))

    @property
    def rounding(self) -> Fraction:
        """The most that quantisation moves a vector, in the Euclidean norm, rounded up."""
        return self.granularity * (isqrt(self.dimension - 1) + 1) / 2

    def error(self, confidence: Exact) -> Fraction:
        """The bound on ‖released − true‖ that holds with at least this probability."""
        return self.law.quantile(below_one(confidence)) * self.granularity + self.rounding

    def expected_cost(self) -> Interval:
        r"""E c(‖released − true‖), for the value where it is greatest."""
        order = whole_power(self.cost)
        if order not in (1, 2):
            raise UnsupportedQuery(
                "the cost of Euclidean noise must be 'absolute' or 'squared'; got "
                f"{self.cost.name}. Ask for one of them."
            )
        least = power_cost(self.law.moment, order, self.granularity, Fraction(0))
        most = power_cost(self._moment, order, self.granularity, self.rounding)
        return Interval(least.lower, most.upper)

    def _moment(self, order: int) -> Interval:
        return self.law.moment(order) if order else Interval.exactly(1)


def euclidean_steps(sensitivity: Fraction, step: Fraction, dimension: int) -> int:
    """How many steps apart the places of two vectors within a Euclidean distance can be, at most.

    Example:
        >>> euclidean_steps(Fraction(5, 2), Fraction(1, 4), 3)
        12
    """
    return ceil(sensitivity / step) + isqrt(dimension - 1) + 1
