r"""`Contribution`: what one unit can add to the cells of a measurement, sign and all."""

from dataclasses import replace

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.step.aggregate import Aggregate, CountUnits, contribution
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.reach import (
    bounds_of,
    cells_of,
    counts_everyone,
    groups_in,
    most_of,
    reach_of,
)
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT, UnitSpread


@dataclass(frozen=True)
class Contribution:
    """What one unit adds to a row of integers.

    Attributes:
        low: the least it adds to one of them, 0 or less.
        high: the most, 0 or more.
        total: the most it adds to all of them together, if it adds nothing negative; else None.
        cells: how many integers there are; None if that is secret.
        everyone: whether there is one integer and every unit adds exactly 1 to it.
    """

    low: int
    high: int
    total: int | None
    cells: int | None
    everyone: bool = False


def contribution_of(asked: Asked, table: Table) -> Contribution:
    r"""What one unit can add to all cells of a measurement.

    Theorem: under the bounds of `reach_of` one unit adds R·low..R·high to a cell, and if low ≥ 0,
    to all cells together as much as their sum changes when it is added. A unit that is there at all
    is counted once in the number of units of a whole table, and so is a row that is a unit. To
    knots it adds SPREAD_WEIGHT at most, nothing negative.
    Proof: docs/proofs/sensitivity.md, sections 3 and 5, and docs/proofs/spread.md: what is added
    to a table is the difference between neighbours that differ by one unit.

    Args:
        asked: what is measured.
        table: whose rows they are.
    """
    if isinstance(asked, UnitSpread):
        return Contribution(0, SPREAD_WEIGHT, SPREAD_WEIGHT, len(asked.knots))
    if isinstance(asked, Histograms):
        most = most_of(asked, table)
        return Contribution(0, most, most * len(asked.groupings), cells_of(asked))
    bounds, groups = bounds_of(asked, table), groups_in(asked)
    ends = [_ends(each, bounds) for each in asked.aggregates]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    added = replace(table, neighbours=Neighbours.ADD_REMOVE)
    return Contribution(
        low=low,
        high=high,
        total=reach_of(asked, added).total if low == 0 else None,
        cells=None if groups is None else groups * len(ends),
        everyone=counts_everyone(asked, table),
    )


def _ends(aggregate: Aggregate, bounds: Bounds | Clip) -> tuple[int, int]:
    low, high = contribution(aggregate)
    if isinstance(bounds, Clip):
        most = CLIP_WEIGHT if isinstance(aggregate, CountUnits) else bounds.reach
        return most * low, most * high
    rows = 1 if isinstance(aggregate, CountUnits) else bounds.max_rows
    return rows * low, rows * high
