"""What does not fit a table is refused by name and type, before any data are read."""

from datetime import UTC, date, datetime
from fractions import Fraction

import pandas as pd
import pyarrow as pa
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bounds import ONE_ROW
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Condition, col, columns_of
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.answerable import refuse_impossible
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, SumOf, SumOfSquares
from leastnoise.release.step.measurement import Measurement

SCHEMA = Schema((kind.name.lower(), kind) for kind in ColumnType)
COUNT = (CountRows(),)
GRID = Grid(lower=0, upper=1)


def where(condition: Condition) -> Measurement:
    return Measurement(COUNT, ONE_ROW, where=condition)


REFUSED = [
    (Measurement((), ONE_ROW), "must be counted or summed"),
    (Measurement((SumOf(col("text"), GRID),), ONE_ROW), "numbers or truth values"),
    (Measurement((SumOf(col("nothing"), GRID),), ONE_ROW), "must be in the table"),
    (Measurement(COUNT, ONE_ROW, (col("number"),)), "integers, text, truth values or dates"),
    (Measurement(COUNT, ONE_ROW, (col("wide_integer"),)), "integers, text, truth values or dates"),
    (Measurement(COUNT, ONE_ROW, (col("text"), col("text"))), "different columns"),
    (
        Measurement(COUNT, ONE_ROW, (col("text"),), Keys.of("truth", [True])),
        "must name the columns",
    ),
    (Measurement(COUNT, ONE_ROW, (), Keys.of("truth", [True])), "must name the columns"),
    (Measurement(COUNT, ONE_ROW, (col("text"),), Keys.of("text", [1])), "1 is not '1'"),
    (Measurement(COUNT, ONE_ROW, (col("integer"),), Keys.of("integer", [True])), "type 'truth'"),
    (
        Measurement((SumOfSquares(col("number"), Grid(lower=0, upper=2, bits=21)),), ONE_ROW),
        "steps wide",
    ),
    (where(True), "must be a condition"),  # type: ignore[arg-type]
    (where(col("text") == col("text")), "must be a condition"),  # type: ignore[arg-type]
    (where(col("nothing") == 1), "must be in the table"),
    (where(col("other").is_null()), "holds something else"),
    (where(col("text") == 1), "type 'text'"),
    (where(col("integer") == "1"), "type 'integer'"),
    (where(col("integer") == True), "type 'integer'"),  # noqa: E712
    (where(col("number").isin([1, "1"])), "type 'number'"),
    (where(col("truth") > False), "no order"),
    (where(col("truth") == 1), "type 'truth'"),
    (where(col("date") == datetime(2020, 1, 1)), "type 'date'"),
    (where(col("moment") >= datetime(2020, 1, 1, tzinfo=UTC)), "without a zone"),
]


@pytest.mark.parametrize(("measurement", "words"), REFUSED)
def test_refused(measurement: Measurement, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        refuse_impossible(measurement, SCHEMA)


def test_deep_conditions_are_refused_and_long_ones_are_not() -> None:
    long: Condition = col("integer") == 0
    for i in range(3000):
        long = long | (col("integer") == i)
    refuse_impossible(where(long), SCHEMA)
    deep: Condition = col("integer") == 0
    for _ in range(300):
        deep = ~deep
    with pytest.raises(InvalidParameter, match="nested"):
        refuse_impossible(where(deep), SCHEMA)


@pytest.mark.parametrize("value", [pd.NaT, pd.Timestamp("2020-01-01"), float("nan"), None, b"x"])
def test_odd_values_are_nothing_to_compare_with(value: object) -> None:
    with pytest.raises(InvalidParameter):
        _ = col("moment") > value


def test_dates_moments_and_long_conditions_run() -> None:
    days = [date(2020, 1, 1), date(2020, 1, 2), None]
    moments = [datetime(2020, 1, 1, 12), None, datetime(2020, 1, 2)]
    table = read(pa.table({"day": days, "at": moments, "n": [1, 2, 3]}), unit=None)
    many: Condition = col("n") == 2
    for i in range(500):
        many = many | (col("n") == Fraction(i, 3) + 1000)
    asked = [
        where(col("day") >= date(2020, 1, 2)),
        where(col("day") != date(2020, 1, 2)),
        where(col("at") > date(2020, 1, 1)),
        where(col("at") <= datetime(2020, 1, 1, 12)),
        where(col("at").is_null() | col("day").is_null()),
        where(many),
        where(col("n").isin(range(2, 5000))),
        where(col("n").isin([])),
        where(~col("n").isin([])),
    ]
    counts = [answer.totals[0].tolist() for answer in measure(table, asked)]
    assert counts == [[1], [1], [2], [1], [2], [1], [2], [0], [3]]


def test_columns_compare_with_columns_as_values_do() -> None:
    assert (col("a") == col("a")) is True
    assert (col("a") != col("a")) is False
    assert ((col("a") > 1) & (col("b") == 2)) == ((col("a") > 1) & (col("b") == 2))
    assert ((col("a") > 1) & (col("b") == 2)) != ((col("a") > 1) & (col("c") == 2))
    deep = ~((col("a") > 1) & col("b").is_null()) | col("a").isin([1])
    assert columns_of(deep) == (col("a"), col("b"))


@pytest.mark.parametrize("bits", [901, -901, True, 0.5])
def test_grids_have_whole_bits_within_reach_of_doubles(bits: int) -> None:
    with pytest.raises(InvalidParameter):
        Grid(lower=0, upper=Fraction(1, 2**890), bits=bits)
