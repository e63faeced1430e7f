"""How work grows: with rows, units, groups, questions and lines of a ledger; docs/scale.md.

Each size is a job in an interpreter of its own, in processor time of all threads together. The
figure is the growth from the least size to the greatest, as an exponent: 1 is in proportion.
"""

import math
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import leastnoise as ln
from benchmarks.isolated import Job, Outcome, run
from benchmarks.row import Row
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.measure.measure import measure
from leastnoise.release.step.aggregate import CountRows, SumOf
from leastnoise.release.step.measurement import Measurement

M = 10**6
ROWS = (M // 2, 2 * M, 8 * M)
UNITS = (2_000, 20_000, 200_000, 2 * M)
GROUPS = (100, 10_000, 100_000, M)
QUESTIONS = (10, 100, 1000)
CONDITIONS = (2, 50, 200)
LINES = (100, 1_000, 4_000)
WRITTEN = 5 * M
FIXED = 2 * M  # rows, where something else grows
BUDGET = ln.ZCDP(rho="0.1")
BOUNDS = Bounds(max_groups=2, max_rows=4)


def scale_rows() -> Iterator[Row]:
    """One row for each thing that grows."""
    with tempfile.TemporaryDirectory() as folder:
        by_rows = [(folder, rows, rows // 10, 100) for rows in ROWS]
        yield _grown("rows, ten a unit, 100 groups", ROWS, "release", by_rows)
        by_units = [(folder, FIXED, units, 100) for units in UNITS]
        yield _grown("units, 2 million rows, 100 groups", UNITS, "release", by_units)
        by_groups = [(folder, FIXED, FIXED // 10, groups) for groups in GROUPS]
        yield _grown("groups, 2 million rows", GROUPS, "release", by_groups)
        yield _written(folder)
    yield _grown("conditions by 20 groups, 10 000 rows", CONDITIONS, "measured",
                 [(each,) for each in CONDITIONS])  # fmt: skip
    asked = [(each,) for each in QUESTIONS]
    yield _grown("questions of one preview", QUESTIONS, "preview", asked)
    yield _grown("lines of a ledger, one charge more", LINES, "charge", [(n,) for n in LINES])


def _grown(
    what: str, sizes: Sequence[int], function: str, arguments: Sequence[tuple[str | int, ...]]
) -> Row:
    found = [run(Job("scale", function, each)) for each in arguments]
    seconds = [each.values[0] if each.values else math.nan for each in found]
    told = ", ".join(
        f"{size:,}: {_told(time, each)}"
        for size, time, each in zip(sizes, seconds, found, strict=True)
    )
    steps = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
    return Row(f"growth with {what}", told, "an exponent of 1 is in proportion", steps, "")


def _written(folder: str) -> Row:
    """A count of a million groups with its files, beside its bounded query alone."""
    sizes = (folder, WRITTEN, WRITTEN // 10, M)
    query, whole = (run(Job("scale", name, sizes)) for name in ("bounded", "written"))
    case = f"{WRITTEN / M:g} M rows, a million groups: plan, release, release.json, CSV"
    if failure := query.failure or whole.failure:
        return Row(case, failure, "the bounded query", math.nan)
    figure = whole.values[0] / query.values[0]
    parts = zip(("plan", "release", "release.json", "CSV"), whole.values[1:], strict=True)
    told = ", ".join(f"{name} {seconds:.3g} s" for name, seconds in parts)
    said = f"{_told(whole.values[0], whole)}: {told}"
    peer = f"the bounded query: {_told(query.values[0], query)}"
    return Row(case, said, peer, figure, sense="at most", target=2)


def _told(seconds: float, job: Outcome) -> str:
    return job.failure or f"{seconds:.3g} s, {job.megabytes:.0f} MB"


def _table(folder: str, rows: int, units: int, groups: int) -> Path:
    """Visits in Parquet; unit, place and cost have nothing to do with each other."""
    path = Path(folder, f"{rows}-{units}-{groups}.parquet")
    with duckdb.connect() as database:
        database.execute(
            f"COPY (SELECT (hash(i) % {units})::BIGINT AS who, "
            f"(hash(i, 1) % {groups})::BIGINT AS place, "
            f"(hash(i, 2) % 1000)::DOUBLE AS cost FROM range({rows}) t(i)) "
            f"TO '{path}' (FORMAT parquet)"
        )
    return path


def release(folder: str, rows: int, units: int, groups: int) -> tuple[float, ...]:
    """A count and a sum by place, whole: preview, ledger, both passes, noise."""
    table = ln.read(_table(folder, rows, units, groups), unit="who", dataset="visits")
    keys = list(range(groups))
    plan = (
        ln.plan(table, max_groups=2, max_rows=4)
        .count(by="place", keys=keys)
        .sum("cost", lower=0, upper=1000)
    )
    scope: dict[str, Any] = {**table.scope.said}
    place = tempfile.mkdtemp(dir=folder)
    ledger = ln.Ledger(Path(place, "budget.db"), total=BUDGET, begin=True, **scope)
    begun = process_time()
    plan.release(BUDGET, ledger=ledger)
    return (process_time() - begun,)


def bounded(folder: str, rows: int, units: int, groups: int) -> tuple[float, ...]:
    """Only the totals of a count by place, before noise."""
    table = ln.read(_table(folder, rows, units, groups), unit="who", dataset="visits")
    asked = Measurement((CountRows(),), BOUNDS, (ln.col("place"),), Keys.of("place", range(groups)))
    begun = process_time()
    measure(table, [asked])
    return (process_time() - begun,)


def written(folder: str, rows: int, units: int, groups: int) -> tuple[float, ...]:
    """The same as a release: all, then keys and plan, release, its JSON, its CSV."""
    release(folder, 100, 10, 2)  # loads what a release needs
    table = ln.read(_table(folder, rows, units, groups), unit="who", dataset="visits")
    scope: dict[str, Any] = {**table.scope.said}
    place = tempfile.mkdtemp(dir=folder)
    ledger = ln.Ledger(Path(place, "budget.db"), total=BUDGET, begin=True, **scope)
    times = [process_time()]
    plan = ln.plan(table, max_groups=2, max_rows=4).count(by="place", keys=list(range(groups)))
    times.append(process_time())
    made = plan.release(BUDGET, ledger=ledger)
    times.append(process_time())
    made.to_json(Path(place, "release.json"))
    times.append(process_time())
    made.tables[0].to_csv(Path(place, "count.csv"))
    times.append(process_time())
    return (times[-1] - times[0], *(after - before for before, after in pairwise(times)))


def measured(conditions: int) -> tuple[float, ...]:
    """Counts and sums by place, before noise, each with a condition of its own; after a first."""
    numbers = np.random.default_rng(1)
    columns = {"who": 2000, "n": 1000, "place": 20, "cost": 100}
    rows = {name: numbers.integers(0, most, 10_000) for name, most in columns.items()}
    table = ln.read(pa.table(rows), unit="who")
    summed = (CountRows(), SumOf(ln.col("cost"), Grid(lower=0, upper=100)))
    by, keys = (ln.col("place"),), Keys.of("place", range(20))
    asked = [
        Measurement(summed, BOUNDS, by, keys, ln.col("n") < 1 + each) for each in range(conditions)
    ]
    measure(table, asked[:1])
    begun = process_time()
    measure(table, asked)
    return (process_time() - begun,)


def preview(questions: int) -> tuple[float, ...]:
    """As many counts, each with a condition of its own."""
    table = ln.read(pa.table({"who": [1], "n": [2]}), unit="who")
    plan = ln.plan(table, max_groups=1, max_rows=4)
    for each in range(questions):
        plan = plan.count(where=ln.col("n") > each, name=f"more than {each}")
    begun = process_time()
    plan.preview(BUDGET)
    return (process_time() - begun,)


def charge(lines: int) -> tuple[float, ...]:
    """One charge to a ledger that has so many."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = ln.Ledger(Path(folder, "budget.db"), total=ln.ZCDP(rho=lines), begin=True)
        for each in range(lines):
            ledger.charge(BUDGET, purpose=f"release {each}")
        begun = process_time()
        ledger.charge(BUDGET, purpose="one more")
        return (process_time() - begun,)
