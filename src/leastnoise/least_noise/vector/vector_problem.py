"""`VectorProblem`: which vector noise is asked for, with every number checked."""

from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, Number, Whole, checked, frozen, keep
from leastnoise.least_noise.checked_problem import check_rising, checked_promise
from leastnoise.mechanisms.adding.additive_vector_noise import vector_steps
from leastnoise.noise.vectors.norm import Norm, checked_norm
from leastnoise.noise.vectors.norm_staircase import bounded_rate
from leastnoise.numeric.cost import Cost, CostLike, checked_cost, whole_power
from leastnoise.privacy.guarantee import ApproxDP, PureDP

MOST_DIMENSION = 1 << 20
_FINENESS = 1 << 10  # rounding a real value costs about a thousandth of the sensitivity


@frozen(kw_only=True)
class VectorProblem:
    """Noise X on a lattice in R^d, (ε, δ)-DP for queries of sensitivity Δ, with E c(‖X‖) small.

    Args:
        dimension: d, an integer ≥ 1.
        norm: "l1" or "linf", in which both the sensitivity and the error are measured.
        sensitivity: Δ > 0.
        epsilon: ε in [0, 4096].
        delta: δ in [0, 1); ε and δ must not both be 0.
        cost: c, a non-decreasing function of the norm of the error.
        granularity: the lattice's step; 1 for whole numbers; None to have it chosen.
    """

    dimension: Whole = checked(_check.whole(1, MOST_DIMENSION))
    norm: Norm = checked(checked_norm)
    sensitivity: Number = checked(_check.positive)
    epsilon: Number = checked(bounded_rate)
    delta: Number = checked(_check.delta)
    cost: Checked[CostLike, Cost] = checked(checked_cost)
    granularity: Checked[Exact | None, Fraction] = checked(_check.optional(_check.positive))

    def __post_init__(self) -> None:
        if self.granularity is None:
            keep(self, granularity=self._fine_step())
        _ = self.guarantee
        check_rising(self.cost, self.granularity)

    def _fine_step(self) -> Fraction:
        """1 for a whole sensitivity, and a fine power of two for another."""
        if self.sensitivity.denominator == 1:
            return Fraction(1)
        parts = _FINENESS * (self.dimension if self.norm == "l1" else 1)
        size = (self.sensitivity / parts).numerator.bit_length()
        size -= (self.sensitivity / parts).denominator.bit_length()
        step = Fraction(2) ** (size - 1)
        return step if step != 1 else step / 2  # a step of 1 stands for whole numbers

    @property
    def guarantee(self) -> PureDP | ApproxDP:
        """The promise to keep."""
        return checked_promise(self.epsilon, self.delta)

    @property
    def steps(self) -> int:
        """The integer sensitivity on the lattice."""
        return vector_steps(self.sensitivity, self.granularity, self.dimension, self.norm)

    @property
    def order(self) -> int | None:
        """Whole p for which the cost is E‖error‖^p; None if there is none."""
        return whole_power(self.cost)
