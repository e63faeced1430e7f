"""`Staircase`: the least noise for one query under pure differential privacy."""

import math
from functools import cached_property

from leastnoise import _check
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.numeric.nearest_float import nearest_float

MOST_SENSITIVITY = 2**62  # values shall fit into 64 bits


@frozen(kw_only=True, repr=False)
class Staircase(LatticeLaw):
    r"""Staircase noise: flat steps, each less likely than the one before by the factor e^epsilon.

    Law: (1 - exp(-epsilon)) / (2*width + 2*exp(-epsilon)*(sensitivity - width) - (1 - exp(-epsilon))) * exp(-epsilon * (abs(k)//sensitivity + (abs(k) % sensitivity >= width)))

    Theorem: for every integer query of sensitivity Δ, adding this law is ε-DP, exactly. For every
    cost that does not decrease with |error| some width in 1..Δ makes it optimal among all laws on
    the integers that are ε-DP at sensitivity Δ.
    Proof: magnitudes Δ apart differ by exactly one drop, so the probabilities of k and k−d,
    |d| ≤ Δ, differ by a factor of at most e^ε, and by that factor for d = Δ, k ≤ 0.
    Optimality: GengViswanath2016.

    Args:
        sensitivity: Δ, an integer ≥ 1.
        epsilon: ε > 0.
        width: r in 1..Δ, the magnitude of the first drop; the best one depends on the cost.

    References: GengViswanath2016, Theorem 4 (discrete case; normaliser as corrected there).

    Example:
        >>> Staircase(sensitivity=10, epsilon=4, width=2).quantile("0.9")
        2
    """  # noqa: E501 - the Law is executed by a test and must stay on one line

    sensitivity: Whole = checked(_check.whole(1, MOST_SENSITIVITY))
    epsilon: Number = checked(_check.positive)
    width: Whole = checked(_check.integer)

    def __post_init__(self) -> None:
        _check.integer_between(self.width, "width", 1, self.sensitivity)

    @cached_property
    def shape(self) -> Stairs:
        """Stairs with one drop per sensitivity."""
        return Stairs(period=self.sensitivity, width=self.width, rate=self.epsilon)

    def about_quantile(self, risk: float) -> float:
        """Where e^(−mε/Δ) is the risk."""
        return -math.log(risk) * nearest_float(self.sensitivity / self.epsilon)
