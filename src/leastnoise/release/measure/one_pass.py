"""Passes: what one query answers.

Every result that is asked for is a `Sought`, be it of a measurement or of one of many histograms.
A pass answers several: of one grouping under many conditions, or of many groupings under one.
"""

from collections.abc import Iterable
from dataclasses import field
from typing import TypeAlias

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Column, Condition, columns_of
from leastnoise.release.ask.schedule import Turns
from leastnoise.release.ask.table import Table
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountRows,
    CountUnits,
    CountValues,
    Summed,
)
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.secret_totals import SecretTotals

_MOST_EXPRESSIONS = 16  # planning a query takes time that grows with the cube of this
_MOST_GROUPINGS = 16
_MOST_TOTALS = 32  # under several conditions; more save no time, and each is held for every unit


@dataclass(frozen=True)
class RowLimit:
    """The bound of histograms: so many rows of one unit count in all groups together."""

    max_rows: int


Bounding: TypeAlias = Bounds | Clip | RowLimit


@dataclass(frozen=True)
class Sought:
    """One result: aggregates of the rows that meet a condition, in each cell of a grouping."""

    grouping: Grouping
    bounds: Bounding
    where: Condition | None
    aggregates: tuple[Aggregate, ...]
    turns: Turns | None = None

    @property
    def valued(self) -> CountValues | None:
        """What is counted, if it is different values: these take a pass of their own."""
        found = [each for each in self.aggregates if isinstance(each, CountValues)]
        return found[0] if found else None

    def family(self, *, by_unit: bool) -> tuple[object, ...]:
        """What results of one pass have in common."""
        if isinstance(self.bounds, RowLimit):
            return self.bounds, self.where
        chosen = by_unit and ranks(self.grouping, self.bounds)
        alone = chosen or self.grouping.is_private or isinstance(self.bounds, Clip)
        if self.valued is not None:
            return self.bounds, self.grouping, self.where, self.valued, self.turns
        return self.bounds, self.grouping, self.where if alone else (), self.turns


def sought(asked: Measurement | Histograms) -> list[Sought]:
    """The results of what is asked, in their order."""
    if isinstance(asked, Histograms):
        limit, count = RowLimit(asked.max_rows), (CountRows(),)
        return [Sought(each, limit, asked.where, count) for each in asked.groupings]
    grouping = Grouping(asked.by, asked.keys)
    return [Sought(grouping, asked.bounds, asked.where, asked.aggregates, asked.turns)]


def ranks(grouping: Grouping, bounds: Bounding) -> bool:
    """Whether a unit may be in more groups than count, so that some must be chosen."""
    if not isinstance(bounds, Bounds) or not grouping.by:
        return False
    return grouping.cells is None or grouping.cells > bounds.max_groups


@dataclass
class Pass:
    """One query of the bounded table; it grows while results are put into it.

    Attributes:
        bounds: how much of one unit counts.
        groupings: each with its place. No two are made of the same expressions; there is one, or
            the bound is a limit of rows.
        conditions: under which something is added up, each with its number.
        totals: what is added up in each cell, by the number of its condition, with its place.
        turns: which steps of a unit count; None if its rows are of no schedule.
    """

    bounds: Bounding
    groupings: dict[Grouping, int] = field(default_factory=dict)
    conditions: dict[Condition | None, int] = field(default_factory=dict)
    totals: dict[tuple[int, Aggregate], int] = field(default_factory=dict)
    turns: Turns | None = None

    def has_room(self, each: Sought) -> bool:
        """Whether a result of the family fits beside the others."""
        if each.grouping in self.groupings:
            return len(self.totals) + len(each.aggregates) <= _MOST_TOTALS
        by = set(each.grouping.by)
        return (
            len(by.union(self.expressions)) <= _MOST_EXPRESSIONS
            and len(self.groupings) < _MOST_GROUPINGS
            and all(by != set(other.by) for other in self.groupings)
        )

    def add(self, each: Sought) -> None:
        """Makes the pass answer one result more."""
        self.groupings.setdefault(each.grouping, len(self.groupings))
        number = self.conditions.setdefault(each.where, len(self.conditions))
        for aggregate in each.aggregates:
            self.totals.setdefault((number, aggregate), len(self.totals))

    def part(self, each: Sought, found: list[SecretTotals]) -> SecretTotals:
        """One result, of what the pass found in each grouping."""
        whole, number = found[self.groupings[each.grouping]], self.conditions[each.where]
        places = [self.totals[number, aggregate] for aggregate in each.aggregates]
        return SecretTotals(whole.rows, tuple(whole.totals[place] for place in places))

    @property
    def expressions(self) -> tuple[KeyExpression, ...]:
        """All that makes groups, each once; and whose different values are counted."""
        made = (e for each in self.groupings for e in each.by)
        valued = () if self.valued is None else (self.valued.column,)
        return tuple(dict.fromkeys((*made, *valued)))

    @property
    def valued(self) -> CountValues | None:
        """What the pass counts, if it is different values, and nothing else."""
        found = [each for _, each in self.totals if isinstance(each, CountValues)]
        return found[0] if found else None

    @property
    def summed(self) -> list[tuple[int, Summed]]:
        """The totals that are more than counts of rows or units."""
        counts = CountRows | CountUnits | CountValues
        return [(n, each) for n, each in self.totals if not isinstance(each, counts)]

    def columns_read(self, table: Table) -> tuple[str, ...]:
        """The columns a pass reads; the first one if it needs none, to count its rows."""
        terms = [*self.expressions, *(each.column for _, each in self.summed)]
        found = [column for term in terms for column in term.columns]
        found += [e for where in self.conditions if where is not None for e in columns_of(where)]
        if self.turns is not None:
            where = self.turns.where
            found += [
                Column(self.turns.schedule.column),
                *(() if where is None else columns_of(where)),
            ]
        names = [column.name for column in found] + ([] if table.unit is None else [table.unit])
        return tuple(dict.fromkeys(names)) or table.schema.names[:1]


def fused(wanted: Iterable[Sought], *, by_unit: bool) -> tuple[list[Pass], list[int]]:
    """As few passes as serve all results, and the number of the pass of each.

    Args:
        wanted: all results.
        by_unit: whether a unit may have several rows.
    """
    passes: list[Pass] = []
    families: dict[object, list[int]] = {}
    homes: dict[object, int] = {}
    numbers = []
    for each in wanted:
        same: object = (each.bounds, each.grouping, each.where, each.valued, each.turns)
        family = each.family(by_unit=by_unit)
        if same not in homes:
            others = families.setdefault(family, [])
            homes[same] = next((i for i in others if passes[i].has_room(each)), len(passes))
            if homes[same] == len(passes):
                passes.append(Pass(each.bounds, turns=each.turns))
                others.append(homes[same])
        passes[homes[same]].add(each)
        numbers.append(homes[same])
    return passes, numbers
