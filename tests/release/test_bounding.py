"""Bounding, case by case: what chance finds too seldom."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import Compared as _Compared
from leastnoise.release.ask.expression import Relation, col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.step.aggregate import CountRows, CountUnits, SumOf, sensitivity
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.sensitivity import cell_sensitivity
from tests.release.reference import RELATIONS, Row, expected
from tests.release.sessions import followed_order, followed_totals, usual_totals

SALT = 5


def row(who: str, year: int, cost: float = 0.0) -> Row:
    return {
        "who": who, "city": "Oslo", "year": year, "smoker": True, "cost": cost, "visits": year,
    }  # fmt: skip


@pytest.mark.parametrize("public", [None, 1, 2, 3, 4, 9])
@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_no_unit_is_in_more_groups_than_may_count(public: int | None, most: int) -> None:
    rows = [row(who, year) for who in ("ann", "bob", "eve") for year in range(6)]
    keys = None if public is None else Keys.of("year", range(public))
    asked = Measurement((CountUnits(),), Bounds(max_groups=most, max_rows=1), (col("year"),), keys)
    found = followed_totals(rows, "who", asked, SALT)
    assert found == expected(rows, "who", asked, followed_order(SALT, asked))
    there = 6 if public is None else min(public, 6)
    assert sum(total for (total,) in found.values()) == 3 * min(most, there)


def test_groups_nobody_asked_about_use_up_nothing() -> None:
    rows = [row("ann", year) for year in range(50)]
    keys = Keys.of("year", [7, 11])
    asked = Measurement((CountUnits(),), Bounds(max_groups=2, max_rows=1), (col("year"),), keys)
    for salt in range(5):
        assert usual_totals(rows, "who", asked, salt) == {(7,): [1], (11,): [1]}


@pytest.mark.parametrize(
    ("costs", "most", "wanted"),
    [([-3, -4], 1, -3), ([3, 4], 1, 3), ([-3, -4], 2, -7), ([-1, -1, -1], 2, -2), ([-5, 4], 1, 0)],
)
def test_weighed_sums_round_toward_zero(costs: list[float], most: int, wanted: int) -> None:
    rows = [row("ann", 1, cost) for cost in costs]
    grid = Grid(lower=-9, upper=9, bits=0)
    asked = Measurement((SumOf(col("cost"), grid),), Bounds(max_groups=1, max_rows=most))
    assert usual_totals(rows, "who", asked, SALT) == {(): [wanted]}


def test_a_replaced_unit_can_cross_the_whole_range() -> None:
    grid = Grid(lower=-9, upper=8, bits=0)
    bounds = Bounds(max_groups=1, max_rows=2)
    asked = Measurement((SumOf(col("cost"), grid),), bounds)
    (low,), (high,) = (
        usual_totals([row("ann", 1, cost)] * 3, "who", asked, SALT)[()] for cost in (-1e9, 1e9)
    )
    allowed = sensitivity(asked.aggregates[0], bounds, Neighbours.REPLACE)
    assert high - low == allowed.cell == 2 * 17
    assert (high - low) ** 2 == allowed.square
    added = sensitivity(asked.aggregates[0], bounds, Neighbours.ADD_REMOVE)
    assert -low == added.cell == added.total == 2 * 9


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize(
    "value", [2, Fraction(5, 2), Fraction(-5, 2), -3, 10**30, -(10**30), 10**50, -(10**50)]
)
def test_integers_compare_exactly_with_rationals(relation: Relation, value: Any) -> None:
    numbers = [-4, -3, -2, 1, 2, 3]
    asked = Measurement(
        (CountRows(),),
        Bounds(max_groups=1, max_rows=1),
        where=_Compared(col("year"), relation, value),
    )
    wanted = sum(RELATIONS[relation.value](number, value) for number in numbers)
    rows = [row("ann", number) for number in numbers]
    assert usual_totals(rows, None, asked, SALT) == {(): [wanted]}


def test_a_replaced_unit_moves_few_cells_if_there_are_few() -> None:
    """All pairs of contributions in −2..3 to at most two of c cells, by brute force."""
    bounds = Bounds(max_groups=2, max_rows=1)
    for cells in (1, 2, 3, 4, 5):
        one = [
            vector
            for vector in product(range(-2, 4), repeat=cells)
            if sum(map(bool, vector)) <= bounds.max_groups
        ]
        moves = [tuple(a - b for a, b in zip(p, q, strict=True)) for p in one for q in one]
        least = Bounds(max_groups=min(2, cells), max_rows=1)
        claimed = cell_sensitivity(-2, 3, least, Neighbours.REPLACE, cells)
        assert claimed.cell == max(max(map(abs, move)) for move in moves)
        assert claimed.cells == max(sum(map(bool, move)) for move in moves)
        assert claimed.total == max(sum(map(abs, move)) for move in moves)
        assert claimed.square == max(sum(x * x for x in move) for move in moves)
