"""DuckDB's limit of memory: little by default, more on many threads or if asked for."""

import re
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.duckdb_memory import (
    MORE_MEMORY,
    asked_memory,
    set_usual_limit,
)
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.read import read

LIMIT = "SELECT parse_formatted_bytes(current_setting('memory_limit'))"


@pytest.fixture(autouse=True)
def _unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEASTNOISE_MEMORY", raising=False)


def limit_of(connection: Any) -> float:
    """In MiB, of which DuckDB tells two digits or more."""
    (found,) = connection.execute(LIMIT).fetchone()
    return float(found) / 2**20


@pytest.mark.parametrize(("threads", "limit"), [(1, 256), (4, 256), (5, 320), (32, 2048)])
def test_the_usual_limit_grows_with_the_threads(threads: int, limit: int) -> None:
    with duckdb.connect(config={"threads": threads, "memory_limit": "64GiB"}) as connection:
        set_usual_limit(connection)
        assert limit_of(connection) == pytest.approx(limit, rel=1e-3)


def test_the_usual_limit_is_never_above_the_engines_own() -> None:
    with duckdb.connect(config={"threads": 32, "memory_limit": "300MiB"}) as connection:
        set_usual_limit(connection)
        assert limit_of(connection) == pytest.approx(300, rel=1e-3)


@pytest.mark.parametrize("stored", [True, False], ids=["file", "in memory"])
@pytest.mark.parametrize(("said", "limit"), [(None, None), ("3GB", 3e9 / 2**20)])
def test_every_session_has_a_limit(
    stored: bool,
    said: str | None,
    limit: float | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = pa.table({"id": [1]})
    path = tmp_path / "a.parquet"
    duckdb.from_arrow(rows).write_parquet(str(path))
    table = read(path if stored else rows, unit="id")
    if said is not None:
        monkeypatch.setenv("LEASTNOISE_MEMORY", said)
    with DuckDBSession(table.location) as session:  # type: ignore[arg-type]
        ((threads,),) = session._connection.execute("SELECT current_setting('threads')").fetchall()
        expected = limit or max(256, 64 * threads)
        assert limit_of(session._connection) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(
    ("said", "size"),
    [("", None), (" ", None), ("512MB", 512 * 10**6), ("4 gb", 4 * 10**9), ("100MB", 10**8)],
)
def test_what_the_environment_asks_for(
    said: str, size: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEASTNOISE_MEMORY", said)
    assert asked_memory() == size


@pytest.mark.parametrize("said", ["4", "4TB", "-1GB", "99MB", "1.5GB", "0GB", "GB"])
def test_what_is_no_size_is_refused_by_name(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASTNOISE_MEMORY", said)
    told = f"LEASTNOISE_MEMORY must be a size of at least 100MB; got '{re.escape(said)}'"
    with pytest.raises(InvalidParameter, match=told):
        read(pa.table({"id": [1]}), unit="id")


def test_whoever_runs_out_of_memory_is_told_the_remedy() -> None:
    table = read(pa.table({"id": [1]}), unit="id")
    # A list is one value, which no engine can spill.
    listed = Fragment("SELECT len(list(i)) AS t0 FROM range(100000000) AS r(i)")
    with (
        DuckDBSession(table.location, memory=2**26) as session,  # type: ignore[arg-type]
        pytest.raises(BackendError, match=re.escape(MORE_MEMORY)),
    ):
        session.fetch(listed, 0, 1)
    assert "LEASTNOISE_MEMORY=4GB" in MORE_MEMORY
