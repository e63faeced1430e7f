r"""`Cells`: a privacy-loss variable cut into cells of a grid, and its two twins on that grid.

A cell holds the losses between two edges, multiples of a step. What matters of it is its mass under
P and the mean of x = e^−L there: δ(ε) = E max(0, 1 − e^ε·x) is the mean of a convex function of x.
Both are told by what the cell gives to its edges if it is spread to them with its mass and its mean
of x kept.

- *pessimistic*: each cell is spread to its edges. A mean-preserving spread raises every convex
  expectation: δ is never below the truth (the connect-the-dots construction);
- *optimistic*: neighbouring cells are pooled until their mean of x is that of a grid point.
  Pooling is post-processing: δ is never above the truth.

Composition keeps both relations, because δ of a sum is such an expectation in each part's x while
the other parts stay as they are (docs/proofs/grids.md). Masses are rounded up for the one twin and
down for the other: δ of a sum rises with every mass.

References: DoroshenkoGhaziKamathKumarManurangsi2022, Section 3, for the pessimistic twin.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.proved_floats import EXP_ERROR, FALL_ERROR, TINY, UNIT, exp, fall
from leastnoise.privacy.variables.pooling import Floats, Places, pooled

RELATIVE_ERROR = 2.0**-48
"""By which part of itself a listed loss, or its mass, may err if nothing else is said."""

_MOST_CELLS = 1 << 20  # 8 MB of floats
_MOST_POINTS = 1 << 23  # between the ends of a grid: 64 MB of floats
_FAR = 600.0  # e^-600 is far above TINY
_SMALL = 1e-180  # shares of smaller masses might underflow
_RARE = 1e-18  # far below every delta of use


def span(losses: Floats, masses: Floats) -> float:
    """The largest loss, in magnitude, once those with less than 1e-18 of the mass are left out."""
    order = np.argsort(-np.abs(losses))
    rare = np.cumsum(masses[order]) <= _RARE
    kept = np.abs(losses[order])[~rare]
    return float(kept[0]) if kept.size else 0.0


@dataclass(frozen=True)
class GridMasses:
    """Masses on multiples of a step: mass[i] at (first + i)·step, `infinite` at ∞.

    Masses are at least those of a law above the truth, or at most those of one below it, but for
    losses that are misplaced by at most `shift`.
    """

    step: float
    first: int
    mass: Floats
    infinite: float
    shift: float = 0.0


class Twins(Protocol):
    """A loss cut into cells: laws on the grid below and above it."""

    def optimistic(self) -> GridMasses:
        """Masses whose delta is never above the truth, alone and in sums."""

    def pessimistic(self) -> GridMasses:
        """Masses whose delta is never below the truth, alone and in sums."""


@dataclass(frozen=True)
class TwinCells:
    """The twins of two laws, one below and one above the loss."""

    below: Twins
    above: Twins

    def optimistic(self) -> GridMasses:
        """That of the law below."""
        return self.below.optimistic()

    def pessimistic(self) -> GridMasses:
        """That of the law above."""
        return self.above.pessimistic()


@dataclass(frozen=True)
class Cells:
    """What the loss gives to grid points, by cells between neighbouring edges and at the edges.

    Args:
        step: what edges are multiples of.
        edges: increasing, one more than there are cells.
        down: what each cell gives to its lower edge.
        up: what each cell gives to its upper edge.
        on_grid: mass at each edge itself.
        infinite: a lower bound on the mass at ∞.
        lost: an upper bound on mass left out of all of these.
        beneath: an upper bound on mass that is left out too, and lies below the second edge.
        error: by which part of itself each mass may err.
        shift: by how much losses may be misplaced.
    """

    step: float
    edges: Places
    down: Floats
    up: Floats
    on_grid: Floats
    infinite: float
    lost: float
    beneath: float = 0.0
    error: float = 0.0
    shift: float = 0.0

    @property
    def mass(self) -> Floats:
        """Of each cell."""
        return self.down + self.up

    def pessimistic(self) -> GridMasses:
        """Each cell spread to its edges; what was left out goes up, to the second edge or to ∞."""
        points = self.on_grid.copy()
        points[:-1] += self.down
        points[1:] += self.up
        points[1] += self.beneath
        more = 1 + self.error + 8 * UNIT
        return self._on_grid(points * more, (self.infinite + self.lost) * more)

    def optimistic(self) -> GridMasses:
        """Neighbouring cells pooled; what was left out stays out."""
        points = self.on_grid * (1 - self.error - 4 * UNIT)
        points += pooled(self.edges, self.down, self.up, self.step, self.error)
        return self._on_grid(points * (1 - 2 * UNIT), self.infinite)

    def _on_grid(self, points: Floats, infinite: float) -> GridMasses:
        first = int(self.edges[0])
        length = int(self.edges[-1]) - first + 1
        if length > _MOST_POINTS:
            raise UnsupportedQuery(
                "sampled losses that are added up must not have a tail of more than "
                f"{_MOST_POINTS} steps; this one has {length}. Use a larger rate or more noise."
            )
        mass = np.zeros(length)
        mass[self.edges - first] = points
        return GridMasses(self.step, first, mass, infinite, self.shift)


def even_edges(first: int, last: int) -> Places:
    """All places from the first to the last."""
    return np.arange(first, last + 1, dtype=np.int64)


def cells_of_atoms(  # noqa: PLR0913 - what is known of a list, each by name
    losses: Floats,
    masses: Floats,
    step: float,
    *,
    infinite: float = 0.0,
    lost: float = 0.0,
    beneath: float = 0.0,
    loss_error: float | None = None,
    mass_error: float = RELATIVE_ERROR,
) -> Cells:
    """Cells of a law with atoms; an atom within rounding of a grid point is put onto it.

    Args:
        losses: finite ones.
        masses: of these losses.
        step: of the grid.
        infinite: a lower bound on the mass at ∞.
        lost: an upper bound on mass that is not listed.
        beneath: an upper bound on mass that is not listed and lies below all that is.
        loss_error: by how much a loss may err; RELATIVE_ERROR of the largest if not given.
        mass_error: by which part of itself a mass may err.
    """
    near = np.abs(losses) <= _MOST_CELLS * step
    if not near.any():
        nothing = np.zeros(1)
        return Cells(step, even_edges(0, 1), nothing, nothing, np.zeros(2), infinite, 1.0)
    # Losses too far out for the grid: left out below, taken for infinite above.
    lost += float(masses[~near].sum()) * (1 + mass_error + 2 * len(masses) * UNIT)
    losses, masses = losses[near], masses[near]
    largest = float(np.abs(losses).max())
    doubt = (RELATIVE_ERROR * largest if loss_error is None else loss_error) + 8 * UNIT * largest
    places = losses / step
    nearest = np.rint(places)
    off = np.abs(losses - nearest * step)
    aligned = off <= doubt
    index = np.where(aligned, nearest, np.floor(places)).astype(np.int64)
    first, last = int(index.min()), int(index.max()) + 1
    at = index - first
    on_grid = _sums(at[aligned], masses[aligned], last - first + 1)
    at, inside = at[~aligned], masses[~aligned]
    # Both ends of a cell are a rounding away from floats: part of the doubt.
    depth = np.clip(losses[~aligned] - index[~aligned] * step, 0.0, step)
    width = float(fall(np.array([step]))[0])
    up = _sums(at, inside * fall(depth) / width, last - first)
    down = _sums(at, inside * exp(-depth) * fall(step - depth) / width, last - first)
    most = int(np.bincount(at).max()) if len(at) else 0
    most = max(most, int(np.bincount(index[aligned] - first).max()) if aligned.any() else 0)
    error = mass_error + 2 * FALL_ERROR + EXP_ERROR + (most + 8) * UNIT
    if step > _FAR or masses.min() < _SMALL:
        lost += 2 * len(masses) * TINY
    return Cells(
        step,
        even_edges(first, last),
        down,
        up,
        on_grid,
        infinite,
        lost,
        beneath,
        error,
        shift=2 * doubt,
    )


def _sums(places: NDArray[np.int64], values: Floats, length: int) -> Floats:
    """Sums of values by place."""
    # Without values bincount would count, in integers.
    return np.bincount(places, values, minlength=length).astype(np.float64)
