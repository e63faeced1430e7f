"""`VectorProblem`: which vector noise is asked for, with every number checked."""

from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.least_noise.checked_problem import (
    check_rising,
    checked_epsilon,
    checked_promise,
)
from leastnoise.mechanisms.adding.additive_vector_noise import vector_steps
from leastnoise.noise.vectors.ball_stairs import MOST_RATE
from leastnoise.noise.vectors.norm import Norm, checked_norm
from leastnoise.numeric.cost import Cost, CostLike, checked_cost, whole_power
from leastnoise.privacy.guarantee import ApproxDP, PureDP

MOST_DIMENSION = 1 << 20
_FINENESS = 1 << 10


@dataclass(frozen=True, init=False)
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

    dimension: int
    norm: Norm
    sensitivity: Fraction
    epsilon: Fraction
    delta: Fraction
    cost: Cost
    granularity: Fraction
    guarantee: PureDP | ApproxDP

    def __init__(  # noqa: PLR0913 - every one is for the user to choose
        self,
        *,
        dimension: SupportsIndex,
        norm: Norm,
        sensitivity: Exact,
        epsilon: Exact,
        delta: Exact,
        cost: CostLike,
        granularity: Exact | None,
    ) -> None:
        size = _check.integer_between(dimension, "dimension", 1, MOST_DIMENSION)
        object.__setattr__(self, "dimension", size)
        object.__setattr__(self, "norm", checked_norm(norm))
        object.__setattr__(self, "sensitivity", _check.positive(sensitivity, "sensitivity"))
        rate = checked_epsilon(_check.non_negative(epsilon, "epsilon"), MOST_RATE)
        object.__setattr__(self, "epsilon", rate)
        object.__setattr__(self, "delta", _check.delta(delta))
        object.__setattr__(self, "cost", checked_cost(cost))
        object.__setattr__(self, "granularity", self._step(granularity))
        check_rising(self.cost, self.granularity)
        object.__setattr__(self, "guarantee", checked_promise(self.epsilon, self.delta))

    def _step(self, granularity: Exact | None) -> Fraction:
        """As asked for; else 1 for a whole sensitivity, and a fine power of two for another."""
        if granularity is not None:
            return _check.positive(granularity, "granularity")
        if self.sensitivity.denominator == 1:
            return Fraction(1)
        parts = _FINENESS * (self.dimension if self.norm == "l1" else 1)
        size = (self.sensitivity / parts).numerator.bit_length()
        size -= (self.sensitivity / parts).denominator.bit_length()
        step = Fraction(2) ** (size - 1)
        return step if step != 1 else step / 2  # a step of 1 stands for whole numbers

    @property
    def steps(self) -> int:
        """The integer sensitivity on the lattice."""
        return vector_steps(self.sensitivity, self.granularity, self.dimension, self.norm)

    @property
    def order(self) -> int | None:
        """Whole p for which the cost is E‖error‖^p; None if there is none."""
        return whole_power(self.cost)
