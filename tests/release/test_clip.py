"""Clipped contributions are those of the reference; one unit moves them no further than derived."""

from fractions import Fraction
from math import isqrt
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import CLIP_WEIGHT, Clip, clip_weight
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.one_row_units import OneRowUnits
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.unit_bounds import clipped
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import (
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    mean_sensitivity,
    sensitivity,
)
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.sensitivity import clipped_sensitivity
from tests.examples import examples
from tests.release.fuzz import CLIPS, UNITS, measurements, optional, rows_of
from tests.release.reference import Row, expected
from tests.release.sessions import Totals, session_of, usual_totals
from tests.release.test_measure import differences, heavy, within

SALT = 1


@examples(20, 60)
@given(rows_of(optional(UNITS)), st.sampled_from(["who", None]), measurements(CLIPS))
def test_totals_are_those_of_the_reference(
    rows: list[Row], unit: str | None, measurement: Measurement
) -> None:
    wanted = expected(rows, unit, measurement, lambda *_: 0)
    assert usual_totals(rows, unit, measurement, SALT) == wanted


def assert_within(
    one: Totals, other: Totals, measurement: Measurement, neighbours: Neighbours
) -> None:
    groups = len(measurement.keys.rows) if measurement.keys else None if measurement.by else 1
    moved = differences(one, other, len(measurement.aggregates))
    for known in (groups, None):
        for aggregate, column in zip(measurement.aggregates, moved, strict=True):
            allowed = sensitivity(aggregate, measurement.bounds, neighbours, groups=known)
            assert within(column, allowed)
        for i, below in enumerate(measurement.aggregates):
            for j, above in enumerate(measurement.aggregates):
                if (
                    isinstance(below, DistanceBelow)
                    and isinstance(above, DistanceAbove)
                    and (below.column, below.grid) == (above.column, above.grid)
                ):
                    joint = mean_sensitivity(
                        below.grid, measurement.bounds, neighbours, groups=known
                    )
                    assert within(moved[i] + moved[j], joint)


@examples(12, 35)
@given(rows_of(UNITS), rows_of(st.just("zoe")), rows_of(st.just("zoe")), measurements(CLIPS))
def test_one_unit_moves_totals_no_further_than_derived(
    rows: list[Row], old: list[Row], new: list[Row], measurement: Measurement
) -> None:
    without = usual_totals(rows, "who", measurement, SALT)
    before = usual_totals(old + rows, "who", measurement, SALT)
    after = usual_totals(rows[::-1] + new, "who", measurement, SALT)
    assert_within(before, without, measurement, Neighbours.ADD_REMOVE)
    assert_within(without, after, measurement, Neighbours.ADD_REMOVE)
    assert_within(before, after, measurement, Neighbours.REPLACE)


def test_the_derived_sensitivities_are_reached_and_smaller_ones_would_be_seen() -> None:
    asked = Measurement((CountRows(),), Clip(max_norm=4), (col("year"),))
    one = usual_totals(heavy(16, 1), "who", asked, SALT)
    (moved,) = differences(one, {}, 1)
    allowed = sensitivity(CountRows(), asked.bounds, Neighbours.ADD_REMOVE, groups=16)
    assert sum(change**2 for change in moved) == allowed.square == (4 * CLIP_WEIGHT) ** 2
    assert sum(moved) == allowed.total == 16 * CLIP_WEIGHT
    assert not within(moved, sensitivity(CountRows(), Clip(max_norm=3), Neighbours.ADD_REMOVE))
    asked = Measurement((CountRows(),), Clip(max_total=4), (col("year"),))
    (moved,) = differences(usual_totals(heavy(1, 9), "who", asked, SALT), {}, 1)
    assert 4 * CLIP_WEIGHT - 9 < moved[0] <= 4 * CLIP_WEIGHT


@pytest.mark.parametrize("clip", [Clip(max_total=3), Clip(max_norm=3)], ids=repr)
def test_one_row_too_many_already_weighs_less(clip: Clip) -> None:
    asked = Measurement((CountRows(),), clip, (col("year"),))
    for rows, known in ((2, 2), (3, 3), (4, 3), (5, 3)):
        ((moved,),) = differences(usual_totals(heavy(1, rows), "who", asked, SALT), {}, 1)
        assert known * CLIP_WEIGHT - rows < moved <= known * CLIP_WEIGHT


def test_a_replaced_unit_can_move_signed_sums_by_more_than_a_difference_in_one_group() -> None:
    """Squares under `max_norm` may reach 2·(low² + high²)·m², which is above (high − low)²·m²."""
    low, high, scale = -3, 4, 1000
    old, new = (high * scale, -low * scale), (-low * scale, high * scale)  # row counts
    most = Fraction(isqrt(sum(n**2 for n in old)) ** 2)
    assert most == sum(n**2 for n in old) == sum(n**2 for n in new)
    square = (old[0] * high - new[0] * low) ** 2 + (old[1] * low - new[1] * high) ** 2
    assert square == 2 * (low**2 + high**2) * most > (high - low) ** 2 * most
    clip = Clip(max_norm=5)
    allowed = clipped_sensitivity(low, high, clip, Neighbours.REPLACE, 2)
    assert allowed.square == 2 * (low**2 + high**2) * clip.reach**2


def test_all_groups_count_and_units_of_one_row_weigh_the_same() -> None:
    data = pa.table({"id": [1] * 30 + [2], "k": [*range(30), 7]})
    keys = Keys.of("k", range(30))
    asked = (CountRows(), CountUnits())
    (found,) = measure(
        read(data, unit="id"), [Measurement(asked, Clip(max_total=3), (col("k"),), keys)]
    )
    each = 3 * CLIP_WEIGHT // 30
    wanted = [each] * 7 + [each + CLIP_WEIGHT] + [each] * 22
    assert [total.tolist() for total in found.totals] == [wanted, wanted]


def test_leaving_out_the_work_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pa.table({"id": [3, 1, 2], "v": [1.0, 2.0, 9.0]})
    grid = Grid(lower=0, upper=4, bits=0)
    asked = (CountRows(), CountUnits(), SumFromCentre(col("v"), grid))
    table = read(data, unit="id")

    def answers(clip: Clip) -> list[Any]:
        (found,) = measure(table, [Measurement(asked, clip)])
        return [total.tolist() for total in found.totals]

    skipped = [answers(clip) for clip in (Clip(max_total=1), Clip(max_norm=2))]
    monkeypatch.setattr(OneRowUnits, "under", lambda *_: False)
    assert skipped == [answers(clip) for clip in (Clip(max_total=1), Clip(max_norm=2))]
    assert skipped[0] == [[3 * CLIP_WEIGHT]] * 2 + [[2 * CLIP_WEIGHT]]
    assert clip_weight(table, Clip(max_norm=1)) == CLIP_WEIGHT
    assert clip_weight(table, Bounds(max_groups=1, max_rows=1)) == 1
    assert clip_weight(read(data, unit=None), Clip(max_norm=1)) == 1


def test_roots_are_rounded_up_for_large_counts() -> None:
    """A unit with 3000000 rows in each of two groups: the root of 1.8e13 is no integer."""
    connection = duckdb.connect()
    counts = (3_000_000, 2_999_999)
    rows = connection.sql(f"SELECT 1 AS id, i < {counts[0]} AS k FROM range({sum(counts)}) AS r(i)")
    clip = Clip(max_norm=2**20)
    (found,) = measure(read(rows, unit="id"), [Measurement((CountRows(),), clip, (col("k"),))])
    squares = sum(n**2 for n in counts)
    weight = clip.reach // (isqrt(squares) + 1)
    assert sorted(found.totals[0].tolist()) == sorted(weight * n for n in counts)
    assert sum(total**2 for total in found.totals[0].tolist()) <= clip.reach**2


def test_units_within_the_norm_count_in_full() -> None:
    """3² = 9 lies between 2·4 and 4²; a root of 9 would give the rows 4/3 of their weight."""
    data = pa.table({"id": [1, 1, 1], "k": [0, 0, 0]})
    asked = Measurement((CountRows(),), Clip(max_norm=4), (col("k"),), Keys.of("k", [0]))
    (found,) = measure(read(data, unit="id"), [asked])
    assert found.totals[0].tolist() == [3 * CLIP_WEIGHT]


@pytest.mark.parametrize("large", [2**27 - 1, 2**27, 2**30, 2**35, 2**40])
def test_roots_beyond_doubles_are_rounded_up(large: int) -> None:
    """√(large² + 1) is `large` in doubles: too little by less than one."""
    clip = Clip(max_norm=2**20)
    session = session_of(DUCKDB)
    pairs = Fragment(f"SELECT 1 AS u, * FROM (VALUES (0, {large}), (1, 1)) AS v(k0, n0)")
    query = fill("SELECT n0 AS t0, w AS t1 FROM ({}) AS c", clipped(pairs, clip, DUCKDB))
    counts, weights = (total.tolist() for total in session.fetch(query, 0, 2).totals)
    assert len(set(weights)) == 1
    assert sum((n * w) ** 2 for n, w in zip(counts, weights, strict=True)) <= clip.reach**2
    assert weights[0] == clip.reach // (large + 1)


@pytest.mark.parametrize("bad", [{}, {"max_total": 1, "max_norm": 1}, {"max_norm": 0},
                                 {"max_total": 2**20 + 1}, {"max_norm": 1.5}])  # fmt: skip
def test_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        Clip(**bad)
