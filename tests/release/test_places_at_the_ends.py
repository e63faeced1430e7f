"""Where values are on a grid, one by one: none leaves it, and what is missing is nowhere."""

import math
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.measure.measure import measure
from leastnoise.release.step.aggregate import CountPresent, SumOf
from leastnoise.release.step.measurement import Measurement

FAR = [-math.inf, -1e308, -3.0, -2.0, -1.9, -0.0, 0.3, 4.99, 5.0, 5.01, 1e19, 1e308, math.inf]
COLUMNS = {
    "numbers": pa.array([*FAR, math.nan, None], pa.float64()),
    "integers": pa.array([-(2**63), -3, -2, 0, 5, 6, 2**63 - 1, None], pa.int64()),
    "truths": pa.array([True, False, None], pa.bool_()),
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize(
    "grid", [Grid(lower=-2, upper=5, bits=2), Grid(lower=1, upper=3, bits=0)], ids=["wide", "above"]
)
def test_no_place_is_beyond_the_ends(column: str, grid: Grid) -> None:
    values = COLUMNS[column]
    rows = pa.table({"i": pa.array(range(len(values)), pa.int64()), "x": values})
    asked = Measurement(
        (SumOf(col("x"), grid), CountPresent(col("x"), grid)),
        Bounds(max_groups=1, max_rows=1),
        (col("i"),),
        Keys.of("i", range(len(values))),
    )
    (found,) = measure(ln.read(rows, unit=None), [asked])
    places, present = (total.tolist() for total in found.totals)
    plain: list[Any] = values.to_pylist()
    there = [value is not None and not math.isnan(value) for value in plain]
    assert present == [int(each) for each in there]
    wanted = [
        place_of(value, grid) if known else 0 for value, known in zip(plain, there, strict=True)
    ]
    assert places == wanted


def place_of(value: float, grid: Grid) -> int:
    """By what the grid says of fractions; infinite values are at its ends."""
    if math.isinf(value):
        return grid.most if value > 0 else grid.least
    return grid.place(Fraction(float(value)))
