"""DuckDB is locked: what it may do is set before it reads, and cannot be changed."""

from pathlib import Path

import duckdb
import pandas as pd
import pytest

from leastnoise.numbers.errors import EngineError
from leastnoise.tables.dialect import Fragment
from leastnoise.tables.engines.duckdb import DuckDB

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
