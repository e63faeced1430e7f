"""`optimal_vector`: the least noise known for a vector of numbers, and what is proved about it."""

from functools import cached_property
from typing import SupportsIndex

from numpy.typing import ArrayLike

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.least_noise.chosen_noise import ChosenNoise
from leastnoise.least_noise.staircase.staircase_problem import MOST_DIMENSION
from leastnoise.least_noise.staircase.staircase_theory import staircase
from leastnoise.least_noise.vector.vector_alternatives import VectorAlternative, alternatives
from leastnoise.least_noise.vector.vector_certificate import (
    VectorCertificate,
    is_optimal,
    vector_certificate,
)
from leastnoise.least_noise.vector.vector_laws import laws
from leastnoise.least_noise.vector.vector_problem import VectorProblem
from leastnoise.mechanisms.adding.additive_mechanism import Answers
from leastnoise.mechanisms.adding.additive_vector_noise import AdditiveVectorNoise
from leastnoise.mechanisms.release import Release
from leastnoise.noise.vectors.expected_norm_cost import expected_norm_cost
from leastnoise.noise.vectors.norm import Norm
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.numeric.cost import CostLike
from leastnoise.numeric.interval import Interval
from leastnoise.randomness.source import Source


@dataclass(frozen=True, eq=False, repr=False)
class OptimalVectorNoise(ChosenNoise[AdditiveVectorNoise]):
    """The noise chosen for a vector query; made by `optimal_vector`.

    Attributes:
        problem: what was asked for.
        mechanism: adds the noise; its law has proved the promise.
        others: the laws that were considered and cost more.
    """

    problem: VectorProblem
    others: tuple[VectorLaw, ...]

    @property
    def law(self) -> VectorLaw:
        """The law of the noise, in steps of the lattice."""
        return self.mechanism.law

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[Answers]:
        """The vector with noise; of an array of shape (…, d) every row is a vector of its own."""
        return self.mechanism.release(value, source)

    @property
    def why(self) -> str:
        """Why this law."""
        if is_optimal(self.problem, self.law):
            return "the norm staircase of the best width, which is optimal"
        if self.problem.delta:
            return "the cheapest of the laws that were compared"
        return "the norm staircase of the best width that was found"

    def certificate(self) -> VectorCertificate | None:
        """What is proved about the cost of all other noise; None if nothing is."""
        return self._certificate

    @cached_property
    def _certificate(self) -> VectorCertificate | None:
        return vector_certificate(self.problem, self.law)

    def alternatives(self) -> tuple[VectorAlternative, ...]:
        """Other noise with the same promise, the cheapest first, priced beside this one."""
        return self._alternatives

    @cached_property
    def _alternatives(self) -> tuple[VectorAlternative, ...]:
        return alternatives(self.problem, self.law, list(self.others))

    @cached_property
    def continuum(self) -> Interval | None:
        r"""The least E‖X‖^p of any ε-DP noise on R^d that does not depend on the data.

        Known if δ = 0, p is a whole number and d ≤ 128. A lattice costs a little more: its points
        are not everywhere, and rounding to them may add to the sensitivity.
        """
        order = self.problem.order
        if self.problem.delta or order is None or self.problem.dimension > MOST_DIMENSION:
            return None
        return staircase(
            epsilon=self.problem.epsilon,
            moment=order,
            dimension=self.problem.dimension,
            sensitivity=self.problem.sensitivity,
        ).cost

    def __repr__(self) -> str:
        cost = float(self.expected_cost())
        return (
            f"OptimalVectorNoise({self.problem.cost.name} = {cost:.6g}, {self.guarantee!r}, "
            f"{self.problem.norm}-sensitivity={self.problem.sensitivity}: {self.law!r})"
        )


def optimal_vector(  # noqa: PLR0913 - every one is for the user to choose
    *,
    sensitivity: Exact,
    epsilon: Exact,
    delta: Exact = 0,
    dimension: SupportsIndex,
    norm: Norm,
    cost: CostLike = "absolute",
    granularity: Exact | None = None,
) -> OptimalVectorNoise:
    r"""The least noise known for a query with d numbers at once.

    Theorem: for δ = 0, whole p and d ≤ 128 no noise on the lattice that is ε-DP and does not depend
    on the data has a smaller E‖X‖^p, whatever its shape: the norm staircase of the best width is
    optimal in Z^d, in ℓ1 and in ℓ∞. For δ > 0, ℓ1 and E‖X‖₁ the choice is optimal at sensitivity 1
    (histograms, for example), and otherwise `certificate()` says how close to optimal it is.
    Proof: docs/proofs/optimal_vectors.md.

    For δ > 0 independent truncated Laplace noise (ℓ1), a truncated norm staircase and the norm
    staircase itself are compared, and the cheapest is taken.

    Args:
        sensitivity: Δ > 0, the most the query changes between neighbours, in the norm.
        epsilon: ε in [0, 4096].
        delta: δ in [0, 1).
        dimension: the number d of coordinates.
        norm: "l1" (sum of magnitudes) or "linf" (largest magnitude), in which both the sensitivity
            and the error are measured.
        cost: the function of the norm of the error that shall be least: "absolute", "squared",
            Moment(p), TailProbability(t) or OwnCost(f).
        granularity: 1 if the query's values are whole numbers; else the step to which real values
            are rounded. In ℓ1 rounding adds up to d − 1 steps to the sensitivity: choose a step
            well below Δ/d. If not given: 1 for a whole sensitivity, else a power of two that makes
            the sensitivity more than 1000 steps (1000·d in ℓ1).

    Raises:
        InvalidParameter: a parameter outside its range.

    Example:
        >>> histogram = optimal_vector(sensitivity=1, epsilon=1, dimension=50, norm="l1")
        >>> histogram.release([0] * 50).value.shape, histogram.error("0.95")
        ((50,), Fraction(55, 1))
        >>> histogram.certificate()
        VectorCertificate(cost ≤ 42.5459, optimal among all mechanisms that add noise,
        independent of the query's value, on the same lattice)
        >>> best = optimal_vector(sensitivity=100, epsilon=8, dimension=3, norm="linf")
        >>> best.alternatives()[0]
        37.4933 (1.878×): NormLaplace
    """
    problem = VectorProblem(
        dimension=dimension,
        norm=norm,
        sensitivity=sensitivity,
        epsilon=epsilon,
        delta=delta,
        cost=cost,
        granularity=granularity,
    )
    found = laws(problem)
    best = 0
    if len(found) > 1:
        prices = [expected_norm_cost(law, problem.cost, problem.granularity).upper for law in found]
        best = prices.index(min(prices))
    mechanism = AdditiveVectorNoise(
        found[best],
        sensitivity=problem.sensitivity,
        guarantee=problem.guarantee,
        granularity=problem.granularity,
        cost=problem.cost,
    )
    return OptimalVectorNoise(mechanism, problem, (*found[:best], *found[best + 1 :]))
