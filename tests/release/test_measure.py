"""The engine's totals are those of the reference; one unit moves them no further than derived."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.release.ask.bounds import ONE_ROW, Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountPresent,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOf,
    SumOfSquares,
    mean_sensitivity,
    sensitivity,
)
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import WEIGHT, Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.sensitivity import Sensitivity
from leastnoise.release.step.unit_spread import Spread, UnitSpread
from leastnoise.release.step.unowned_rows import UnownedRows
from tests.examples import examples
from tests.release.fuzz import UNITS, measurements, optional, rows_of
from tests.release.reference import Row, expected
from tests.release.sessions import (
    FOLLOWED,
    Totals,
    assert_conditions_share_a_pass,
    by_key,
    followed_order,
    followed_totals,
    pass_of,
    passes_of,
    results_of,
    session_of,
    table_of,
    usual_totals,
)

SALT = 0x5EED_5EED_5EED


@examples(30, 120)
@given(rows_of(optional(UNITS)), st.sampled_from(["who", None]), measurements())
def test_totals_are_those_of_the_reference(
    rows: list[Row], unit: str | None, measurement: Measurement
) -> None:
    order = followed_order(SALT, measurement)
    wanted = expected(rows, unit, measurement, order)
    assert followed_totals(rows, unit, measurement, SALT) == wanted


@examples(30, 120)
@given(
    rows_of(optional(UNITS)),
    st.sampled_from(["who", None]),
    st.lists(measurements(), min_size=2, max_size=4),
)
def test_conditions_that_share_a_pass_do_not_touch_each_other(
    rows: list[Row], unit: str | None, several: list[Measurement]
) -> None:
    """Each question with the groups and bounds of the first, and with its own."""
    first = several[0]
    alike = [replace(each, by=first.by, keys=first.keys, bounds=first.bounds) for each in several]
    session = session_of(FOLLOWED)
    session.show(rows)
    for each, found in zip(
        [*alike, *several],
        results_of(table_of(rows, unit), [*alike, *several], SALT, session),
        strict=True,
    ):
        assert by_key(found) == expected(rows, unit, each, followed_order(SALT, each))


def differences(one: Totals, other: Totals, width: int) -> list[list[int]]:
    """Per aggregate, how far each cell moved."""
    nothing = [0] * width
    cells = one.keys() | other.keys()
    moved = [[a - b for a, b in zip(one.get(c, nothing), other.get(c, nothing), strict=True)]
             for c in cells]  # fmt: skip
    return [list(column) for column in zip(*moved, strict=True)] or [[]] * width


def within(moved: list[int], allowed: Sensitivity) -> bool:
    changed = [abs(change) for change in moved if change]
    return (
        max(changed, default=0) <= allowed.cell
        and len(changed) <= allowed.cells
        and sum(changed) <= allowed.total
        and sum(change**2 for change in changed) <= allowed.square
    )


def assert_within(
    one: Totals, other: Totals, measurement: Measurement, neighbours: Neighbours, bounds: Bounds
) -> None:
    moved = differences(one, other, len(measurement.aggregates))
    for aggregate, column in zip(measurement.aggregates, moved, strict=True):
        assert within(column, sensitivity(aggregate, bounds, neighbours))
    for i, below in enumerate(measurement.aggregates):
        for j, above in enumerate(measurement.aggregates):
            if (
                isinstance(below, DistanceBelow)
                and isinstance(above, DistanceAbove)
                and (below.column, below.grid) == (above.column, above.grid)
            ):
                joint = mean_sensitivity(below.grid, bounds, neighbours)
                assert within(moved[i] + moved[j], joint)


@examples(25, 100)
@given(rows_of(optional(UNITS)), rows_of(st.just("zoe")), rows_of(st.just("zoe")), measurements())
def test_one_unit_moves_totals_no_further_than_derived(
    rows: list[Row], old: list[Row], new: list[Row], measurement: Measurement
) -> None:
    without = usual_totals(rows, "who", measurement, SALT)
    before = usual_totals(old + rows, "who", measurement, SALT)
    after = usual_totals(rows[::-1] + new, "who", measurement, SALT)
    assert isinstance(measurement.bounds, Bounds)
    bounds = table_of(rows, "who").effective_bounds(
        measurement.bounds, grouped=bool(measurement.by), keys=measurement.keys
    )
    for one, other, kind in [
        (before, without, Neighbours.ADD_REMOVE),
        (without, after, Neighbours.ADD_REMOVE),
        (before, after, Neighbours.REPLACE),
    ]:
        assert_within(one, other, measurement, kind, bounds)


@examples(10, 30)
@given(rows_of(st.none()), rows_of(st.none()).filter(bool), measurements())
def test_one_row_moves_totals_no_further_than_derived(
    rows: list[Row], others: list[Row], measurement: Measurement
) -> None:
    bounds = Bounds(max_groups=1, max_rows=1)
    without = usual_totals(rows, None, measurement, SALT)
    before = usual_totals([others[0], *rows], None, measurement, SALT)
    after = usual_totals([*rows, others[-1]], None, measurement, SALT)
    assert_within(before, without, measurement, Neighbours.ADD_REMOVE, bounds)
    assert_within(before, after, measurement, Neighbours.REPLACE, bounds)


def heavy(groups: int, rows: int) -> list[Row]:
    row: dict[str, Any] = {"who": "zoe", "city": None, "smoker": True, "cost": 9.0, "visits": 1}
    return [row | {"year": year} for year in range(groups) for _ in range(rows)]


@pytest.mark.parametrize("neighbours", Neighbours)
def test_the_derived_sensitivities_are_reached(neighbours: Neighbours) -> None:
    """Bounds that nobody can reach would add noise for nothing."""
    grid = Grid(lower=0, upper=9, bits=0)
    asked: tuple[Aggregate, ...] = (CountRows(), CountUnits(), DistanceBelow(col("cost"), grid))
    measurement = Measurement(asked, Bounds(max_groups=3, max_rows=2), (col("year"),))
    late = [row | {"year": row["year"] + 100} for row in heavy(9, 5)]
    one = usual_totals(heavy(9, 5), "who", measurement, SALT)
    replaced = neighbours is Neighbours.REPLACE
    other = usual_totals(late, "who", measurement, SALT) if replaced else {}
    for aggregate, moved in zip(asked, differences(one, other, 3), strict=True):
        allowed = sensitivity(aggregate, measurement.bounds, neighbours)
        changed = [abs(change) for change in moved]
        assert (max(changed), len(changed), sum(changed)) == (
            allowed.cell,
            allowed.cells,
            allowed.total,
        )
        assert sum(change**2 for change in changed) == allowed.square


def test_the_three_sums_of_a_variance_are_moved_as_far_as_they_can_be_by_one_unit() -> None:
    grid = Grid(lower=-3, upper=9, bits=1)
    asked = tuple(kind(col("cost"), grid) for kind in (CountPresent, SumFromCentre, SumOfSquares))
    measurement = Measurement(asked, Bounds(max_groups=3, max_rows=2), (col("year"),))
    one = usual_totals(heavy(9, 2), "who", measurement, SALT)
    allowed = [sensitivity(each, measurement.bounds, Neighbours.ADD_REMOVE) for each in asked]
    for each, moved in zip(allowed, differences(one, {}, 3), strict=True):
        assert (max(moved), len(moved), sum(moved)) == (each.cell, each.cells, each.total)
        assert sum(change**2 for change in moved) == each.square


def test_a_variance_from_its_three_sums() -> None:
    values = [0.0, 1.0, 5.5, 10.0, None, float("nan")]
    table = read(pa.table({"v": values}), unit=None)
    grid = Grid(lower=0, upper=10, bits=1)
    asked = tuple(kind(col("v"), grid) for kind in (CountPresent, SumFromCentre, SumOfSquares))
    (found,) = measure(table, [Measurement(asked, ONE_ROW)])
    count, total, squares = (int(each[0]) for each in found.totals)
    assert count == 4
    mean = Fraction(total, count)
    spread = Fraction(squares, count) + asked[2].shift - mean**2  # type: ignore[union-attr]
    assert spread / 16 == Fraction(float(np.var([0, 1, 5.5, 10])))


def test_a_wrong_bound_would_be_seen() -> None:
    measurement = Measurement((CountRows(),), Bounds(max_groups=3, max_rows=2), (col("year"),))
    one = usual_totals(heavy(9, 5), "who", measurement, SALT)
    fewer = Bounds(max_groups=2, max_rows=2)
    (moved,) = differences(one, {}, 1)
    assert not within(moved, sensitivity(CountRows(), fewer, Neighbours.ADD_REMOVE))
    assert not within([5], sensitivity(CountRows(), fewer, Neighbours.ADD_REMOVE))


def test_which_groups_count_hangs_on_the_salt_and_is_fair() -> None:
    measurement = Measurement((CountUnits(),), Bounds(max_groups=1, max_rows=1), (col("year"),))
    first = sum((0,) in usual_totals(heavy(2, 1), "who", measurement, s) for s in range(60))
    # Binomial(60, 1/2): outside 10..50 with probability 1e-7.
    assert 10 <= first <= 50


def test_equal_groups_of_a_unit_are_chosen_alike_in_one_call() -> None:
    table = table_of(heavy(50, 1), "who")
    bounds = Bounds(max_groups=3, max_rows=1)
    rows, units = measure(
        table,
        [Measurement((each,), bounds, (col("year"),)) for each in (CountRows(), CountUnits())],
    )
    assert sorted(rows.rows) == sorted(units.rows)


def test_measurements_that_share_a_pass_are_fused() -> None:
    bounds = Bounds(max_groups=2, max_rows=2)
    grid = Grid(lower=0, upper=9)
    condition, same = col("visits") > 1, col("visits") > 1
    one = Measurement((CountRows(), CountUnits()), bounds, (col("year"),), None, condition)
    two = Measurement((DistanceBelow(col("cost"), grid), CountRows()), bounds, (col("year"),),
                      None, same)  # fmt: skip
    three = Measurement((CountRows(),), bounds, (col("year"),))
    passes, numbers = passes_of([one, two, three])
    assert numbers == [0, 0, 1]
    aggregates = (CountRows(), CountUnits(), DistanceBelow(col("cost"), grid))
    assert list(passes[0].conditions) == [condition]
    assert list(passes[0].totals) == [(0, each) for each in aggregates]


@pytest.mark.parametrize("unit", ["id", None])
def test_long_texts_are_no_private_keys(unit: str | None) -> None:
    """A unit's long text takes no place among its groups, and counts as one of its rows."""
    data = pa.table({"id": [1, 1], "k": ["x" * 1000, "y" * 1001]})
    key, one = (col("k"),), Bounds(max_groups=1, max_rows=1)
    asked = Measurement((CountRows(),), one, key), Histograms((Grouping(key),), 1)
    for _ in range(4):
        summed, counted = measure(read(data, unit=unit), asked)
        assert by_key(summed) == {("x" * 1000,): [1]}
        assert by_key(counted) == {("x" * 1000,): [1 if unit is None else WEIGHT // 2]}


def test_conditions_share_a_pass() -> None:
    assert_conditions_share_a_pass(session_of(DUCKDB))


def test_many_conditions_take_few_passes() -> None:
    few, many = Bounds(max_groups=1, max_rows=2), Bounds(max_groups=2, max_rows=2)
    by, keys = (col("year"),), Keys.of("year", [1, 2])
    conditions = [col("visits") > i for i in range(65)]

    def passes(
        bounds: Bounds | Clip, by: Any = (), keys: Keys | None = None, *, by_unit: bool = True
    ) -> int:
        asked = [Measurement((CountRows(),), bounds, by, keys, each) for each in conditions]
        return len(passes_of(asked, by_unit=by_unit)[0])

    assert passes(few) == passes(many, by, keys) == passes(few, by, keys, by_unit=False) == 3
    # Where groups are chosen, found or weighed together, each condition has its own.
    assert passes(few, by, keys) == passes(many, by) == passes(Clip(max_total=2)) == 65
    assert passes(few, by, by_unit=False) == 65


def test_many_totals_under_one_condition_are_one_pass() -> None:
    grids = [Grid(lower=0, upper=1 + i) for i in range(40)]
    asked = [Measurement((SumOf(col("cost"), each),), ONE_ROW) for each in grids]
    assert len(passes_of(asked)[0]) == 1
    other = replace(asked[0], where=col("visits") > 1)
    assert passes_of([*asked, other, *asked])[1] == [0] * 40 + [1] + [0] * 40


def test_a_pass_reads_the_columns_it_names_and_one_if_it_names_none() -> None:
    bare, by_unit = table_of([], None), table_of([], "who")
    plain = Measurement((CountRows(), CountUnits()), ONE_ROW)
    assert pass_of(plain).columns_read(bare) == bare.schema.names[:1]
    assert pass_of(plain).columns_read(by_unit) == ("who",)
    summed = SumOf(col("cost"), Grid(lower=0, upper=9))
    full = Measurement(
        (summed,), ONE_ROW, (col("year"),), where=(col("age") > 1) & (col("year") > 1)
    )
    assert pass_of(full).columns_read(by_unit) == ("year", "cost", "age", "who")


def test_fused_answers_are_the_separate_ones() -> None:
    rows = [row | {"visits": i % 5} for i, row in enumerate(heavy(4, 5))]
    table = table_of(rows, "who")
    bounds, grid = Bounds(max_groups=9, max_rows=2), Grid(lower=0, upper=9)
    keys = Keys.of("year", [3, 1, 77])
    asked = [
        Measurement((CountRows(),), bounds, (col("year"),), keys),
        Measurement((DistanceAbove(col("cost"), grid),), bounds),
        Measurement((DistanceBelow(col("visits"), grid), CountRows()), bounds, (col("year"),),
                    keys),
    ]  # fmt: skip
    together = measure(table, asked)
    for measurement, answer in zip(asked, together, strict=True):
        (alone,) = measure(table, [measurement])
        assert alone.rows == answer.rows
        assert [t.tolist() for t in alone.totals] == [t.tolist() for t in answer.totals]


def test_progress_is_told_after_each_pass() -> None:
    table = table_of(heavy(2, 2), "who")
    bounds = Bounds(max_groups=1, max_rows=1)
    told: list[tuple[int, int]] = []
    asked = [Measurement((CountRows(),), bounds, by) for by in ((), (col("year"),))]
    measure(table, asked, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]


def test_who_waits_is_told_what_each_pass_is_for() -> None:
    table = table_of(heavy(2, 2), "who")
    bounds = Bounds(max_groups=1, max_rows=1)
    by_year, whole = (Measurement((CountRows(),), bounds, by) for by in ((col("year"),), ()))
    units = Measurement((CountUnits(),), bounds)
    spread = UnitSpread(Spread.ROWS, (0, 1, 2), whole)
    told: list[list[int]] = []
    asked: list[Asked] = [whole, spread, by_year, UnownedRows(), units]
    measure(table, asked, begins=lambda places: told.append(list(places)))
    assert told == [[0, 4], [1], [2], [3]]


def test_an_answer_does_not_show_itself() -> None:
    table = table_of(heavy(2, 2), "who")
    (answer,) = measure(table, [Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1))])
    assert repr(answer) == "SecretTotals(1 aggregates, secret)"
