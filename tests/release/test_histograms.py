"""Histograms are those of the reference; one unit moves them no further than derived."""

import re
from dataclasses import replace
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import Column, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.cells import Cells
from leastnoise.release.measure.sql.dialect import SPARK
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.measure.sql.kept_rows import KeptRows
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.histograms import WEIGHT, Grouping, Histograms, row_weight
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.sensitivity import Sensitivity, histogram_sensitivity
from tests.examples import examples
from tests.release.fuzz import UNITS, histograms, optional, rows_of
from tests.release.reference import Row, expected_histograms
from tests.release.sessions import counts_in_memory, passes_of, table_of
from tests.release.test_hostile import HOSTILE

CITY = Grouping((col("city"),))
AGE = Bin(col("age"), Grid(lower=0, upper=100), 10)


@examples(20, 60)
@given(rows_of(optional(UNITS)), st.sampled_from(["who", None]), histograms())
def test_counts_are_those_of_the_reference(
    rows: list[Row], unit: str | None, asked: Histograms
) -> None:
    assert counts_in_memory(rows, unit, asked) == expected_histograms(rows, unit, asked)


def moved(one: dict[Any, int], other: dict[Any, int]) -> list[int]:
    changes = (abs(one.get(c, 0) - other.get(c, 0)) for c in one.keys() | other.keys())
    return [change for change in changes if change]


def within(changes: list[int], allowed: Sensitivity) -> bool:
    return (
        max(changes, default=0) <= allowed.cell
        and len(changes) <= allowed.cells
        and sum(changes) <= allowed.total
        and sum(change**2 for change in changes) <= allowed.square
    )


def assert_within(
    one: list[dict[Any, int]], other: list[dict[Any, int]], asked: Histograms, kind: Neighbours,
    weight: int,
) -> None:  # fmt: skip
    together: list[int] = []
    for before, after, grouping in zip(one, other, asked.groupings, strict=True):
        allowed = histogram_sensitivity(asked.max_rows * weight, kind, cells=grouping.cells)
        assert within(moved(before, after), allowed)
        together += moved(before, after)
    count = len(asked.groupings)
    joint = histogram_sensitivity(asked.max_rows * weight, kind, groupings=count)
    assert within(together, joint)


@examples(12, 35)
@given(rows_of(UNITS), rows_of(st.just("zoe")), rows_of(st.just("zoe")), histograms())
def test_one_unit_moves_counts_no_further_than_derived(
    rows: list[Row], old: list[Row], new: list[Row], asked: Histograms
) -> None:
    without = counts_in_memory(rows, "who", asked)
    before = counts_in_memory(old + rows, "who", asked)
    after = counts_in_memory(rows[::-1] + new, "who", asked)
    assert_within(before, without, asked, Neighbours.ADD_REMOVE, WEIGHT)
    assert_within(without, after, asked, Neighbours.ADD_REMOVE, WEIGHT)
    assert_within(before, after, asked, Neighbours.REPLACE, WEIGHT)


@examples(8, 20)
@given(rows_of(st.none()), rows_of(st.none()).filter(bool), histograms())
def test_one_row_moves_counts_no_further_than_derived(
    rows: list[Row], others: list[Row], asked: Histograms
) -> None:
    one = Histograms(asked.groupings, 1, asked.where)
    before = counts_in_memory([others[0], *rows], None, one)
    without = counts_in_memory(rows, None, one)
    after = counts_in_memory([*rows, others[-1]], None, one)
    assert_within(before, without, one, Neighbours.ADD_REMOVE, 1)
    assert_within(before, after, one, Neighbours.REPLACE, 1)


@pytest.mark.parametrize("kind", Neighbours)
def test_the_derived_sensitivities_are_reached(kind: Neighbours) -> None:
    """Bounds that nobody can reach would add noise for nothing."""
    row: dict[str, Any] = {"city": "Oslo", "year": 1, "smoker": None, "cost": None, "visits": 0}
    old = [row | {"who": "zoe"}] * 7
    new = [each | {"city": "Ås"} for each in old] if kind is Neighbours.REPLACE else []
    asked = Histograms((CITY,), 7)
    changes = moved(counts_in_memory(old, "who", asked)[0], counts_in_memory(new, "who", asked)[0])
    allowed = histogram_sensitivity(7 * WEIGHT, kind)
    assert max(changes) == allowed.cell == 7 * WEIGHT
    assert sum(changes) == allowed.total
    assert sum(change**2 for change in changes) == allowed.square


def test_more_rows_than_may_count_weigh_less_each() -> None:
    data = pa.table({"id": [1] * 7 + [2], "city": ["a"] * 4 + ["b"] * 3 + ["a"]})
    table = read(data, unit="id")
    keys = Keys.of("city", ["b", "a"])
    (answer,) = measure(table, [Histograms((Grouping((col("city"),), keys),), 3)])
    each = 3 * WEIGHT // 7
    assert answer.totals[0].tolist() == [3 * each, 4 * each + WEIGHT]
    assert row_weight(table) == WEIGHT
    assert row_weight(read(data, unit=None)) == 1


def test_bins_are_dense_and_close_at_both_ends() -> None:
    ages = [-5.0, 0.0, 9.99, 10.0, 99.0, 100.0, 1e9, float("nan"), None, float("inf")]
    table = read(pa.table({"age": ages}), unit=None)
    fine = Bin(col("age"), Grid(lower=0, upper=128), 2**20)
    one, two = measure(table, [Histograms((Grouping((AGE,)), Grouping((fine,))), 1)])
    assert one.rows == ((),)
    assert one.totals[0].tolist() == [3, 1, 0, 0, 0, 0, 0, 0, 0, 4]
    assert len(two.totals[0]) == 2**20
    assert two.totals[0].sum() == 8
    assert two.totals[0][[0, 10 * 2**13, 2**20 - 1]].tolist() == [2, 1, 2]


def test_keys_and_bins_together_run_through_the_bins_first() -> None:
    data = pa.table({"city": ["a", "b", "a", "c"], "age": [1, 99, 55, 1]})
    by, keys = (AGE, col("city")), Keys.of("city", ["b", "a"])
    (answer,) = measure(read(data, unit=None), [Histograms((Grouping(by, keys),), 1)])
    assert answer.rows == (("b",), ("a",))
    counts = answer.totals[0].reshape(2, 10)
    assert counts[:, [0, 5, 9]].tolist() == [[0, 0, 1], [1, 1, 0]]
    assert counts.sum() == 3


def test_answers_come_in_the_order_asked_and_share_passes() -> None:
    table = table_of([], "who")
    bounds = Bounds(max_groups=1, max_rows=1)
    public = Grouping((col("city"),), Keys.of("city", ["a", "b", "c"]))
    both = Histograms((public, CITY, Grouping(())), 2)
    again = Histograms((Grouping((col("year"),)), public), 2)
    other = Histograms((public,), 3)
    told: list[tuple[int, int]] = []
    asked: list[Measurement | Histograms] = [
        both,
        Measurement((CountRows(),), bounds),
        again,
        other,
    ]
    answers = measure(table, asked, progress=lambda *now: told.append(now))
    assert [len(answer.totals[0]) for answer in answers] == [3, 0, 1, 1, 0, 3, 3]
    assert [each.results for each in asked] == [3, 1, 2, 1]
    passes, _ = passes_of([both, again, other])
    assert [len(each.groupings) for each in passes] == [3, 1, 1]
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_stacked_rows_are_as_wide_as_the_widest_grouping() -> None:
    """Spark makes rows of one list of values: one too few or too many would shift all of them."""
    city, year = col("city"), col("year")
    groupings = Grouping((city, year)), Grouping((year,)), Grouping(())
    rows = KeptRows(table_of([], None).schema, SPARK, None, expressions=(city, year))
    cells = Cells(groupings, (None,) * 3, rows)
    text = cells.counted(Fragment("r"), [Fragment("1 AS t0")], []).text
    values, names = text.split("stack(3, ")[1].split(") AS (", 1)
    assert names.startswith("g, c0, c1)")
    row = [re.sub(r".*\b(3|2|0|e0|e1|NULL) AS .*", r"\1", each) for each in values.split(", ")]
    assert row == ["3", "e0", "e1", "2", "e1", "NULL", "0", "NULL", "NULL"]
    assert "CASE WHEN g = 3 THEN c0 END AS STRING) AS e0" in text
    (asked,), _ = passes_of([Histograms(groupings, 2)])
    weighed = BoundedQuery(asked, replace(rows, unit=col("who")), cells, Fragment("t"), None, 0)
    assert ") AS (g, c0, c1), w FROM (SELECT e0, e1, CASE WHEN n <= " in weighed.query().text
    assert "CASE WHEN g = 3 THEN c1 WHEN g = 2 THEN c0 END AS BIGINT) AS e1" in text


def test_more_expressions_than_fit_take_another_pass() -> None:
    names = [f"c{i}" for i in range(40)]
    data = pa.table({name: [i, i, 0] for i, name in enumerate(names)})
    asked = Histograms(tuple(Grouping((col(name),)) for name in names), 1)
    assert len(passes_of([asked])[0]) == 3
    answers = measure(read(data, unit=None), [asked])
    for i, answer in enumerate(answers):
        counts = dict(zip(answer.rows, answer.totals[0].tolist(), strict=True))
        assert counts == ({(0,): 3} if i == 0 else {(i,): 2, (0,): 1})


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(name: str) -> None:
    data = pa.table({name: ["x", "y", "x"], "v": [1.0, 2.0, 3.0]})
    asked = Histograms(
        (
            Grouping((Column(name),), Keys.of(name, ["y", "x", name])),
            Grouping((Bin(col("v"), Grid(lower=0, upper=4), 4), Column(name))),
        ),
        5,
        Column(name).isin(["x", "y"]),
    )
    one, two = measure(read(data, unit=name), [asked])
    assert one.totals[0].tolist() == [WEIGHT, 2 * WEIGHT, 0]
    assert sorted(two.rows) == [(1, "x"), (2, "y"), (3, "x")]


def test_tables_that_are_computed_are_looked_at_once() -> None:
    """At a second look they might show other rows, and the weights would not fit."""
    connection = duckdb.connect()
    connection.execute("CREATE SEQUENCE counter")
    moving = connection.sql(
        "SELECT 7 AS id, CASE WHEN nextval('counter') <= 40 THEN 'a' ELSE 'b' END AS city "
        "FROM range(40)"
    )
    lazy = pl.LazyFrame({"id": [7] * 40, "city": ["a"] * 40})
    asked = Histograms((Grouping((col("city"),), Keys.of("city", ["a", "b"])),), 4)
    for data in (moving, lazy):
        (answer,) = measure(read(data, unit="id"), [asked])
        # All rows in one look, whichever it is: DuckDB 1.5 looks once more for the columns.
        assert sorted(answer.totals[0].tolist()) == [0, 40 * (4 * WEIGHT // 40)]


def test_views_are_looked_at_once(tmp_path: Any) -> None:
    path = str(tmp_path / "a.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS id, i FROM range(9) AS r(i)")
        connection.execute("CREATE VIEW v AS SELECT * FROM t WHERE random() < 0.5")
    whole = Histograms((Grouping(()),), 2)
    for name, at_most, looks in (("t", 2 * WEIGHT, 1), ("v", 2 * WEIGHT, 12)):
        for _ in range(looks):
            (answer,) = measure(read(path, unit="id", table=name), [whole])
            assert answer.totals[0].tolist()[0] <= at_most


REFUSED = [
    (Histograms((), 1), "must be counted or summed"),
    (Histograms((Grouping((col("nothing"),)),), 1), "must be in the table"),
    (Histograms((Grouping((col("age"),)),), 1), "integers, text, truth values or dates"),
    (Histograms((Grouping((Bin(col("city"), AGE.grid, 2),)),), 1), "numbers or truth"),
    (Histograms((Grouping((col("city"), col("city"))),), 1), "different columns"),
    (Histograms((Grouping((AGE,), Keys.of("city", ["a"])),), 1), "must name the columns"),
    (Histograms((Grouping((col("city"),), Keys.of("city", [1])),), 1), "1 is not '1'"),
    (Histograms((CITY,), 1, col("city") == 1), "type 'text'"),
    (
        Histograms(
            (Grouping((Bin(col("age"), AGE.grid, 5000), Bin(col("n"), AGE.grid, 5000))),), 1
        ),
        "at most 10000000 cells",
    ),
]


@pytest.mark.parametrize(("asked", "words"), REFUSED)
def test_refused(asked: Histograms, words: str) -> None:
    table = read(pa.table({"city": ["a"], "age": [1.0], "n": [1]}), unit=None)
    with pytest.raises(InvalidParameter, match=words):
        measure(table, [asked])


def test_bins_finer_than_their_grid_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="steps of the grid"):
        Bin(col("age"), Grid(lower=0, upper=4, bits=0), 5)
    with pytest.raises(InvalidParameter):
        Bin(col("age"), Grid(lower=0, upper=4), 0)
    with pytest.raises(InvalidParameter):
        Histograms((CITY,), 0)


def test_bins_whose_parts_are_listed_as_keys_are_columns() -> None:
    part = Bin(col("age"), Grid(lower=0, upper=8, bits=0), 4)
    listed = Grouping((part,), Keys.of("age", [0, 1]))
    assert (listed.columns, listed.bins, listed.inner) == ((part,), (), 1)
    assert Grouping((part,)).bins == (part,)
