r"""Aggregates: what is counted or summed in each group. A closed family."""

from typing import TypeAlias, assert_never

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.step.sensitivity import (
    Sensitivity,
    cell_sensitivity,
    clipped_sensitivity,
    clipped_units_sensitivity,
)

Place: TypeAlias = tuple[Term, Grid]
"""A column, on a grid."""


@dataclass(frozen=True)
class CountRows:
    """The number of rows, at most `max_rows` per unit."""


@dataclass(frozen=True)
class CountUnits:
    """The number of units."""


@dataclass(frozen=True)
class CountValues:
    """The number of different values of a column, of which a unit has at most `max_rows`.

    Theorem: let each unit keep at most R of its values in a group, which ones depending on its own
    rows and a secret salt alone. A unit more makes a group's number of kept values greater by 0 to
    R. Proof: what others keep is kept as before; the unit adds the values that nobody else keeps.
    """

    column: Term


@dataclass(frozen=True)
class _OfPlaces:
    """What is made of the places of a column's values on a grid."""

    column: Term
    grid: Grid

    @property
    def place(self) -> Place:
        """What is summed."""
        return self.column, self.grid


@dataclass(frozen=True)
class SumOf(_OfPlaces):
    """The sum of a column's places on a grid; a missing value counts as 0."""


@dataclass(frozen=True)
class DistanceBelow(_OfPlaces):
    """Σ (place − least): with `DistanceAbove`, both sums of a mean; missing values do not count."""


@dataclass(frozen=True)
class DistanceAbove(_OfPlaces):
    """Σ (most − place)."""


@dataclass(frozen=True)
class CountPresent(_OfPlaces):
    """The number of rows that have a value."""


@dataclass(frozen=True)
class SumFromCentre(_OfPlaces):
    """Σ (2·place − least − most): twice the distances from the middle of the range, with signs."""


@dataclass(frozen=True)
class SumOfSquares(_OfPlaces):
    """Σ ((2·place − least − most)² − ⌊(most − least)²/2⌋), over rows that have a value.

    A square lies in 0..(most − least)²; the shift halves how far it is from 0. It is undone by the
    number of rows: Σ square = answer + shift · `CountPresent`.
    """

    @property
    def shift(self) -> int:
        """What is taken from each square."""
        return (self.grid.most - self.grid.least) ** 2 // 2


Summed: TypeAlias = (
    SumOf | DistanceBelow | DistanceAbove | CountPresent | SumFromCentre | SumOfSquares
)
Aggregate: TypeAlias = CountRows | CountUnits | CountValues | Summed


def contribution(aggregate: Aggregate) -> tuple[int, int]:
    """The least and greatest contribution of one row, 0 included."""
    match aggregate:
        case CountRows() | CountUnits() | CountValues() | CountPresent():
            return 0, 1
        case SumOf():
            return min(aggregate.grid.least, 0), max(aggregate.grid.most, 0)
        case DistanceBelow() | DistanceAbove():
            return 0, aggregate.grid.most - aggregate.grid.least
        case SumFromCentre():
            return (
                aggregate.grid.least - aggregate.grid.most,
                aggregate.grid.most - aggregate.grid.least,
            )
        case SumOfSquares():
            return -aggregate.shift, (
                aggregate.grid.most - aggregate.grid.least
            ) ** 2 - aggregate.shift
        case _:
            assert_never(aggregate)


def sensitivity(
    aggregate: Aggregate,
    bounds: Bounds | Clip,
    neighbours: Neighbours,
    *,
    groups: int | None = None,
) -> Sensitivity:
    """How far one unit can move all cells of an aggregate.

    Args:
        aggregate: what is summed.
        bounds: how much of one unit counts; of a table whose rows are units, `ONE_ROW`.
        neighbours: what privacy is promised for.
        groups: how many groups there are, if that is public.
    """
    if isinstance(bounds, Clip):
        if isinstance(aggregate, CountUnits):
            return clipped_units_sensitivity(bounds, neighbours, groups)
        return clipped_sensitivity(*contribution(aggregate), bounds, neighbours, groups)
    if isinstance(aggregate, CountUnits):
        bounds = Bounds(max_groups=bounds.max_groups, max_rows=1)
    return cell_sensitivity(*contribution(aggregate), bounds, neighbours, groups)


def mean_sensitivity(
    grid: Grid, bounds: Bounds | Clip, neighbours: Neighbours, *, groups: int | None = None
) -> Sensitivity:
    r"""Of `DistanceBelow` and `DistanceAbove` of one column together, as one vector.

    Theorem: a row adds most − least to the two sums together, so that a unit's contributions to a
    group's pair lie in the triangle x, y ≥ 0, x + y ≤ R·(most − least) = m. Added or removed: ℓ1 at
    most m per group, squares at most m². Replaced: the difference of two points of the triangle has
    ℓ1 norm at most 2m and squares at most 2m²; from two different groups 2m and 2m² as well.
    Under a clip the pairs behave as one number in 0..most − least that is cut in two.
    Proof: docs/proofs/sensitivity.md, section 3.
    """
    if isinstance(bounds, Clip):
        return _clipped_mean(grid, bounds, neighbours, groups)
    most = bounds.max_rows * (grid.most - grid.least)
    few = bounds.max_groups
    match neighbours:
        case Neighbours.ADD_REMOVE:
            return Sensitivity(most, 2 * few, few * most, few * most**2)
        case Neighbours.REPLACE:
            return Sensitivity(most, 4 * few, 2 * few * most, 2 * few * most**2)
        case _:
            assert_never(neighbours)


def _clipped_mean(
    grid: Grid, clip: Clip, neighbours: Neighbours, groups: int | None
) -> Sensitivity:
    whole = clipped_sensitivity(0, grid.most - grid.least, clip, neighbours, groups)
    cells = whole.total if groups is None else min(2 * groups, whole.total)
    return Sensitivity(whole.cell, cells, whole.total, whole.square)
