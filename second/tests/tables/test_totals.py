"""Totals: what each adds up of a row, from its least to its greatest, by the engine and in Python."""

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.dialect import Fragment, fill
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.expressions import Call, Column, Literal
from leastnoise.tables.schema import Column as Declared
from leastnoise.tables.schema import Schema, Type
from leastnoise.tables.sources import find_table
from leastnoise.tables.totals import (
    STEPS,
    Above,
    Below,
    Centred,
    Met,
    Present,
    Rows,
    Squared,
    Total,
    Units,
)
from tests import reference
from tests.tables.tables import HOSTILE

X, N, OK = Column("x", Type.NUMBER), Column("n", Type.INTEGER), Column("ok", Type.BOOLEAN)
SOME = Call(">", (N, Literal(-1)))
WHOLE = [-(2**63), -3, -2, -1, 0, 1, 2, 3, 4, 5, 2**20, 2**20 + 2**19, 2**21, 2**63 - 1, None]
ROWS = [{"x": x, "n": n, "ok": [True, False, None][i % 3]}
        for i, n in enumerate(WHOLE) for x in [*HOSTILE, 3.0, 7.0]]  # fmt: skip


def ends(low: Any, high: Any) -> tuple[Fraction, Fraction]:
    return Fraction(low), Fraction(high)


TOTALS: list[tuple[Total, int, int]] = [
    (Rows(), 0, 1), (Rows(SOME), 0, 1), (Units(SOME), 0, 1), (Present(SOME, X), 0, 1), (Met(SOME, OK), -1, 1),
    (Centred(None, X, *ends(0, 3)), -STEPS, STEPS), (Centred(SOME, X, *ends("0.1", 7)), -STEPS, STEPS),
    (Centred(None, N, *ends(0, 4)), -2, 2), (Centred(None, N, *ends(-1, 4)), -5, 5),
    (Centred(SOME, N, *ends(0, 2**20)), -(2**19), 2**19), (Centred(None, N, *ends(0, 2**20 + 1)), -STEPS, STEPS),
    (Centred(None, N, *ends("0.5", 4)), -STEPS, STEPS),
    (Centred(None, N, *ends(0, Fraction(5, 2))), -STEPS, STEPS), (Centred(None, X, *ends(-3, 3)), -STEPS, STEPS),
    (Squared(None, N, *ends(0, 4)), -4, 4), (Squared(None, X, *ends(0, 3)), -(STEPS**2), STEPS**2),
    (Above(None, N, *ends(0, 4)), 0, 4), (Below(SOME, N, *ends(0, 4)), 0, 4), (Above(None, X, *ends(0, 3)), 0, 2 * STEPS),
    (Below(None, X, *ends(0, 7)), 0, 2 * STEPS), (Below(None, N, *ends(-1, 2)), 0, 6),
]  # fmt: skip


@pytest.mark.parametrize(("total", "least", "bound"), TOTALS, ids=lambda each: str(each)[:40])
def test_what_is_added_up_is_between_least_and_bound_and_reaches_both(
    total: Total, least: int, bound: int
) -> None:
    schema = pa.schema({"x": pa.float64(), "n": pa.int64(), "ok": pa.bool_()})
    table = find_table(pa.Table.from_pylist(ROWS, schema=schema), name="t")
    y = "SELECT CAST({} AS BIGINT) FROM {} AS t WHERE {}"
    with DuckDB([table]) as engine:
        source, some = engine.scan(table, ["x", "n", "ok"]), SOME.sql(engine.dialect)
        found = engine.integers(fill(y, total.sql(engine.dialect, None), source, Fragment("TRUE")))
        of_some = engine.integers(fill(y, total.sql(engine.dialect, SOME), source, some))
    cleaned = [reference.cleaned_row(table, row) for row in ROWS]
    expected = [reference.y_of(total, row) for row in cleaned]
    assert [*found] == [(each or 0,) for each in expected]
    met = [reference.evaluate(SOME, row) for row in cleaned]
    assert of_some == [line for line, is_met in zip(found, met, strict=True) if is_met]
    ys = [y for y in expected if y is not None] + [0] * total.is_count
    assert (min(ys), max(ys)) == (total.least, total.bound) == (least, bound)
    assert total.counts_units is isinstance(total, Units)
    assert total.is_count is isinstance(total, Rows | Units | Present)


def test_both_ends_of_a_range_are_one_total_and_its_other() -> None:
    below = Below(SOME, X, *ends(0, 3))
    assert below.other == Above(SOME, X, *ends(0, 3))


@pytest.mark.parametrize(("low", "high", "words"), [
    (1, 1, "empty"), (2, 1, "empty"), (0, 2**100 + 1, "too wide"), (-(2**100) - 1, 0, "too wide"),
    (0, Fraction(1, 2**100 + 1), "too narrow"),
])  # fmt: skip
def test_ranges_that_are_no_ranges_are_refused(low: Any, high: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=f"The range of x is.*{words}"):
        Centred(None, X, *ends(low, high))
    Centred(None, X, *ends(-(2**100), 2**100))
    Centred(None, X, *ends(0, Fraction(1, 2**100)))


@pytest.mark.parametrize("make", [Rows, Units, lambda where: Present(where, X), lambda where: Met(where, OK),
                                  lambda where: Centred(where, X)])  # fmt: skip
def test_a_total_reads_columns_that_there_are_and_has_a_condition(make: Any) -> None:
    schema = Schema(
        [Declared("x", Type.NUMBER), Declared("n", Type.INTEGER), Declared("ok", Type.BOOLEAN)]
    )
    make(SOME).check(schema)
    with pytest.raises(InvalidInput, match="no column"):
        make(Column("others", Type.BOOLEAN)).check(schema)
    with pytest.raises(InvalidInput, match="is no condition"):
        make(N).check(schema)


@pytest.mark.parametrize(("total", "words"), [
    (Present(None, Column("y", Type.TEXT)), "no column"), (Met(None, Column("y", Type.BOOLEAN)), "no column"),
    (Centred(None, Column("y", Type.NUMBER)), "no column"), (Met(None, N), "is no condition"),
    (Centred(None, OK), "Only numbers add up"),
])  # fmt: skip
def test_a_value_is_of_a_type_that_fits(total: Total, words: str) -> None:
    schema = Schema([Declared("n", Type.INTEGER), Declared("ok", Type.BOOLEAN)])
    with pytest.raises(InvalidInput, match=words):
        total.check(schema)
