"""`TruncatedLaplace`: bounded discrete Laplace noise under (epsilon, delta)."""

from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.laws.staircase import MOST_SENSITIVITY
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.noise.shapes.truncation import truncated_stairs


@dataclass(frozen=True, init=False, repr=False)
class TruncatedLaplace(LatticeLaw):
    r"""Discrete Laplace noise cut off where the leak reaches delta, its outermost atoms lighter.

    Theorem: for every integer query of sensitivity Δ, adding this law is (ε, δ)-DP, with equality
    at shift Δ, and |X| never exceeds the radius `support[1]`. The radius is the least at which a
    cut-off discrete Laplace law of scale Δ/ε is (ε, δ)-DP. For Δ = 1 it is the canonical law.
    Proof: docs/proofs/truncation.md, with one drop at every step.

    Args:
        sensitivity: Δ, an integer ≥ 1.
        epsilon: ε > 0.
        delta: δ in (0, 1).

    References: GengDingGuoKumar2020 (arXiv 1810.00877) for the continuous law.

    Example:
        >>> TruncatedLaplace(sensitivity=5, epsilon=1, delta="1e-6").support
        (-68, 68)
    """

    sensitivity: int
    epsilon: Fraction
    leak: Fraction

    def __init__(self, *, sensitivity: SupportsIndex, epsilon: Exact, delta: Exact) -> None:
        whole = _check.integer_between(sensitivity, "sensitivity", 1, MOST_SENSITIVITY)
        rate, leak = _check.positive(epsilon, "epsilon"), _check.positive_delta(delta)
        keep(self, sensitivity=whole, epsilon=rate, leak=leak)

    @cached_property
    def shape(self) -> Stairs:
        """Stairs with steps one wide, cut off."""
        endless = Stairs(period=1, width=1, rate=self.epsilon / self.sensitivity)
        return truncated_stairs(
            endless, sensitivity=self.sensitivity, epsilon=self.epsilon, delta=self.leak
        )
