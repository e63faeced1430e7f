r"""`VectorBound`: what no vector noise can beat, who says so, and how close a law comes."""

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.noise.canonical import Canonical
from leastnoise.noise.expected_norm_cost import expected_norm_cost
from leastnoise.noise.norm_staircase import NormStaircase
from leastnoise.noise.vector_law import VectorLaw
from leastnoise.numeric.cost import ABSOLUTE
from leastnoise.numeric.interval import Interval
from leastnoise.planning.optimal_vector_laws import width_is_settled
from leastnoise.planning.optimal_vector_problem import VectorProblem


@dataclass(frozen=True)
class VectorBound:
    """A proved lower bound on the cost of all laws of a class.

    Attributes:
        scope: which laws are meant.
        lower: no law of the class costs less.
        cost: what the chosen law costs, the rounding of values to the lattice left aside.
        proof: where the bound is proved.
    """

    scope: str
    lower: Interval
    cost: Interval
    proof: str

    @property
    def ratio(self) -> Interval:
        """The cost over the bound: 1 is optimal."""
        return quotient(self.cost, self.lower)

    def __str__(self) -> str:
        least = 100 * (float(self.ratio.upper) - 1)
        return f"at most {least:.3g} % above the least cost of {self.scope} ({self.proof})"


def quotient(one: Interval, other: Interval) -> Interval:
    """The quotient of two brackets of positive numbers; of equal ones exactly 1."""
    if one == other:
        return Interval.exactly(1)
    lower, upper = Fraction(other.lower), Fraction(other.upper)
    return Interval(Fraction(one.lower) / upper, Fraction(one.upper) / lower)


def vector_bound(problem: VectorProblem, law: VectorLaw) -> VectorBound | None:
    """The sharpest bound known here, or None if there is none."""
    cost = expected_norm_cost(law, problem.cost, problem.granularity)
    if not problem.delta:
        return _pure_bound(problem, law, cost)
    if problem.norm == "l1" and problem.cost == ABSOLUTE:
        return VectorBound(
            _scope(problem), absolute_bound(problem), cost, "docs/proofs/optimal_vectors.md, 7"
        )
    return None


def _pure_bound(problem: VectorProblem, law: VectorLaw, cost: Interval) -> VectorBound | None:
    """A staircase of the best width is optimal; of a width merely searched for, nobody knows."""
    if isinstance(law, NormStaircase) and (problem.steps == 1 or width_is_settled(problem)):
        return VectorBound(_scope(problem), cost, cost, "docs/proofs/optimal_vectors.md, 2")
    return None


def _scope(problem: VectorProblem) -> str:
    step = problem.granularity
    return f"all noise that does not depend on the data, on the lattice of step {step}"


def absolute_bound(problem: VectorProblem) -> Interval:
    r"""The least E‖X‖₁ there can be under (ε, δ), at ℓ1-sensitivity Δ: d·Δ·E|C|.

    Theorem: let X on Z^d be (ε, δ)-DP for all shifts along an axis by up to Δ. Then
    E‖X‖₁ ≥ d·Δ·E|C|, where C is the canonical law of ε and δ. Equality holds at Δ = 1 for
    independent canonical noise, and at ε = 0, 1/(2δ) an integer, for independent uniform noise.
    Proof: docs/proofs/optimal_vectors.md, section 7.
    """
    single = Canonical(epsilon=problem.epsilon, delta=problem.delta).moment(1)
    factor = problem.dimension * problem.steps * problem.granularity
    return Interval(single.lower * factor, single.upper * factor)
