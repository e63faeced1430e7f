"""Every function, on the same hostile rows, has one meaning on three engines."""

from collections import Counter
from datetime import date
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pytest

from leastnoise.release.ask.choices import Indicator, when
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import Condition
from leastnoise.release.ask.days import day_number
from leastnoise.release.ask.expression import false_where, true_where
from leastnoise.release.ask.functions import FUNCTIONS
from leastnoise.release.ask.kinds import key_kind, kind_of
from leastnoise.release.ask.table import Table
from leastnoise.release.ask.terms import Called, Term, coalesce, col, greatest, least
from leastnoise.release.measure.backends.spark import _bound
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.dialect import DUCKDB, POSTGRES, SPARK, Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.sql_term import key_reading, reading
from leastnoise.release.read import read
from leastnoise.release.step.histograms import Grouping, Histograms
from tests.release.evaluated import evaluated, holds
from tests.release.hostile_rows import ROWS, SCHEMA

X, Y, N, M, S, T, B, D, E, AT = map(col, ["x", "y", "n", "m", "s", "t", "b", "d", "e", "at"])

TERMS: dict[str, list[Term]] = {
    "abs": [abs(X), N.abs(), (X - Y).abs(), B.abs()],
    "divide": [X / Y, N / M, X / 3, 1 / X, X / 0, (X / Y) / (Y / X), (X / Y) * (X / Y) * (X / Y)
               * (X / Y), (X / Y) / (X / Y)],
    "mod": [N.mod(7), N.mod(2), N.mod(2**53), X.floor().mod(10), (N + 1).mod(3), B.mod(2)],
    "floor": [X.floor(), N.floor(), (X / Y).floor(), (X * X).floor(), (X / 10).floor() * 10],
    "ceil": [X.ceil(), N.ceil(), (X / Y).ceil(), (0 - X).ceil()],
    "round": [X.round(), X.round(2), X.round(-3), X.round(15), X.round(-15), N.round(-1),
              (X / Y).round(1)],
    "least": [least(X, Y), least(X, N, 3), least(greatest(X, 0), 500), least(X / Y, Y)],
    "greatest": [greatest(X, Y), greatest(N, M), greatest(B, X)],
    "length": [S.length(), S.trim().length(), T.lower().length()],
    "lower": [S.lower(), T.lower()],
    "upper": [S.upper(), T.upper().lower()],
    "trim": [S.trim(), T.trim()],
    "substring": [S.substring(1, 3), S.substring(2), S.substring(4, 0), S.substring(1000, 1000),
                  S.substring(1_000_000), T.upper().substring(3, 1)],
    "coalesce": [coalesce(X, Y, 1), coalesce(N, X), S.fill_null("unknown"), coalesce(B, False),
                 coalesce(D, col("e")), coalesce(X / Y, N)],
    "nullif": [X.nullif(0), N.nullif(M), S.nullif(T), S.nullif("Oslo"), B.nullif(B), D.nullif(D)],
    "year": [FUNCTIONS["year"].make(D.date_trunc("quarter"))],
    "quarter": [D.quarter(), AT.quarter()],
    "month": [FUNCTIONS["month"].make(D.date_trunc("week"))],
    "day": [FUNCTIONS["day"].make(AT.date_trunc("week"))],
    "weekday": [D.weekday(), AT.weekday(), coalesce(D, E).weekday()],
    "hour": [FUNCTIONS["hour"].make(coalesce(AT, AT))],
    "date_trunc": [each.date_trunc(period) for each in (D, AT)
                   for period in ("day", "week", "month", "quarter", "year")],
    "days_between": [E.days_since(D), AT.days_since(D), D.days_since("2024-02-29")],
    "hours_between": [E.hours_since(D), AT.hours_since(D), AT.hours_since(AT)],
    "seconds_between": [E.seconds_since(AT), AT.seconds_since("1970-01-01")],
    "age_in_years": [D.age_in_years(E), D.age_in_years(AT), AT.age_in_years("2023-02-28")],
    "contains": [FUNCTIONS["contains"].make(S, each) for each in ("s", "", "%", "\\", "é", "😀")],
    "starts_with": [FUNCTIONS["starts_with"].make(S, each) for each in ("", " ", "a~", "😀", "é")],
    "like": [FUNCTIONS["like"].make(S, each)
             for each in ("%", "", "_", "%s%", "a~b", "~", "%~", "a\\b", "\\", "__slo%", "_ %",
                          "a_b", "line%", "%é%", "😀%", "~%~", "%\\")],
}  # fmt: skip
"""By the name of a function: terms in which it occurs."""

CONDITIONS: list[Condition] = [
    *(S.like(each, "!") for each in ("a!_b", "%!%%", "~!!%", "%!_", "!%", "a~b", "_~_")),
    X < Y, X >= Y, X.equals(Y), X.differs(Y), N < M, N.equals(M), X < N, X.equals(N), S < T,
    S.equals(T), S.lower() >= T, col("e") >= D, col("at") > D, B.equals(B), B.differs(B),
    X / Y > 1, N.mod(7).isin([0, -1, 3]), S.lower() == "oslo", S.trim().isin(["Oslo", "a"]),
    X.floor() == 0, (X / Y).is_null(), S.substring(1, 1).is_null(), ~(X < Y), S.length() > 3,
    coalesce(N, 0) >= 2**53, Indicator(X < 1) == True,  # noqa: E712 - makes a condition
]  # fmt: skip
SQL_CONDITIONS = [~((X < Y) & ~(S == "a")), ~N.isin([1, 2]), ~(B == True), ~S.like("a%"),  # noqa: E712
                  ~(X.is_null() | (Y > 1)), ~(X >= N)]  # fmt: skip

CHOSEN: list[Term] = [
    when(X < 0, "below").when(X > 0, "above").otherwise("zero"),
    when(N.is_null(), 0).otherwise(N),
    when(S.like("%s%"), S.upper()).when(T.is_null(), None).otherwise(T),
    when(X > Y, X / Y).when(Y > X, Y / X),
    when(B == True, D).otherwise(col("e")),  # noqa: E712 - makes a condition
    Indicator(X > Y),
    when(X.floor() > 2, 1).otherwise(0) * N,
]
ALL: list[Term] = [
    *(each for terms in TERMS.values() for each in terms),
    *CHOSEN,
    *map(Indicator, CONDITIONS),
    *map(Indicator, map(true_where, SQL_CONDITIONS)),
    *map(Indicator, map(false_where, SQL_CONDITIONS)),
]
KEYS = [each for each in ALL if key_kind(each, SCHEMA).can_be_key]


def functions_in(term: Term) -> set[str]:
    own = {term.function} if isinstance(term, Called) else set()
    if isinstance(term, Indicator) and hasattr(term.condition, "match"):
        own.add(term.condition.match.value.replace(" ", "_"))
    return own.union(*map(functions_in, term.parts))


def test_every_function_is_tried() -> None:
    assert set(TERMS) == set(FUNCTIONS)
    for name, terms in TERMS.items():
        assert terms
        assert all(name in functions_in(each) for each in terms), name


def test_the_rows_are_hostile() -> None:
    assert len(ROWS) >= 75
    for name, _ in SCHEMA.columns:
        assert any(row[name] is None for row in ROWS)
        assert sum(row[name] is not None for row in ROWS) > 40


def query(dialect: Dialect) -> Fragment:
    reads = [reading(each, SCHEMA, dialect) for each in ALL]
    reads += [key_reading(each, SCHEMA, dialect) for each in KEYS]
    named = [fill(f"{{}} AS f{i}", each) for i, each in enumerate(reads)]
    return fill("SELECT id, {} FROM hostile ORDER BY id", joined(", ", named))


def arrow() -> pa.Table:
    kinds = {
        ColumnType.NUMBER: pa.float64(),
        ColumnType.INTEGER: pa.int64(),
        ColumnType.TEXT: pa.string(),
        ColumnType.TRUTH: pa.bool_(),
        ColumnType.DATE: pa.date32(),
        ColumnType.MOMENT: pa.timestamp("us"),
    }
    columns: dict[str, Any] = {"id": pa.array(range(len(ROWS)), pa.int64())}
    for name, kind in SCHEMA.columns:
        columns[name] = pa.array([row[name] for row in ROWS], kinds[kind], from_pandas=False)
    return pa.table(columns)


def assert_as_evaluated(rows: list[Any]) -> None:
    assert len(rows) == len(ROWS)
    wrong: dict[str, Any] = {}
    for found, row in zip(rows, ROWS, strict=True):
        for place, term in enumerate(ALL + KEYS):
            value, wanted = found[place + 1], evaluated(term, row)
            if place >= len(ALL) and kind_of(term, SCHEMA) is ColumnType.NUMBER:
                wanted = None if wanted is None or abs(wanted) >= 2**53 else int(wanted)
            if place >= len(ALL) and isinstance(wanted, date):
                wanted = day_number(wanted)
            if not same(value, wanted):
                read = {each.name: row[each.name] for each in term.columns}
                wrong.setdefault(str(term), (read, value, wanted))
    assert wrong == {}


def same(found: Any, wanted: Any) -> bool:
    """In type and value, but for integers that stand for doubles."""
    if found is None or wanted is None:
        return found is wanted
    return isinstance(found, bool) is isinstance(wanted, bool) and bool(found == wanted)


GROUPED_BY: list[Term] = [
    (X / 10).floor() * 10,
    N.mod(7),
    S.trim().lower(),
    T.substring(1, 2).fill_null("nothing"),
    when(X < Y, "less").when(X >= Y, "more").otherwise("unknown"),
    Indicator(S.like("%s%")),
    coalesce(N, 0),
]
KEPT = (X / Y > 0) | S.lower().equals(S) | ~(N < M)


def assert_grouped(table: Table) -> None:
    """By several expressions at once, of the rows that meet a condition about others."""
    asked = Histograms(tuple(Grouping((each,)) for each in GROUPED_BY), 1, where=KEPT)
    rows = [row for row in ROWS if holds(KEPT, row)]
    assert 20 < len(rows) < len(ROWS)
    for term, found in zip(GROUPED_BY, measure(table, [asked]), strict=True):
        values = [evaluated(term, row) for row in rows]
        keys = [value for value in values if value is not None and is_key(value)]
        counts = {key: int(n) for (key,), n in zip(found.rows, found.totals[0], strict=True)}
        assert counts == Counter(keys), str(term)


def is_key(value: Any) -> bool:
    if isinstance(value, float):
        return abs(value) < 2**53
    return len(value) <= 1000 if isinstance(value, str) else True


def test_duckdb() -> None:
    connection = duckdb.connect()
    connection.register("hostile", arrow())
    asked = query(DUCKDB)
    assert_as_evaluated(connection.execute(asked.text, list(asked.parameters)).fetchall())
    assert_grouped(read(arrow(), unit=None))


@pytest.fixture(scope="module")
def url(empty_postgres: str) -> str:
    return empty_postgres


def test_postgres(url: str) -> None:
    types = {
        ColumnType.NUMBER: "float8",
        ColumnType.INTEGER: "bigint",
        ColumnType.TEXT: "text",
        ColumnType.TRUTH: "boolean",
        ColumnType.DATE: "date",
        ColumnType.MOMENT: "timestamp",
    }
    with psycopg.connect(url, autocommit=True) as connection:
        listed = ", ".join(f"{name} {types[kind]}" for name, kind in SCHEMA.columns)
        connection.execute(f"CREATE TABLE hostile (id bigint, {listed})")
        marks = ", ".join(["%s"] * (len(SCHEMA.columns) + 1))
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO hostile VALUES ({marks})",
                [(i, *row.values()) for i, row in enumerate(ROWS)],
            )
        asked = query(POSTGRES)
        text: Any = asked.text
        assert_as_evaluated(connection.execute(text, asked.parameters).fetchall())
    assert_grouped(read(url, unit=None, table="hostile"))


def test_spark(spark: Any) -> None:
    pytest.importorskip("pyspark")
    spark.createDataFrame(arrow()).createOrReplaceTempView("hostile")
    asked = query(SPARK)
    found = spark.sql(asked.text, args=[_bound(value) for value in asked.parameters])
    assert_as_evaluated([tuple(row) for row in found.collect()])
    assert_grouped(read(spark.createDataFrame(arrow()), unit=None))
