"""PostgreSQL: spellings, tables that change while they are read, values that could make it fail."""

import itertools
import random
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import FloatLoader, NumericLoader

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column, Condition, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import PostgresTable
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.measure.backends.postgres import PostgresSession
from leastnoise.release.measure.backends.session import Found
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountPresent,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumOf,
    SumOfSquares,
    sensitivity,
)
from leastnoise.release.step.histograms import WEIGHT, Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.secret_totals import SecretTotals
from tests.attacks.seeded import SeededSource
from tests.ledger.postgres import server

ONE = Bounds(max_groups=1, max_rows=1)
GRID = Grid(lower=-8, upper=8, bits=2)


@pytest.fixture(scope="module")
def home() -> Iterator[str]:
    with server() as found:
        if found is None:
            pytest.skip("this machine has no PostgreSQL to start")
        yield found


@pytest.fixture
def url(home: str) -> Iterator[str]:
    """A database with nothing in it."""
    yield home
    run(
        home,
        "DROP SCHEMA IF EXISTS public, a, b, c CASCADE",
        "DROP EXTENSION IF EXISTS postgres_fdw CASCADE",
        "CREATE SCHEMA public",
        "GRANT ALL ON SCHEMA public TO PUBLIC",
    )


def run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for each in statements:
            text: Any = each
            connection.execute(text)


def reader_of(url: str) -> str:
    """A role without special rights, which may read and create in the public schema."""
    run(
        url,
        "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') "
        "THEN CREATE ROLE reader LOGIN; END IF; END $$",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
    )
    return url.replace("tester@", "reader@")


def total(answer: SecretTotals, number: int = 0) -> int:
    return int(sum(answer.totals[number].tolist()))


def count_of(url: str, table: str, bounds: Bounds = ONE) -> int:
    """How many rows count: the most that one of two passes over the same rows says."""
    asked = (CountRows(), CountUnits()), (CountRows(), CountPresent(col("n"), GRID))
    other = Bounds(max_groups=2, max_rows=bounds.max_rows)
    passes = [Measurement(asked[0], bounds), Measurement(asked[1], other)]
    return max(total(answer) for answer in measure(read(url, unit="who", table=table), passes))


# Text compares by its bytes.

SPELLINGS = ["oslo", "Oslo", "OSLO", "oSLO", "Ôslo", "oslo ", " oslo", "ｏｓｌｏ"]
TEXTS = ["text COLLATE nocase", "varchar(9) COLLATE nocase", "loose", "looser", "name"]


@pytest.mark.parametrize("kind", TEXTS)
def test_a_row_counts_under_its_own_spelling_alone(url: str, kind: str) -> None:
    rows = ", ".join(f"('{word}', '{word}', 1)" for word in SPELLINGS)
    run(
        url,
        "CREATE COLLATION nocase "
        "(provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
        "CREATE DOMAIN loose AS text COLLATE nocase CHECK (length(VALUE) < 99)",
        "CREATE DOMAIN looser AS loose NOT NULL",
        f"CREATE TABLE t (who {kind}, city {kind}, n int)",
        f"INSERT INTO t VALUES {rows}",
    )
    table = read(url, unit="who", table="t")
    assert table.schema.type_of(col("city")) is ColumnType.TEXT
    public = Measurement((CountUnits(), CountRows()), ONE, (col("city"),), spelled())
    private = Measurement((CountUnits(),), ONE, (col("city"),))
    alike = [Measurement((CountRows(),), ONE, where=col("city") == word) for word in SPELLINGS]
    listed = Measurement((CountRows(),), ONE, where=col("city").isin(["OSLO", "nowhere"]))
    counted = Histograms((Grouping((col("city"),), spelled()), Grouping((col("city"),))), 1)
    shown, found, *each, some, public_cells, cells = measure(
        table, [public, private, *alike, listed, counted]
    )
    assert [t.tolist() for t in shown.totals] == [[1] * len(SPELLINGS)] * 2
    assert sorted(found.rows) == sorted((word,) for word in SPELLINGS)
    assert [total(answer) for answer in each] == [1] * len(SPELLINGS)
    assert total(some) == 1
    assert public_cells.totals[0].tolist() == [WEIGHT] * len(SPELLINGS)
    assert sorted(cells.rows) == sorted((word,) for word in SPELLINGS)


def spelled() -> Keys:
    return Keys.of("city", SPELLINGS)


def test_padded_text_is_text_without_its_padding(url: str) -> None:
    run(
        url,
        "CREATE DOMAIN padded AS char(6)",
        "CREATE TABLE t (who char(4), city padded, n int)",
        "INSERT INTO t VALUES ('a', 'oslo', 1), ('a ', 'oslo  ', 1), ('A', E'oslo\\t', 1)",
    )
    keys = Keys.of("city", ["oslo", "oslo  ", "oslo\t"])
    asked = Measurement((CountRows(),), Bounds(max_groups=3, max_rows=3), (col("city"),), keys)
    units = Measurement((CountUnits(),), ONE)
    found, people = measure(read(url, unit="who", table="t"), [asked, units])
    assert found.totals[0].tolist() == [2, 0, 1]
    assert total(people) == 2


OTHERS = ["citext", "loose", "mood", "pair", "money", "numeric", "timestamptz", "jsonb", '"char"',
          "bytea", "text[]", "int4range", "xid", "oid", "interval", "bit(3)", "moods"]  # fmt: skip


def test_types_with_a_sense_of_their_own_are_refused(url: str) -> None:
    columns = ", ".join(f"c{i} {kind}" for i, kind in enumerate(OTHERS))
    run(
        url,
        "CREATE EXTENSION citext",
        "CREATE DOMAIN loose AS citext",
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN moods AS mood",
        "CREATE TYPE pair AS (a int, b int)",
        f"CREATE TABLE t (who text, {columns})",
    )
    table = read(url, unit="who", table="t")
    for number in range(len(OTHERS)):
        named = Column(f"c{number}")
        zoned = OTHERS[number] == "timestamptz"  # in no declared zone
        assert table.schema.type_of(named) is (ColumnType.INSTANT if zoned else ColumnType.OTHER)
        for asked in (
            Measurement((CountRows(),), ONE, (named,)),
            Measurement((SumOf(named, GRID),), ONE),
            Measurement((CountRows(),), ONE, where=named == "x"),
        ):
            with pytest.raises(InvalidParameter, match=named.name):
                measure(table, [asked])
        with pytest.raises(InvalidParameter, match=named.name):
            read(url, unit=named.name, table="t")


# Tables that change between looks.


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Callable[[Any], None]], None]:
    """Does something after so many queries of a session, with its connection at hand."""

    def arrange(after: int, action: Callable[[Any], None]) -> None:
        done = itertools.count(1)
        plain = PostgresSession.fetch

        def fetch(self: PostgresSession, query: Fragment, keys: int, totals: int) -> Found:
            found = plain(self, query, keys, totals)
            if next(done) == after:
                action(self._connection)
            return found

        monkeypatch.setattr(PostgresSession, "fetch", fetch)

    return arrange


PEOPLE = "SELECT i AS who, 1 AS n FROM generate_series(1, 100) AS i"
MANY = "SELECT 7 AS who, 1 AS n FROM generate_series(1, 5000)"


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_child_inherited_meanwhile_is_not_read(url: str, after: int, between: Any) -> None:
    run(url, f"CREATE TABLE t AS {PEOPLE}", f"CREATE TABLE child AS {MANY}")
    between(after, lambda _: run(url, "ALTER TABLE child INHERIT t"))
    assert count_of(url, "t") == 100
    assert count_of(url, "t") == 100, "with the child, each person counts once"
    assert count_of(url, "t", Bounds(max_groups=1, max_rows=9)) == 108


@pytest.mark.parametrize("after", [1, 2])
@pytest.mark.parametrize("where", ["here", "far"])
def test_a_partition_attached_meanwhile_is_bounded(
    url: str, after: int, where: str, between: Any
) -> None:
    run(
        url,
        "CREATE TABLE t (who int, n int) PARTITION BY LIST (who)",
        "CREATE TABLE first PARTITION OF t FOR VALUES IN (1, 2, 3)",
        "INSERT INTO t VALUES (1, 1), (2, 1), (3, 1)",
        f"CREATE TABLE stored AS {MANY}",
        *foreign(url),
    )
    new = {"here": "stored", "far": "far"}[where]
    between(after, lambda _: run(url, f"ALTER TABLE t ATTACH PARTITION {new} FOR VALUES IN (7)"))
    assert count_of(url, "t") in {3, 4}
    assert count_of(url, "t") == 4
    with PostgresSession(PostgresTable(url, ("t",))) as session:
        assert not session.rereads


def foreign(url: str) -> list[str]:
    """A foreign table over the one that is stored."""
    parts = urlsplit(url)
    place = f"host '127.0.0.1', port '{parts.port}', dbname '{parts.path[1:]}'"
    return [
        "CREATE EXTENSION postgres_fdw",
        f"CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({place})",
        "CREATE USER MAPPING FOR tester SERVER itself OPTIONS (user 'tester')",
        "CREATE FOREIGN TABLE far (who int, n int) SERVER itself OPTIONS (table_name 'stored')",
    ]


HIDING = "n = 1 OR pg_catalog.current_setting('test.whole', true) = 'on'"
TWO_HUNDRED = "SELECT i AS who, n FROM generate_series(1, 20) AS i, generate_series(1, 10) AS n"
COMPUTED = {
    "policy": [
        f"CREATE TABLE t AS {TWO_HUNDRED}",
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        f"CREATE POLICY hiding ON t FOR SELECT USING ({HIDING})",
    ],
    "clock": [
        f"CREATE TABLE t AS {TWO_HUNDRED}",
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        f"CREATE POLICY hiding ON t FOR SELECT USING (clock_timestamp() > now() AND ({HIDING}))",
    ],
    "view": [
        f"CREATE TABLE s AS {TWO_HUNDRED}",
        f"CREATE VIEW t AS SELECT * FROM s WHERE {HIDING}",
    ],
    "barrier": [
        f"CREATE TABLE s AS {TWO_HUNDRED}",
        f"CREATE VIEW t WITH (security_barrier) AS SELECT * FROM s WHERE {HIDING}",
    ],
    "partition": [
        f"CREATE TABLE p AS {TWO_HUNDRED}",
        "CREATE TABLE t (who int, n int) PARTITION BY LIST (who)",
        "ALTER TABLE t ATTACH PARTITION p DEFAULT",
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        f"CREATE POLICY hiding ON t FOR SELECT USING ({HIDING})",
    ],
}  # fmt: skip


@pytest.mark.parametrize("after", [1, 2])
@pytest.mark.parametrize("kind", COMPUTED)
def test_rows_that_appear_between_looks_are_bounded(
    url: str, kind: str, after: int, between: Any
) -> None:
    run(url, *COMPUTED[kind])
    between(after, lambda connection: connection.execute("SET LOCAL test.whole TO 'on'"))
    assert count_of(reader_of(url), "t") == 20
    with PostgresSession(PostgresTable(reader_of(url), ("t",))) as session:
        assert not session.rereads


def test_stored_tables_can_be_read_again(url: str) -> None:
    run(
        url,
        "CREATE TABLE t (who int, n int, twice int GENERATED ALWAYS AS (n * 2) STORED)",
        "CREATE MATERIALIZED VIEW m AS SELECT * FROM t",
        "CREATE TABLE guarded (who int)",
        "ALTER TABLE guarded ENABLE ROW LEVEL SECURITY",
    )
    for name in ("t", "m", "guarded"):
        assert read(url, unit="who", table=name).schema.names[0] == "who"
        with PostgresSession(PostgresTable(url, (name,))) as session:
            assert session.rereads, "policies are not in force for who may pass them by"
            session.refuse_changed()
    assert count_of(url, "m") == 0


def test_foreign_tables_and_views_are_computed_once_and_here(url: str) -> None:
    run(
        url,
        f"CREATE TABLE stored AS {PEOPLE}",
        *foreign(url),
        "CREATE VIEW seen AS SELECT who, n + 0 * random() AS n FROM far",
    )
    for name in ("far", "seen"):
        assert count_of(url, name) == 100
        with PostgresSession(PostgresTable(url, (name,))) as session:
            plan: Any = f"EXPLAIN VERBOSE SELECT count(*) FROM {session.scan(('who',)).text}"
            shown = session._connection.execute(plan).fetchall()
        remote = [line for (line,) in shown if "Remote SQL" in line]
        assert remote
        assert "count" not in remote[0]


def test_another_table_of_the_same_name_is_noticed(url: str) -> None:
    run(
        url,
        "CREATE SCHEMA a",
        "CREATE SCHEMA b",
        f"CREATE TABLE a.t AS {PEOPLE}",
        f"CREATE TABLE b.t AS {MANY}",
    )
    with PostgresSession(PostgresTable(url, ("a", "t"))) as session:
        assert session.rereads
        counted = fill("SELECT COUNT(*) AS t0 FROM {}", session.scan(("who",)))
        assert session.fetch(counted, 0, 1).totals[0].tolist() == [100]
        run(url, "ALTER SCHEMA a RENAME TO c", "ALTER SCHEMA b RENAME TO a")
        with pytest.raises(InvalidParameter, match="stay where it is"):
            session.refuse_changed()


def test_a_table_made_after_the_session_began_is_not_there(url: str) -> None:
    with PostgresSession(PostgresTable(url, ("t",))) as session:
        run(url, f"CREATE TABLE t AS {PEOPLE}")
        with pytest.raises(InvalidParameter, match="none of that name"):
            session.scan(("who",))


def test_while_it_is_read_a_table_keeps_its_definition(url: str) -> None:
    run(url, f"CREATE TABLE t AS {PEOPLE}")
    with PostgresSession(PostgresTable(url, ("t",))) as session:
        assert session.rereads
        for change in ("ENABLE ROW LEVEL SECURITY", "RENAME TO x", "ALTER who TYPE text"):
            with pytest.raises(psycopg.errors.LockNotAvailable):
                run(url, "SET lock_timeout = 50", f"ALTER TABLE t {change}")
        assert session._connection.info.transaction_status is TransactionStatus.INTRANS


# What one row holds never makes a query fail, and moves no answer further than was said.

HUGE, TINY = "9" * 300, "0." + "0" * 299 + "1"
NUMERIC = ["0", "1", "-1", "'NaN'"]
FLOATS = [*NUMERIC, "'inf'", "'-inf'", "1e308", "-1e308", "5e-324", "-0.0", "1e-310"]
MOMENTS = ["'-infinity'", "'infinity'", "'4713-01-01 BC'", "'0001-01-01 BC'", "'99999-12-31'",
           "'1582-10-10'", "'2024-02-29'"]  # fmt: skip
WORDS = [
    "''", "' '", "'日本'", "'🦊'", "E'\\x01'", "E'\\n'", "'NULL'", "'\\'", "'{a,b}'", "'a|b'",
    "'|'", "U&'\\202E'", "U&'e\\0301'", "U&'\\00e9'", "'%s'", "'ß'", "'ẞ'", "'İ'",
]  # fmt: skip
HOSTILE: dict[str, list[str]] = {
    "boolean": ["true", "false"],
    "smallint": ["-32768", "32767", "0"],
    "integer": ["-2147483648", "2147483647", "0"],
    "bigint": ["-9223372036854775808", "9223372036854775807", "0"],
    "real": [*NUMERIC, "'inf'", "'-inf'", "3e38", "1e-45"],
    "double precision": FLOATS,
    "numeric(5, 2)": [*NUMERIC, "999.99", "-999.99"],
    "numeric(5, -290)": [*NUMERIC, "9e294", "-9e294"],
    "numeric(3, 300)": [*NUMERIC[:1], f"{TINY}", f"-{TINY}", "'NaN'"],
    "numeric(300, 0)": [*NUMERIC, HUGE, f"-{HUGE}"],
    "text": [*WORDS, "repeat('x', 1000)", "repeat('x', 1001)", "repeat('日', 400000)"],
    "varchar": WORDS,
    "char(6)": WORDS,
    "name": WORDS,
    "uuid": ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
    "date": [*MOMENTS[:2], "'4713-01-01 BC'", "'5874897-12-31'", "'1582-10-10'"],
    "timestamp": [*MOMENTS, "'294276-12-31 23:59:59.999999'"],
}


def test_numbers_beyond_doubles_are_no_numbers(url: str) -> None:
    kinds = ["numeric(5, -400)", "numeric(301, 0)", "numeric(5, 301)", "numeric(1000, 1000)",
             "numeric", "beyond", "numeric(5, -295)", "numeric(600, 300)", "within"]  # fmt: skip
    columns = ", ".join(f"c{i} {kind}" for i, kind in enumerate(kinds))
    run(
        url,
        "CREATE DOMAIN beyond AS numeric(5, -400)",
        "CREATE DOMAIN inner_one AS numeric(5, 2)",
        "CREATE DOMAIN within AS inner_one",
        f"CREATE TABLE t ({columns})",
    )
    found = [kind for _, kind in read(url, unit=None, table="t").schema.columns]
    assert found == [ColumnType.OTHER] * 6 + [ColumnType.NUMBER] * 3


def aggregates_of(value: Column, kind: ColumnType) -> tuple[Aggregate, ...]:
    if not kind.is_numeric:
        return (CountRows(), CountUnits())
    sums: list[Any] = [SumOf, CountPresent, DistanceBelow, DistanceAbove, SumOfSquares]
    terms = [value, value * value * value - 2 * value]
    return (CountRows(), CountUnits(), *(each(term, GRID) for each in sums for term in terms))


def conditions_of(value: Column, kind: ColumnType) -> list[Condition | None]:
    if kind.is_numeric and kind is not ColumnType.TRUTH:
        return [None, value.is_null(), ~(value < 10**400), value * value > 0]
    if kind in {ColumnType.DATE, ColumnType.MOMENT}:
        return [None, value.is_null(), value.year() > 1, value.month().isin([1, 12])]
    return [None, ~value.is_null(), value != (True if kind is ColumnType.TRUTH else "x")]


def questions(value: Column, kind: ColumnType, bounds: Bounds) -> list[Measurement]:
    sums, where = aggregates_of(value, kind), conditions_of(value, kind)
    found = [Measurement(sums, bounds, where=each) for each in where]
    if kind.can_be_key:
        found.append(Measurement((CountUnits(), CountRows()), bounds, (value,)))
        keys: dict[Any, Any] = {
            ColumnType.TRUTH: [True, False],
            ColumnType.INTEGER: [0, 32767, 2**63 - 1],
            ColumnType.DATE: [date.min, date(2020, 2, 29), date.max],
        }
        public = Keys.of(value.name, keys.get(kind, ["", "日本", "a|b", "nobody"]))
        found.append(Measurement((CountUnits(), CountRows()), bounds, (value,), public))
    return found


def moved(one: SecretTotals, other: SecretTotals, number: int) -> int:
    """How far all cells together moved; a group that nobody is in has total 0."""
    totals = [dict(zip(a.rows, a.totals[number].tolist(), strict=True)) for a in (one, other)]
    return sum(abs(totals[0].get(k, 0) - totals[1].get(k, 0)) for k in {*totals[0], *totals[1]})


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("unit", ["int", "text"])
def test_no_value_fails_or_moves_an_answer_too_far(url: str, kind: str, unit: str) -> None:
    values = [*HOSTILE[kind], "NULL"]
    bounds = Bounds(max_groups=1, max_rows=2)
    run(url, f"CREATE TABLE t (who {unit}, v {kind})")
    table = read(url, unit="who", table="t")
    asked = questions(col("v"), table.schema.type_of(col("v")), bounds)
    cells = []
    if table.schema.type_of(col("v")).is_numeric:
        cells = [Histograms((Grouping((Bin(col("v"), GRID, 4),)),), 2)]
    chance = random.Random(14)
    before = measure(table, [*asked, *cells], source=SeededSource(14))
    for person in range(6):
        rows = [chance.choice(values) for _ in range(chance.choice([1, 1, 3, len(values)]))]
        run(url, f"INSERT INTO t VALUES {', '.join(f'({person}, {value})' for value in rows)}")
        after = measure(table, [*asked, *cells], source=SeededSource(14))
        for measurement, one, other in zip(asked, before, after, strict=False):
            for number, each in enumerate(measurement.aggregates):
                most = sensitivity(each, bounds, Neighbours.ADD_REMOVE).total
                assert moved(one, other, number) <= most
        if cells:
            steps = after[-1].totals[0] - before[-1].totals[0]
            assert abs(steps).sum() <= 2 * WEIGHT
        before = after


@pytest.mark.parametrize(
    "kind", [k for k in HOSTILE if k in {"text", "varchar", "char(6)", "uuid"}]
)
def test_any_text_can_be_a_unit(url: str, kind: str) -> None:
    rows = ", ".join(f"({value}, 1)" for value in HOSTILE[kind])
    run(url, f"CREATE TABLE t (who {kind}, n int)", f"INSERT INTO t VALUES {rows}")
    table = read(url, unit="who", table="t")
    units = Measurement((CountUnits(), CountRows()), Bounds(max_groups=1, max_rows=9), (col("n"),))
    (answer,) = measure(table, [units])
    with psycopg.connect(url) as connection:
        wanted: Any = (
            'SELECT count(DISTINCT who::text COLLATE "C"), count(*) FROM t '
            "WHERE octet_length(who::text) <= 1048576"
        )
        ((people, rows_there),) = connection.execute(wanted).fetchall()
    assert [total(answer, 0), total(answer, 1)] == [people, rows_there]


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII", "EUC_JP", "WIN1252"])
def test_the_client_is_spoken_to_in_unicode(url: str, encoding: str) -> None:
    run(
        url,
        "CREATE TABLE t (who int, city text)",
        "INSERT INTO t VALUES (1, '日本'), (2, '🦊'), (3, 'é')",
    )
    asked = Measurement((CountUnits(),), ONE, (col("city"),))
    for wish in (f"?client_encoding={encoding}", f"?options=-cclient_encoding%3D{encoding}"):
        (answer,) = measure(read(url + wish, unit="who", table="t"), [asked])
        assert sorted(answer.rows) == sorted([("日本",), ("🦊",), ("é",)])


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1", "EUC_JP"])
def test_databases_that_hold_other_bytes_are_refused_before_any_row(
    home: str, encoding: str
) -> None:
    name = f"in_{encoding.lower()}"
    how = f"TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' ENCODING '{encoding}'"
    run(home, f"CREATE DATABASE {name} {how}")
    url = urlsplit(home)._replace(path=f"/{name}").geturl()
    with pytest.raises(InvalidParameter, match=encoding):
        read(url, unit=None, table="t")


@pytest.fixture
def rounding() -> Iterator[None]:
    """What psycopg's manual shows for programs that want no decimals."""
    psycopg.adapters.register_loader("numeric", FloatLoader)
    yield
    psycopg.adapters.register_loader("numeric", NumericLoader)


@pytest.mark.usefixtures("rounding")
def test_sums_stay_exact_in_programs_that_round_decimals(url: str) -> None:
    exact = Fragment("SELECT CAST(9007199254740993 AS numeric) AS t0")
    with PostgresSession(PostgresTable(url, ("t",))) as session:
        assert session.fetch(exact, 0, 1).totals[0].tolist() == [2**53 + 1]


def test_rows_that_a_view_cannot_compute_fail_without_a_word(url: str) -> None:
    run(
        url, "CREATE TABLE s AS SELECT 0 AS who", "CREATE VIEW t AS SELECT who, 1 / who AS n FROM s"
    )
    with pytest.raises(BackendError, match="withheld"):
        count_of(url, "t")
