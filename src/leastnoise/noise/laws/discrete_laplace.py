"""`DiscreteLaplace`: two-sided geometric noise."""

import math
from functools import cached_property

from leastnoise import _check
from leastnoise._frozen import Number, checked, frozen
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.numeric.nearest_float import nearest_float


@frozen(repr=False)
class DiscreteLaplace(LatticeLaw):
    r"""Two-sided geometric noise: each step away from 0 is less likely by the same factor.

    Law: (1 - exp(-1/scale)) / (1 + exp(-1/scale)) * exp(-abs(k)/scale)

    Theorem: for every integer query of sensitivity Δ, adding this law is ε-DP with ε = Δ/scale,
    exactly: no smaller ε will do. For Δ = 1 it has the stochastically smallest |X| among all
    integer laws that make every such query (1/scale)-DP.
    Proof: P(X = k)/P(X = k−d) = exp((|k−d|−|k|)/scale) ≤ exp(|d|/scale), with equality at k ≤ 0.
    For optimality see docs/proofs/canonical.md with δ = 0.

    Args:
        scale: a positive number; grows with the noise.

    References: GhoshRoughgardenSundararajan2012, Definition 2.2; AwanRamasethu2023.

    Example:
        >>> DiscreteLaplace(scale=10).quantile("0.95")
        30
        >>> bool(DiscreteLaplace(scale=10).verify(sensitivity=1, epsilon="0.1"))
        True
    """

    scale: Number = checked(_check.positive)

    @cached_property
    def shape(self) -> Stairs:
        """Stairs with steps one wide."""
        return Stairs(period=1, width=1, rate=1 / self.scale)

    def about_quantile(self, risk: float) -> float:
        """Where e^(−m/scale) is the risk."""
        return -math.log(risk) * nearest_float(self.scale)
