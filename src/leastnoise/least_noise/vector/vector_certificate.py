r"""`VectorCertificate`: what no vector noise can beat, and how close a law comes."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.least_noise.vector.vector_laws import width_is_settled
from leastnoise.least_noise.vector.vector_problem import VectorProblem
from leastnoise.noise.laws.canonical import Canonical
from leastnoise.noise.vectors.expected_norm_cost import expected_norm_cost
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.numeric.cost import ABSOLUTE
from leastnoise.numeric.interval import Interval

_SCOPE = "all mechanisms that add noise, independent of the query's value, on the same lattice"
_ROUNDING = Fraction(1, 10**15)


@dataclass(frozen=True, repr=False)
class VectorCertificate:
    """A law costs no more than one number, and no law of a class costs less than another.

    The bound is a theorem proved on paper, with numbers computed in brackets; it holds for noise on
    the lattice, and leaves aside what rounding values to the lattice adds.

    Attributes:
        achieved: the expected cost of the law in use is at most this.
        bound: no mechanism in the scope has a smaller expected cost than this.
        scope: the class of mechanisms the bound covers.
        reference: where it is proved.
    """

    achieved: Fraction
    bound: Fraction
    scope: str
    reference: str

    @property
    def ratio(self) -> Fraction:
        """Achieved over bound: 1 means that nothing in the scope does better."""
        return self.achieved / self.bound if self.bound else Fraction(1)

    def __repr__(self) -> str:
        excess = self.ratio - 1
        near = "optimal" if excess <= _ROUNDING else f"within {float(excess):.2g} of optimal"
        return f"VectorCertificate(cost ≤ {float(self.achieved):.6g}, {near} among {self.scope})"


def vector_certificate(problem: VectorProblem, law: VectorLaw) -> VectorCertificate | None:
    """The sharpest bound known here, or None if there is none."""
    cost = expected_norm_cost(law, problem.cost, problem.granularity)
    if is_optimal(problem, law):
        return _certificate(cost, cost, "docs/proofs/optimal_vectors.md, 2")
    if problem.delta and problem.norm == "l1" and problem.cost == ABSOLUTE:
        return _certificate(cost, absolute_bound(problem), "docs/proofs/optimal_vectors.md, 7")
    return None


def is_optimal(problem: VectorProblem, law: VectorLaw) -> bool:
    """Whether δ = 0 and the law is the staircase of the best width; at Δ = 1 there is but one."""
    if problem.delta:
        return False
    if problem.steps == 1:
        return isinstance(law, NormStaircase | NormLaplace)
    return isinstance(law, NormStaircase) and width_is_settled(problem)


def _certificate(cost: Interval, bound: Interval, reference: str) -> VectorCertificate:
    return VectorCertificate(Fraction(cost.upper), Fraction(bound.lower), _SCOPE, reference)


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
