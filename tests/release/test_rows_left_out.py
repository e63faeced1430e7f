"""Rows that other answers do not hold are counted with noise, if somebody asks."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.auditing.plans import audit_plan
from leastnoise.errors import InvalidParameter, NotAdmitted
from leastnoise.mechanisms.joint.joint_part import JointPart
from leastnoise.mechanisms.joint.part import Box, Everyone
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.bounds import ONE_ROW
from leastnoise.release.gate import admit
from leastnoise.release.measure.measure import measure
from leastnoise.release.plan import Plan
from leastnoise.release.step.aggregate import CountRows, CountUnits
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.step import Step
from leastnoise.release.step.step_price import keeps_claim
from leastnoise.release.step.unowned_rows import UnownedRows

ROWS: list[tuple[int | None, float]] = [(1, 5.0), (1, 700.0), (None, 9.0), (2, -3.0), (None, 800.0)]
HUGE = PureDP(epsilon=10**6)


def table_of(rows: Any = ROWS, **more: Any) -> Any:
    data = pd.DataFrame(list(rows), columns=["who", "x"]).astype({"who": "Int64", "x": float})
    return ln.read(data, **{"unit": "who", **more})


def planned(**more: Any) -> Plan:
    return ln.plan(table_of(**more), max_rows=5, max_groups=1, measure_cut=False)


def released(asked: Plan, folder: Path) -> Any:
    ledger = ln.Ledger(folder / "budget.db", total=HUGE, begin=True)
    return asked.release(HUGE, ledger=ledger)


def test_rows_of_nobody_are_counted_and_told(tmp_path: Path) -> None:
    found = released(planned().without_unit().count(), tmp_path)
    assert found["rows without a who"].values.tolist() == [2]
    assert found["count"].values.tolist() == [3]
    assert "each taken for a unit of its own" in found.facts.questions[0].words


def test_values_beyond_the_range_are_counted_and_told_beside_answers(tmp_path: Path) -> None:
    asked = planned().outside("x", lower=0, upper=500).sum("x", lower=0, upper=500)
    asked = asked.sum("x", lower=0, upper=400, name="another range")
    asked = asked.mean("x", lower=0, upper=500, where=ln.col("x") > 1)
    found = released(asked, tmp_path)
    assert found.tables[0].values.tolist() == [2]
    told = ": about 2 (2 – 2) of the rows that count"
    assert [any(told in note for note in each.notes) for each in found.tables] == [
        False,
        True,
        False,
        False,
    ]


def test_one_row_of_nobody_moves_its_own_number_by_one_and_no_other() -> None:
    """All tables of some of the rows, and each of them without one row."""
    asked = [UnownedRows(), Measurement((CountRows(),), ONE_ROW)]
    table = table_of()
    assert reach_of(UnownedRows(), table).total == 1
    known = {
        rows: [int(each.totals[0][0]) for each in measure(table_of(rows), asked)]
        for size in (2, 3, 5)
        for rows in combinations(ROWS, size)
    }
    for rows, (nobodys, counted) in known.items():
        assert nobodys == sum(who is None for who, _ in rows)
        assert counted == len({who for who, _ in rows} - {None})


@pytest.mark.parametrize("budget", [PureDP(epsilon=1), ZCDP(rho="0.1")], ids=repr)
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_it_is_priced_as_one_number_that_one_row_moves(budget: Guarantee, neighbours: str) -> None:
    asked = planned(neighbours=neighbours).without_unit()
    (step,) = asked.admitted(budget).steps
    assert step.asked == UnownedRows()
    assert step.claim == budget
    plain = ln.plan(table_of(unit=None, neighbours=neighbours)).count(where=ln.col("x") > 0)
    assert asked.preview(budget)[0].interval == plain.preview(budget)[0].interval
    less = type(budget)(**{name: value / 2 for name, value in vars(budget).items() if value})
    with pytest.raises(NotAdmitted):
        admit(asked.table, [step], less)


def test_beside_others_it_shares_a_plan() -> None:
    asked = planned().without_unit().count().sum("x", lower=0, upper=10)
    for budget in (PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho="0.1")):
        assert len(asked.preview(budget)) == 3
    found = audit_plan(asked, orders=1)
    assert not found.violated, str(found)


def test_nobody_can_ask_for_other_rows_as_units() -> None:
    with pytest.raises(TypeError):
        UnownedRows((CountRows(),), ONE_ROW)  # type: ignore[call-arg]
    assert UnownedRows() != Measurement((CountRows(),), ONE_ROW)


def test_it_needs_a_column_of_units() -> None:
    with pytest.raises(InvalidParameter, match="a column of units"):
        planned(unit=None).without_unit()


@pytest.mark.parametrize(
    "budget", [PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho="0.1")]
)
def test_rows_without_a_unit_share_no_noise(budget: Guarantee) -> None:
    """Whoever shares a draw with the number of units must be one of them."""
    rows = pd.DataFrame({"who": ["a", None], "city": ["x", "y"]})
    table = ln.read(rows, unit="who", types={"who": "text", "city": "text"})
    asked = ln.plan(table, max_groups=1, max_rows=1, measure_cut=False)
    asked = asked.count_units().count(by="city", keys=["x", "y"]).without_unit()
    steps = asked.admitted(budget).steps
    (own,) = [each for each in steps if isinstance(each.asked, UnownedRows)]
    assert not isinstance(own.mechanism, JointPart)
    shared = TwoCounterNoise(1, [Everyone(), Box(0, 1)])
    both = [
        Step(Measurement((CountUnits(),), ONE_ROW), JointPart(shared, 0), PureDP(epsilon=1)),
        Step(UnownedRows(), JointPart(shared, 1), PureDP(epsilon=1)),
    ]
    assert keeps_claim(both[0], table)
    assert not keeps_claim(both[1], table)
