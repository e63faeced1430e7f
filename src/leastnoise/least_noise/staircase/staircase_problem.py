"""`StaircaseProblem`: what a staircase law is asked to do, with every number checked."""

from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.least_noise.checked_problem import checked_epsilon

MOST_DIMENSION = 128
MOST_MOMENT = 64
MOST_EPSILON = 4096


@dataclass(frozen=True, init=False)
class StaircaseProblem:
    """Noise X in R^d, ε-DP for queries of sensitivity Δ in some norm, with E‖X‖^p small.

    Args:
        epsilon: ε in (0, 4096].
        moment: p, an integer in 1..64.
        dimension: d, an integer in 1..128.
        sensitivity: Δ > 0, in the norm that also measures the error.
    """

    epsilon: Fraction
    moment: int
    dimension: int
    sensitivity: Fraction

    def __init__(
        self,
        *,
        epsilon: Exact,
        moment: SupportsIndex,
        dimension: SupportsIndex,
        sensitivity: Exact,
    ) -> None:
        power = _check.integer_between(moment, "moment", 1, MOST_MOMENT)
        size = _check.integer_between(dimension, "dimension", 1, MOST_DIMENSION)
        rate = checked_epsilon(_check.positive(epsilon, "epsilon"), MOST_EPSILON)
        object.__setattr__(self, "epsilon", rate)
        object.__setattr__(self, "moment", power)
        object.__setattr__(self, "dimension", size)
        object.__setattr__(self, "sensitivity", _check.positive(sensitivity, "sensitivity"))

    @property
    def unit(self) -> Fraction:
        """Δ^p, in which every cost is measured."""
        return self.sensitivity**self.moment

    @property
    def laplace_cost(self) -> Fraction:
        """E‖X‖^p for the density ∝ exp(−ε‖x‖/Δ): (Δ/ε)^p·d·(d+1)⋯(d+p−1), exactly."""
        rising = factorial(self.dimension + self.moment - 1) // factorial(self.dimension - 1)
        return self.unit * rising / self.epsilon**self.moment
