r"""`Cells`: a privacy-loss variable cut into cells of a grid, and its two twins on that grid.

Cell i holds the losses strictly between i·h and (i+1)·h. What matters of a cell is its mass under P
and the mean of x = e^−L there: δ(ε) = E max(0, 1 − e^ε·x) is the mean of a convex function of x.


- *pessimistic*: each cell is spread to its two end points with the same mass and the same mean of
  x. A mean-preserving spread raises every convex expectation: δ is never below the truth (the
  connect-the-dots construction);
- *optimistic*: neighbouring cells are pooled until their mean of x is that of a grid point.
  Pooling is post-processing: δ is never above the truth.

Composition keeps both relations, because δ of a sum is such an expectation in each part's x while
the other parts stay as they are (docs/proofs/grids.md).

References: DoroshenkoGhaziKamathKumarManurangsi2022, Section 3, for the pessimistic twin.
"""

from dataclasses import dataclass, replace
from math import expm1
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.privacy.variables.pooling import Floats, pooled

RELATIVE_ERROR = 1e-12
"""Claimed for every mass; the mean loss of a cell is known to this absolute error."""


_MOST_CELLS = 1 << 20  # 8 MB of floats
_RARE = 1e-18  # far below every delta of use


def span(losses: Floats, masses: Floats) -> float:
    """The largest loss, in magnitude, once those with less than 1e-18 of the mass are left out."""
    order = np.argsort(-np.abs(losses))
    rare = np.cumsum(masses[order]) <= _RARE
    kept = np.abs(losses[order])[~rare]
    return float(kept[0]) if kept.size else 0.0


@dataclass(frozen=True)
class GridMasses:
    """Masses on multiples of a step: mass[i] at (first + i)·step, `infinite` at ∞."""

    step: float
    first: int
    mass: Floats
    infinite: float


class Twins(Protocol):
    """A loss cut into cells: laws on the grid below and above it."""

    def optimistic(self) -> GridMasses:
        """Masses whose delta is never above the truth, alone and in sums."""

    def pessimistic(self) -> GridMasses:
        """Masses whose delta is never below the truth, alone and in sums."""


@dataclass(frozen=True)
class Cells:
    """Masses of the loss on the grid points and in the cells between them.

    Args:
        step: width h of a cell.
        first: index of the first grid point; cell i lies between points first+i and first+i+1.
        mass: mass of each cell under P, to within `RELATIVE_ERROR`.
        depth: −log(mean of e^−L in the cell) minus the cell's lower end, in [0, h].
        on_grid: mass at each grid point, one more than there are cells.
        infinite: mass at ∞.
        lost: an upper bound on mass left out of all of these.
        beneath: an upper bound on mass that is left out too, and lies below all mass listed.
    """

    step: float
    first: int
    mass: Floats
    depth: Floats
    on_grid: Floats
    infinite: float
    lost: float
    beneath: float = 0.0

    def plus(self, other: "Cells") -> "Cells":
        """The mixture of two sets of cells on one grid, whose masses are parts of one law."""
        first = min(self.first, other.first)
        last = max(self.first + len(self.mass), other.first + len(other.mass))
        mine, theirs = self._widened(first, last), other._widened(first, last)
        mass = mine.mass + theirs.mass
        x = mine.mass * np.exp(-mine.depth) + theirs.mass * np.exp(-theirs.depth)
        depth = _depths(mass, x, self.step)
        return Cells(
            self.step,
            first,
            mass,
            depth,
            mine.on_grid + theirs.on_grid,
            self.infinite + other.infinite,
            mine.lost + theirs.lost,
            mine.beneath + theirs.beneath,
        )

    def _widened(self, first: int, last: int) -> "Cells":
        width = (self.first - first, last - self.first - len(self.mass))
        return replace(
            self,
            first=first,
            mass=np.pad(self.mass, width),
            depth=np.pad(self.depth, width),
            on_grid=np.pad(self.on_grid, width),
            # What lies below this first point need not lie below a lower one.
            lost=self.lost + (self.beneath if width[0] else 0.0),
            beneath=0.0 if width[0] else self.beneath,
        )

    def pessimistic(self) -> GridMasses:
        """Each cell spread to its ends; what was left out goes up, to the second point or to ∞."""
        upper = np.expm1(-self.depth) / expm1(-self.step)
        mass = self.on_grid.copy()
        mass[:-1] += self.mass * (1 - upper)
        mass[1:] += self.mass * upper
        mass[1] += self.beneath
        return GridMasses(self.step, self.first, mass, self.infinite + self.lost)

    def optimistic(self) -> GridMasses:
        """Neighbouring cells pooled; what was left out stays out."""
        edges = np.arange(len(self.mass) + 1, dtype=np.int64)
        mass = self.on_grid + pooled(edges, self.mass, self.depth, self.step)
        return GridMasses(self.step, self.first, mass, self.infinite)


def cells_of_atoms(
    losses: Floats, masses: Floats, step: float, *, infinite: float = 0.0, lost: float = 0.0
) -> Cells:
    """Cells of a law with atoms; an atom within rounding of a grid point is put onto it."""
    near = np.abs(losses) <= _MOST_CELLS * step
    if not near.any():
        return Cells(step, 0, np.zeros(1), np.zeros(1), np.zeros(2), infinite, 1.0)
    # Losses too far out for the grid: left out below, taken for infinite above.
    lost += float(masses[~near].sum())
    losses, masses = losses[near], masses[near]
    places = losses / step
    nearest = np.rint(places)
    aligned = np.abs(losses - nearest * step) <= RELATIVE_ERROR
    index = np.where(aligned, nearest, np.floor(places)).astype(np.int64)
    first, last = int(index.min()), int(index.max()) + 1
    at = index - first
    on_grid = _sums(at[aligned], masses[aligned], last - first + 1)
    between, inside = at[~aligned], ~aligned
    mass = _sums(between, masses[inside], last - first)
    above = losses[inside] - index[inside] * step
    x = _sums(between, masses[inside] * np.exp(-above), last - first)
    return Cells(step, first, mass, _depths(mass, x, step), on_grid, infinite, lost)


def _depths(mass: Floats, x: Floats, step: float) -> Floats:
    """How far above its lower end the mean of e^−L puts each cell; a step if it underflows."""
    some = (mass > 0) & (x > 0)
    ratio = np.where(some, x, 1.0) / np.where(some, mass, 1.0)
    depth = np.where(some, -np.log(ratio), np.where(mass > 0, step, 0.0))
    return np.clip(depth, 0.0, step)


def _sums(places: NDArray[np.int64], values: Floats, length: int) -> Floats:
    """Sums of values by place."""
    # Without values bincount would count, in integers.
    return np.bincount(places, values, minlength=length).astype(np.float64)
