"""Plans whose bounds are chosen from the data: charged once, in two stages, from public numbers."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import (
    BackendError,
    BudgetExceeded,
    InvalidParameter,
    NotAdmitted,
    UnsupportedQuery,
)
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release import second_stage as stage
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.draw.drawn import Drawn
from leastnoise.release.plan import Plan
from leastnoise.release.price.choosing import Choosing
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT, UnitSpread

CITIES = [f"city {place}" for place in range(2000)]  # most are empty: many answers share a bound
PURE, APPROX, RHO = PureDP(epsilon=100), ApproxDP(epsilon=100, delta="1e-6"), ZCDP(rho=200)
BUDGETS: tuple[Guarantee, ...] = (PURE, APPROX, RHO)


def visits(units: int = 400, rows: int = 6, groups: int = 3) -> pd.DataFrame:
    """Everybody has so many rows in each of so many cities."""
    each = rows * groups
    who = np.repeat(np.arange(units), each)
    city = np.array(CITIES)[(who + np.tile(np.arange(each) % groups, units)) % 20]
    return pd.DataFrame({"who": who, "city": city, "cost": 1.0})


def planned(**bounds: Any) -> Plan:
    table = ln.read(visits(), unit="who")
    start = ln.plan(table, measure_cut=False, **bounds)
    return start.count(by="city", keys=CITIES, name="visits")


def ledger(folder: Path, total: Guarantee) -> ln.Ledger:
    return ln.Ledger(folder / "budget.db", total=total, begin=True)


AUTO: dict[str, Any] = {"max_groups": "auto", "max_rows": "auto"}


@pytest.mark.parametrize("budget", BUDGETS)
def test_with_a_large_budget_the_bounds_are_what_units_have(
    budget: Guarantee, tmp_path: Path
) -> None:
    own = ledger(tmp_path, budget)
    made = planned(**AUTO).release(budget, ledger=own)
    assert made.bounds == {"visits": {"max_groups": 3, "max_rows": 6}}
    assert own.spent == budget
    assert len(own.history()) == 1
    assert made.guarantee == budget
    assert abs(int(made["visits"].values[:20].sum()) - len(visits())) < 100
    again = PlanRelease.from_json(made.to_json())
    assert again.facts == made.facts
    assert again.bounds == made.bounds


def test_one_bound_may_be_given() -> None:
    for given, other in (("max_groups", "max_rows"), ("max_rows", "max_groups")):
        choosing = planned(**{given: 2, other: "auto"})._choosing(PURE)
        assert choosing is not None
        assert choosing.needed["visits"].chosen == {other}
        assert len(choosing.steps) == 2  # what is given, above 1, matters for the other
        one = planned(**{given: 1, other: "auto"})._choosing(PURE)
        assert one is not None
        assert len(one.steps) == 1


def test_what_was_chosen_can_be_given_to_the_next_plan(tmp_path: Path) -> None:
    own = ledger(tmp_path, PureDP(epsilon=200))
    first = planned(**AUTO).release(PURE, ledger=own)
    second = planned(**first.bounds["visits"])
    assert second._choosing(PURE) is None
    made = second.release(PURE, ledger=own)
    assert made.facts.chosen is None
    assert made.bounds == first.bounds


def shown(choosing: Choosing, at: Mapping[int, int]) -> list[Drawn]:
    """As if the first stage had shown so many units at each knot, and nobody elsewhere."""
    found = []
    for step in choosing.steps:
        assert isinstance(step.asked, UnitSpread)
        weights = [at.get(knot, 0) * SPREAD_WEIGHT for knot in step.asked.knots]
        found.append(Drawn((), (np.array(weights, np.int64),)))
    return found


def test_bounds_are_a_function_of_what_was_shown_and_of_nothing_else() -> None:
    """Two tables, one plan, the same numbers shown: the same steps follow."""
    for table in (visits(), visits(units=5, rows=1, groups=1)):
        start = ln.plan(ln.read(table, unit="who"), measure_cut=False, **AUTO)
        asked = start.count(by="city", keys=CITIES, name="visits")
        choosing = asked._choosing(PURE)
        assert choosing is not None
        found = choosing.bounds(choosing.hats(shown(choosing, {4: 10_000})))
        assert found == {"visits": Bounds(max_groups=4, max_rows=4)}
        priced = choosing.then(found)
        assert [step.claim for step in priced.drawn_steps] == [choosing.parts.rest]


def test_the_second_stage_measures_under_the_bounds_that_were_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    real = stage.totals_of  # type: ignore[attr-defined]

    def noted(table: Any, steps: Any, *more: Any) -> Any:
        asked.extend(step.asked.bounds for step in steps)
        return real(table, steps, *more)

    monkeypatch.setattr(stage, "totals_of", noted)
    made = planned(**AUTO).release(PURE, ledger=ledger(tmp_path, PURE))
    assert asked == [Bounds(**made.bounds["visits"])]


def test_the_charge_comes_before_any_noise(tmp_path: Path) -> None:
    own = ledger(tmp_path, PureDP(epsilon=99))
    with pytest.raises(BudgetExceeded):
        planned(**AUTO).release(PURE, ledger=own)
    assert not own.history()


def test_an_engine_that_fails_between_the_stages_loses_the_charge_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any) -> Any:
        raise BackendError("nothing was charged, and here is a name")

    monkeypatch.setattr(stage, "totals_of", failing)
    own = ledger(tmp_path, PURE)
    with pytest.raises(BackendError, match="The charge stands") as refusal:
        planned(**AUTO).release(PURE, ledger=own)
    assert refusal.value.__cause__ is None
    assert refusal.value.__context__ is None
    assert own.spent == PURE


def test_a_search_that_asks_for_more_than_the_rest_gets_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Choosing, "then", lambda *_: planned(**AUTO)._priced(PURE))
    with pytest.raises(NotAdmitted, match="together must keep"):
        planned(**AUTO).release(PURE, ledger=ledger(tmp_path, PURE))


def test_nothing_to_choose_costs_nothing() -> None:
    rows = ln.plan(ln.read(visits(), unit=None), **AUTO).count()
    assert rows._choosing(PURE) is None
    units = ln.plan(ln.read(visits(), unit="who"), **AUTO).count_units()
    assert units._choosing(PURE) is None
    assert units.preview(PURE)


def test_bad_words_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="a number or 'auto'"):
        planned(max_groups="all", max_rows=1)


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_preview_says_what_the_choice_costs(budget: Guarantee) -> None:
    asked = planned(**AUTO).count(name="all")
    told = asked.preview(budget)
    assert "chosen from the data" in " ".join(str(told).split())
    assert "times for 8" in " ".join(str(told).split())
    assert sum(each.share for each in told) < 1
    assert asked.admitted(budget).costs[0] == budget


def test_for_one_total_the_preview_advises_the_cap() -> None:
    one = ln.plan(ln.read(visits(), unit="who"), max_rows="auto").count()
    assert "cannot choose well" in " ".join(str(one.preview(PURE)).split())
    assert "cannot choose well" not in " ".join(str(planned(**AUTO).preview(PURE)).split())


def test_every_kind_of_question_can_have_its_bounds_chosen(tmp_path: Path) -> None:
    table = ln.read(visits(), unit="who")
    asked = (
        ln.plan(table, **AUTO)
        .sum("cost", lower=0, upper=2, by="city", keys=CITIES[:20])
        .mean("cost", lower=0, upper=2)
        .histogram("cost", lower=0, upper=2, parts=4)
        .quantiles("cost", [0.5], lower=0, upper=2, parts=16)
        .count(by="city", keys="private", name="found")
        .count_units(by="city", keys="private", name="people")
        .most_common("city", count=2, keys=CITIES[:20])
    )
    made = asked.release(APPROX, ledger=ledger(tmp_path, APPROX))
    assert len(made.tables) == 7
    assert made.facts.chosen is not None
    assert made.facts.chosen.names == ("max_groups", "max_rows")


def test_bounds_that_the_rest_cannot_pay_for_are_made_smaller() -> None:
    choosing = planned(**AUTO)._choosing(PURE)
    assert choosing is not None

    def poor(questions: Any, budget: Guarantee) -> Any:
        found = choosing.pricing(questions, budget)
        (first, *_) = found.questions[0].measurements(found.table)
        assert isinstance(first, Measurement)
        assert isinstance(first.bounds, Bounds)
        if first.bounds.max_rows > most:
            raise UnsupportedQuery("too dear")
        return found

    less, bounds = replace(choosing, pricing=poor), {"visits": Bounds(max_groups=3, max_rows=16)}
    most = 5
    asked = less.then(bounds).drawn_steps[0].asked
    assert asked.bounds == Bounds(max_groups=1, max_rows=4)  # type: ignore[union-attr]
    most = 0
    assert less.then(bounds) is choosing.priced


def test_bounds_under_which_no_group_can_be_shown_are_made_smaller() -> None:
    asked = ln.plan(ln.read(visits(), unit="who"), **AUTO).count(by="city", keys="private")
    choosing = asked._choosing(ApproxDP(epsilon="0.01", delta="1e-12"))
    assert choosing is not None
    (name,) = choosing.needed
    found = choosing.then({name: Bounds(max_groups=4096, max_rows=4096)})
    assert found.admitted(choosing.parts.rest).steps[0].asked.bounds.max_groups < 4096  # type: ignore[union-attr]


def test_questions_about_other_groups_have_bounds_of_their_own(tmp_path: Path) -> None:
    made = planned(**AUTO).count(name="all").release(PURE, ledger=ledger(tmp_path, PURE))
    assert made.bounds["visits"]["max_rows"] < 18 <= made.bounds["all"]["max_rows"]


def test_one_question_may_choose_and_others_not() -> None:
    asked = planned(max_groups=2, max_rows=3).count(name="all", max_rows="auto")
    choosing = asked._choosing(PURE)
    assert choosing is not None
    assert set(choosing.needed) == {"all"}
    given = planned(**AUTO).count(name="all", max_rows=5)._choosing(PURE)
    assert given is not None
    assert set(given.needed) == {"visits"}
