"""NaN in Parquet files: writers leave it out of the least and greatest value that they note down.

An engine that believes these finds no NaN where other rows have values, and so the values of some
would decide whether others count.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import Condition, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.measure.measure import measure
from leastnoise.release.step.aggregate import CountPresent, CountRows, DistanceAbove, SumOf
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from tests.release.test_prepare import asked_of

X, GRID, ONE = col("x"), Grid(lower=0, upper=10, bits=0), Bounds(max_groups=1, max_rows=1)
KINDS = [pa.float64(), pa.float32()]
CONDITIONS: list[Condition | None] = [
    None,
    X > 5,
    X <= 5,
    ~(X > 5),
    ~(X <= 5),
    X.is_null(),
    ~X.is_null(),
    X.isin([1, 7]),
    ~X.isin([1, 7]),
    X.between(0, 100),
    X + 1 > 5,
    (X > 5) | (X <= 5),
]


def questions() -> list[Asked]:
    summed = (CountRows(), CountPresent(X, GRID), SumOf(X, GRID), DistanceAbove(X, GRID))
    return [
        *(Measurement(summed, ONE, where=where) for where in CONDITIONS),
        Histograms((Grouping((Bin(X, GRID, 5),)),), 1),
    ]


def data(values: Sequence[float | None], kind: Any) -> pa.Table:
    units = pa.array(range(len(values)), pa.int64())
    return pa.table({"u": units, "x": pa.array(values, kind)})


def in_file(values: Sequence[float | None], kind: Any, path: Path, rows: int = 10**6) -> Any:
    pq.write_table(data(values, kind), path, row_group_size=rows)
    return ln.read(path, unit="u")


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("more", [50.0, 6.0, math.nan, None])
def test_one_more_unit_moves_no_total_farther_than_its_own_row(
    kind: Any, more: float | None, tmp_path: Path
) -> None:
    """Files of their own: rows that an audit leaves out of one file are still in what it notes."""
    for least in ([], [100.0], [5.0], [5.0, 7.0], [100.0, 200.0]):
        values = [math.nan] * 20 + least
        few = measure(in_file(values, kind, tmp_path / "few.parquet"), questions())
        many = measure(in_file([*values, more], kind, tmp_path / "many.parquet"), questions())
        *measured, histogram = zip(few, many, strict=True)
        for before, after in measured:
            moved = np.abs(np.array(after.totals) - np.array(before.totals)).ravel()
            assert (moved <= [1, 1, 10, 10]).all()
        assert np.abs(histogram[1].totals[0] - histogram[0].totals[0]).sum() <= 2**20


def test_nobody_else_decides_what_is_missing(tmp_path: Path) -> None:
    present = Measurement((CountPresent(X, GRID),), ONE)
    for count, more in enumerate(([], [50.0], [50.0, 60.0])):
        table = in_file([math.nan] * 20 + more, KINDS[0], tmp_path / "rows.parquet")
        assert measure(table, [present])[0].totals[0].tolist() == [count]


VALUES = st.sampled_from([math.nan, math.nan, 1.0, 2.0, 5.0, 7.0, 8.0, -math.inf, math.inf, None])


@pytest.mark.parametrize("tries", [6, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("place", ["file", "copy", "database"])
def test_files_tell_what_tables_in_memory_tell(
    kind: Any, place: str, tries: int, tmp_path: Path
) -> None:
    made = iter(range(10**6))

    @settings(max_examples=tries, deadline=None)
    @given(st.lists(VALUES, max_size=24), st.sampled_from([1, 2, 3, 7, 100]))
    def check(values: list[float | None], rows: int) -> None:
        number = next(made)
        table = in_file(values, kind, tmp_path / f"{number}.parquet", rows)
        if place == "copy":
            table = ln.prepare(table, tmp_path / f"copy {number}")
        if place == "database":
            told = data(values, kind)
            with duckdb.connect(tmp_path / f"{number}.duckdb") as database:
                database.register("told", told)
                database.execute("CREATE TABLE visits AS FROM told")
            table = ln.read(tmp_path / f"{number}.duckdb", table="visits", unit="u")
        in_memory = ln.read(data(values, kind), unit="u")
        assert asked_of(table, questions()) == asked_of(in_memory, questions())

    check()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_files_tell_the_same_on_spark(kind: Any, spark: Any, tmp_path: Path) -> None:
    values = [math.nan] * 5 + [1.0, 2.0] + [math.nan] * 5 + [7.0, 8.0, None, math.inf, 7.0, 7.0]
    in_file(values, kind, tmp_path / "rows.parquet", 7)
    table = ln.read(spark.read.parquet(str(tmp_path / "rows.parquet")), unit="u")
    in_memory = ln.read(data(values, kind), unit="u")
    assert asked_of(table, questions()) == asked_of(in_memory, questions())
