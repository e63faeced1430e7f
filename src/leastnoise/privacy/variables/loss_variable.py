r"""`LossVariable`: one direction of a pair of laws, seen through its privacy loss.

For laws P and Q the privacy loss is L = log(dP/dQ)(x) with x drawn from P; L = ∞ where Q has no
mass. Everything a promise can say about the ordered pair follows from the law of L:

    δ(ε) = E max(0, 1 − e^(ε−L)),   P(L > ε),   Dₐ(P‖Q) = log E e^((a−1)L) / (a−1).

Independent (or adaptively chosen) releases add their losses. Families of variables grow, one file
each; `PrivacyLoss` holds one variable per direction and asks these questions.
"""

from fractions import Fraction
from functools import cached_property
from typing import Protocol, TypeVar

from leastnoise.numeric.interval import Interval
from leastnoise.privacy.variables.grid_cells import Twins, cells_of_atoms, span
from leastnoise.privacy.variables.pooling import Floats

USUAL = 20.0
"""Sums are mostly asked for deltas of about e^-20, 2e-9."""

Order = Fraction | float
"""A rational order above 0, or math.inf."""


class LossVariable(Protocol):
    """The law of the privacy loss in one direction.

    A class that extends it says of each closed form that it has one: sums of others go by grids.
    """

    def delta(self, epsilon: Fraction) -> Interval:
        """E max(0, 1 − e^(epsilon−L)), for any real epsilon."""

    def tail(self, epsilon: Fraction) -> Interval:
        """P(L > epsilon)."""

    def renyi(self, order: Order) -> Interval:
        """The Rényi divergence of an order > 0; order 1 is Kullback–Leibler."""

    @property
    def infinite_mass(self) -> Interval:
        """P(L = ∞): the limit of delta for large epsilon."""

    @property
    def spread(self) -> float:
        """A rough standard deviation of the finite part; chooses grids, carries no proof."""

    @property
    def span(self) -> float:
        """Roughly the largest loss that is not negligibly rare; chooses grids, carries no proof."""

    @property
    def lattice_step(self) -> Fraction | None:
        """A step of which all finite losses, or nearly all, are multiples; or None."""
        return None

    def cells(self, step: float) -> Twins:
        """Masses of L between neighbouring multiples of `step`."""

    def cells_for_sum(self, step: float, count: int, rarity: float = USUAL) -> Twins:
        """The same; cells may be wider where they hardly matter for sums of so many copies.

        They hardly matter if the sum is asked for a delta of about e^−rarity.
        """
        del count, rarity
        return self.cells(step)

    def spread_in_sum(self, count: int, rarity: float) -> float:
        """A rough standard deviation of what matters for such a sum; it chooses grids."""
        del count, rarity
        return self.spread

    def joined(self, other: "LossVariable", count: int) -> "LossVariable | None":
        """This plus `count` independent copies of the other, if there is a closed form."""
        del other, count
        return None

    def repeated(self, count: int) -> "LossVariable | None":
        """`count` independent copies, if there is a closed form."""
        return self if count == 1 else None


class AtomVariable(LossVariable, Protocol):
    """A loss of which all values are listed."""

    @property
    def atoms(self) -> tuple[Floats, Floats, float, float]:
        """Losses and their masses; the mass at ∞, and a bound on mass that may be there too."""

    @cached_property
    def span(self) -> float:
        """The largest loss that is not negligibly rare."""
        return span(*self.atoms[:2])

    def cells(self, step: float) -> Twins:
        """The atoms, on the grid where its step divides the lattice's."""
        losses, masses, infinite, lost = self.atoms
        return cells_of_atoms(losses, masses, step, infinite=infinite, lost=lost)


Part = TypeVar("Part")


def merged(parts: tuple[tuple[Part, int], ...]) -> tuple[tuple[Part, int], ...]:
    """The same parts with their counts, each listed once."""
    kept: list[tuple[Part, int]] = []
    for part, count in parts:
        place = next((i for i, (known, _) in enumerate(kept) if known is part or known == part), -1)
        if place >= 0:
            kept[place] = (part, kept[place][1] + count)
        else:
            kept.append((part, count))
    return tuple(kept)
