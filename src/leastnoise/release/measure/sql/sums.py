r"""Aggregates in SQL, from the few sums that they are made of."""

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from leastnoise.release.ask.expression import Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountPresent,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOf,
    SumOfSquares,
)

Place: TypeAlias = tuple[Term, Grid]
"""A column that is summed, on its grid."""


@dataclass(frozen=True)
class Sums:
    """Of some rows: their number and that of their units.

    Of their places: sum, number, and sum of squared distances from the centre.
    """

    rows: Fragment
    units: Fragment
    total: Fragment
    present: Fragment
    squares: Fragment


def place_of(aggregate: Aggregate) -> Place | None:
    """What is summed; None of a count of rows or units."""
    if isinstance(aggregate, CountRows | CountUnits):
        return None
    return aggregate.column, aggregate.grid


def needs_present(aggregate: Aggregate) -> bool:
    """Whether an aggregate is made of the number of places."""
    return not isinstance(aggregate, CountRows | CountUnits | SumOf)


def squared(place: Fragment, grid: Grid, dialect: Dialect) -> Fragment:
    """(2·place − least − most)² is at most 2^42, or the measurement was refused."""
    twice = fill("(2 * {} - {})", place, dialect.value(grid.least + grid.most, dialect.integer))
    return dialect.total(fill("({} * {})", twice, twice))


def from_sums(aggregate: Aggregate, found: Sums, dialect: Dialect) -> Fragment:
    """An aggregate of the rows whose sums are given."""

    def wide(value: int) -> Fragment:
        return dialect.value(value, dialect.wide)

    match aggregate:
        case CountRows():
            return found.rows
        case CountUnits():
            return found.units
        case SumOf():
            return found.total
        case DistanceBelow(grid=grid):
            return fill("({} - {} * {})", found.total, wide(grid.least), found.present)
        case DistanceAbove(grid=grid):
            return fill("({} * {} - {})", wide(grid.most), found.present, found.total)
        case CountPresent():
            return found.present
        case SumFromCentre(grid=grid):
            ends = wide(grid.least + grid.most)
            return fill("(2 * {} - {} * {})", found.total, ends, found.present)
        case SumOfSquares():
            return fill("({} - {} * {})", found.squares, wide(aggregate.shift), found.present)
        case _:
            assert_never(aggregate)
