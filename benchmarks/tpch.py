"""TPC-H with customers as units, beside the plain queries and one count of customers.

The scale is BENCH_TPCH_SCALE; BENCH_TPCH_FOLDER names files that are there already. Times are
processor time, each query in an interpreter of its own: what DuckDB takes for the plain query and
for COUNT(DISTINCT customer) over the same rows, and what our totals take, join and bounding
included. Noise is at ε = 1. One whole release, preview, gate, ledger and noise included, is made
for each query, and its largest group held against the truth.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchmarks.isolated import Job, Outcome, take_turns
from benchmarks.row import Row
from benchmarks.tpch_queries import PLAIN, PRIVATE, Tables
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.release.measure.measure import measure
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.step.measurement import Measurement

SCALE = os.environ.get("BENCH_TPCH_SCALE", "1")
REPETITIONS = 3
MEMORY = 2**30
BUDGET = ApproxDP(epsilon=1, delta="1e-8")
MOST_NOISE = {1: 0.002, 4: 0.001, 5: 0.01, 6: 0.001, 12: 0.004, 14: 0.006, 19: 0.04}
"""The mean of the noise beside the answer of the first question's largest group, at scale 1."""


def tpch_rows() -> Iterator[Row]:
    """Time, memory, what bounds cut, and noise."""
    with tempfile.TemporaryDirectory() as made:
        folder = os.environ.get("BENCH_TPCH_FOLDER", made)
        if folder == made:
            write_tables(made)
        for number in PRIVATE:
            yield from _query_rows(number, folder)


def _query_rows(number: int, folder: str) -> Iterator[Row]:
    jobs = {name: Job("tpch", name, (folder, number)) for name in ("plain", "customers", "private")}
    found = take_turns(jobs, REPETITIONS)
    both = found["plain"].seconds + found["customers"].seconds
    case = f"TPC-H {number}, scale {SCALE}"
    yield Row(
        case,
        _seconds(found["private"]),
        f"plain {_seconds(found['plain'])} + customers {_seconds(found['customers'])}",
        found["private"].seconds / both,
        sense="at most",
        target=2,
    )
    held = found["private"].megabytes
    yield Row(f"{case}, memory", f"{held:.0f} MB", f"plain: {found['plain'].megabytes:.0f} MB",
              held, "MB", "at most", 1000)  # fmt: skip
    told = take_turns({"noise": Job("tpch", "noise", (folder, number))}, 1)["noise"]
    if told.failure:
        yield Row(f"{case}, noise", told.failure, "", float("nan"))
        return
    kept, noise = told.values
    yield Row(f"{case}, largest group within bounds", f"{100 * kept:.4g} %", "of the truth",
              100 * (1 - kept), "% cut")  # fmt: skip
    target = 100 * MOST_NOISE[number] if SCALE == "1" else None
    yield Row(f"{case}, mean noise", f"{100 * noise:.3g} %", "of the largest group's answer",
              100 * noise, "%", "at most", target)  # fmt: skip
    made = take_turns({"released": Job("tpch", "released", (folder, number))}, 1)["released"]
    if made.failure:
        yield Row(f"{case}, one release", made.failure, "", float("nan"))
        return
    off, margin = made.values
    yield Row(f"{case}, one release", f"{_seconds(made)}, {100 * off:.3g} % off the truth",
              f"interval: {100 * margin:.3g} %", made.seconds / both)  # fmt: skip


def _seconds(outcome: Outcome) -> str:
    return outcome.failure or f"{outcome.seconds:.3g} s"


def write_tables(folder: str) -> None:
    """All tables, one Parquet file each."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    program = shutil.which("tpchgen-cli", path=places)
    if program is None:
        raise FileNotFoundError("tpchgen-cli: install leastnoise[bench]")
    command = [program, "parquet", "-s", SCALE, "--output-dir", folder]
    subprocess.run(command, check=True, capture_output=True)


# One interpreter each.


def plain(folder: str, number: int) -> tuple[float, ...]:
    """The query as it is."""
    return _first_column(folder, PLAIN[number].query)


def customers(folder: str, number: int) -> tuple[float, ...]:
    """How many customers its rows belong to."""
    return _first_column(folder, PLAIN[number].count)


def _first_column(folder: str, query: str) -> tuple[float, ...]:
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    for path in Path(folder).glob("*.parquet"):
        connection.execute(f"CREATE VIEW {path.stem} AS SELECT * FROM read_parquet('{path}')")
    return tuple(float(row[0] or 0) for row in connection.execute(query).fetchall())


def private(folder: str, number: int) -> tuple[float, ...]:
    """Exact totals within bounds, of everything that the plan measures."""
    plan = PRIVATE[number](Tables(folder))
    asked = [each for question in plan.questions for each in question.measurements(plan.bounded)]
    found = measure(plan.table, asked, memory=MEMORY)
    return tuple(float(each) for each in found[0].totals[0])


def noise(folder: str, number: int) -> tuple[float, ...]:
    """What of the first answer's largest group is within bounds, and how large its noise is."""
    plan = PRIVATE[number](Tables(folder))
    forecast = plan.preview(BUDGET)[0]
    assert isinstance(forecast, Forecast)
    truth = max(plain(folder, number))
    (asked, *_) = plan.questions[0].measurements(plan.bounded)
    assert isinstance(asked, Measurement)
    grid = getattr(asked.aggregates[0], "grid", None)
    within = max(private(folder, number)) * float(1 if grid is None else grid.step)
    return within / truth, (forecast.expected_error or float("nan")) / truth


def released(folder: str, number: int) -> tuple[float, ...]:
    """How far the first answer's largest group is from the truth, and half its interval."""
    plan = PRIVATE[number](Tables(folder))
    with tempfile.TemporaryDirectory() as place:
        ledger = Ledger(Path(place) / "budget.db", total=BUDGET, begin=True)
        table = plan.release(BUDGET, ledger=ledger).tables[0]
    truth, largest = max(plain(folder, number)), int(table.values.argmax())
    half = float(table.upper[largest] - table.lower[largest]) / 2
    return abs(float(table.values[largest]) - truth) / truth, half / truth
