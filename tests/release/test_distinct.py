"""Different values of a column: counted exactly within the bounds, and moved no farther."""

import random
from typing import Any

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.privacy.guarantee import PureDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.measure.measure import measure
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountRows, CountValues
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.reach import reach_of
from tests.release.drawn_again import drawn_again
from tests.release.fuzz import SCHEMA, arrow
from tests.release.reference import Row
from tests.release.sessions import session_of, table_of, totals_of

LARGE = PureDP(epsilon=10**6)
YEARS = Keys.of("year", [2020, 2021, 2022])
DICE = random.Random(3)  # which tables are tried, never which noise is drawn


def row(who: str, year: int, city: str | None) -> Row:
    return dict.fromkeys(SCHEMA.names) | {"who": who, "year": year, "city": city}


def some_rows(count: int) -> list[Row]:
    return [
        row(
            DICE.choice("abcde"), DICE.choice([2020, 2021, 2022, 9]), DICE.choice([*"uvwxyz", None])
        )
        for _ in range(count)
    ]


def asked(groups: int, rows: int, *, by: bool) -> Measurement:
    bounds = Bounds(max_groups=groups, max_rows=rows)
    grouped: tuple[Any, Any] = ((col("year"),), YEARS) if by else ((), None)
    return Measurement((CountValues(col("city")),), bounds, *grouped)


def numbers(rows: list[Row], measurement: Measurement, unit: str | None = "who") -> list[int]:
    session = session_of(DUCKDB)
    session.show(rows)
    found = totals_of(table_of(rows, unit), measurement, 5, session)
    return [total for (total,) in found.values()]


@pytest.mark.parametrize("unit", ["who", None])
def test_bounds_that_cut_nothing(unit: str | None) -> None:
    for _ in range(10):
        rows = some_rows(25)
        frame = pd.DataFrame(rows)
        assert numbers(rows, asked(9, 99, by=False), unit) == [frame.city.nunique()]
        known = frame.groupby("year").city.nunique()
        found = numbers(rows, asked(9, 99, by=True), unit)
        assert found == [known.get(year, 0) for (year,) in YEARS.rows]


@pytest.mark.parametrize("tables", [6, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("groups", "most"), [(1, 1), (2, 1), (1, 2), (2, 3)])
def test_one_unit_moves_no_more_than_is_claimed(groups: int, most: int, tables: int) -> None:
    """And sometimes as much: of one unit alone all that it keeps."""
    reached = 0
    for by in (False, True):
        measurement = asked(groups, most, by=by)
        reach = reach_of(measurement, table_of([], "who"))
        for _ in range(tables):
            rows = some_rows(30)
            whole = numbers(rows, measurement)
            for who in "abcde":
                less = numbers([each for each in rows if each["who"] != who], measurement)
                moved = [one - other for one, other in zip(whole, less, strict=True)]
                assert min(moved) >= 0
                assert max(moved) <= reach.cell == most
                assert sum(moved) <= reach.total
                assert sum(map(bool, moved)) <= reach.cells
            alone = numbers([each for each in rows if each["who"] == "a"], measurement)
            reached += sum(alone) == reach.total
    assert reached > 0


def test_so_many_values_count_in_so_many_groups() -> None:
    measurement = asked(2, 3, by=True)
    reach = reach_of(measurement, table_of([], "who"))
    assert (reach.cell, reach.cells, reach.total, reach.square) == (3, 2, 6, 18)
    rows = [row("a", year, city) for year in (2020, 2021, 2022) for city in "uvwxyz"]
    assert sorted(numbers(rows, measurement)) == [0, 3, 3]


def test_values_and_rows_take_passes_of_their_own() -> None:
    rows, bounds = [row("a", 2020, "x"), row("a", 2020, "y")], Bounds(max_groups=1, max_rows=2)
    table = read(arrow(rows), unit="who")
    wanted = [Measurement((each,), bounds) for each in (CountRows(), CountValues(col("city")))]
    wanted.append(Measurement((CountValues(col("year")),), bounds))
    assert [int(found.totals[0][0]) for found in measure(table, wanted)] == [2, 2, 1]


def test_in_a_plan() -> None:
    table = read(arrow(some_rows(60)), unit="who")
    plan = ln.plan(table, max_groups=3, max_rows=40).distinct("city")
    plan = plan.distinct("city", by="year", keys=[2020, 2021])
    ((whole, groups),) = drawn_again(plan, LARGE, 1)
    assert whole.values.tolist() == [6]
    assert len(groups) == 2
    assert "lower end" in whole.notes[0]
    assert "different values of city" in plan.questions[0].words()


def test_refusals() -> None:
    plan = ln.plan(read(arrow([]), unit="who"), max_groups=1, max_rows=1)
    with pytest.raises(UnsupportedQuery, match="public keys"):
        plan.distinct("city", by="year", keys="private")
    with pytest.raises(InvalidParameter, match="integers, text, truth values or dates"):
        plan.distinct("cost")
    bounds = Bounds(max_groups=1, max_rows=1)
    for wrong in (
        Measurement((CountValues(col("city")), CountRows()), bounds),
        Measurement((CountValues(col("city")),), bounds, (col("year"),)),
        Measurement((CountValues(col("city")),), Clip(max_norm=2)),
    ):
        with pytest.raises(InvalidParameter, match="counted alone, in public groups"):
            measure(plan.table, [wrong])
