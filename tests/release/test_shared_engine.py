"""One engine for all tables in memory: nobody sees another's rows, or a file, or a dead engine."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.measure.backends.duckdb_connection import _SHARED, connected
from leastnoise.release.measure.measure import measure
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.measurement import Measurement

COUNT = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=3))


def counted(rows: int) -> int:
    table = ln.read(pd.DataFrame({"who": range(rows)}), unit="who")
    (found,) = measure(table, [COUNT])
    return int(found.totals[0][0])


def test_what_one_connection_is_shown_no_other_sees(tmp_path: Path) -> None:
    one, other = (connected(str(tmp_path), None) for _ in range(2))
    one.register("rows", pd.DataFrame({"x": [7]}))
    one.execute("CREATE TEMP TABLE stored AS SELECT 8 AS x")
    for name in ("rows", "stored"):
        assert one.execute(f"SELECT x FROM {name}").fetchall()
        with pytest.raises(duckdb.CatalogException):
            other.execute(f"SELECT x FROM {name}")
    one.close()
    third = connected(str(tmp_path), None)
    with pytest.raises(duckdb.CatalogException):
        third.execute("SELECT x FROM stored")
    assert other.execute("SELECT 1").fetchall() == [(1,)]


def test_it_reads_no_file_and_takes_no_setting(tmp_path: Path) -> None:
    place = tmp_path / "secret.csv"
    place.write_text("x\n1\n")
    connection = connected(str(tmp_path), None)
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
    held = connected("", None)
    with _SHARED._guard:
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
