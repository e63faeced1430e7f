"""`Uniform`: the least noise when only delta is promised."""

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
class Uniform(LatticeLaw):
    r"""Uniform noise with lighter end points, for (0, delta)-DP.

    Law: delta/sensitivity * min(1, max(0, (sensitivity/delta + 1)/2 - abs(k)))

    All points have probability δ/Δ except the two outermost, which share what is left. If
    Δ/(2δ) = N is an integer, they are ±N with half the probability of the others. (For even Δ and
    δ > Δ/(Δ+1) the outermost atoms can be lighter still; see the proof page.)

    Theorem: for every integer query of sensitivity Δ, adding this law is (0, δ)-DP with equality.
    If 1/(2δ) is an integer, no law on the integers that is (0, δ)-DP at sensitivity Δ has a smaller
    E|X|. For every δ its |X| is stochastically at most that of the ⌈Δ/δ⌉ equal atoms often used
    instead, and unlike those it always has mean 0.
    Proof: docs/proofs/uniform.md.

    Args:
        sensitivity: Δ, an integer ≥ 1.
        delta: δ in (0, 1).

    References: GengViswanath2016b, (0, δ) section, with the sum's limit corrected to Δ/(2δ) − 1.

    Example:
        >>> law = Uniform(sensitivity=1, delta="0.25")
        >>> [float(law.pmf(k)) for k in (-2, -1, 0, 1, 2)]
        [0.125, 0.25, 0.25, 0.25, 0.125]
    """

    sensitivity: int
    leak: Fraction

    def __init__(self, *, sensitivity: SupportsIndex, delta: Exact) -> None:
        whole = _check.integer_between(sensitivity, "sensitivity", 1, MOST_SENSITIVITY)
        keep(self, sensitivity=whole, leak=_check.positive_delta(delta))

    @cached_property
    def shape(self) -> Stairs:
        """Stairs that never drop, cut off."""
        flat = Stairs(period=1, width=1, rate=Fraction(0))
        return truncated_stairs(
            flat, sensitivity=self.sensitivity, epsilon=Fraction(0), delta=self.leak
        )
