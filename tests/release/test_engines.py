"""Engines are used again: nobody sees another's rows, or other files, or a dead engine."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import duckdb
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.location import DuckDBFile, ParquetFiles
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.duckdb_connection import connected
from leastnoise.release.measure.backends.duckdb_engines import _ENGINES
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.measurement import Measurement

COUNT = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=3))


def counted(rows: int) -> int:
    table = ln.read(pd.DataFrame({"who": range(rows)}), unit="who")
    (found,) = measure(table, [COUNT])
    return int(found.totals[0][0])


def test_what_one_connection_is_shown_no_other_sees(tmp_path: Path) -> None:
    one, other = (connected(tmp_path, None).connection for _ in range(2))
    one.register("rows", pd.DataFrame({"x": [7]}))
    one.execute("CREATE TEMP TABLE stored AS SELECT 8 AS x")
    for name in ("rows", "stored"):
        assert one.execute(f"SELECT x FROM {name}").fetchall()
        with pytest.raises(duckdb.CatalogException):
            other.execute(f"SELECT x FROM {name}")
    one.close()
    third = connected(tmp_path, None).connection
    with pytest.raises(duckdb.CatalogException):
        third.execute("SELECT x FROM stored")
    assert other.execute("SELECT 1").fetchall() == [(1,)]


def test_it_reads_no_file_and_takes_no_setting(tmp_path: Path) -> None:
    place = tmp_path / "secret.csv"
    place.write_text("x\n1\n")
    connection = connected(tmp_path, None).connection
    for text in (
        f"SELECT * FROM '{place}'",
        f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "ATTACH ':memory:' AS more; INSTALL httpfs",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(text)
    zone = "SELECT current_setting('TimeZone'), current_setting('enable_progress_bar')"
    assert connection.execute(zone).fetchall() == [("UTC", False)]


def test_many_threads_count_their_own_rows() -> None:
    found: dict[int, int] = {}

    def work(rows: int) -> None:
        found[rows] = counted(rows)

    threads = [threading.Thread(target=work, args=(rows,)) for rows in range(1, 9)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == {rows: rows for rows in range(1, 9)}


def test_a_copy_of_the_process_has_an_engine_of_its_own() -> None:
    assert counted(3) == 3
    child = os.fork()
    if child == 0:  # whatever happens here must not run other tests twice
        status = 1
        try:
            status = int(counted(4) != 4)
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert counted(5) == 5


def test_a_copy_made_while_others_measure_does_not_wait_for_them() -> None:
    """The copy may be made while the guard is held; its own exit must not wait for threads."""
    held = connected(Path(), None).connection
    with _ENGINES._guard:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = int(counted(4) != 4)
            finally:
                os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert held.execute("SELECT 1").fetchall() == [(1,)]


def test_a_copy_of_the_process_ends_by_itself() -> None:
    """Python takes everything down at the end of a process that is not cut short."""
    program = (
        "import os, pandas as pd, leastnoise as ln\n"
        "ln.read(pd.DataFrame({'who': [1]}), unit='who')\n"
        "child = os.fork()\n"
        "if child:\n"
        "    raise SystemExit(os.waitpid(child, 0)[1])\n"
        "ln.read(pd.DataFrame({'who': [1]}), unit='who')\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# Files: the engine that read the columns reads the rows, too.


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The engines that were begun."""
    found, begin = [], duckdb.connect

    def noted(*words: Any, **more: Any) -> Any:
        found.append(begin(*words, **more))
        return found[-1]

    monkeypatch.setattr(_ENGINES, "_spare", None)
    monkeypatch.setattr(duckdb, "connect", noted)
    return found


def stored(folder: Path, *rows: int) -> str:
    path = folder / f"{'-'.join(map(str, rows))}.parquet"
    pd.DataFrame({"who": rows}).to_parquet(path)
    return str(path)


def session(path: str, memory: int | None = None) -> DuckDBSession:
    return DuckDBSession(ParquetFiles((path,), partitioned=False), memory=memory)


def test_reading_columns_and_rows_begins_one_engine(tmp_path: Path, begun: list[Any]) -> None:
    table = ln.read(stored(tmp_path, 1, 2, 2), unit="who")
    for _ in range(3):
        (found,) = measure(table, [COUNT])
        assert found.totals[0].tolist() == [3]
    assert len(begun) == 1


def test_another_table_or_limit_has_another_engine(tmp_path: Path, begun: list[Any]) -> None:
    one, other = stored(tmp_path, 1), stored(tmp_path, 2)
    for path, memory in ((one, None), (other, None), (other, 2**30), (one, None)):
        with session(path, memory) as opened:
            connection = opened._connection
            for asked in (one, other):
                query = connection.execute, f"SELECT who FROM '{asked}'"
                if asked == path:
                    assert query[0](query[1]).fetchall()
                else:
                    with pytest.raises(duckdb.PermissionException):
                        query[0](query[1])
    assert len(begun) == 4
    with pytest.raises(duckdb.ConnectionException):
        begun[0].execute("SELECT 1")  # only one waits; those before it were ended


def test_nothing_of_a_session_is_left_in_its_engine(tmp_path: Path, begun: list[Any]) -> None:
    path = stored(tmp_path, 1)
    with session(path) as first:
        first._connection.execute("SET VARIABLE told = 7")
        first._connection.execute("CREATE TEMP TABLE kept AS SELECT 8 AS x")
        first._connection.register("shown", pd.DataFrame({"x": [9]}))
        first._connection.execute("BEGIN TRANSACTION")
    with session(path) as second:
        assert len(begun) == 1
        run = second._connection.execute
        assert run("SELECT getvariable('told')").fetchall() == [(None,)]
        for name in ("kept", "shown"):
            with pytest.raises(duckdb.CatalogException):
                run(f"SELECT x FROM {name}")
        for setting in ("lock_configuration = false", "enable_external_access = true"):
            with pytest.raises(duckdb.Error):
                run(f"SET {setting}")
        run("BEGIN TRANSACTION")  # the other's is over


def test_a_file_that_was_written_anew_is_read_anew(tmp_path: Path, begun: list[Any]) -> None:
    """Even if it is as long as it was, and has the time it had, as copies with times have."""
    path, times, found = Path(stored(tmp_path, *[1] * 9)), (10**9, 10**9), []
    old, new = (Path(stored(tmp_path, *[each] * 8)).read_bytes() for each in (1, 7))
    assert len(old) == len(new)
    asked = replace(COUNT, bounds=Bounds(max_groups=1, max_rows=9), where=col("who") > 5)
    for each in (old, old, new):
        with path.open("r+b") as file:
            file.truncate()
            file.write(each)
        os.utime(path, times)
        found.append(measure(ln.read(path, unit="who"), [asked])[0].totals[0].tolist())
    assert found == [[0], [0], [8]]
    assert len(begun) == 1


def test_engines_keep_nothing_of_files(tmp_path: Path) -> None:
    with session(stored(tmp_path, *range(9))) as opened:
        run = opened._connection.execute
        for name in ("enable_external_file_cache", "parquet_metadata_cache"):
            assert run("SELECT current_setting(?)", [name]).fetchall() == [(False,)]
        opened.fetch(fill("SELECT SUM(who) AS t0 FROM {}", opened.scan(("who",))), 0, 1)
        assert run("SELECT COUNT(*) FROM duckdb_external_file_cache()").fetchall() == [(0,)]


def test_two_at_once_never_share_an_engine(tmp_path: Path, begun: list[Any]) -> None:
    path = stored(tmp_path, 1)
    with session(path), session(path):
        assert len(begun) == 2
    with session(path):
        assert len(begun) == 2


def test_an_engine_in_which_something_failed_is_not_used_again(
    tmp_path: Path, begun: list[Any]
) -> None:
    path = stored(tmp_path, 1)
    with suppress(KeyboardInterrupt), session(path):
        raise KeyboardInterrupt
    with session(path):
        assert len(begun) == 2


def test_what_a_signal_raises_ends_the_engine_and_leaves_nothing(
    tmp_path: Path, begun: list[Any]
) -> None:
    """A program's own handler mostly ends it; what was spilled by then is people's rows."""
    path = stored(tmp_path, 1)
    folder: list[str] = []
    many = Fragment(
        "SELECT COUNT(*) AS t0 FROM (SELECT DISTINCT hash(i) FROM range(1000000000) AS r(i))"
    )

    def end(*_: object) -> None:
        raise SystemExit

    def kill() -> None:
        while not Path(folder[0]).exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, end)
    try:
        with pytest.raises(SystemExit), session(path, 2**26) as opened:  # noqa: PT012
            run = opened._connection.execute
            folder += run("SELECT current_setting('temp_directory')").fetchone()
            threading.Thread(target=kill, daemon=True).start()
            opened.fetch(many, 0, 1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert not Path(folder[0]).parent.exists()
    with pytest.raises(duckdb.ConnectionException):
        begun[0].execute("SELECT 1")


def test_an_engine_that_spilled_is_not_used_again(tmp_path: Path, begun: list[Any]) -> None:
    path = stored(tmp_path, 1)
    with session(path, 2**26) as opened:
        folder = opened._connection.execute("SELECT current_setting('temp_directory')").fetchone()
        many = "SELECT hash(i) AS h, i AS x FROM range(10_000_000) AS r(i)"
        opened._connection.execute(f"CREATE TEMP TABLE long AS {many}")
        assert Path(folder[0]).exists()
    assert not Path(folder[0]).parent.exists()
    with session(path, 2**26):
        assert len(begun) == 2


def test_an_engine_whose_folder_was_cleared_away_is_not_used_again(
    tmp_path: Path, begun: list[Any]
) -> None:
    path = stored(tmp_path, 1)
    with session(path) as opened:
        folder = opened._connection.execute("SELECT current_setting('temp_directory')").fetchone()
    rmtree(Path(folder[0]).parent)
    with session(path):
        assert len(begun) == 2


def test_a_copy_of_the_process_begins_its_own_for_files(tmp_path: Path) -> None:
    table = ln.read(stored(tmp_path, 1, 2), unit="who")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = int(measure(table, [COUNT])[0].totals[0].tolist() != [2])
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert measure(table, [COUNT])[0].totals[0].tolist() == [2]


def test_no_folder_is_left_behind(tmp_path: Path) -> None:
    """By a process that ends, nor by a copy of it, which leaves its parent's alone."""
    path = stored(tmp_path, 1)
    (tmp_path / "temporary").mkdir()
    program = (
        "import os, sys, pandas as pd, leastnoise as ln\n"
        "ln.read(sys.argv[1], unit='who')\n"
        "ln.read(pd.DataFrame({'who': [1]}), unit='who')\n"
        "before = sorted(os.listdir(os.environ['TMPDIR']))\n"
        "assert len(before) == 2, before\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    ln.read(sys.argv[1], unit='who')\n"
        "    raise SystemExit\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "assert sorted(os.listdir(os.environ['TMPDIR'])) == before\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path / "temporary")}
    words = [sys.executable, "-c", program, path]
    assert subprocess.run(words, check=False, env=environment).returncode == 0
    assert not list((tmp_path / "temporary").iterdir())


LEAVING = """
import os, sys, threading, leastnoise as ln
from pathlib import Path
from leastnoise.release.ask.location import DuckDBFile, Frame, ParquetFiles
from leastnoise.release.measure.backends.duckdb import DuckDBSession
import pandas as pd

path, how = sys.argv[1:]
frame = pd.DataFrame({"who": [1]})
places = {
    "files": ParquetFiles((path,), partitioned=False),
    "database": DuckDBFile(path.replace(".parquet", ".duckdb"), ("visits",)),
    "frame": Frame(frame),
}
temporary = Path(os.environ["TMPDIR"])


def names():
    return sorted(each.name for each in temporary.iterdir())
"""


def left_behind(program: str, path: str, how: str) -> list[str]:
    """What a process leaves, which must end well."""
    temporary = Path(path).parent / "temporary"
    temporary.mkdir()
    words = [sys.executable, "-c", LEAVING + program, path, how]
    environment = os.environ | {"TMPDIR": str(temporary)}
    ended = subprocess.run(words, check=False, env=environment, timeout=100, capture_output=True)
    assert ended.returncode == 0, ended.stderr.decode()
    return [each.name for each in temporary.iterdir()]


def beside(path: str) -> str:
    """A database beside the file."""
    with duckdb.connect(path.replace(".parquet", ".duckdb")) as database:
        database.execute("CREATE TABLE visits AS SELECT 1 AS who")
    return path


@pytest.mark.parametrize("how", ["files", "database", "frame"])
def test_a_process_that_ends_during_a_session_leaves_nothing(how: str, tmp_path: Path) -> None:
    """As of a server that is told to end while its threads read."""
    program = """
ready = threading.Event()
def work():
    with DuckDBSession(places[how], memory=2**26) as session:
        many = "SELECT hash(i) AS h, i AS x FROM range(10_000_000) AS r(i)"
        session._connection.execute(f"CREATE TEMP TABLE long AS {many}")
        ready.set()
        threading.Event().wait()
threading.Thread(target=work, daemon=True).start()
ready.wait()
assert any(each.stat().st_size for each in temporary.rglob("*/spilled/*"))
"""
    assert left_behind(program, beside(stored(tmp_path, 1)), how) == []


@pytest.mark.parametrize("how", ["files", "database", "frame"])
@pytest.mark.parametrize("way", ["goes on", "ends"])
def test_a_copy_made_during_a_session_leaves_all_of_it_to_its_parent(
    how: str, way: str, tmp_path: Path
) -> None:
    """Neither its engine, which has no threads in the copy, nor its files."""
    program = """
with DuckDBSession(places[how]) as session:
    before = names()
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
        assert names() == before
        assert len(session.schema().names) == 1
    elif WAY == "ends":
        sys.exit()
if not child:
    for _ in range(2):  # the second with an engine that the first had
        with DuckDBSession(places[how]) as session:
            session._connection.execute("SELECT SUM(hash(i)) FROM range(1_000_000) AS r(i)")
"""
    named = program.replace("WAY", repr(way))
    assert left_behind(named, beside(stored(tmp_path, 1)), how) == []


def test_an_engine_for_tables_in_memory_begins_anew_if_its_folder_was_cleared_away() -> None:
    """Else whatever must be spilled would fail for as long as the process lives."""
    assert counted(3) == 3
    first = connected(Path(), None).connection
    place = "SELECT current_setting('temp_directory')"
    rmtree(Path(first.execute(place).fetchall()[0][0]).parent)
    assert counted(4) == 4
    other = connected(Path(), None).connection
    assert Path(other.execute(place).fetchall()[0][0]).parent.is_dir()
    assert first.execute("SELECT 1").fetchall() == [(1,)]  # whoever has it still has it


def test_a_session_that_nobody_closed_lets_go_of_its_files(tmp_path: Path) -> None:
    path = beside(stored(tmp_path, 1)).replace(".parquet", ".duckdb")
    lost = DuckDBSession(DuckDBFile(path, ("visits",)))
    folder = lost.folder
    assert lost.schema().names == ("who",)
    del lost
    gc.collect()
    assert not folder.exists()
    with duckdb.connect(path) as database:  # to write to it
        database.execute("DROP TABLE visits")
