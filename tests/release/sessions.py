"""One pass at a time, with a known salt and an order of groups that Python can follow."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any

from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import Frame
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.session import Session
from leastnoise.release.measure.measure import (
    answered,
    made_once,
    pass_query,
    pass_totals,
    spread_of,
)
from leastnoise.release.measure.one_pass import Pass, fused, sought
from leastnoise.release.measure.spread_pass import SpreadPass, fused_spreads
from leastnoise.release.measure.sql.dialect import DUCKDB, Dialect
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf, SumOfSquares
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.secret_totals import SecretTotals
from leastnoise.release.step.unit_spread import UnitSpread
from tests.release.fuzz import SCHEMA, arrow
from tests.release.reference import Order, Row, expected

Totals = dict[tuple[Any, ...], list[int]]


class ReusedSession(DuckDBSession):
    """One connection for many small tables: opening one takes longer than most tests' queries."""

    def __init__(self, dialect: Dialect = DUCKDB) -> None:
        super().__init__(Frame(arrow([])))
        self._dialect = dialect
        self._shown = self._whole()

    @property
    def dialect(self) -> Dialect:
        return self._dialect

    def scan(self, columns: tuple[str, ...]) -> Fragment:  # noqa: ARG002 - all are there
        return self._shown

    def show(self, rows: list[Row]) -> None:
        self._shown = self._register(arrow(rows))


FOLLOWED = replace(DUCKDB, shuffled="md5(concat_ws('|', {}, {}))")
session_of = cache(ReusedSession)


def text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def followed_order(salt: int, measurement: Measurement) -> Order:
    """The order of MD5: public keys go by their number."""

    def order(who: Any, key: tuple[Any, ...]) -> Any:
        parts = [measurement.keys.rows.index(key)] if measurement.keys else list(key)
        named = "|".join(map(text, [salt, who, *parts]))
        tie = [part.encode() if isinstance(part, str) else part for part in parts]
        return hashlib.md5(named.encode()).hexdigest(), tie

    return order


def passes_of(
    asked: Sequence[Measurement | Histograms], *, by_unit: bool = True
) -> tuple[list[Pass], list[int]]:
    return fused([result for each in asked for result in sought(each)], by_unit=by_unit)


def pass_of(asked: Measurement) -> Pass:
    (found,), _ = passes_of([asked])
    return found


def results_of(
    table: Table, asked: Sequence[Measurement | Histograms], salt: int, session: Session
) -> list[SecretTotals]:
    wanted = [result for each in asked for result in sought(each)]
    passes, numbers = passes_of(asked, by_unit=table.unit is not None)
    found = [pass_totals(table, each, salt, session) for each in passes]
    return [passes[n].part(each, found[n]) for each, n in zip(wanted, numbers, strict=True)]


def totals_of(table: Table, measurement: Measurement, salt: int, session: Session) -> Totals:
    (found,) = results_of(table, [measurement], salt, session)
    return by_key(found)


def by_key(found: SecretTotals) -> Totals:
    columns = [total.tolist() for total in found.totals]
    return dict(zip(found.rows, map(list, zip(*columns, strict=True)), strict=True))


def table_of(rows: list[Row], unit: str | None) -> Table:
    return Table(
        schema=SCHEMA, unit=unit, neighbours=Neighbours.ADD_REMOVE, location=Frame(arrow(rows))
    )


def totals_in_memory(
    rows: list[Row], unit: str | None, measurement: Measurement, salt: int, dialect: Dialect
) -> Totals:
    session = session_of(dialect)
    session.show(rows)
    return totals_of(table_of(rows, unit), measurement, salt, session)


followed_totals = partial(totals_in_memory, dialect=FOLLOWED)
usual_totals = partial(totals_in_memory, dialect=DUCKDB)


def counts_of(table: Table, asked: Histograms, session: Session) -> list[dict[Any, int]]:
    """Per grouping: non-empty cell ↦ its count."""
    return list(map(cells, asked.groupings, results_of(table, [asked], 0, session)))


def weights_of(
    table: Table, asked: Sequence[UnitSpread], salt: int, session: Session
) -> list[list[int]]:
    """The weights on the knots of each spread."""
    found: dict[Asked, list[int]] = {}
    for one in fused_spreads(asked):
        query = pass_query(table, one.bounded, salt, session)
        own = spread_of(one, query, session)
        for each in one.spreads:
            assert own[each].rows == tuple((knot,) for knot in each.knots)
        weights = {each: totals.totals[0].tolist() for each, totals in own.items()}
        assert weights_beside(table, one, salt, session) in ({}, weights)
        found |= weights
    return [found[each] for each in asked]


def weights_beside(
    table: Table, asked: SpreadPass, salt: int, session: Session
) -> dict[Asked, list[int]]:
    """The same, of the pairs that the measurement itself takes its totals of, if they are held."""
    measurement = next(iter(asked.spreads)).measurement
    one, plain = pass_of(measurement), totals_of(table, measurement, salt, session)
    query = pass_query(table, one, salt, session)
    with made_once(query, [asked], table, session) as (ready, own):
        assert by_key(one.part(sought(measurement)[0], answered(ready, table, session))) == plain
        found = spread_of(asked, ready, session) if own else {}
    return {each: totals.totals[0].tolist() for each, totals in found.items()}


def cells(grouping: Grouping, answer: SecretTotals) -> dict[Any, int]:
    counts = answer.totals[0]
    if grouping.is_private:
        return dict(zip(answer.rows, counts.tolist(), strict=True))
    shape = tuple(each.cells for each in grouping.bins)
    assert len(counts) == len(answer.rows) * math.prod(shape) == grouping.cells
    dense = counts.reshape(len(answer.rows), *shape)
    found = {}
    for place in zip(*dense.nonzero(), strict=True):
        key, parts = iter(answer.rows[place[0]]), iter(map(int, place[1:]))
        named = tuple(next(parts if isinstance(each, Bin) else key) for each in grouping.by)
        found[named] = int(dense[place])
    return found


def counts_in_memory(rows: list[Row], unit: str | None, asked: Histograms) -> list[dict[Any, int]]:
    session = session_of(DUCKDB)
    session.show(rows)
    return counts_of(table_of(rows, unit), asked, session)


def assert_conditions_share_a_pass(session: Any) -> None:
    """Of several conditions in one query, each has the totals that it has alone."""
    rows = [
        {"who": "abc"[i % 3], "city": "x", "year": i % 4, "smoker": None, "visits": i % 5}
        | {"cost": None if i % 6 == 0 else i * 1.5}
        for i in range(20)
    ]
    session.show(rows)
    cost, grid = col("cost"), Grid(lower=-1, upper=20, bits=1)
    aggregates = (CountRows(), CountUnits(), SumOf(cost, grid), SumOfSquares(cost, grid))
    wheres = (None, col("visits") > 3, col("visits") > 99, (cost < 9) | cost.is_null())
    bounds, keys = Bounds(max_groups=3, max_rows=2), Keys.of("year", [3, 0, 77])
    groups: list[tuple[Any, Any]] = [((), None), ((col("year"),), keys)]
    for (by, listed), unit in product(groups, ["who", None]):
        asked = [Measurement(aggregates, bounds, by, listed, where) for where in wheres]
        assert len(passes_of(asked)[0]) == 1
        found = results_of(table_of(rows, unit), asked, 0, session)
        for each, totals in zip(asked, found, strict=True):
            assert by_key(totals) == expected(rows, unit, each, lambda *_: 0)
