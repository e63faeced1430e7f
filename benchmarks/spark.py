"""A plan on a Spark cluster of two workers, beside the same engine's COUNT(DISTINCT unit).

A master and two workers of one core each, on this machine. Ratios are of processor time, of all
processes of the cluster and this one; the wall clock is told beside it. Numbers of rows are
BENCH_SPARK_ROWS, in millions, from the least to the greatest. More than ten million are measured
once: the smaller tables before them have warmed up the cluster.
"""

import math
import os
import resource
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import duckdb

import leastnoise as ln
from benchmarks.row import Row

MILLIONS = tuple(map(int, os.environ.get("BENCH_SPARK_ROWS", "5,50").split(",")))
REPETITIONS = 2
LONG = 10
"""Millions of rows that take minutes."""
ROWS_OF_A_UNIT, GROUPS, FILES = 10, 1000, 16
BUDGET = ln.ZCDP(rho="0.1")
TICKS = os.sysconf("SC_CLK_TCK")
DISTINCT = "SELECT place, COUNT(*), SUM(cost), COUNT(DISTINCT who) FROM visits GROUP BY place"


def spark_rows() -> Iterator[Row]:
    """Cost beside COUNT(DISTINCT unit) for each number of rows, then the growth."""
    if find_spec("pyspark") is None:
        yield Row("a plan on Spark", "not measured", "pyspark is not installed", math.nan)
        return
    from tests.release.spark_cluster import cluster  # noqa: PLC0415 - pyspark is optional

    ours: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as place, cluster(Path(place), workers=(1, 1)) as found:
        if found is None:
            yield Row("a plan on Spark", "not measured", "no Java to start it with", math.nan)
            return
        session = found.session(
            spark_cores_max="2",
            spark_executor_memory="1536m",
            spark_sql_shuffle_partitions="8",
            spark_driver_extraJavaOptions="-Xss4m",
            spark_executor_extraJavaOptions="-Xss4m",
        )
        session.sparkContext.setLogLevel("ERROR")
        for millions in MILLIONS:
            path = _table(place, millions * 10**6)
            session.read.parquet(path).createOrReplaceTempView("visits")
            asked: dict[str, Callable[[], object]] = {
                "distinct": lambda: session.sql(DISTINCT).collect(),
                "plan": partial(_release, path, place, session),
            }
            once = millions > LONG and len(ours) > 0
            taken = _in_turn(asked, found.processes, 1 if once else REPETITIONS, warm=once)
            (other, other_wall), (mine, wall) = taken["distinct"], taken["plan"]
            ours[millions] = mine
            yield Row(
                f"Spark, two workers, {millions} M rows, {GROUPS} groups: counts and sums released",
                f"{mine:.3g} s of processors, {wall:.3g} s",
                f"COUNT(DISTINCT unit) there: {other:.3g} s of processors, {other_wall:.3g} s",
                mine / other,
                sense="at most",
                target=2,
            )
    least, greatest = MILLIONS[0], MILLIONS[-1]
    if least < greatest:
        told = ", ".join(f"{size} M: {time:.3g} s" for size, time in ours.items())
        steps = math.log(ours[greatest] / ours[least]) / math.log(greatest / least)
        yield Row("Spark, growth with rows", told, "an exponent of 1 is in proportion", steps, "")


def _table(folder: str, rows: int) -> str:
    """Visits in Parquet files; unit, place and cost have nothing to do with each other."""
    path = Path(folder, f"visits-{rows}")
    path.mkdir()
    share = rows // FILES
    with duckdb.connect() as database:
        for part in range(FILES):
            database.execute(
                f"COPY (SELECT (hash(i) % {rows // ROWS_OF_A_UNIT})::BIGINT AS who, "
                f"(hash(i, 1) % {GROUPS})::BIGINT AS place, (hash(i, 2) % 1000)::DOUBLE AS cost "
                f"FROM range({part * share}, {(part + 1) * share}) t(i)) "
                f"TO '{path}/{part}.parquet' (FORMAT parquet)"
            )
    return str(path)


def _release(path: str, folder: str, session: Any) -> object:
    table = ln.read(path, unit="who", dataset="visits", session=session)
    plan = (
        ln.plan(table, max_groups=2, max_rows=4)
        .count(by="place", keys=range(GROUPS))
        .sum("cost", lower=0, upper=1000, by="place", keys=range(GROUPS))
    )
    scope: dict[str, Any] = {**table.scope.said}
    ledger = Path(tempfile.mkdtemp(dir=folder), "budget.db")
    return plan.release(BUDGET, ledger=ln.Ledger(ledger, total=BUDGET, begin=True, **scope))


def _in_turn(
    asked: dict[str, Callable[[], object]],
    processes: tuple[int, ...],
    repetitions: int,
    *,
    warm: bool,
) -> dict[str, tuple[float, float]]:
    """Processor time and time of each, the middle of repetitions; if cold, one more warms up."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in asked}
    first = 0 if warm else 1
    for _ in range(first + repetitions):
        for name, work in asked.items():
            before, begun = _processor_seconds(processes), perf_counter()
            work()
            taken[name].append((_processor_seconds(processes) - before, perf_counter() - begun))
    return {name: _middle(all_[first:]) for name, all_ in taken.items()}


def _middle(taken: list[tuple[float, float]]) -> tuple[float, float]:
    return median(each[0] for each in taken), median(each[1] for each in taken)


def _processor_seconds(leaders: tuple[int, ...]) -> float:
    """Of this process, of what it started, and of the sessions that the processes lead."""
    own = os.getsid(0)
    used = 0.0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        session, parent = int(fields[3]), int(fields[1])
        mine = session == own and (int(entry.name) == os.getpid() or parent == os.getpid())
        if mine or session in leaders:
            used += (int(fields[11]) + int(fields[12])) / TICKS
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    from benchmarks.row import markdown

    print(markdown(list(spark_rows())))
