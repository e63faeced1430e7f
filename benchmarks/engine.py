"""Bounded aggregates of a large table beside plain ones in the same engine, and beside OpenDP's.

The number of rows is BENCH_ENGINE_ROWS; there is one unit for every twenty, and their activity is
skewed: the most active has about one row in twenty. Figures are ratios of processor time.
"""

import math
import os
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.isolated import Job, Outcome, take_turns
from benchmarks.row import Row
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import ApproxDP
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.measure.measure import measure
from leastnoise.release.plan import plan
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, DistanceAbove, DistanceBelow, SumOf
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement

ROWS = int(os.environ.get("BENCH_ENGINE_ROWS", str(5 * 10**6)))
REPETITIONS = 3
GROUPS, CATEGORIES = 1000, 10
GRID = Grid(lower=0, upper=200)
BOUNDS = Bounds(max_groups=5, max_rows=3)
MAX_ROWS = 10
PLENTY = 2**34
VALUE = (
    "CAST(FLOOR(GREATEST(0::DOUBLE, LEAST(200::DOUBLE, value)) * 4096::DOUBLE + 0.5::DOUBLE) "
    "AS BIGINT)"
)


def engine_rows() -> Iterator[Row]:
    """Time of each shape, then memory."""
    with tempfile.TemporaryDirectory() as folder:
        path, named = (str(Path(folder) / f"{name}.parquet") for name in ("visits", "named"))
        write_table(path, ROWS)
        write_named(path, named)
        jobs = {name: Job("engine", name, (path,)) for name in JOBS}
        jobs |= {name: Job("engine", name, (named,)) for name in NAMED}
        found = take_turns(jobs, REPETITIONS)
    yield from _time_rows(found)
    yield from _peer_rows(found["release"], found["opendp_release"])
    yield from _memory_rows(found)


def _time_rows(found: dict[str, Outcome]) -> Iterator[Row]:
    size = f"{ROWS / 1e6:g} M rows"
    yield _ratio(found, "by_row", "plain", f"{size}, each row a unit: count, sum, mean", 1.15)
    yield _ratio(found, "by_number", "plain", f"{size}, units 1, 2, 3, … none twice", 7)
    yield _ratio(found, "by_token", "plain", f"{size}, units of 63 bits, none twice", 7)
    yield _ratio(found, "bounded", "plain", f"{size}, units bounded", None)
    yield _ratio(found, "bounded", "distinct", f"{size}, units bounded", 1.1)
    for kind in ("text", "63 bits"):
        name = kind.replace("63 bits", "wide")
        case = f"{size}, units of {kind} bounded"
        yield _ratio(found, f"bounded_{name}", f"distinct_{name}", case, 1.7)
    yield _ratio(found, "whole", "plain_whole", f"{size}, group-by, histogram, 10 marginals", 4)
    yield _ratio(found, "bounded", "bounded_in_plenty", f"{size}, memory limited as usual", None)


def _ratio(found: dict[str, Outcome], ours: str, peer: str, case: str, target: float | None) -> Row:
    mine, other = found[ours], found[peer]
    return Row(
        case,
        _seconds(mine),
        f"{peer.replace('_', ' ')}, same engine: {_seconds(other)}",
        mine.seconds / other.seconds,
        sense="at most",
        target=target,
    )


def _seconds(outcome: Outcome) -> str:
    return outcome.failure or f"{outcome.seconds:.3g} s"


def _peer_rows(ours: Outcome, peer: Outcome) -> Iterator[Row]:
    """Count and sum of 1000 groups with noise, at the same ε = 1, δ = 1e-6 and bounds."""
    if peer.failure:
        yield Row("release beside OpenDP", _seconds(ours), peer.failure, float("nan"))
        return
    case = f"{ROWS / 1e6:g} M rows, 1000 counts and sums released"
    yield Row(case, _seconds(ours), f"OpenDP: {_seconds(peer)}", peer.seconds / ours.seconds,
              target=5)  # fmt: skip
    ratios = [other / mine for mine, other in zip(ours.values, peer.values, strict=True)]
    for what, ratio, mine, other in zip(("count", "sum"), ratios, ours.values, peer.values,
                                        strict=True):  # fmt: skip
        case = f"standard error of a {what} in it"
        yield Row(case, f"{mine:.4g}", f"OpenDP: {other:.4g}", ratio)
    # Each divides ε among the two in its own way; the product of errors does not favour a side.
    mean = math.sqrt(math.prod(ratios))
    yield Row("geometric mean of both errors", "1", f"OpenDP: {mean:.3g}", mean, target=1)


def _memory_rows(found: dict[str, Outcome]) -> Iterator[Row]:
    for name, target in (("bounded_in_plenty", None), ("bounded", 500.0), ("whole", 500.0)):
        peer = f"plain: {found['plain'].megabytes:.0f} MB"
        case = f"most memory ever held, {name.replace('_', ' ')}"
        held = found[name].megabytes
        yield Row(case, f"{held:.0f} MB", peer, held, "MB", "at most", target)


def write_table(path: str, rows: int) -> None:
    """Visits by skewed units to skewed groups, with a value and ten columns of categories."""
    units = max(1, rows // 20)
    chance = "(hash(i * 32 + {}) >> 11)::DOUBLE / 9007199254740992"
    categories = ", ".join(
        f"'c{j}-' || hash(i * 32 + {10 + j}) % {5 + 5 * j} AS c{j}" for j in range(CATEGORIES)
    )
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    connection.execute(
        f"COPY (SELECT CAST(pow({units}, {chance.format(1)}) AS BIGINT) * 7919 AS unit, "
        f"i AS visit, (hash(i * 32) >> 1)::BIGINT AS token, "
        f"'grüppe-' || CAST(pow({GROUPS}, {chance.format(2)}) AS BIGINT) AS key, "
        f"-40 * ln(1 - {chance.format(3)}) AS value, {categories} "
        f"FROM range({rows}) AS r(i)) TO '{path}' (FORMAT parquet)"
    )


def write_named(path: str, named: str) -> None:
    """The same visits, units being texts and numbers of 63 bits."""
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    connection.execute(
        f"COPY (SELECT md5(unit::VARCHAR) AS person, (hash(unit) >> 1)::BIGINT AS wide, key, value "
        f"FROM read_parquet('{path}')) TO '{named}' (FORMAT parquet)"
    )


# One interpreter each.


def plain(path: str) -> tuple[float, ...]:
    """What somebody without privacy would ask."""
    return _fetched(f"SELECT key, COUNT(*), SUM({VALUE}) FROM read_parquet(?) GROUP BY key", path)


def distinct(path: str, unit: str = "unit") -> tuple[float, ...]:
    """The same and the number of units."""
    return _fetched(
        f"SELECT key, COUNT(*), SUM({VALUE}), COUNT(DISTINCT {unit}) FROM read_parquet(?) "
        "GROUP BY key",
        path,
    )


def distinct_text(path: str) -> tuple[float, ...]:
    """Of units that are texts."""
    return distinct(path, "person")


def distinct_wide(path: str) -> tuple[float, ...]:
    """Of units that are large random numbers."""
    return distinct(path, "wide")


def plain_whole(path: str) -> tuple[float, ...]:
    """A group-by, a histogram and ten marginals."""
    names = [f"c{j}" for j in range(CATEGORIES)]
    sets = ", ".join(f"({name})" for name in names)
    rows = plain(path)
    rows += _fetched(f"SELECT {VALUE} // 800 AS part, COUNT(*) FROM read_parquet(?) GROUP BY part",
                     path)  # fmt: skip
    listed = ", ".join(names)
    query = f"SELECT {listed}, COUNT(*) FROM read_parquet(?) GROUP BY GROUPING SETS ({sets})"
    return rows + _fetched(query, path)


def _fetched(query: str, path: str) -> tuple[float, ...]:
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")  # it would go to standard output
    return (float(len(connection.execute(query, [path]).fetchall())),)


def by_row(path: str) -> tuple[float, ...]:
    """Each row is a unit."""
    return _measured(path, None, [_group_by()])


def by_number(path: str) -> tuple[float, ...]:
    """A unit column of successive numbers."""
    return _measured(path, "visit", [_group_by()])


def by_token(path: str) -> tuple[float, ...]:
    """A unit column of large random numbers."""
    return _measured(path, "token", [_group_by()])


def bounded(path: str) -> tuple[float, ...]:
    """Units with many rows."""
    return _measured(path, "unit", [_group_by()])


def bounded_text(path: str) -> tuple[float, ...]:
    """Units that are texts."""
    return _measured(path, "person", [_group_by()])


def bounded_wide(path: str) -> tuple[float, ...]:
    """Units that are large random numbers, with many rows."""
    return _measured(path, "wide", [_group_by()])


def bounded_in_plenty(path: str) -> tuple[float, ...]:
    """The same with as much memory as it wants."""
    return _measured(path, "unit", [_group_by()], PLENTY)


def whole(path: str) -> tuple[float, ...]:
    """A plan's measurements: two passes."""
    marginals = (
        Grouping((col(f"c{j}"),), Keys.of(f"c{j}", [f"c{j}-{v}" for v in range(5 + 5 * j)]))
        for j in range(CATEGORIES)
    )
    histogram = Grouping((Bin(col("value"), GRID, 1024),))
    asked = Histograms((histogram, *marginals), MAX_ROWS)
    return _measured(path, "unit", [_group_by(), asked])


def release(path: str) -> tuple[float, ...]:
    """Counts and sums with noise and a ledger; their standard errors."""
    budget, keys = ApproxDP(epsilon=1, delta="1e-6"), _keys()
    asked = plan(read(path, unit="unit"), max_groups=5, max_rows=3)
    asked = asked.count(by="key", keys=keys)
    asked = asked.sum("value", lower=0, upper=200, by="key", keys=keys)
    with tempfile.TemporaryDirectory() as folder:
        made = asked.release(
            budget, ledger=Ledger(Path(folder) / "ledger.db", total=budget, begin=True)
        )
    return tuple(float(table.standard_error[0]) for table in made.tables)


def opendp_release(path: str) -> tuple[float, ...]:
    """The same by OpenDP with Polars; it keeps the first groups of a unit, not random ones."""
    dp: Any = import_module("opendp.prelude")
    pl: Any = import_module("polars")
    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=pl.scan_parquet(path).select("unit", "key", "value"),
        privacy_unit=dp.unit_of(contributions=1, identifier="unit"),
        privacy_loss=dp.loss_of(epsilon=1.0, delta=1e-6),
        split_evenly_over=1,
        margins=[dp.polars.Margin(by=["key"], max_length=ROWS, max_groups=GROUPS)],
    )
    value = pl.col("value").fill_nan(0.0).fill_null(0.0)
    query = (
        context.query()
        .truncate_per_group(3, by=["key"])
        .truncate_num_groups(5, by=["key"], keep="first")
        .group_by("key")
        .agg(dp.len(), value.dp.sum((0.0, 200.0)))
        .with_keys(pl.LazyFrame({"key": [key for (key,) in _keys().rows]}))
    )
    scales = query.summarize()["scale"].to_list()
    query.release().collect()
    return tuple(math.sqrt(2) * scale for scale in scales)


def _keys() -> Keys:
    return Keys.of("key", [f"grüppe-{i}" for i in range(1, GROUPS + 1)])


def _group_by() -> Measurement:
    keys = _keys()
    value = col("value")
    asked = (
        CountRows(),
        SumOf(value, GRID),
        DistanceBelow(value, GRID),
        DistanceAbove(value, GRID),
    )
    return Measurement(asked, BOUNDS, (col("key"),), keys)


def _measured(
    path: str,
    unit: str | None,
    asked: list[Measurement | Histograms],
    memory: int | None = None,
) -> tuple[float, ...]:
    answers = measure(read(path, unit=unit), asked, memory=memory)
    return tuple(float(answer.totals[0].sum()) for answer in answers)


JOBS = (
    "plain",
    "distinct",
    "plain_whole",
    "by_row",
    "by_number",
    "by_token",
    "bounded",
    "whole",
    "bounded_in_plenty",
    "release",
    "opendp_release",
)
NAMED = ("distinct_text", "distinct_wide", "bounded_text", "bounded_wide")
