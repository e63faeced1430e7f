"""How far one unit moves what marginals add noise to: the gate's reckoning against brute force."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import NotAdmitted
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.release.gate import admit
from leastnoise.release.plan import Plan
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.marginals_move import (
    is_signed,
    square_of_exchange,
    square_of_one,
)
from leastnoise.release.step.step import Step
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.residuals.residual_workload import ResidualWorkload
from leastnoise.tabulation.signed.pure_marginals import PureMarginals
from leastnoise.tabulation.signed.signed_plan import SignedGroup, SignedPlan
from leastnoise.tabulation.signed.signed_table import SignedTable
from tests.tabulation.test_pure_marginals import all_ways
from tests.tabulation.test_residual_planner import cells, measured, person

TINY = PureDP(epsilon="1e-17")
PURE, HALF = PureDP(epsilon=1), ZCDP(rho="0.5")
LOPSIDED = ResidualWorkload({"a": 2, "b": 2, "c": 3}, [("a", "c"), ("b", "c"), "a"])
CHAIN = ResidualWorkload(dict.fromkeys("abcd", 2), [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
MANY = ResidualWorkload({"a": 3, "b": 3, "c": 4, "d": 3}, [("a", "b", "c"), ("c", "d"), ()])
ROWS = pd.DataFrame(
    {
        "who": np.arange(60) // 2,
        "sick": np.arange(60) % 2 == 0,
        "tall": np.arange(60) % 3 == 0,
        "kind": np.arange(60) % 5,
        "city": np.arange(60) % 7,
    }
)
KEYS = {"kind": list(range(5)), "city": list(range(7))}


def vectors(planner: ResidualPlanner) -> Iterator[list[int]]:
    for cell in cells(planner.workload):
        parts = measured(planner, person(planner.workload, cell)).values()
        yield [int(x) for part in parts for x in part.ravel()]


def farthest(moved: list[list[int]]) -> int:
    """Of any person exchanged for another, or for nobody."""
    return max(
        sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
        for one, other in combinations([*moved, [0] * len(moved[0])], 2)
    )


@pytest.mark.parametrize(
    "workload",
    [
        all_ways((2, 2, 2), 2),
        all_ways((2, 2, 2, 2), 3),
        all_ways((2, 3, 3), 2),
        all_ways((3, 4), 1),
        all_ways((2, 3, 4), 2),
        all_ways((3, 3), 2),
    ],
    ids=repr,
)
def test_exchanges_move_as_far_as_reckoned(workload: ResidualWorkload) -> None:
    planner = ResidualPlanner(workload, guarantee=HALF)
    moved = list(vectors(planner))
    assert {sum(x * x for x in vector) for vector in moved} == {square_of_one(planner.plan)}
    assert square_of_exchange(planner.plan) == farthest(moved) < 4 * square_of_one(planner.plan)


def test_units_of_several_rows_move_no_farther() -> None:
    """Every exchange of two rows for two others, or for fewer: M² times as far at most."""
    planner = ResidualPlanner(all_ways((2, 3), 1), guarantee=HALF)
    one = [np.array(vector, dtype=object) for vector in vectors(planner)]
    none = 0 * one[0]
    units = [a + b for a, b in product([*one, none], repeat=2)]
    most = 4 * square_of_exchange(planner.plan)
    moves = [int(((a - b) ** 2).sum()) for a, b in product(units, repeat=2)]
    assert max(moves) == most


@pytest.mark.parametrize("workload", [LOPSIDED, CHAIN, MANY], ids=repr)
def test_what_is_not_symmetric_pays_what_surely_is_enough(workload: ResidualWorkload) -> None:
    planner = ResidualPlanner(workload, guarantee=HALF)
    found, one = square_of_exchange(planner.plan), square_of_one(planner.plan)
    assert farthest(list(vectors(planner))) <= found < 4 * one


def test_one_way_tables_of_many_sizes_are_reckoned_exactly() -> None:
    plan = ResidualPlanner(all_ways(tuple(range(3, 22)), 1), guarantee=HALF).plan
    squares = {len(places): places for places in plan.workload.residuals}
    assert set(squares) == {0, 1}
    exact = sum(
        2 * g * g * plan.workload.attributes[places[0]][1] ** 2
        for places, g in zip(plan.workload.residuals, plan.multipliers, strict=True)
        if places
    )
    assert square_of_exchange(plan) == exact


def test_one_who_is_gone_counts_too() -> None:
    """Where the number of people is measured most precisely, nobody differs more than nobody."""
    workload = ResidualWorkload({"a": 3}, {(): 1000, "a": "0.001"})
    plan = ResidualPlanner(workload, guarantee=HALF).plan
    assert square_of_exchange(plan) == square_of_one(plan)


def test_many_columns_are_reckoned_by_their_kinds() -> None:
    planner = ResidualPlanner(all_ways((2,) * 20, 2), guarantee=HALF)
    times = square_of_exchange(planner.plan) / square_of_one(planner.plan)
    assert 1.9 < times < 2.1


def asked(unit: str | None, neighbours: str, ways: int = 2) -> Plan:
    table = ln.read(ROWS, unit=unit, neighbours=neighbours)
    start = ln.plan(table, max_groups=1, max_rows=2, measure_cut=False)
    return start.marginals(["sick", "tall", "kind", "city"], ways=ways, keys=KEYS)


def step_of(plan: Plan, budget: Any) -> Step:
    (step,) = plan._priced(budget).admitted(budget).steps
    return step


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize("unit", [None, "who"])
def test_every_group_of_joint_noise_is_priced(unit: str | None, neighbours: str) -> None:
    plan = asked(unit, neighbours)
    step = step_of(plan, PURE)
    mechanism = step.mechanism
    assert isinstance(mechanism, PureMarginals)
    groups = mechanism.plan.groups
    assert len(groups) > 1
    for place in range(len(groups)):
        louder = [
            replace(group, rate=group.rate * (1 + (i == place) / Fraction(100)))
            for i, group in enumerate(groups)
        ]
        changed = PureMarginals(**mechanism.parameters)
        object.__setattr__(changed, "plan", replace(mechanism.plan, groups=tuple(louder)))
        with pytest.raises(NotAdmitted):
            admit(plan.table, [replace(step, mechanism=changed)], PURE)


def test_a_sign_for_three_values_is_refused() -> None:
    plan = asked(None, "add_remove")
    step = step_of(plan, PURE)
    mechanism = step.mechanism
    assert isinstance(mechanism, PureMarginals)
    for table in (SignedTable((2,), ()), SignedTable((0,), (0, 2)), SignedTable((0, 0), ())):
        wrong = SignedPlan(
            mechanism.workload, mechanism.plan.signs, (SignedGroup((table,), Fraction(1, 100)),)
        )
        assert not is_signed(wrong)
        changed = PureMarginals(**mechanism.parameters)
        object.__setattr__(changed, "plan", wrong)
        with pytest.raises(NotAdmitted):
            admit(plan.table, [replace(step, mechanism=changed)], PURE)


def test_joint_noise_is_for_these_tables_and_this_promise_only() -> None:
    plan = asked(None, "add_remove")
    step = step_of(plan, PURE)
    other = PureMarginals(all_ways((2, 2, 5, 7), 2), guarantee=PURE)
    for changed in (
        replace(step, mechanism=other),
        replace(step, claim=ZCDP(rho=1)),
        replace(step, asked=replace_where(step)),
    ):
        with pytest.raises(NotAdmitted):
            admit(plan.table, [changed], PureDP(epsilon=10))


def replace_where(step: Step) -> Histograms:
    assert isinstance(step.asked, Histograms)
    return Histograms(step.asked.groupings, step.asked.max_rows, None)


@pytest.mark.parametrize("unit", [None, "who"])
def test_replaced_units_pay_for_what_they_move(unit: str | None) -> None:
    one, two = (step_of(asked(unit, each), HALF) for each in ("add_remove", "replace"))
    assert isinstance(one.mechanism, ResidualPlanner)
    assert isinstance(two.mechanism, ResidualPlanner)
    name = ("sick", "kind")
    times = float(two.mechanism.variance(name)) / float(one.mechanism.variance(name))
    assert 1.5 < times < 2.5  # and not 4


def test_noise_too_wide_to_be_joint_is_not() -> None:
    assert isinstance(step_of(asked(None, "add_remove"), TINY).mechanism, CellNoise)


def test_the_better_noise_is_taken() -> None:
    assert isinstance(step_of(asked(None, "add_remove"), PURE).mechanism, PureMarginals)
    assert isinstance(step_of(asked(None, "add_remove", ways=4), PURE).mechanism, CellNoise)


def test_joint_answers_agree(tmp_path: Path) -> None:
    plan, budget = asked("who", "add_remove"), PureDP(epsilon=50)
    ledger = ln.Ledger(tmp_path / "budget.db", total=budget, mode="pure", begin=True)
    found = plan.release(budget, ledger=ledger)["marginals of sick, tall, kind, city, 2 ways"]
    pairs = list(zip(found.rows, found.values, strict=True))
    first = sum(value for row, value in pairs if row[0] and row[1] is not None)
    second = sum(value for row, value in pairs if row[0] and row[2] is not None)
    assert first == pytest.approx(second)
    assert first == pytest.approx(30, abs=10)
    assert found.mechanism == "PureMarginals at ε = 50"
    assert np.all(found.lower < found.upper)
