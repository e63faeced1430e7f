"""One pass at a time, with a known salt and an order of groups that Python can follow."""

import hashlib
from dataclasses import replace
from functools import cache, partial
from typing import Any

from leastnoise.engine.backends.duckdb import DuckDBSession
from leastnoise.engine.dialect import DUCKDB, Dialect
from leastnoise.engine.fragment import Fragment
from leastnoise.engine.location import Frame
from leastnoise.engine.measure import answer
from leastnoise.engine.measurement import Measurement
from leastnoise.engine.neighbours import Neighbours
from leastnoise.engine.one_pass import fused
from leastnoise.engine.session import Session
from leastnoise.engine.table import Table
from tests.engine.fuzz import SCHEMA, arrow
from tests.engine.reference import Order, Row

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


def totals_of(table: Table, measurement: Measurement, salt: int, session: Session) -> Totals:
    (asked,), _ = fused([measurement])
    found = asked.answer(measurement, answer(table, asked, salt, session))
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
