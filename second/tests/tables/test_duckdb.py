"""DuckDB is locked: what it may do is set before it reads, and cannot be changed."""

from dataclasses import replace
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise.numbers.errors import EngineError, InvalidInput
from leastnoise.tables.dialect import Fragment, fill
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.schema import Column, Schema, Type
from leastnoise.tables.sources import find_table

LOCKED = {
    "autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "allow_community_extensions": "false",
    "python_enable_replacements": "false", "enable_external_file_cache": "false", "enable_external_access": "false",
    "lock_configuration": "true", "enable_progress_bar": "false", "TimeZone": "UTC",
}  # fmt: skip


def test_every_setting_that_locks_is_set() -> None:
    with DuckDB([]) as engine:
        settings = "SELECT name, value FROM duckdb_settings()"
        found = dict(engine._connection.execute(settings).fetchall())
        assert {name: found[name] for name in LOCKED} == LOCKED
        assert found["temp_directory"].startswith(engine._folder.name)


def test_variables_of_the_caller_are_no_tables() -> None:
    frame = pd.DataFrame({"x": [1]})
    with DuckDB([]) as engine, pytest.raises(EngineError):
        engine.integers(Fragment("SELECT x FROM frame"))
    assert len(frame) == 1


def test_an_engine_is_closed_when_it_is_left() -> None:
    with DuckDB([]) as engine:
        folder = engine._folder.name
        assert Path(folder).is_dir()
    assert not Path(folder).exists()
    with pytest.raises(duckdb.ConnectionException):
        engine._connection.execute("SELECT 1")


def test_every_column_of_totals_is_of_integers_and_of_candidates_the_last_one() -> None:
    with DuckDB([]) as engine:
        for text in ("SELECT 0.5::DOUBLE, 1", "SELECT 1, 'a', 2", "SELECT 1, 0.5::DOUBLE"):
            with pytest.raises(EngineError, match="does not give integers"):
                engine.integers(Fragment(text))
        assert engine.candidates(Fragment("SELECT 'a', 1")) == [("a", 1)]
        with pytest.raises(EngineError, match="does not give integers"):
            engine.candidates(Fragment("SELECT 1, 'a'"))


def test_a_column_that_the_rows_have_not_is_refused() -> None:
    table = find_table(pa.table({"x": [1]}), name="t")
    more = replace(table, schema=Schema([*table.schema.values(), Column("y", Type.INTEGER)]))
    with DuckDB([]) as engine:
        for wrong, columns in ((more, ["y"]), (replace(table, unit="u"), ["x"])):
            with pytest.raises(InvalidInput, match=r't has no column "[uy]" in these rows'):
                engine.scan(wrong, columns)


def test_folders_name_no_columns(tmp_path: Path) -> None:
    folder = tmp_path / "x=5"
    folder.mkdir()
    pq.write_table(pa.table({"x": [1], "y": [2]}), folder / "t.parquet")
    (folder / "t.csv").write_text("x,y\n1,2\n")
    for name in ("t.parquet", "t.csv"):
        table = find_table(folder / name, name="t", columns={"x": "integer", "y": "integer"})
        with DuckDB([table]) as engine:
            query = fill("SELECT x, y FROM {} AS t", engine.scan(table, ["x", "y"]))
            assert engine.integers(query) == [(1, 2)]


def test_nan_is_found_where_a_file_says_that_values_are_small(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1.0, float("nan"), 2.0]}), tmp_path / "t.parquet")
    table = find_table(tmp_path / "t.parquet", name="t")
    with DuckDB([table]) as engine:
        rows = engine._source(table.place, ["x"])
        assert engine.integers(fill("SELECT COUNT(*) FROM {} WHERE x > 100", rows)) == [(1,)]


def test_lines_that_are_no_rows_are_left_out(tmp_path: Path) -> None:
    lines = [
        "u,x",
        "a,1",
        "b,2,3",
        "c",
        '"d"e,4',
        'f"g,5',
        '"h""i",6',
        '"j\nk",7',
        "",
        ",8",
        '"",9',
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    table = find_table(tmp_path / "t.csv", name="t", columns={"x": "integer"})
    with DuckDB([table]) as engine:
        query = fill("SELECT u, x FROM {} AS t", engine.scan(table, ["u", "x"]))
        found = engine.candidates(query)
    assert found == [("a", 1), ('f"g', 5), ('h"i', 6), ("j\nk", 7), (None, 8), (None, 9)]
