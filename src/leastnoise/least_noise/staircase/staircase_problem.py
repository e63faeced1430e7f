"""`StaircaseProblem`: what a staircase law is asked to do, with every number checked."""

from fractions import Fraction
from math import factorial

from leastnoise import _check
from leastnoise._frozen import Number, Whole, checked, frozen

MOST_DIMENSION = 128
MOST_MOMENT = 64  # as for costs
MOST_EPSILON = 4096

_rate = _check.limited(
    _check.positive,
    lambda rate: rate <= MOST_EPSILON,
    f"be at most {MOST_EPSILON}",
    "So large an epsilon promises nothing: choose one below 10.",
)


@frozen(kw_only=True)
class StaircaseProblem:
    """Noise X in R^d, ε-DP for queries of sensitivity Δ in some norm, with E‖X‖^p small.

    Args:
        epsilon: ε in (0, 4096].
        moment: p, an integer in 1..64.
        dimension: d, an integer in 1..128.
        sensitivity: Δ > 0, in the norm that also measures the error.
    """

    epsilon: Number = checked(_rate)
    moment: Whole = checked(_check.whole(1, MOST_MOMENT))
    dimension: Whole = checked(_check.whole(1, MOST_DIMENSION))
    sensitivity: Number = checked(_check.positive)

    @property
    def unit(self) -> Fraction:
        """Δ^p, in which every cost is measured."""
        return self.sensitivity**self.moment

    @property
    def laplace_cost(self) -> Fraction:
        """E‖X‖^p for the density ∝ exp(−ε‖x‖/Δ): (Δ/ε)^p·d·(d+1)⋯(d+p−1), exactly."""
        rising = factorial(self.dimension + self.moment - 1) // factorial(self.dimension - 1)
        return self.unit * rising / self.epsilon**self.moment
