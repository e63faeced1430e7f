"""Prepared tables beside plain questions to the same engine; the tables are those of `engine`.

Ratios are of processor time, and to plain questions of the table before it was prepared. In the
even table a unit has four rows, more or less.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchmarks import engine
from benchmarks.engine import ROWS
from benchmarks.isolated import LIMIT_SECONDS, Job, Outcome, take_turns
from benchmarks.row import Row
from leastnoise.release.prepare import prepare
from leastnoise.release.read import read

REPETITIONS = 3
PLAIN = ("plain", "distinct", "plain_whole", "bounded", "whole")


def prepared_rows() -> Iterator[Row]:
    """Time on a skewed table and on an even one, then memory."""
    with tempfile.TemporaryDirectory() as folder:
        skewed, even = (str(Path(folder) / name) for name in ("skewed.parquet", "even.parquet"))
        engine.write_table(skewed, ROWS)
        write_even(skewed, even)
        for name, path, target in (("skewed", skewed, 4), ("even", even, 5)):
            yield from _rows(name, path, str(Path(folder) / name), target)


def _rows(name: str, path: str, copy: str, target: int) -> Iterator[Row]:
    copying = Job("prepared", "prepared", (path, copy), LIMIT_SECONDS * max(1, ROWS // 10**6))
    made = take_turns({"prepare": copying}, 1)["prepare"]
    jobs = {each: Job("engine", each, (path,)) for each in PLAIN}
    jobs |= {f"copied_{each}": Job("engine", each, (copy,)) for each in ("bounded", "whole")}
    found = take_turns(jobs, REPETITIONS)
    case = f"{ROWS / 1e6:g} M rows, {name}, prepared"
    yield _ratio(f"{case}: bounded", found["copied_bounded"], found["plain"], "plain", target)
    yield _ratio(f"{case}: bounded", found["copied_bounded"], found["bounded"], "not prepared")
    yield _ratio(f"{case}: bounded", found["copied_bounded"], found["distinct"], "distinct")
    yield _ratio(f"{case}: whole plan", found["copied_whole"], found["plain_whole"], "plain", 2.5)
    yield _ratio(f"{case}: whole plan", found["copied_whole"], found["whole"], "not prepared")
    yield _ratio(f"{case}: the copy itself", made, found["plain"], "plain")
    held = found["copied_bounded"].megabytes
    peer = f"not prepared: {found['bounded'].megabytes:.0f} MB"
    yield Row(f"{case}: most memory ever held", f"{held:.0f} MB", peer, held, "MB", "at most", 500)


def _ratio(case: str, mine: Outcome, other: Outcome, peer: str, target: float | None = None) -> Row:
    told, theirs = (each.failure or f"{each.seconds:.3g} s" for each in (mine, other))
    ratio = mine.seconds / other.seconds
    return Row(case, told, f"{peer}: {theirs}", ratio, sense="at most", target=target)


def write_even(skewed: str, path: str) -> None:
    """The same rows under units of whom none is much more active than others."""
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    connection.execute(
        f"COPY (SELECT * REPLACE ((hash(visit * 32 + 31) % {ROWS // 4})::BIGINT * 7919 AS unit) "
        f"FROM read_parquet('{skewed}')) TO '{path}' (FORMAT parquet)"
    )


def prepared(path: str, copy: str) -> tuple[float, ...]:
    """The copy itself."""
    prepare(read(path, unit="unit"), copy, replace_existing=True)
    return ()
