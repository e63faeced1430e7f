"""`TruncatedStaircase`: bounded staircase noise for one query under (epsilon, delta)."""

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
class TruncatedStaircase(LatticeLaw):
    r"""The staircase law cut off where the leak reaches delta, its outermost atoms made lighter.

    Theorem: for every integer query of sensitivity Δ, adding this law is (ε, δ)-DP, with equality
    at shift Δ, and |X| never exceeds the radius `support[1]`. The radius is the least at which a
    cut-off staircase is (ε, δ)-DP, and there the weight of the outermost atoms is the least.
    |X| is stochastically smaller than that of the staircase law with the same ε and width.
    For Δ = 1 it is the canonical law, which is optimal.
    Proof: docs/proofs/truncation.md.

    Args:
        sensitivity: Δ, an integer ≥ 1.
        epsilon: ε > 0.
        delta: δ in (0, 1).
        width: r in 1..Δ, the magnitude of the first drop; the best one depends on the cost.

    References: GengViswanath2016 for the staircase; the truncation is derived in the proof page.

    Example:
        >>> law = TruncatedStaircase(sensitivity=5, epsilon=1, delta="1e-6", width=3)
        >>> law.support, bool(law.verify(sensitivity=5, epsilon=1, delta="1e-6"))
        ((-68, 68), True)
    """

    sensitivity: int
    epsilon: Fraction
    leak: Fraction
    width: int

    def __init__(
        self, *, sensitivity: SupportsIndex, epsilon: Exact, delta: Exact, width: SupportsIndex
    ) -> None:
        whole = _check.integer_between(sensitivity, "sensitivity", 1, MOST_SENSITIVITY)
        rate, leak = _check.positive(epsilon, "epsilon"), _check.positive_delta(delta)
        width = _check.integer_between(width, "width", 1, whole)
        keep(self, sensitivity=whole, epsilon=rate, leak=leak, width=width)

    @cached_property
    def shape(self) -> Stairs:
        """Stairs with one drop per sensitivity, cut off."""
        endless = Stairs(period=self.sensitivity, width=self.width, rate=self.epsilon)
        return truncated_stairs(
            endless, sensitivity=self.sensitivity, epsilon=self.epsilon, delta=self.leak
        )
