"""Passes: what shares a condition and bounds is answered by one query."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Condition, Term, columns_of
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.step.aggregate import Aggregate
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.secret_totals import SecretTotals


@dataclass(frozen=True)
class Pass:
    """One group-by of the bounded table, with every aggregate asked of it, each once."""

    by: tuple[KeyExpression, ...]
    keys: Keys | None
    where: Condition | None
    bounds: Bounds | Clip
    aggregates: tuple[Aggregate, ...]

    def serves(self, measurement: Measurement) -> bool:
        """Whether a measurement asks about the same groups of the same bounded rows."""
        return (
            self.by == measurement.by
            and self.bounds == measurement.bounds
            and self.where == measurement.where
            and self.keys == measurement.keys
        )

    def part(self, measurement: Measurement, whole: SecretTotals) -> SecretTotals:
        """A measurement's part of what the pass found."""
        places = [self.aggregates.index(aggregate) for aggregate in measurement.aggregates]
        return SecretTotals(whole.rows, tuple(whole.totals[place] for place in places))


def columns_read(
    table: Table, terms: Iterable[KeyExpression | Term], where: Condition | None
) -> tuple[str, ...]:
    """The columns a pass reads; the first one if it needs none, to count its rows."""
    found = [column.name for term in terms for column in term.columns]
    if where is not None:
        found += [column.name for column in columns_of(where)]
    if table.unit is not None:
        found.append(table.unit)
    return tuple(dict.fromkeys(found)) or table.schema.names[:1]


def fused(measurements: Iterable[Measurement]) -> tuple[list[Pass], list[int]]:
    """As few passes as serve all measurements, and the number of the pass of each."""
    parts: list[list[Measurement]] = []
    numbers = []
    for measurement in measurements:
        number = next(
            (i for i, part in enumerate(parts) if _pass(part[:1]).serves(measurement)), len(parts)
        )
        if number == len(parts):
            parts.append([])
        parts[number].append(measurement)
        numbers.append(number)
    return [_pass(part) for part in parts], numbers


def _pass(measurements: Sequence[Measurement]) -> Pass:
    first = measurements[0]
    asked = (aggregate for each in measurements for aggregate in each.aggregates)
    aggregates = tuple(dict.fromkeys(asked))
    return Pass(first.by, first.keys, first.where, first.bounds, aggregates)


_MOST_EXPRESSIONS = 16  # planning a query takes time that grows with the cube of this
_MOST_GROUPINGS = 16


def fused_histograms(asked: Iterable[Histograms]) -> list[Histograms]:
    """As few passes as serve all groupings; in each no two are made of the same expressions."""
    passes: list[Histograms] = []
    for each in asked:
        for grouping in each.groupings:
            if not any(_alike(one, each) and grouping in one.groupings for one in passes):
                _add(grouping, each, passes)
    return passes


def found_in(
    passes: Sequence[Histograms], grouping: Grouping, asked: Histograms
) -> tuple[int, int]:
    """The number of the pass that serves a grouping, and the grouping's place in it."""
    return next(
        (number, each.groupings.index(grouping))
        for number, each in enumerate(passes)
        if _alike(each, asked) and grouping in each.groupings
    )


def _add(grouping: Grouping, asked: Histograms, passes: list[Histograms]) -> None:
    for number, each in enumerate(passes):
        if _alike(each, asked) and _fits(grouping, each.groupings):
            longer = (*each.groupings, grouping)
            passes[number] = Histograms(longer, asked.max_rows, asked.where)
            return
    passes.append(Histograms((grouping,), asked.max_rows, asked.where))


def _alike(one: Histograms, other: Histograms) -> bool:
    return one.max_rows == other.max_rows and one.where == other.where


def _fits(grouping: Grouping, others: tuple[Grouping, ...]) -> bool:
    expressions = {e for each in (grouping, *others) for e in each.by}
    return (
        len(expressions) <= _MOST_EXPRESSIONS
        and len(others) < _MOST_GROUPINGS
        and all(set(grouping.by) != set(each.by) for each in others)
    )
