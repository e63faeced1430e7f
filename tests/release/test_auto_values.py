"""Plans whose ranges of values are chosen from the data: charged once, in two stages."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.chosen_ends import TOLD_APART
from leastnoise.release.ask.question_parts import square_grid
from leastnoise.release.plan import Plan
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.step.unit_spread import Spread, UnitSpread
from tests.attacks.seeded import SeededSource

PURE, APPROX, RHO = PureDP(epsilon=4), ApproxDP(epsilon=4, delta="1e-6"), ZCDP(rho=1)
BUDGETS: tuple[Guarantee, ...] = (PURE, APPROX, RHO)
AUTO: dict[str, Any] = {"lower": "auto", "upper": "auto"}
CITIES = [str(place) for place in range(10)]


def costs() -> pd.DataFrame:
    """Heavy tails: a lognormal column; and one far from 0, with some values missing."""
    rng = np.random.default_rng(17)
    size = 8000
    return pd.DataFrame(
        {
            "who": np.arange(size) // 2,
            "city": rng.integers(0, 10, size).astype(str),
            "cost": rng.lognormal(3, 1.5, size),
            "year": np.where(rng.random(size) < 0.1, np.nan, rng.normal(1000, 20, size)),
        }
    )


COSTS = costs()


def planned(unit: str | None = None, **bounds: Any) -> Plan:
    return ln.plan(ln.read(COSTS, unit=unit), measure_cut=False, **bounds)


def ledger(folder: Path, total: Guarantee) -> ln.Ledger:
    return ln.Ledger(folder / "budget.db", total=total, begin=True)


@pytest.mark.spread(3)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("unit", [None, "who"])
def test_chosen_ranges_are_sensible_and_charged_once(
    budget: Guarantee, unit: str | None, tmp_path: Path
) -> None:
    bounds = {} if unit is None else {"max_rows": "auto", "max_groups": "auto"}
    asked = (
        planned(unit, **bounds)
        .sum("cost", **AUTO, by="city", keys=CITIES, name="sums")
        .mean("year", **AUTO, name="mean")
    )
    own = ledger(tmp_path, budget)
    made = asked.release(budget, ledger=own, source=SeededSource(17))
    assert own.spent == budget
    assert len(own.history()) == 1
    sums, mean = made.ranges["sums"], made.ranges["mean"]
    assert sums["lower"] == 0
    assert 20 < sums["upper"] < 3000
    assert 400 < mean["lower"] < 1000 < mean["upper"] < 2500
    assert abs(made["mean"].values[0] - 1000) < 20
    total = np.clip(COSTS["cost"], sums["lower"], sums["upper"]).sum()
    assert abs(made["sums"].values.sum() / total - 1) < 0.3
    again = PlanRelease.from_json(made.to_json())
    assert again.facts == made.facts
    assert again.ranges == made.ranges
    words = made.facts.questions[0].words
    assert "lower and upper were chosen from noisy numbers" in words
    assert f"0 … {sums['upper']:g}" in words
    assert made.facts.chosen is not None
    assert {"lower", "upper"} <= set(made.facts.chosen.names)
    assert made.facts.chosen.spreads[-1].knots[-1] == 2**24


@pytest.mark.spread(2)
@pytest.mark.parametrize("budget", BUDGETS)
def test_variances_have_their_ranges_chosen_too(budget: Guarantee, tmp_path: Path) -> None:
    asked = (
        planned()
        .std("year", **AUTO, name="std")
        .variance("year", **AUTO, name="variance")
        .variance("cost", lower=0, upper="auto", by="city", keys=CITIES, name="costs")
    )
    own = ledger(tmp_path, budget)
    made = asked.release(budget, ledger=own, source=SeededSource(17))
    assert own.spent == budget
    assert made.ranges["std"] == made.ranges["variance"]  # one noise for both
    assert 400 < made.ranges["std"]["lower"] < 1000 < made.ranges["std"]["upper"] < 2500
    assert made["std"].values[0] ** 2 == pytest.approx(made["variance"].values[0])
    assert made["std"].lower[0] < 20 < made["std"].upper[0]
    upper = made.ranges["costs"]["upper"]
    assert 20 < upper < 3000
    truth = COSTS.assign(cost=COSTS["cost"].clip(0, upper)).groupby("city")["cost"].var(ddof=0)
    held = (made["costs"].lower <= truth[CITIES]) & (truth[CITIES] <= made["costs"].upper)
    assert held.sum() >= 7
    assert "lower and upper were chosen from noisy numbers" in made.facts.questions[1].words


@pytest.mark.parametrize("low", [1, 3, 2**23, -(2**23)])
def test_every_range_that_may_be_chosen_has_squares(low: int) -> None:
    """Else a release would fail after its charge."""
    grid = square_grid(low, low + TOLD_APART * abs(low))
    assert grid.most > grid.least


def test_what_was_chosen_can_be_given_to_the_next_question(tmp_path: Path) -> None:
    own = ledger(tmp_path, PureDP(epsilon=8))
    first = planned().sum("cost", lower=0, upper="auto", name="s").release(PURE, ledger=own)
    assert first.ranges["s"]["lower"] == 0
    assert "(upper was chosen" in first.facts.questions[0].words
    ends = first.ranges["s"]
    second = planned().sum("cost", lower=ends["lower"], upper=ends["upper"], name="s")
    assert second._choosing(PURE) is None
    assert second.release(PURE, ledger=own).ranges == {}


def test_questions_about_one_column_share_its_spread_and_its_price() -> None:
    one = planned().sum("cost", **AUTO, by="city", keys=CITIES)
    both = one.mean("cost", lower=0, upper="auto")
    for asked in (one, both):
        choosing = asked._choosing(PURE)
        assert choosing is not None
        (step,) = choosing.steps
        assert isinstance(step.asked, UnitSpread)
        assert step.asked.of is Spread.VALUES
        assert step.claim == choosing.parts.first
    other = both.mean("year", **AUTO)._choosing(PURE)
    assert other is not None
    assert len(other.steps) == 2


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_gate_prices_both_stages_and_the_preview_tells_it(budget: Guarantee) -> None:
    asked = planned().mean("cost", **AUTO, name="m").count(by="city", keys=CITIES)
    assert asked.admitted(budget).costs[0] == budget
    told = asked.preview(budget)
    choosing = asked._choosing(budget)
    assert choosing is not None
    share = f"{100 * float(choosing.share):.3g} % of the budget"
    assert f"m: lower and upper are chosen from the data, for {share}" in " ".join(
        str(told).split()
    )
    assert "grows with upper − lower" in " ".join(str(told).split())
    assert sum(each.share for each in told) < 1
    small = planned().sum("cost", lower=-5, upper="auto").preview(budget)
    assert "upper is chosen" in " ".join(str(small).split())
    assert "from -5 to 1, and grows with the larger of |lower| and |upper|" in " ".join(
        str(small).split()
    )


def test_a_plan_without_auto_has_one_stage() -> None:
    assert planned().sum("cost", lower=0, upper=5)._choosing(PURE) is None
    assert planned(max_rows="auto").sum("cost", lower=0, upper=5)._choosing(PURE) is None


def test_wrong_words_and_other_kinds_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="a number or 'auto'"):
        planned().sum("cost", lower="all", upper=5)
    with pytest.raises(InvalidParameter, match="must leave room"):
        planned().mean("cost", lower=2**24, upper="auto")
    with pytest.raises(InvalidParameter, match="middle of a range must be known"):
        planned().mean("cost", **AUTO, missing="middle")
    kinds: tuple[Callable[[], Plan], ...] = (
        lambda: planned().covariance("cost", "year", **AUTO, other_lower=0, other_upper=9),
        lambda: planned().histogram("cost", **AUTO, parts=4),
        lambda: planned().quantiles("cost", [0.5], lower=0, upper="auto", parts=16),
        lambda: planned().median("cost", **AUTO, parts=16),
        lambda: planned().ratio(
            "cost", "year", lower=0, upper=5, over_lower="auto", over_upper="auto"
        ),
    )
    for wrong in kinds:
        with pytest.raises(InvalidParameter, match=r"with 'auto' first|a finite number"):
            wrong()


def test_a_budget_cannot_be_sought_for_a_range_that_is_not_known() -> None:
    with pytest.raises(InvalidParameter, match="must be numbers where a budget is sought"):
        planned().sum("cost", **AUTO, name="s").needed({"s": 5})


def test_bounds_of_a_unit_that_are_given_stay(tmp_path: Path) -> None:
    asked = planned("who", max_rows=2).sum("cost", lower=0, upper="auto", name="s")
    choosing = asked._choosing(PURE)
    assert choosing is not None
    assert not choosing.needed
    own = ledger(tmp_path, PURE)
    made = asked.release(PURE, ledger=own, source=SeededSource(17))
    assert made.bounds == {"s": {"max_rows": 2}}
    assert 100 < made.ranges["s"]["upper"] < 20_000
