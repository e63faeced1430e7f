r"""How far one unit can move what is measured, from the measurement and the table alone."""

from leastnoise.errors import UnsupportedQuery
from leastnoise.release.ask.bounds import ONE_ROW, Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    mean_sensitivity,
    sensitivity,
)
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Histograms, row_weight
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.sensitivity import UNMOVED, Sensitivity, histogram_sensitivity
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT, UnitSpread


def reach_of(asked: Asked, table: Table, *, chosen: int | None = None) -> Sensitivity:
    r"""The most that all cells of a measurement change between neighbouring tables.

    Theorem: the cells are those of `sensitivity`, of `mean_sensitivity` or of
    `histogram_sensitivity`, bounded as the engine bounds them. Of several aggregates taken as one
    vector, the changes add up. To the knots of a spread a unit adds as to the cells of a grouping,
    SPREAD_WEIGHT in all at most. If only k groups are answered, whichever they are, a unit is in at
    most min(G, k) of them. Where units are replaced, the number of all units does not change.
    Proof: docs/proofs/sensitivity.md, sections 3 and 5, and docs/proofs/spread.md; the last two
    sentences by counting.

    Args:
        asked: what is measured.
        table: whose rows they are, and what privacy is promised for.
        chosen: k, if an earlier step chooses which groups are answered and their number is public.
    """
    if isinstance(asked, UnitSpread):
        if chosen is not None:
            raise UnsupportedQuery("knots are all answered; a step chooses some.")
        knots = len(asked.knots)
        return histogram_sensitivity(SPREAD_WEIGHT, table.neighbours, cells=knots)
    if isinstance(asked, Histograms):
        if chosen is not None:
            raise UnsupportedQuery("groups of a histogram cannot be chosen; a step chooses some.")
        return histogram_sensitivity(
            most_of(asked, table),
            table.neighbours,
            groupings=len(asked.groupings),
            cells=cells_of(asked),
        )
    if table.neighbours is Neighbours.REPLACE and counts_everyone(asked, table):
        return UNMOVED
    bounds, groups = bounds_of(asked, table), groups_in(asked)
    if chosen is not None:
        if isinstance(bounds, Clip) and asked.aggregates != (CountUnits(),):
            raise UnsupportedQuery("a clip holds for all groups together; a step chooses some.")
        if isinstance(bounds, Bounds):
            few = min(bounds.max_groups, chosen)
            bounds = Bounds(max_groups=few, max_rows=bounds.max_rows)
        groups = chosen
    pair = asked.aggregates
    if _is_mean(pair):
        assert isinstance(pair[0], DistanceBelow)
        return mean_sensitivity(pair[0].grid, bounds, table.neighbours, groups=groups)
    parts = [sensitivity(each, bounds, table.neighbours, groups=groups) for each in pair]
    return Sensitivity(
        max(part.cell for part in parts),
        sum(part.cells for part in parts),
        sum(part.total for part in parts),
        sum(part.square for part in parts),
    )


def most_of(asked: Histograms, table: Table) -> int:
    """The most that one unit adds to all cells of one grouping together."""
    return 1 if table.unit is None else asked.max_rows * row_weight(table)


def cells_of(asked: Histograms) -> int | None:
    """How many cells there are; None if that is secret."""
    sizes = [each.cells for each in asked.groupings]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def bounds_of(asked: Measurement, table: Table) -> Bounds | Clip:
    """The least bounds that hold of a measurement."""
    if isinstance(asked.bounds, Clip):
        return ONE_ROW if table.unit is None else asked.bounds
    return table.effective_bounds(asked.bounds, grouped=bool(asked.by), keys=asked.keys)


def groups_in(asked: Measurement) -> int | None:
    """How many groups there are; None if that is secret."""
    if not asked.by:
        return 1
    return None if asked.keys is None else len(asked.keys)


def counts_everyone(asked: Measurement, table: Table) -> bool:
    """Whether it is the number of all units, or of all rows where each is a unit."""
    counts = (CountUnits(),) if table.unit is not None else (CountUnits(), CountRows())
    whole = len(asked.aggregates) == 1 and asked.aggregates[0] in counts
    return whole and not asked.by and asked.where is None and isinstance(asked.bounds, Bounds)


def _is_mean(aggregates: tuple[Aggregate, ...]) -> bool:
    """Both sums of one column's mean: a row adds to them together what it adds to one alone."""
    if len(aggregates) != 2:
        return False
    below, above = aggregates
    return (
        isinstance(below, DistanceBelow)
        and isinstance(above, DistanceAbove)
        and (below.column, below.grid) == (above.column, above.grid)
    )
