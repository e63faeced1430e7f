"""Passes: what one query answers.

Every result that is asked for is a `Sought`, be it of a measurement or of one of many histograms.
A pass answers several: of one grouping under many conditions, or of many groupings under one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Condition, columns_of
from leastnoise.release.ask.table import Table
from leastnoise.release.step.aggregate import Aggregate, CountRows, CountUnits
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
Total: TypeAlias = tuple[Condition | None, Aggregate]
"""An aggregate of the rows that meet a condition."""


@dataclass(frozen=True)
class Sought:
    """One result: totals of each cell of a grouping."""

    grouping: Grouping
    bounds: Bounding
    totals: tuple[Total, ...]

    def family(self, *, by_unit: bool) -> tuple[object, ...]:
        """What results of one pass have in common."""
        (where, _), *_ = self.totals
        if isinstance(self.bounds, RowLimit):
            return self.bounds, where
        together = not by_unit or not ranks(self.grouping, self.bounds)
        alone = isinstance(self.bounds, Clip) or self.grouping.is_private or not together
        return self.bounds, self.grouping, where if alone else ()


def sought(asked: Measurement | Histograms) -> list[Sought]:
    """The results of what is asked, in their order."""
    if isinstance(asked, Histograms):
        limit = RowLimit(asked.max_rows)
        return [Sought(each, limit, ((asked.where, CountRows()),)) for each in asked.groupings]
    totals = tuple((asked.where, each) for each in asked.aggregates)
    return [Sought(Grouping(asked.by, asked.keys), asked.bounds, totals)]


def ranks(grouping: Grouping, bounds: Bounding) -> bool:
    """Whether a unit may be in more groups than count, so that some must be chosen."""
    if not isinstance(bounds, Bounds) or not grouping.by:
        return False
    return grouping.cells is None or grouping.cells > bounds.max_groups


@dataclass(frozen=True)
class Pass:
    """One query of the bounded table.

    Attributes:
        bounds: how much of one unit counts.
        groupings: of which no two are made of the same expressions; one, or bounded by a limit.
        totals: what is added up in each cell, each once.
    """

    bounds: Bounding
    groupings: tuple[Grouping, ...]
    totals: tuple[Total, ...]

    @cached_property
    def conditions(self) -> tuple[Condition | None, ...]:
        """Under which something is added up, each once."""
        return tuple(dict.fromkeys(where for where, _ in self.totals))

    @cached_property
    def expressions(self) -> tuple[KeyExpression, ...]:
        """All that makes groups, each once."""
        return tuple(dict.fromkeys(e for each in self.groupings for e in each.by))

    def part(self, wanted: Sought, found: list[SecretTotals]) -> SecretTotals:
        """One result, of what the pass found in each grouping."""
        whole = found[self.groupings.index(wanted.grouping)]
        places = {total: place for place, total in enumerate(self.totals)}
        return SecretTotals(whole.rows, tuple(whole.totals[places[e]] for e in wanted.totals))

    def columns_read(self, table: Table) -> tuple[str, ...]:
        """The columns a pass reads; the first one if it needs none, to count its rows."""
        summed = [e for _, e in self.totals if not isinstance(e, CountRows | CountUnits)]
        terms = [*self.expressions, *(each.column for each in summed)]
        found = [column.name for term in terms for column in term.columns]
        for where in self.conditions:
            found += [] if where is None else [column.name for column in columns_of(where)]
        found += [] if table.unit is None else [table.unit]
        return tuple(dict.fromkeys(found)) or table.schema.names[:1]


def fused(wanted: Iterable[Sought], *, by_unit: bool) -> tuple[list[Pass], list[int]]:
    """As few passes as serve all results, and the number of the pass of each.

    Args:
        wanted: all results.
        by_unit: whether a unit may have several rows.
    """
    drafts: list[_Draft] = []
    families: dict[object, list[int]] = {}
    numbers = []
    for each in wanted:
        family = families.setdefault(each.family(by_unit=by_unit), [])
        number = next((i for i in family if drafts[i].takes(each)), len(drafts))
        if number == len(drafts):
            drafts.append(_Draft(each.bounds))
            family.append(number)
        drafts[number].add(each)
        numbers.append(number)
    return [draft.made() for draft in drafts], numbers


@dataclass
class _Draft:
    """A pass that still grows."""

    bounds: Bounding
    groupings: dict[Grouping, None] = field(default_factory=dict)
    totals: dict[Total, None] = field(default_factory=dict)

    def takes(self, each: Sought) -> bool:
        """Whether a result of the family has room beside the others."""
        return self._takes_grouping(each.grouping) and self._takes_totals(each.totals)

    def _takes_grouping(self, grouping: Grouping) -> bool:
        if grouping in self.groupings:
            return True
        expressions = {e for each in (grouping, *self.groupings) for e in each.by}
        return (
            len(expressions) <= _MOST_EXPRESSIONS
            and len(self.groupings) < _MOST_GROUPINGS
            and all(set(grouping.by) != set(each.by) for each in self.groupings)
        )

    def _takes_totals(self, totals: tuple[Total, ...]) -> bool:
        known = {where for where, _ in self.totals}
        return totals[0][0] in known or len(self.totals) + len(totals) <= _MOST_TOTALS

    def add(self, each: Sought) -> None:
        self.groupings[each.grouping] = None
        self.totals |= dict.fromkeys(each.totals)

    def made(self) -> Pass:
        return Pass(self.bounds, tuple(self.groupings), tuple(self.totals))
