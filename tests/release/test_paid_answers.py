"""What was charged must be answered, told and kept: odd budgets and empty tables lose nothing."""

from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.result.forecast import shown_ratio
from leastnoise.release.result.plan_release import PlanRelease

FRAME = pd.DataFrame({"who": [1, 2, 2, 3], "city": list("abab"), "cost": [1.0, 2, 3, 4]})
HUGE = [
    PureDP(epsilon=2**20),
    ApproxDP(epsilon=3000, delta="1e-3"),
    ApproxDP(epsilon=4096, delta="1e-3"),
    ZCDP(rho=2500),
    ZCDP(rho=5000),
]


@pytest.mark.spread(5)
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize("budget", HUGE, ids=repr)
def test_what_was_charged_can_be_written_and_read_again(
    budget: Guarantee, neighbours: str, tmp_path: Path
) -> None:
    asked = (
        ln.plan(ln.read(FRAME, unit="who", neighbours=neighbours), max_groups=2, max_rows=1)
        .count(name="rows")
        .mean("cost", lower=0, upper=4, by="city", keys=["a", "b"], name="costs")
    )
    for each in (asked, ln.plan(asked.table, max_rows=1, measure_cut=False).count()):
        assert str(each.preview(budget))
        own = ln.Ledger(tmp_path / f"{each.digest}.db", total=budget, begin=True)
        made = each.release(budget, ledger=own)
        assert str(made)
        assert PlanRelease.from_json(made.to_json()).to_json() == made.to_json()


def test_ratios_beyond_all_floats_are_rounded_up() -> None:
    assert shown_ratio(Fraction(12345, 1000)) == "12.4"
    assert shown_ratio(Fraction(10) ** 400 + 1) == "1.001·10⁴⁰⁰"


def test_a_budget_without_epsilon_measures_no_cut_and_says_so(tmp_path: Path) -> None:
    budget = ApproxDP(epsilon=0, delta="1e-3")
    asked = (
        ln.plan(ln.read(FRAME, unit="who"), max_groups=1, max_rows=1, most_rows=4)
        .count(name="rows")
        .sum("cost", lower=0, upper=4, by="city", keys=["a", "b"], name="costs")
    )
    made = asked.release(budget, ledger=ln.Ledger(tmp_path / "own.db", total=budget, begin=True))
    for table in made.tables:
        assert table.cut is None
        assert any("not measured" in note for note in table.notes)


def test_a_regression_of_groups_that_none_is_shown_of(tmp_path: Path) -> None:
    budget = ApproxDP(epsilon=1, delta="1e-9")
    asked = ln.plan(ln.read(FRAME, unit="who"), max_groups=1, max_rows=1).regression(
        "cost", ["who"], lower=0, upper=4, on_lower=[0], on_upper=[4], by="city", keys="private"
    )
    made = asked.release(budget, ledger=ln.Ledger(tmp_path / "own.db", total=budget, begin=True))
    assert len(made.tables[0]) == 0
