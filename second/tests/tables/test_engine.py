"""DuckDB as a release uses it: integers only, locked, quiet; every value cleaned, by every engine type."""

import os
import traceback
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise.numbers.errors import EngineError, InvalidInput
from leastnoise.tables.cleaning import cleaned, type_of, unit
from leastnoise.tables.dialect import DUCKDB, Fragment, fill, joined
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.engines.engine import check_integers, quiet
from leastnoise.tables.engines.frames import as_arrow, columns_of_frame
from leastnoise.tables.relation_sql import UNIT, relation_sql
from leastnoise.tables.relations import OfUnit
from leastnoise.tables.schema import Column as Declared
from leastnoise.tables.schema import Schema, Table, Type, normal
from leastnoise.tables.sources import find_table


@pytest.mark.parametrize(
    "kind",
    [
        "DOUBLE",
        "FLOAT",
        "DECIMAL(18,3)",
        "DECIMAL(18,0)",
        "VARCHAR",
        "BOOLEAN",
        "DATE",
        "BLOB",
        "UHUGEINT",
    ],
)
def test_a_result_that_is_no_integer_is_refused(kind: str) -> None:
    with pytest.raises(EngineError, match="does not give integers"):
        check_integers(["BIGINT", kind])
    with DuckDB([]) as engine:
        column = Fragment(f"SELECT 1::BIGINT, NULL::{kind}")
        for read in (engine.integers, engine.candidates):
            with pytest.raises(EngineError, match="does not give integers"):
                read(column)


def test_integers_of_three_widths_are_taken_and_keys_are_of_any_type() -> None:
    with DuckDB([]) as engine:
        assert engine.integers(Fragment("SELECT 1::INTEGER, 2::BIGINT, 3::HUGEINT")) == [(1, 2, 3)]
        assert engine.candidates(Fragment("SELECT 'a', 0.5::DOUBLE, 3::HUGEINT")) == [("a", 0.5, 3)]
        assert engine.integers(Fragment("SELECT 1 WHERE FALSE")) == []


def test_an_engine_reads_its_own_files_and_nothing_else(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1]}), tmp_path / "it's mine.parquet")
    pq.write_table(pa.table({"x": [2]}), tmp_path / "other.parquet")
    (tmp_path / "out").mkdir()
    mine = find_table(tmp_path / "it's mine.parquet", name="mine")
    with DuckDB([mine]) as engine:
        found = engine.integers(fill("SELECT x FROM {}", engine.scan(mine, ["x"])))
        assert found == [(1,)]
        for text in (f"SELECT x FROM read_parquet('{tmp_path}/other.parquet')", "SELECT 1 FROM glob('/*')",
                     f"COPY (SELECT 1) TO '{tmp_path}/out/x.csv'", "SET enable_external_access = true",
                     f"ATTACH '{tmp_path}/x.db'", "INSTALL httpfs", "SET threads = 1"):  # fmt: skip
            with pytest.raises(EngineError):
                engine.integers(Fragment(text))
        assert os.listdir(tmp_path / "out") == []
        settings = "SELECT value FROM duckdb_settings() WHERE name = 'TimeZone'"
        assert engine._connection.execute(settings).fetchall() == [("UTC",)]
        folder = engine._folder.name
    assert not Path(folder).exists()
    with DuckDB([], memory="100MB") as engine:
        settings = "SELECT value FROM duckdb_settings() WHERE name = 'memory_limit'"
        assert engine._connection.execute(settings).fetchall() == [("95.3 MiB",)]


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": [1, 2]}), path)
    table = find_table(path, name="x")
    for change in (lambda: os.utime(path, ns=(1, 1)), lambda: path.write_bytes(path.read_bytes() + b" "),
                   lambda: os.replace(_copied(path), path)):  # fmt: skip
        with DuckDB([table]) as engine:
            query = fill("SELECT COUNT(*) FROM {} AS t", engine.scan(table, []))
            assert engine.integers(query) == [(2,)]
            change()
            with pytest.raises(EngineError):
                engine.integers(query)
        pq.write_table(pa.table({"x": [1, 2]}), path)


def _copied(path: Path) -> Path:
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    state = path.stat()
    os.utime(copy, ns=(state.st_atime_ns, state.st_mtime_ns))
    return copy


def test_errors_say_nothing_of_what_failed() -> None:
    def failing() -> None:
        raise ValueError("secret")

    with pytest.raises(EngineError, match="plain words") as caught:
        quiet(failing, "plain words")
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    assert quiet(lambda: 0, "x") == 0
    with DuckDB([]) as engine, pytest.raises(EngineError, match="cannot be planned"):
        engine.prepare(Fragment("SELECT secret"))


def shown(table: Table, *names: str) -> list[Any]:
    with DuckDB([table]) as engine:
        columns = joined(", ", map(engine.dialect.name, names))
        query = fill(
            "SELECT {}, 1 FROM {} AS t",
            columns,
            engine.scan(table, [n for n in names if n != UNIT]),
        )
        rows: list[Any] = [row[:-1] for row in engine.candidates(query)]
        return [row[0] for row in rows] if len(names) == 1 else rows


BIG = 2.0**200
PARSED = [
    ("integer", ["1", " 1 ", "+7", "-3", "1.0", "1.", "1.5", "1e3", "0x10", "1_000", "", "a", "9223372036854775807", "9223372036854775808"],
     [1, 1, 7, -3, 1, 1, None, None, None, None, None, None, 2**63 - 1, None]),
    ("number", ["1", "1.5", ".5", "5.", "-1e3", "1E+2", "inf", "nan", "-Infinity", "1e400", "-1e400", "1e-400", "1,5", "-0", "epoch", "."],
     [1.0, 1.5, 0.5, 5.0, -1000.0, 100.0, None, None, None, BIG, -BIG, 0.0, None, 0.0, None, None]),
    ("boolean", ["true", " T ", "Yes", "y", "1", "false", "F", "no", "N", "0", "maybe", ""],
     [True] * 5 + [False] * 5 + [None, None]),
    ("number", ["1e99999999999999999999", "-1e-99999999999999999999", "9" * 400], [BIG, 0.0, BIG]),
    ("timestamp", ["2021-02-29 10:00", "2020-13-01", "2020-02-29 10:00"], [None, None, datetime(2020, 2, 29, 10)]),
    ("date", ["0123-01-01", "0012-01-01", "0001-01-01", "0000-01-01", "0100-12-31"],
     [date(123, 1, 1), date(12, 1, 1), date(1, 1, 1), None, date(100, 12, 31)]),
    ("date", ["2020-02-29", "2021-02-29", " 0001-01-01 ", "9999-12-31", "10000-01-01", "2020-1-1", "20200101", "epoch", "2020-01-01 (BC)", "0000-12-31"],
     [date(2020, 2, 29), None, date(1, 1, 1), date(9999, 12, 31), None, None, None, None, None, None]),
    ("timestamp", ["2020-01-01", "2020-01-01 23:59", "2020-01-01T23:59:59.5", "2020-01-01 24:00", "2020-01-01 1:00", "2020-01-01 01:00:00+02", "9999-12-31 23:59:59.999999", "0000-12-31 23:59"],
     [datetime(2020, 1, 1), datetime(2020, 1, 1, 23, 59), datetime(2020, 1, 1, 23, 59, 59, 500000), None, None, None, datetime(9999, 12, 31, 23, 59, 59, 999999), None]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "texts", "expected"), PARSED)
def test_text_that_was_declared_otherwise_is_read_by_patterns(
    kind: str, texts: list[str], expected: list[Any]
) -> None:
    table = find_table(pa.table({"x": texts}), name="t", columns={"x": kind})
    found = shown(table, "x")
    assert list(map(repr, found)) == list(map(repr, expected))


def test_a_decimal_comma(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x;n\n1,5;1,0\n1.5;2\n")
    table = find_table(tmp_path / "x.csv", name="t", columns={"x": "number", "n": "integer"},
                       csv={"delimiter": ";", "decimal": ","})  # fmt: skip
    assert shown(table, "x", "n") == [(1.5, 1), (None, 2)]


NATIVE: list[tuple[Any, list[Any], Type, list[Any]]] = [
    (pa.float64(), [float("nan"), float("inf"), -float("inf"), -0.0, 1e308, -1e308, 5e-324, -1e-300, 1.5, None],
     Type.NUMBER, [None, BIG, -BIG, 0.0, BIG, -BIG, 0.0, 0.0, 1.5, None]),
    (pa.float32(), [1.5, float("nan")], Type.NUMBER, [1.5, None]),
    (pa.uint64(), [0, 2**63 - 1, 2**63, 2**64 - 1, None], Type.INTEGER, [0, 2**63 - 1, None, None, None]),
    (pa.int8(), [-128, None], Type.INTEGER, [-128, None]),
    (pa.decimal128(20, 0), [1, 10**19], Type.INTEGER, [1, None]),
    (pa.decimal128(5, 2), [1], Type.NUMBER, [1.0]),
    (pa.date32(), [date(1, 1, 1), date(9999, 12, 31), None], Type.DATE, [date(1, 1, 1), date(9999, 12, 31), None]),
    (pa.timestamp("ns"), [datetime(2020, 1, 1, 1, 2, 3, 4)], Type.TIMESTAMP, [datetime(2020, 1, 1, 1, 2, 3, 4)]),
    (pa.timestamp("s"), [datetime(1, 1, 1), None], Type.TIMESTAMP, [datetime(1, 1, 1), None]),
    (pa.timestamp("s"), [-62135596800, 2**50, -(2**62)], Type.TIMESTAMP, [datetime(1, 1, 1), None, None]),
    (pa.float64(), [2.0**200, 1.0000001 * 2.0**200, -1.0000001 * 2.0**200, 2.0**-200, -(2.0**-200), 0.9999999 * 2.0**-200],
     Type.NUMBER, [BIG, BIG, -BIG, 1 / BIG, -1 / BIG, 0.0]),
    (pa.string(), ["", "a\0b", "é", None], Type.TEXT, ["", "a\0b", "é", None]),
    (pa.bool_(), [True, False, None], Type.BOOLEAN, [True, False, None]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "values", "own", "expected"), NATIVE)
def test_every_native_type_becomes_one_of_ours(
    kind: Any, values: list[Any], own: Type, expected: list[Any]
) -> None:
    table = find_table(pa.table({"x": pa.array(values, kind)}), name="t")
    assert table.schema["x"].type is own
    assert list(map(repr, shown(table, "x"))) == list(map(repr, expected))


def test_days_beyond_the_calendar_are_missing() -> None:
    days = [
        "'0001-01-01'::DATE - 1",
        "'9999-12-31'::DATE + 1",
        "'infinity'::DATE",
        "'0001-01-01 (BC)'::DATE",
    ]
    moments = [
        "'infinity'::TIMESTAMP",
        "'0001-01-01'::TIMESTAMP - INTERVAL 1 MICROSECOND",
        "'10000-01-01'::TIMESTAMP",
    ]
    for texts, native, kind in ((days, "DATE", Type.DATE), (moments, "TIMESTAMP", Type.TIMESTAMP)):
        for text in texts:
            query = fill("SELECT {} IS NULL", cleaned(Fragment(f"({text})"), native, kind, DUCKDB))
            assert duckdb.execute(query.text, list(query.values)).fetchall() == [(True,)], text


def test_types_that_are_used_for_nothing() -> None:
    for native in (
        "BLOB",
        "STRUCT(a INTEGER)",
        "INTEGER[]",
        "TIME",
        "INTERVAL",
        "BIT",
        "MAP(VARCHAR, INTEGER)",
    ):
        assert type_of(native, None) is Type.OTHER
    assert type_of("TIMESTAMP WITH TIME ZONE", None) is Type.OTHER
    assert type_of("TIMESTAMP WITH TIME ZONE", "Europe/Oslo") is Type.TIMESTAMP
    assert type_of("DECIMAL(18,0)", None) is Type.INTEGER
    assert type_of("DECIMAL(18,10)", None) is Type.NUMBER
    assert type_of("ENUM('a', 'b')", None) is Type.TEXT
    for native, kind in (
        ("BIGINT", Type.TEXT),
        ("DATE", Type.TIMESTAMP),
        ("BOOLEAN", Type.INTEGER),
        ("VARCHAR", Type.OTHER),
    ):
        with pytest.raises(InvalidInput, match="declared as"):
            cleaned(Fragment('"x"'), native, kind, DUCKDB)


def test_moments_are_read_in_their_zone() -> None:
    moments = [datetime(2020, 7, 1, 22, 30, tzinfo=UTC), datetime(2, 1, 1, tzinfo=UTC), datetime(1, 12, 31, tzinfo=UTC),
               datetime(9998, 12, 31, 23, tzinfo=UTC), datetime(9999, 1, 2, tzinfo=UTC), None]  # fmt: skip
    table = find_table(
        pa.table({"x": pa.array(moments, pa.timestamp("us", "UTC"))}),
        name="t",
        time_zone="Europe/Oslo",
    )
    found = shown(table, "x")
    assert found[0] == datetime(2020, 7, 2, 0, 30)
    assert [each is None for each in found] == [False, False, True, False, True, True]


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (
            ["a", "A", "a ", "é", "é", "", None],
            pa.string(),
            [b"a", b"A", b"a ", "é".encode(), "é".encode(), b"", None],
        ),
        ([1, -1, None], pa.int16(), [1, -1, None]),
        ([1, 2**64 - 1], pa.uint64(), [1, 2**64 - 1]),
        ([1, 10**30], pa.decimal128(38, 0), [1, 10**30]),
    ],
)
def test_units_are_told_apart_exactly(values: list[Any], kind: Any, expected: list[Any]) -> None:
    table = replace(find_table(pa.table({"u": pa.array(values, kind)}), name="t"), unit="u")
    assert shown(table, UNIT) == expected


@pytest.mark.parametrize(
    "values", [pa.array([7.2, 7.4]), pa.array([Decimal("7.2"), Decimal("7.4")])]
)
def test_numbers_with_decimals_are_no_units_though_they_are_declared_as_integers(
    values: Any,
) -> None:
    """Rounding would make one unit of two."""
    found = find_table(pa.table({"u": values}), name="t", columns={"u": "integer"})
    with pytest.raises(InvalidInput, match="do not tell units apart"):
        shown(replace(found, unit="u"), UNIT)


def test_numbers_at_the_ends_of_their_widths() -> None:
    """The last integers are integers, and a unit beyond 128 bits is missing: nothing fails."""
    ends = (-(2**63), 2**63 - 1)
    assert [normal(each, Type.INTEGER) for each in ends] == [*ends]
    assert normal(2**63, Type.INTEGER) is normal(-(2**63) - 1, Type.INTEGER) is None
    beyond = unit(Fragment(f"{2**127}::UHUGEINT"), "UHUGEINT", Type.INTEGER, DUCKDB)
    with DuckDB([]) as engine:
        found: Any = engine.integers(fill("SELECT {}", beyond))
        assert found == [(None,)]


def test_no_column_of_the_user_takes_the_place_of_the_hidden_unit() -> None:
    found = replace(find_table(pa.table({"u": ["p"], "x": [1]}), name="t"), unit="u")
    named = replace(found, schema=Schema([*found.schema.values(), Declared(UNIT, Type.TEXT)]))
    with DuckDB([named]) as engine, pytest.raises(InvalidInput, match="cannot be called"):
        relation_sql(OfUnit(named), [UNIT], engine.scan, engine.dialect)


def test_lines_within_a_value_are_no_rows_of_others(tmp_path: Path) -> None:
    """Several threads begin in the middle of a file of text, where nobody knows of an open quote."""
    value = "".join(f"\nvictim{i:07},1" for i in range(110_000))
    others = "".join(f"person{i:07},{'x' * 90}\n" for i in range(10_000))
    path = tmp_path / "t.csv"
    with path.open("w") as file:
        file.write("u,x\n" + 7 * others + f'evil,"{value}"\n' + 7 * others)
    table = replace(find_table(path, name="t"), unit="u")
    with DuckDB([table]) as engine:
        count = fill("SELECT CAST(COUNT(*) AS BIGINT) FROM {} AS t", engine.scan(table, ["x"]))
        assert engine.integers(count) == [(140_001,)]


class Strange:
    """An object whose text cannot be written."""

    def __str__(self) -> str:
        raise RuntimeError("secret")


def test_pandas_objects_become_text_value_by_value() -> None:
    mixed = [
        "1",
        1,
        1.5,
        True,
        None,
        float("nan"),
        pd.NA,
        date(2020, 1, 1),
        Strange(),
        "\ud800",
        np.int64(3),
    ]
    expected = ["1", "1", "1.5", "True", None, None, None, "2020-01-01", None, None, "3"]
    frame = pd.DataFrame({"x": pd.Series(mixed, dtype="object"), "y": range(len(mixed))})
    table = as_arrow(frame, ["x"])
    assert table.column_names == ["x"]
    assert table["x"].to_pylist() == expected
    categories = pd.Series(pd.Categorical(["b", None, "a", "b"]))
    assert as_arrow(pd.DataFrame({"x": categories}), ["x"])["x"].to_pylist() == [
        "b",
        None,
        "a",
        "b",
    ]
    assert as_arrow(frame, ["x"], rows=False).num_rows == 0
    mixed_categories = pd.Series(pd.Categorical(["b", 1, None, "b", -0.5, 1]))
    assert str(mixed_categories.cat.categories.dtype) == "object"
    found = as_arrow(pd.DataFrame({"x": mixed_categories}), ["x"])["x"]
    assert found.to_pylist() == ["b", "1", None, "b", "-0.5", "1"] and found.type == pa.string()


def test_frames_of_all_kinds_show_types_without_rows() -> None:
    connection = duckdb.connect()
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    frames = [table, table.to_pandas(), pl.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
              pl.LazyFrame({"a": [1, 2], "b": ["x", "y"]}), connection.sql("SELECT 1::BIGINT AS a, 'x' AS b UNION ALL SELECT 2, 'y'")]  # fmt: skip
    for frame in frames:
        assert columns_of_frame(frame) == ["a", "b"]
        types = as_arrow(frame, ["b", "a"], rows=False)
        assert (types.num_rows, types.column_names) == (0, ["b", "a"])
        rows = as_arrow(frame, ["a"])
        rows = rows if isinstance(rows, pa.Table) else rows.read_all()
        assert rows.to_pydict() == {"a": [1, 2]}


def test_only_the_last_relation_is_streamed_and_all_are_read() -> None:
    connection = duckdb.connect()
    one = find_table(connection.sql("SELECT range AS x FROM range(3)"), name="one")
    two = find_table(connection.sql("SELECT range AS y FROM range(4)"), name="two")
    with DuckDB([one, two]) as engine:
        query = fill(
            "SELECT COUNT(*), SUM(x), SUM(y) FROM {} AS a, {} AS b",
            engine.scan(one, ["x"]),
            engine.scan(two, ["y"]),
        )
        for _ in range(2):
            assert engine.integers(query) == [(12, 12, 18)]
        assert engine.integers(fill("SELECT COUNT(*) FROM {} AS a", engine.scan(one, []))) == [(3,)]


def test_rows_of_frames_are_read_by_statements_alone() -> None:
    """A statement is prepared before a release is charged."""
    read = list[str]()

    class Seen:
        def __str__(self) -> str:
            read.append("row")
            return "x"

    frame = pd.DataFrame({"x": pd.Series([Seen()], dtype="object")})

    def batch(rows: pl.DataFrame) -> pl.DataFrame:
        read.append("batch")
        return rows

    lazy = pl.LazyFrame({"y": [1]}).map_batches(batch)
    tables = [find_table(frame, name="one"), find_table(lazy, name="two")]
    with DuckDB(tables) as engine:
        one, two = engine.scan(tables[0], ["x"]), engine.scan(tables[1], ["y"])
        query = fill("SELECT COUNT(x), SUM(y) FROM {} AS a, {} AS b", one, two)
        engine.prepare(query)
        assert "row" not in read
        prepared = len(read)
        assert engine.integers(query) == [(1, 1)]
        assert read.count("row") == 1 and len(read) > prepared + 1
