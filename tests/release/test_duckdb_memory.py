"""DuckDB's limit of memory: little by default, more on many threads or if asked for."""

import re
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.measure.backends import duckdb_memory
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.duckdb_memory import (
    MORE_MEMORY,
    OWN_LIMIT,
    asked_memory,
    set_usual_limit,
)
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.measurement import Measurement

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


def test_it_is_refused_before_a_csv_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id\n1\n", "utf-8")
    monkeypatch.setenv("LEASTNOISE_MEMORY", "lots")
    with pytest.raises(InvalidParameter, match="got 'lots'"):
        read(path, unit="id")


@pytest.mark.parametrize("long", [False, True])
def test_one_persons_long_text_does_not_decide_whether_there_is_a_release(
    long: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two copies of it take more than the usual limit: all is read once more with more memory."""
    opened: list[int | None] = []

    def noted(location: Any, *, memory: int | None) -> Any:
        opened.append(memory)
        return DuckDBSession(location, memory=memory)

    towns = ["a", "b"] * 500
    rows = pa.table({"id": [*range(1001)], "town": [*towns, "x" * (60 * 10**6 if long else 1)]})
    pq.write_table(rows, tmp_path / "a.parquet")
    monkeypatch.setattr(duckdb_memory, "_USUAL", 100 * 2**20)
    table = read(tmp_path / "a.parquet", unit="id")
    keys = Keys.cross(town=["a", "b"])
    asked = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1), (col("town"),), keys)
    (found,) = measure(table, [asked], opener=noted)
    assert found.totals[0].tolist() == [500, 500]
    assert opened == [None, OWN_LIMIT][: 1 + long]
    monkeypatch.setenv("LEASTNOISE_MEMORY", "100MB")  # as somebody wants it, and no more
    if long:
        with pytest.raises(BackendError, match="LEASTNOISE_MEMORY=4GB"):
            measure(table, [asked])


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
