"""The limited group-by in DuckDB beside plain statements over the same file: time, memory, disk.

An even table has 20 rows for each unit on average; its limit is one that 5 % of the units are over.
In a skewed table a unit's number of rows has a heavy tail.
"""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Literal

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import leastnoise as ln
from benchmarks import FULL, Row, medians
from leastnoise.ledger.meters import Family
from leastnoise.release.measurement import NORM, Limit, Measurement
from leastnoise.tables.contributions import totals_sql
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.expressions import Column
from leastnoise.tables.groups import Groups
from leastnoise.tables.relations import Relation
from leastnoise.tables.schema import Type
from leastnoise.tables.totals import Centred, Rows, Total

GROUPS, PER_UNIT = 1000, 20
Shape = Literal["even", "skewed"]
OVER = 28  # 5 % of the units of an even table have more rows

Totals = tuple[Total, ...]
BOTH: Totals = (Rows(), Centred(None, Column("x", Type.NUMBER), Fraction(0), Fraction(1)))

CASES: tuple[tuple[str, Shape, Family, int, float], ...] = (
    ("l1, even, 5 % of units over", "even", "laplace", OVER, 1.0),
    ("l2, even, 5 % of units over", "even", "gaussian", OVER, 1.0),
    ("l2, heavily skewed", "skewed", "gaussian", OVER, 2.0),
    ("l2, all units over", "even", "gaussian", 1, 4.5),
)
DISTINCT = f"SELECT k, COUNT(DISTINCT u) FROM read_parquet(?) WHERE k < {GROUPS} GROUP BY k"
COUNTED = f"SELECT k, COUNT(*) FROM read_parquet(?) WHERE k < {GROUPS} GROUP BY k"
PLAIN = f"SELECT k, COUNT(*), SUM(x) FROM read_parquet(?) WHERE k < {GROUPS} GROUP BY k"


def rows(size: int) -> Iterator[Row]:
    """Count and sum of a value in 1,000 groups, within a limit."""
    with tempfile.TemporaryDirectory(prefix="leastnoise-bench-") as folder:
        paths: dict[Shape, Path] = {
            each: Path(folder) / f"{each}.parquet" for each in ("even", "skewed")
        }
        for shape, path in paths.items():
            _write(path, shape, size)
        for what, shape, family, limit, most in CASES:
            yield _timed(f"{what}: time over COUNT(DISTINCT unit)", most, DISTINCT,
                         paths[shape], family, limit)  # fmt: skip
        for what, totals, plain in (("count", BOTH[:1], COUNTED), ("count and sum", BOTH, PLAIN)):
            yield _timed(f"every row a unit, {what}: time over GROUP BY", 1.3, plain,
                         paths["even"], None, 0, totals)  # fmt: skip
        for what, shape, family, limit, _ in CASES:
            used = [_memory(paths[shape], each) for each in (f"{family} {limit}", "distinct")]
            note = f"{used[0]:,.0f} and {used[1]:,.0f} MB"
            yield Row(
                f"{what}: memory over COUNT(DISTINCT unit)", used[0] / used[1], most=1, note=note
            )
        yield from _spilled(paths["even"], size)


def _write(path: Path, shape: Shape, size: int) -> None:
    """Rows (u, k, x) in no order."""
    random, units = np.random.default_rng(1), max(1, size // PER_UNIT)
    place = random.random(size)
    u = (place**4 if shape == "skewed" else place) * units
    k, x = random.integers(0, GROUPS, size), random.random(size).round(4)
    pq.write_table(pa.table({"u": u.astype(np.int64), "k": k, "x": x}), path)


def _measurement(path: Path, family: Family | None, limit: int, totals: Totals) -> Measurement:
    data = ln.read(path, privacy_unit=ln.ROW if family is None else {"unit": "u"})
    assert isinstance(data.relation, Relation)
    groups = Groups((Column("k", Type.INTEGER),), tuple((code,) for code in range(GROUPS)))
    return Measurement(data.relation, groups, totals, None if family is None else Limit(limit))


def _ours(
    path: Path, family: Family | None, limit: int, totals: Totals, memory: str | None = None
) -> tuple[DuckDB, Callable[[], object]]:
    """The engine, and the statement of a release in it."""
    measured, norm = _measurement(path, family, limit, totals), NORM[family or "laplace"]
    engine = DuckDB(measured.relation.tables, memory=memory)
    assert isinstance(measured.groups, Groups)
    statement = totals_sql(
        measured.relation, measured.groups, measured.totals, norm, measured.limits(norm),
        engine.scan, engine.dialect,
    )  # fmt: skip
    return engine, lambda: engine.integers(statement)


def _plain(path: Path, text: str) -> Callable[[], object]:
    connection = duckdb.connect(":memory:")
    return lambda: connection.execute(text, [str(path)]).fetchall()


def _timed(
    what: str, most: float, plain: str, path: Path, family: Family | None, limit: int,
    totals: Totals = BOTH,
) -> Row:  # fmt: skip
    engine, ours = _ours(path, family, limit, totals)
    with engine:
        taken = medians({"ours": ours, "plain": _plain(path, plain)}, 3)
    own, other = taken["ours"], taken["plain"]
    note = (
        f"{own.busy / other.busy:.2g} x the processor time; {own.clock:.2g} and {other.clock:.2g} s"
    )
    return Row(what, own.clock / other.clock, most=most, note=note)


def _memory(path: Path, what: str) -> float:
    """The greatest memory of a process of its own that runs one statement, in MB."""
    command = [sys.executable, "-m", "benchmarks.tables", str(path), *what.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def _child(path: Path, what: str, limit: str = "0") -> None:
    """Prints what one statement adds to the greatest memory of this process."""
    if what == "distinct":
        action = _plain(path, DISTINCT)
    else:
        _, action = _ours(path, "laplace" if what == "laplace" else "gaussian", int(limit), BOTH)
    before = _peak()
    action()
    print(_peak() - before)


def _peak() -> float:
    """The greatest memory of this process so far, in MB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _spilled(path: Path, size: int) -> Iterator[Row]:
    """The same within 512 MB for 20 million rows: what does not fit goes to a private folder."""
    megabytes = max(64, 512 * size // FULL)
    engine, action = _ours(path, "gaussian", 1, BOTH, f"{megabytes}MB")
    folder, most, done = Path(engine._folder.name), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            most[0] = max(most[0], _size(folder))

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = perf_counter()
    with engine:
        action()
        private = folder.stat().st_mode & 0o077 == 0
        taken = perf_counter() - start
        done.set()
        watcher.join()
    note = f"{megabytes} MB of memory, folder private: {private}, removed: {not folder.exists()}"
    yield Row("l2, all units over, little memory: spilled to disk", most[0] / 2**20, unit="MB",
              note=f"{note}, {taken:.1f} s")  # fmt: skip


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += os.stat(path).st_size
        except OSError:  # removed meanwhile
            continue
    return total


if __name__ == "__main__":
    _child(Path(sys.argv[1]), *sys.argv[2:])
