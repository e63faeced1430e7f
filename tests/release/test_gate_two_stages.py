"""A release in two stages: both parts are fixed and proved, charged once, and drawn once each."""

from copy import copy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import BudgetExceeded, NotAdmitted
from leastnoise.ledger.entry import Charge
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.gate import Admitted, Parts, Reserved, admit, admit_first
from leastnoise.release.plan import Plan
from leastnoise.release.price.budget_parts import budget_parts
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT, Spread, UnitSpread

ROWS = pd.DataFrame({"who": [1, 1, 2, 3, 4, 4], "cost": [3.0, 5.0, 100.0, 20.0, 7.0, 9.0]})
PURE, APPROX, CONCENTRATED = PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho="0.1")
LEAKY = ZCDP(rho="0.1", delta="1e-6")
BUDGETS: tuple[Guarantee, ...] = (PURE, APPROX, CONCENTRATED, LEAKY)
KNOTS = (1, 2, 4, 8)
SHARE = Fraction(1, 10)


def asked() -> Plan:
    return ln.plan(ln.read(ROWS, unit="who"), max_groups=1, max_rows=3).count()


def spread_step(part: Any) -> Step:
    rows = Measurement((CountRows(),), Bounds(max_groups=1, max_rows=1))
    spread = UnitSpread(Spread.ROWS_IN_GROUP, KNOTS, rows)
    law: Any
    if isinstance(part, ZCDP):
        law = DiscreteGaussian(SPREAD_WEIGHT**2 / (2 * part.rho))
    else:
        law = DiscreteLaplace(scale=SPREAD_WEIGHT / part.epsilon)
    return Step(spread, CellNoise(law), part)


def ways(budget: Guarantee) -> list[Parts]:
    return list(budget_parts(budget, lambda _: SHARE, private=False))


CASES = [(budget, parts) for budget in BUDGETS for parts in ways(budget)]


def opened(folder: Path, total: Guarantee) -> ln.Ledger:
    return ln.Ledger(folder / "budget.db", total=total, begin=True)


def charged(folder: Path, budget: Guarantee, parts: Parts) -> tuple[ln.Ledger, Any]:
    plan, ledger = asked(), opened(folder, budget)
    first = admit_first(plan.table, [spread_step(parts.first)], budget, parts)
    return ledger, first.charge(ledger, purpose="", labels=None, digest="")


@pytest.mark.parametrize(("budget", "parts"), CASES)
def test_both_parts_are_charged_before_anything_is_drawn(
    budget: Guarantee, parts: Parts, tmp_path: Path
) -> None:
    ledger, paid = charged(tmp_path, budget, parts)
    assert ledger.spent == budget
    assert len(ledger.history()) == 1
    later = paid.later.paid(asked()._priced(parts.rest).drawn_steps)
    assert later.entry == paid.entry
    assert len(ledger.history()) == 1
    assert later.later is None
    assert paid.used()
    assert later.used()


@pytest.mark.parametrize(("budget", "parts"), CASES)
def test_the_ledger_is_told_what_both_parts_add_up_to(budget: Guarantee, parts: Parts) -> None:
    """A budget in ε and δ that is kept by ρ is charged as both; nothing is told twice."""
    costs = admit_first(asked().table, [spread_step(parts.first)], budget, parts).costs
    assert costs[0] == budget
    assert len(set(costs)) == len(costs)
    if isinstance(parts.first, ZCDP) and isinstance(parts.rest, ZCDP):
        one, other = parts.first, parts.rest
        assert costs[-1] == ZCDP(rho=one.rho + other.rho, delta=one.delta + other.delta)


@pytest.mark.parametrize(("budget", "parts"), CASES)
def test_a_second_stage_that_asks_for_more_is_refused(
    budget: Guarantee, parts: Parts, tmp_path: Path
) -> None:
    _, paid = charged(tmp_path, budget, parts)
    with pytest.raises(NotAdmitted, match="together must keep"):
        paid.later.paid(asked()._priced(budget).drawn_steps)
    honest = asked()._priced(parts.rest).drawn_steps
    with pytest.raises(NotAdmitted):
        paid.later.paid([*honest, *asked()._priced(parts.rest).drawn_steps])
    paid.later.paid(honest)  # what was refused took nothing away


def test_the_rest_pays_for_one_list_of_steps(tmp_path: Path) -> None:
    parts = ways(PURE)[0]
    _, paid = charged(tmp_path, PURE, parts)
    steps = asked()._priced(parts.rest).drawn_steps
    paid.later.paid(steps).used()
    for again in (steps, asked()._priced(parts.rest).drawn_steps):
        with pytest.raises(NotAdmitted, match="paid for another"):
            paid.later.paid(again)


@pytest.mark.parametrize(("budget", "parts"), CASES)
def test_parts_that_are_more_than_the_budget_are_refused(budget: Guarantee, parts: Parts) -> None:
    def more(part: Any) -> Any:
        name = "rho" if isinstance(part, ZCDP) else "epsilon"
        return replace(part, **{name: getattr(part, name) * Fraction(101, 100)})

    table = asked().table
    for wrong in (Parts(more(parts.first), parts.rest), Parts(parts.first, more(parts.rest))):
        with pytest.raises(NotAdmitted, match="both parts"):
            admit_first(table, [spread_step(wrong.first)], budget, wrong)
    dear = Parts(parts.first, parts.rest)
    with pytest.raises(NotAdmitted, match="the steps together"):
        admit_first(table, [spread_step(more(parts.first))], budget, dear)
    if isinstance(parts.rest, ApproxDP | ZCDP):
        leaky = replace(parts.rest, delta="1e-5")
        with pytest.raises(NotAdmitted, match="both parts"):
            admit_first(table, [spread_step(parts.first)], budget, Parts(parts.first, leaky))


def test_parts_of_two_kinds_are_refused() -> None:
    mixed = Parts(ZCDP(rho="0.001"), PureDP(epsilon="0.1"))
    with pytest.raises(NotAdmitted, match="of one kind"):
        admit_first(asked().table, [spread_step(mixed.first)], APPROX, mixed)


def test_a_budget_that_has_too_little_charges_nothing(tmp_path: Path) -> None:
    parts, ledger = ways(PURE)[0], opened(tmp_path, PureDP(epsilon="0.5"))
    first = admit_first(asked().table, [spread_step(parts.first)], PURE, parts)
    with pytest.raises(BudgetExceeded):
        first.charge(ledger, purpose="", labels=None, digest="")
    assert not [each for each in ledger.history() if isinstance(each.event, Charge)]


def test_nobody_else_makes_or_copies_what_is_reserved(tmp_path: Path) -> None:
    parts = ways(PURE)[0]
    _, paid = charged(tmp_path, PURE, parts)
    with pytest.raises(TypeError):
        copy(paid.later)
    with pytest.raises(TypeError):
        Reserved(asked().table, PURE, paid.entry, object())
    known = admit(asked().table, [spread_step(parts.first)], parts.first)
    with pytest.raises(TypeError):
        Admitted(known.table, known.steps, known.costs, object(), PURE)
    with pytest.raises((TypeError, ValueError)):
        replace(known, rest=PURE)  # type: ignore[call-arg]


def test_an_ordinary_charge_reserves_nothing(tmp_path: Path) -> None:
    ledger = opened(tmp_path, PURE)
    paid = asked().admitted(PURE).charge(ledger, purpose="", labels=None, digest="")
    assert paid.later is None


def test_what_cannot_be_divided_is_refused() -> None:
    with pytest.raises(ln.errors.UnsupportedQuery, match="PureDP, ApproxDP or ZCDP"):
        ways(GDP(mu=1))


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_parts_are_the_share_and_the_rest(budget: Guarantee) -> None:
    for parts in ways(budget):
        if isinstance(parts.first, ZCDP):
            assert isinstance(parts.rest, ZCDP)
            assert parts.first.rho * 9 == parts.rest.rho
            assert parts.first.delta == 0
        else:
            assert parts.first.epsilon * 9 == parts.rest.epsilon  # type: ignore[union-attr]
