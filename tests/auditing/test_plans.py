"""Whole plans: how far exact answers move between neighbouring tables, on hostile tables."""

import math
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.auditing import audit_measurements, audit_plan
from leastnoise.auditing.neighbouring_tables import neighbouring_tables
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.plan import Plan
from leastnoise.release.questions.count import Count
from leastnoise.release.step.aggregate import CountRows, SumOf
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.measurement import Measurement
from tests.release.fuzz import CITIES, UNITS, arrow, rows_of
from tests.release.reference import Row

PUBLIC = CITIES[:7]
PAIRS = ln.Keys(["city", "year"], [("Oslo", 2023), ("Ås", 2**63 - 1), ("A\u030as", 1 - 2**63)])
LEAST, MOST = -(2**63), 2**63 - 1


def row(
    who: str | None, city: str | None, year: int | None, cost: float | None, visits: int | None
) -> Row:
    return {
        "who": who, "city": city, "year": year, "smoker": None, "cost": cost, "visits": visits,
    }  # fmt: skip


HOSTILE = [
    *(row("ann", city, 2023, float(place), place) for place, city in enumerate(CITIES)),
    *(row("Ann", city, MOST, math.nan, MOST) for city in CITIES[:4]),
    row("bob", None, LEAST, math.inf, LEAST),
    row("bob", "Oslo", None, -1e308, None),
    row("", "🦊", 2024, 5e-324, 3),
    row(None, "Oslo", 2024, 1.0, 1),
    *(row("eve", "Oslo", 2023, 100.0, 100) for _ in range(5)),
    *(row("max", "Ås", 2023, -0.0, MOST) for _ in range(3)),
]


def everything(table: Table, **bounds: int) -> Plan:
    wide = ln.plan(table, **{"max_groups": 1, "max_rows": 1} | bounds)
    return (
        wide.count()
        .count(by="city", keys=PUBLIC)
        .count_units(by=["city", "year"], keys=PAIRS)
        .count_units(by="city", keys=PUBLIC, where=ln.col("cost") > 1)
        .sum("visits", lower=-3, upper=10)
        .sum("visits", lower=LEAST, upper=MOST, name="all of them")
        .sum("cost", lower=-5, upper=100, by="city", keys=PUBLIC)
        .mean("cost", lower=0, upper=100, by="city", keys=PUBLIC)
        .variance("cost", lower=0, upper=10)
        .std("cost", lower=0, upper=20)
        .share(ln.col("cost") > 1, by="city", keys=PUBLIC)
        .share_units(ln.col("cost") > 1, by="city", keys=PUBLIC)
        .ratio("cost", "visits", lower=0, upper=9, over_lower=-2, over_upper=5)
        .weighted_mean("cost", "visits", lower=0, upper=9, most_weight=5, by="city", keys=PUBLIC)
        .correlation("cost", "visits", lower=0, upper=9, other_lower=-2, other_upper=5)
    )


@pytest.mark.parametrize("orders", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("unit", ["who", None])
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_nothing_moves_farther_than_claimed_on_a_hostile_table(
    unit: str | None, neighbours: Neighbours, orders: int
) -> None:
    table = ln.read(arrow(HOSTILE), unit=unit, neighbours=neighbours)
    plan = everything_by_row(table) if unit is None else everything(table, max_groups=2, max_rows=2)
    found = audit_plan(plan, orders=orders)
    assert not found.violated, str(found)
    assert any(each.reached for each in found.movements)
    assert str(found).startswith("no violation among")


def everything_by_row(table: Table) -> Plan:
    return (
        ln.plan(table, max_groups=1, max_rows=1)
        .count(by="city", keys=PUBLIC)
        .sum("visits", lower=LEAST, upper=MOST)
        .mean("cost", lower=0, upper=100, by="city", keys=PUBLIC)
        .share(ln.col("cost") > 1, by="city", keys=PUBLIC)
        .weighted_mean("cost", "visits", lower=0, upper=9, most_weight=5)
    )


def test_histograms_and_quantiles_move_no_farther_either() -> None:
    table = ln.read(arrow(HOSTILE), unit="who")
    plan = (
        ln.plan(table, max_groups=2, max_rows=2)
        .histogram("cost", lower=0, upper=10, parts=4)
        .quantiles("cost", [0.5], lower=0, upper=10, parts=8)
        .median("cost", lower=0, upper=10, parts=4)
    )
    found = audit_plan(plan, orders=1)
    assert not found.violated
    assert any(each.reached for each in found.movements)


@given(rows=rows_of(UNITS), groups=st.integers(1, 3), most=st.integers(1, 3))
@settings(max_examples=5, deadline=None)
def test_nothing_moves_farther_than_claimed_on_odd_tables(
    rows: list[Row], groups: int, most: int
) -> None:
    table = ln.read(arrow(rows), unit="who")
    assert not audit_plan(everything(table, max_groups=groups, max_rows=most), orders=1).violated


@pytest.mark.parametrize("clip", [Clip(max_total=2), Clip(max_norm=2)])
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_clipped_contributions_move_no_farther(clip: Clip, neighbours: Neighbours) -> None:
    table = ln.read(arrow(HOSTILE), unit="who", neighbours=neighbours)
    grid, cost = Grid(lower=-5, upper=100), col("cost")
    asked = [
        Measurement((CountRows(), SumOf(cost, grid)), clip, (col("city"),), keys)
        for keys in (None, Keys.of("city", PUBLIC))
    ]
    found = audit_measurements(table, asked, orders=1)
    assert len(found.movements) == 4
    assert not found.violated, str(found)


class OneRowOnly(Count):
    """Believes that nobody has two rows in a group: wrong under duplicates."""

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        assert isinstance(table.bounds, Bounds)
        fewer = Bounds(max_groups=table.bounds.max_groups, max_rows=1)
        return super().demands(replace(table, bounds=fewer))


def test_a_claim_that_forgets_duplicates_is_refuted() -> None:
    table = ln.read(arrow(HOSTILE), unit="who")
    plan = ln.plan(table, max_groups=2, max_rows=2).count(by="city", keys=PUBLIC)
    honest = plan.questions[0]
    assert isinstance(honest, Count)
    wrong = OneRowOnly(honest.name, honest.groups, honest.units, honest.importance)
    found = audit_plan(replace(plan, questions=(wrong,)))
    assert found.violated
    assert not found
    assert "moved by" in str(found)


def test_each_unit_is_left_out_once() -> None:
    table = ln.read(arrow(HOSTILE), unit="who")
    tables, pairs = neighbouring_tables(table)
    sizes = [len(each.table.location.data) for each in tables]  # type: ignore[union-attr]
    assert sizes == [25, 16, 21, 23, 24, 20, 22]
    assert pairs == [(0, place) for place in range(1, 7)]
    replaced = neighbouring_tables(
        ln.read(arrow(HOSTILE), unit="who", neighbours=Neighbours.REPLACE)
    )
    assert len(replaced[1]) == 15


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_other_tables_in_memory(kind: str) -> None:
    small = pa.table({"who": ["a", "a", "b"], "x": [1, 2, 3]})
    data = (
        small.to_pandas() if kind == "pandas" else pytest.importorskip("polars").from_arrow(small)
    )
    plan = ln.plan(ln.read(data, unit="who"), max_groups=1, max_rows=1).sum("x", lower=0, upper=3)
    found = audit_plan(plan)
    assert not found.violated
    assert found.movements[0].reached


def test_large_tables_are_refused() -> None:
    many = pa.table({"who": list(range(65))})
    with pytest.raises(InvalidParameter, match="at most 64 units"):
        audit_plan(ln.plan(ln.read(many, unit="who"), max_groups=1, max_rows=1).count())


def test_bounds_that_are_yet_to_be_chosen_are_refused() -> None:
    """What the second stage draws is not known before the first one is."""
    table = ln.read(pa.table({"who": [1, 1, 2], "x": [1.0, 2.0, 3.0]}), unit="who")
    for asked in (
        ln.plan(table, max_groups=1, max_rows="auto").count(),
        ln.plan(table, max_groups=1, max_rows=2).sum("x", lower=0, upper="auto"),
    ):
        for budget in (None, ln.PureDP(epsilon=1)):
            with pytest.raises(InvalidParameter, match=r"bounds must be numbers .*release\.bounds"):
                audit_plan(asked, budget=budget)
