"""Conditions that are asked of few rows together: the same totals as one by one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.auditing import audit_measurements
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.measure import few_rows
from leastnoise.release.measure import measure as measuring
from leastnoise.release.measure.backends import duckdb as sessions
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.fragment import Fragment
from leastnoise.release.measure.sql.packed_rows import PackedRows
from leastnoise.release.step.aggregate import (
    CountPresent,
    CountRows,
    CountUnits,
    DistanceBelow,
    SumOf,
    SumOfSquares,
)
from leastnoise.release.step.measurement import Measurement
from tests.auditing.test_plans import HOSTILE
from tests.release.fuzz import CITIES, UNITS, aggregates, arrow, conditions, optional, rows_of
from tests.release.reference import Row

SALT = 0x3C6EF372FE94F82B & (2**63 - 1)
KEYS = Keys.of("city", CITIES[:6])
FEW = Bounds(max_groups=2, max_rows=2)
COST = SumOf(col("cost"), Grid(lower=-5, upper=100))


class SameSalt(ln.Source):
    """The same choice of groups in every call."""

    def bits(self, count: int) -> int:
        return SALT & ((1 << count) - 1)


def totals(table: Table, asked: Sequence[Measurement]) -> list[list[list[int]]]:
    found = measure(table, asked, source=SameSalt())
    return [[total.tolist() for total in each.totals] for each in found]


def assert_same(table: Table, asked: Sequence[Measurement]) -> None:
    """All together, few at a time, and one by one."""
    together, most = totals(table, asked), (few_rows._TOGETHER, few_rows._PAIRS)
    few_rows._TOGETHER, few_rows._PAIRS = 3, 2
    try:
        in_parts = totals(table, asked)
    finally:
        few_rows._TOGETHER, few_rows._PAIRS = most
    assert together == in_parts == [totals(table, [each])[0] for each in asked]


@pytest.mark.parametrize("tries", [5, pytest.param(200, marks=pytest.mark.slow)])
def test_totals_are_those_of_each_condition_alone(tries: int) -> None:
    @settings(max_examples=tries, deadline=None)
    @given(
        rows_of(optional(UNITS)),
        aggregates(),
        st.lists(st.none() | conditions(), min_size=2, max_size=5),
        st.builds(Bounds, max_groups=st.integers(1, 3), max_rows=st.integers(1, 3)),
    )
    def check(rows: list[Row], summed: Any, met: list[Any], bounds: Bounds) -> None:
        asked = [Measurement(summed, bounds, (col("city"),), KEYS, each) for each in met]
        assert_same(ln.read(arrow(rows), unit="who"), asked)

    check()


def many(units: Any) -> Table:
    """A few thousand rows with missing values of every kind."""
    random = np.random.default_rng(5)
    count = 3000
    whose = units[random.integers(0, len(units), count)].tolist()
    rows = {
        "who": [None if random.random() < 0.05 else each for each in whose],
        "city": [CITIES[place] for place in random.integers(0, 7, count)],
        "year": random.integers(0, 50, count),
        "cost": np.where(random.random(count) < 0.1, np.nan, random.normal(0, 80, count)),
    }
    return ln.read(pa.table(rows), unit="who")


@pytest.mark.parametrize(
    "units",
    [
        np.array([-(2**63), -5, -1, 0, 1, 2**62, 2**63 - 1]),
        np.arange(400) * 2**53 - 200 * 2**53,
        np.array(["", "a", "A", "å", "a\u030a", "x" * 2000]),
    ],
)
def test_units_of_any_kind_are_told_apart(units: Any) -> None:
    table = many(units)
    summed = (CountRows(), CountUnits(), COST, DistanceBelow(COST.column, COST.grid))
    met = [None, *(col("year") < each for each in (0, 3, 20, 50)), col("cost") > 5]
    bounds = Bounds(max_groups=3, max_rows=4)
    assert_same(table, [Measurement(summed, bounds, (col("city"),), KEYS, each) for each in met])


def test_rows_of_one_unit_count_as_far_as_the_bounds_say() -> None:
    rows = [{**HOSTILE[0], "who": "ann", "city": city, "year": n} for city in CITIES[:5]
            for n in range(4)]  # fmt: skip
    asked = [
        Measurement((CountRows(), CountUnits()), FEW, (col("city"),), KEYS, col("year") < each)
        for each in (0, 1, 2, 3)
    ]
    found = measure(ln.read(arrow(rows), unit="who"), asked)
    assert [each.totals[0].sum() for each in found] == [0, 2, 4, 4]
    assert [each.totals[1].sum() for each in found] == [0, 2, 2, 2]


def conditional() -> list[Measurement]:
    met = (col("cost") > 1, col("year") == 2023, col("visits") < 3)
    return [Measurement((CountRows(), COST), FEW, (col("city"),), KEYS, each) for each in met]


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_nothing_moves_farther_than_claimed(neighbours: Neighbours) -> None:
    table = ln.read(arrow(HOSTILE * 2), unit="who", neighbours=neighbours)
    found = audit_measurements(table, conditional(), orders=1)
    assert not found.violated, str(found)
    if neighbours is Neighbours.ADD_REMOVE:  # nobody is replaced by somebody in other groups
        assert any(each.reached for each in found.movements)


def test_a_choice_by_the_number_of_a_unit_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers shift when somebody leaves, and then others' groups would change, too."""
    select = PackedRows.select

    def by_number(self: Any) -> Fragment:
        found = select(self)
        return Fragment(found.text.replace(", u, k0)", ", d, k0)"), found.parameters)

    own = {who: (CITIES[:6] * 2)[first : first + 4] for first, who in enumerate("abcdef")}
    rows = [{**HOSTILE[0], "who": who, "city": city} for who in own for city in own[who]]
    table, asked = ln.read(arrow(rows), unit="who"), conditional()[1:] * 2
    asked = [Measurement((CountRows(),), FEW, each.by, KEYS, each.where) for each in asked]
    assert not audit_measurements(table, asked).violated
    monkeypatch.setattr(PackedRows, "select", by_number)
    assert audit_measurements(table, asked).violated


def test_groups_in_no_order_by_few_bits_are_left_to_the_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, select, seen = ln.read(arrow(HOSTILE * 2), unit="who"), PackedRows.select, []
    alone = [totals(table, [each])[0] for each in conditional()]

    def few_bits(self: Any) -> Fragment:
        found = select(self)
        seen.append(found.text.replace(">> 33 AS BIGINT)", ">> 63 AS BIGINT)"))
        return Fragment(seen[-1], found.parameters)

    monkeypatch.setattr(PackedRows, "select", few_bits)
    assert totals(table, conditional()) == alone
    assert seen


def test_many_rows_are_left_to_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    table = ln.read(arrow(HOSTILE), unit="who")
    alone = totals(table, conditional())
    taken = []
    monkeypatch.setattr(
        measuring, "found_for_each", lambda *all_of_it: taken.append(all_of_it)
    )  # None
    assert totals(table, conditional()) == alone
    assert taken
    monkeypatch.setattr(measuring, "FEW", len(HOSTILE) - 1)
    assert totals(table, conditional()) == alone
    assert len(taken) == 1


def test_too_little_memory_for_arrays_leaves_them_to_the_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, tried = ln.read(arrow(HOSTILE), unit="who"), []
    wanted = totals(table, conditional())

    def lacking(_: object) -> Any:
        tried.append(1)
        raise MemoryError("9 rows")

    monkeypatch.setattr(sessions, "_arrays", lacking)
    assert totals(table, conditional()) == wanted
    assert tried


def test_squares_are_packed_where_they_are_asked_for() -> None:
    table, own = ln.read(arrow(HOSTILE), unit="who"), (col("cost"), Grid(lower=-5, upper=100))
    summed = SumOfSquares(*own), CountPresent(*own)
    asked = [Measurement(summed, FEW, (col("city"),), KEYS, col("year") > n) for n in (0, 2022)]
    together = totals(table, asked)
    assert together == [totals(table, [each])[0] for each in asked]
    assert np.abs(together[0]).any()


def test_two_conditions_are_enough_to_be_asked_together(monkeypatch: pytest.MonkeyPatch) -> None:
    table, taken = ln.read(arrow(HOSTILE), unit="who"), []
    monkeypatch.setattr(measuring, "found_for_each", lambda own, *_: taken.append(len(own)))
    for count in (1, 2, 3):
        totals(table, conditional()[:count])
    assert taken == [2, 3]
