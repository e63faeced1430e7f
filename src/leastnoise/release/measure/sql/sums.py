r"""Sums over rows in SQL, from the few that they are made of."""

from typing import assert_never

from leastnoise._dataclass import dataclass
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.step.aggregate import (
    CountPresent,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    Summed,
    SumOf,
    SumOfSquares,
)

NEED_PRESENT = (DistanceBelow, DistanceAbove, CountPresent, SumFromCentre, SumOfSquares)
"""What is made of the number of places, too."""


@dataclass(frozen=True)
class Sums:
    """Of some rows' places: sum, number, and sum of squared distances from the centre."""

    total: Fragment
    present: Fragment
    squares: Fragment


def from_sums(aggregate: Summed, found: Sums, dialect: Dialect) -> Fragment:
    """What is asked of the rows whose sums are given."""
    least, most = (dialect.value(each, dialect.wide)
                   for each in (aggregate.grid.least, aggregate.grid.most))  # fmt: skip
    match aggregate:
        case SumOf():
            return found.total
        case DistanceBelow():
            return fill("({} - {} * {})", found.total, least, found.present)
        case DistanceAbove():
            return fill("({} * {} - {})", most, found.present, found.total)
        case CountPresent():
            return found.present
        case SumFromCentre():
            ends = dialect.value(aggregate.grid.least + aggregate.grid.most, dialect.wide)
            return fill("(2 * {} - {} * {})", found.total, ends, found.present)
        case SumOfSquares():
            shift = dialect.value(aggregate.shift, dialect.wide)
            return fill("({} - {} * {})", found.squares, shift, found.present)
        case _:
            assert_never(aggregate)
