"""The same totals on a real PostgreSQL server as in the reference, by the same words."""

import traceback
from collections.abc import Iterator
from functools import cache
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import PostgresTable
from leastnoise.release.measure.backends.postgres import PostgresSession
from leastnoise.release.measure.backends.postgres_connection import pin
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import UnitSpread
from tests.examples import examples
from tests.release.fuzz import (
    BOUNDS,
    CLIPS,
    SCHEMA,
    UNITS,
    histograms,
    measurements,
    optional,
    rows_of,
    spreads,
)
from tests.release.reference import Row, expected, expected_histograms, expected_spread
from tests.release.sessions import (
    assert_conditions_share_a_pass,
    counts_of,
    followed_order,
    table_of,
    totals_of,
    weights_of,
)

SALT = 77
NAMES = SCHEMA.names


@pytest.fixture(scope="module")
def url(empty_postgres: str) -> str:
    return empty_postgres


class ShownSession(PostgresSession):
    """A transaction of its own table, which is gone with it."""

    def __init__(self, url: str) -> None:
        super().__init__(PostgresTable(url, ("pg_temp", "shown")))
        self._connection.rollback()
        self._connection.read_only = False
        pin(self._connection)
        kinds = "text, city text, year bigint, smoker boolean, cost float8, visits bigint"
        self._connection.execute(f"CREATE TEMP TABLE shown (who {kinds})")

    def show(self, rows: list[Row]) -> None:
        self._connection.execute("TRUNCATE pg_temp.shown")
        with self._connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO pg_temp.shown VALUES (%s, %s, %s, %s, %s, %s)",
                [tuple(row[name] for name in NAMES) for row in rows],
            )


session_at = cache(ShownSession)


def order_here(measurement: Measurement) -> Any:
    """PostgreSQL writes t and f where others write true and false."""
    if measurement.keys is not None:
        return followed_order(SALT, measurement)
    followed = followed_order(SALT, measurement)

    def order(who: Any, key: tuple[Any, ...]) -> Any:
        words = tuple(("t" if part else "f") if isinstance(part, bool) else part for part in key)
        return followed(who, words)

    return order


QUIET = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)


@examples(20, 80, suppressed=QUIET)
@given(rows_of(optional(UNITS)), st.sampled_from(["who", None]), measurements(BOUNDS | CLIPS))
def test_totals_are_those_of_the_reference(
    url: str, rows: list[Row], unit: str | None, measurement: Measurement
) -> None:
    session = session_at(url)
    session.show(rows)
    wanted = expected(rows, unit, measurement, order_here(measurement))
    assert totals_of(table_of(rows, unit), measurement, SALT, session) == wanted


def test_conditions_share_a_pass(url: str) -> None:
    assert_conditions_share_a_pass(session_at(url))


@examples(15, 60, suppressed=QUIET)
@given(rows_of(optional(UNITS)), st.sampled_from(["who", None]), histograms())
def test_histograms_are_those_of_the_reference(
    url: str, rows: list[Row], unit: str | None, asked: Histograms
) -> None:
    session = session_at(url)
    session.show(rows)
    assert session.rereads
    found = counts_of(table_of(rows, unit), asked, session)
    assert found == expected_histograms(rows, unit, asked)


@examples(10, 40, suppressed=QUIET)
@given(rows_of(optional(UNITS)), st.sampled_from(["who", "who", None]), spreads())
def test_spreads_are_those_of_the_reference(
    url: str, rows: list[Row], unit: str | None, asked: list[UnitSpread]
) -> None:
    session = session_at(url)
    session.show(rows)
    wanted = [expected_spread(rows, unit, e, order_here(e.measurement)) for e in asked]
    assert weights_of(table_of(rows, unit), asked, SALT, session) == wanted


@pytest.fixture
def visits(url: str) -> Iterator[str]:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            'CREATE TABLE "visits; -- %s" ("wh""o" char(5), "100%" numeric(9, 2), '
            "n numeric, at timestamp, zoned timestamptz, small smallint)"
        )
        connection.execute(
            """INSERT INTO "visits; -- %s" VALUES ('ann', 1.25, 1, NULL, now(), 1),
            ('ann', 'NaN', 1, '2020-01-01', now(), 2), ('bob', 9.75, 1, 'infinity', now(), 3)"""
        )
        yield url
        connection.execute('DROP TABLE "visits; -- %s"')


def test_hostile_names_and_types(visits: str) -> None:
    table = read(visits, unit='wh"o', table="visits; -- %s")
    kinds = [kind for _, kind in table.schema.columns]
    assert kinds == [
        ColumnType.TEXT,
        ColumnType.NUMBER,
        ColumnType.OTHER,
        ColumnType.MOMENT,
        ColumnType.INSTANT,
        ColumnType.INTEGER,
    ]
    grid = Grid(lower=0, upper=8, bits=2)
    asked = (CountRows(), CountUnits(), SumOf(Column("100%"), grid))
    who = Column('wh"o')
    keys = Keys.of('wh"o', ["bob", "'; DROP TABLE x", "ann"])
    bounds = Bounds(max_groups=1, max_rows=5)
    (answer,) = measure(table, [Measurement(asked, bounds, (who,), keys, col("small") < 3)])
    assert [t.tolist() for t in answer.totals] == [[0, 0, 2], [0, 0, 1], [0, 0, 5]]
    assert visits not in repr(table)


def test_sums_have_room_and_what_the_server_gives_is_not_taken_away(visits: str) -> None:
    table = PostgresTable(visits, ("visits; -- %s",))
    for wish, kept in (("", "64MB"), ("?options=-cwork_mem%3D100MB", "100MB")):
        with PostgresSession(PostgresTable(visits + wish, table.table)) as session:
            assert session._connection.execute("SHOW work_mem").fetchall() == [(kept,)]


def test_the_transaction_cannot_write(visits: str) -> None:
    with (
        PostgresSession(PostgresTable(visits, ("visits; -- %s",))) as session,
        pytest.raises(psycopg.Error),
    ):
        session._connection.execute('DELETE FROM "visits; -- %s"')


def test_errors_say_nothing_the_server_said(visits: str) -> None:
    with PostgresSession(PostgresTable(visits, ("visits; -- %s",))) as session:
        bad = Fragment("SELECT CAST(CAST(%s AS text) AS bigint) AS t0", ("SECRET",))
        with pytest.raises(BackendError) as caught:
            session.fetch(bad, 0, 1)
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


def test_missing_tables_and_servers(url: str) -> None:
    with pytest.raises(InvalidParameter, match="none of that name"):
        read(url, unit=None, table="nothing")
    with pytest.raises(InvalidParameter, match="name of a table"):
        read(url, unit=None)
    with pytest.raises(BackendError, match="that the server runs"):
        read("postgresql://nobody:pass@127.0.0.1:1/none", unit=None, table="t")
