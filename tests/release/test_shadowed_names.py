"""Nothing that is defined in a database, or on somebody's connection, changes what is computed."""

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import (
    CountPresent,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOf,
    SumOfSquares,
)
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement

GRID = Grid(lower=-4, upper=8, bits=2)
ROWS = (
    "SELECT i % 7 AS id, 'k' || i % 3 AS k, i / 4 - 3 AS v, i % 2 = 0 AS b, "
    "DATE '2020-01-01' + CAST(i AS INT) AS d, TIMESTAMP '2020-01-01' + INTERVAL (i) HOUR AS m "
    "FROM range(40) r(i)"
)
V = col("v")
SUMS = (SumOf(V, GRID), DistanceBelow(V, GRID), DistanceAbove(V, GRID), CountPresent(V, GRID),
        SumFromCentre(V, GRID), SumOfSquares(V, GRID))  # fmt: skip
KEYS = Keys.of("k", ["k0", "k2", "x"])
BY = (col("k"),)
MOST = Bounds(max_groups=3, max_rows=2)
WHERE = (col("d").year() >= 2020) & (col("m").hour() < 20) & ~col("b").is_null() & (V * 2 < 40)
ASKED: list[Any] = [
    Measurement((CountRows(), CountUnits(), *SUMS), MOST),
    Measurement((CountRows(), CountUnits(), *SUMS), MOST, BY, KEYS, WHERE),
    Measurement((CountUnits(),), MOST, BY, where=col("k").isin(["k0", "k1"])),
    Measurement((CountRows(), SumOf(V, GRID)), Clip(max_norm=2), BY, KEYS),
    Measurement((CountRows(),), Clip(max_total=2), BY),
    Histograms((Grouping(BY), Grouping(BY, KEYS), Grouping((Bin(V, GRID, 6),))), 2),
]


def answers(table: Table) -> list[Any]:
    return [
        sorted(zip(map(repr, tuple(each.rows) * (len(each.totals[0]) // len(each.rows))),
                   *(total.tolist() for total in each.totals), strict=True))
        for each in measure(table, ASKED)
    ]  # fmt: skip


def written(path: Path, *more: str) -> Path:
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE t AS {ROWS}")
        for statement in more:
            connection.execute(statement)
    return path


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All SQL that sessions run from now on."""
    texts: list[str] = []
    run = DuckDBSession._run

    def listened(session: DuckDBSession, query: Fragment) -> Any:
        texts.append(query.text)
        return run(session, query)

    monkeypatch.setattr(DuckDBSession, "_run", listened)
    return texts


def macros(sql: list[str]) -> list[str]:
    """A macro, of one to four arguments, for every word that is called as a function."""
    called = sorted({word.lower() for text in sql for word in re.findall(r"(\w+)\s*\(", text)})
    assert {"least", "greatest", "floor", "sum", "count", "isnan", "coalesce"} < set(called)
    forms = ", ".join(f"({', '.join('abcd'[:n])}) AS 42" for n in range(1, 5))
    return [f'CREATE OR REPLACE MACRO "{word}"{forms}' for word in called]


def types(sql: list[str]) -> list[str]:
    words = {word for text in sql for word in re.findall(r"AS ([A-Z]+)\)", text)}
    assert {"BIGINT", "HUGEINT", "DOUBLE", "VARCHAR"} < words
    return sorted(words)


@pytest.mark.parametrize("unit", ["id", None])
def test_macros_and_types_of_a_file_are_not_seen(
    unit: str | None, tmp_path: Path, said: list[str]
) -> None:
    expected = answers(read(written(tmp_path / "plain.db"), unit=unit, table="t"))
    shadowed = written(tmp_path / "shadowed.db", *macros(said))
    with duckdb.connect(shadowed) as connection:
        assert connection.execute("SELECT least(1, 2), floor(1.5), sum(3)").fetchall() == [
            (42, 42, 42)
        ]
        for word in types(said):
            for schema in ("main", "other"):
                connection.execute("CREATE SCHEMA IF NOT EXISTS other")
                try:
                    connection.execute(f"CREATE TYPE {schema}.\"{word}\" AS ENUM ('a')")
                except duckdb.Error:
                    continue  # DuckDB itself protects this one
        for view in ("duckdb_tables", "duckdb_views", "duckdb_columns", "pg_class"):
            connection.execute(f"CREATE VIEW {view} AS SELECT 1 AS one")
    assert answers(read(shadowed, unit=unit, table="t")) == expected


NAMES = ["registered_1", "registered_2", "answer", "found", "asked", "temp", "memory", "main",
         "system", "select", "a.b", 'a"b', "a'b", "t.t", "%", "?", "leastnoise_1"]  # fmt: skip


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The answers where nothing has a strange name."""
    return answers(
        read(written(tmp_path_factory.mktemp("plain") / "plain.db"), unit="id", table="t")
    )


Named = str | tuple[str, str]


def named(name: str, folder: Path) -> tuple[Path, list[Named]]:
    """A file whose schema, table and view have that name, and three ways to say which is meant."""
    quoted = '"' + name.replace('"', '""') + '"'
    fixed = name in {"main", "temp", "system"}
    inside, own = ("main", "main") if fixed else (name, quoted)
    path = written(
        folder / "made.db",
        *([] if fixed else [f"CREATE SCHEMA {own}", f"CREATE VIEW main.{quoted} AS FROM main.t"]),
        f"CREATE TABLE {own}.{quoted} AS FROM main.t",
        f"CREATE VIEW {own}.seen AS FROM {own}.{quoted}",
    )
    return path, [(inside, name), (inside, "seen"), name]


@pytest.mark.parametrize("name", NAMES)
def test_tables_schemas_and_files_of_any_name(name: str, tmp_path: Path, expected: Any) -> None:
    path, (whole, view, alone) = named(name, tmp_path)
    assert answers(read(path, unit="id", table=view)) == expected
    path = path.rename(tmp_path / f"{name.replace('?', '')}.db")
    for table in (whole, alone):
        assert answers(read(path, unit="id", table=table)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_way_to_say_a_name(name: str, tmp_path: Path, expected: Any) -> None:
    path, (whole, view, alone) = named(name, tmp_path)
    for table in (whole, view, alone):
        assert answers(read(path, unit="id", table=table)) == expected
    path = path.rename(tmp_path / f"{name.replace('?', '')}.db")
    for table in (whole, alone):  # a view keeps the name that the file had
        assert answers(read(path, unit="id", table=table)) == expected


def test_a_view_means_its_own_tables_and_functions(tmp_path: Path) -> None:
    path = written(
        tmp_path / "visits.db",
        "CREATE TABLE registered_1 AS FROM t",
        "CREATE MACRO same(x) AS x + 0",
        "CREATE VIEW v AS SELECT same(id) AS id, * EXCLUDE (id) FROM visits.main.registered_1",
    )
    expected = answers(read(path, unit="id", table="t"))
    assert answers(read(path, unit="id", table="v")) == expected


SETTINGS = [
    "SET default_collation = 'NOCASE'",
    "SET TimeZone = 'Pacific/Kiritimati'",
    "SET default_null_order = 'NULLS_FIRST'",
    "SET default_order = 'DESC'",
    "SET arrow_lossless_conversion = true",
    "SET produce_arrow_string_view = true",
    "SET arrow_large_buffer_size = true",
    "SET preserve_insertion_order = false",
    "SET integer_division = true",
    "SET ieee_floating_point_ops = false",
    "CREATE MACRO least(a, b) AS 42",
    "CREATE MACRO count(a) AS 42",
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_somebodys_connection_changes_nothing(setting: str, expected: Any) -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t AS {ROWS}")
    connection.execute(setting)
    assert answers(read(connection.sql("SELECT * FROM t"), unit="id")) == expected
