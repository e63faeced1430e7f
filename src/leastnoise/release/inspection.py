"""`inspection`: what the owner of the data may know of them exactly. It is not private."""

from collections.abc import Iterator
from dataclasses import field
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.expression import (
    Compared,
    Condition,
    Indicator,
    Missing,
    Not,
    OneOf,
    Relation,
    Term,
    Value,
    col,
)
from leastnoise.release.ask.location import CsvFiles, Zoned, declared_in
from leastnoise.release.ask.table import Table
from leastnoise.release.ask.unparsed import Unparsed
from leastnoise.release.measure.exact_counts import exact_counts
from leastnoise.release.measure.one_pass import sought
from leastnoise.release.plan import Plan
from leastnoise.release.step.aggregate import CountRows, CountUnits, CountValues
from leastnoise.release.step.unit_spread import UnitSpread


@dataclass(frozen=True)
class Inspected:
    """One exact count.

    Attributes:
        what: what is counted.
        about: the column that it is about; empty if it is about rows.
        count: how many there are; not private.
    """

    what: str
    about: str
    count: int = field(repr=False)


def inspection(plan: Plan) -> list[Inspected]:
    """Exact counts of what may be wrong with the data, or with what was declared of them.

    Nothing is spent and nothing written: this is for whoever may see every row anyway, and whoever
    publishes a number of it breaks the promise of every release.
    """
    asked = list(_asked(plan))
    found = exact_counts(plan.table, [condition for _, _, condition in asked])
    pairs = zip(asked, found.met, strict=True)
    location = plan.table.location
    place = location.place if isinstance(location, Zoned) else location
    lines = [Inspected("lines left out", "", found.left_out)]
    return [
        Inspected("rows", "", found.rows),
        *(lines if isinstance(place, CsvFiles) else ()),
        *(Inspected(what, about, count) for (what, about, _), count in pairs),
    ]


def _asked(plan: Plan) -> Iterator[tuple[str, str, Condition]]:
    table = plan.table
    if table.unit is not None:
        yield "rows without a unit", table.whose or table.unit, Missing(col(table.unit))
    for name, _ in declared_in(table.location):
        flag = Compared(Unparsed((col(name),)), Relation.EQUAL, True)
        yield "fields that do not parse", name, flag
    for term, lower, upper in dict.fromkeys((*_ranges_of_facts(table), *_ranges_asked(plan))):
        told = (_written(lower), _written(upper))
        yield f"values below {told[0]}", str(term), Compared(term, Relation.LESS, lower)
        yield f"values above {told[1]}", str(term), Compared(term, Relation.MORE, upper)
    for name, facts in table.facts:
        column = col(name)
        if facts.values is not None:
            there = ~Missing(column)
            yield "values that are not declared", name, there & Not(OneOf(column, facts.values))
        if facts.never_null:
            yield "missing values, declared never to be", name, Missing(column)


def _ranges_of_facts(table: Table) -> Iterator[tuple[Term, Value, Value]]:
    for name, facts in table.facts:
        if facts.lower is not None and facts.upper is not None:
            yield col(name), facts.lower, facts.upper


def _ranges_asked(plan: Plan) -> Iterator[tuple[Term, Value, Value]]:
    """The ranges that questions cut values to."""
    counts = CountRows | CountUnits | CountValues
    for question in plan.questions:
        for asked in question.measurements(plan.bounded):
            for one in sought(asked.measurement if isinstance(asked, UnitSpread) else asked):
                cut = [(e.column, e.grid) for e in one.aggregates if not isinstance(e, counts)]
                cut += [(e.column, e.grid) for e in one.grouping.by if isinstance(e, Bin)]
                for term, grid in cut:
                    if not isinstance(term, Indicator):
                        yield term, grid.lower, grid.upper


def _written(end: Value) -> str:
    return f"{float(end):g}" if isinstance(end, int | Fraction) else str(end)
