"""What is told before a charge, charges that are made once, and pages of lines."""

from pathlib import Path
from typing import Any

import pytest

from leastnoise.errors import BudgetExceeded, LedgerError
from leastnoise.ledger import Ledger, store
from leastnoise.ledger.ahead import Ahead, ahead, ahead_of_beginning, earlier_line, earlier_words
from leastnoise.ledger.mode import Mode
from leastnoise.privacy import ZCDP, ApproxDP, PureDP

ONE, TENTH = PureDP(epsilon=1), PureDP(epsilon="0.1")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "budget.db", total=ONE, begin=True)


def test_a_charge_that_fits_and_one_that_does_not(ledger: Ledger) -> None:
    fits = ahead(ledger, (TENTH,), {})
    assert fits.fits
    assert fits.verdict == "ε: 1 total − 0 spent − 0.1 for this plan = 0.9 left"
    assert fits.lines("now")[0].startswith("ε  ")
    assert fits.lines("now")[0].endswith("1 total − 0 spent − 0.1 now = 0.9 left")
    ledger.charge(PureDP(epsilon="0.95"), purpose="x")
    # Of several costs the first is the budget that was asked for.
    other = ahead(ledger, (TENTH, ZCDP(rho="0.005")), {})
    assert not other.fits
    assert other.verdict == (
        "This plan does not fit: it needs ε = 0.1, and ε = 0.05 is left of ε = 1."
    )
    assert other.lines("now") == [other.verdict]


def test_of_several_budgets_the_one_that_refuses_is_told(ledger: Ledger) -> None:
    ledger.cap("analyst", "ann", PureDP(epsilon="0.05"))
    found = ahead(ledger, (TENTH,), {"analyst": "ann"})
    assert not found.fits
    assert found.verdict.startswith("This plan does not fit of analyst ann: it needs ε = 0.1")


def test_other_data_are_refused(ledger: Ledger) -> None:
    ledger.charge(TENTH, purpose="x", unit="person", neighbours="add_remove")
    with pytest.raises(LedgerError, match="unit"):
        ahead(ledger, (TENTH,), {}, unit="row", neighbours="add_remove")


@pytest.mark.parametrize("mode", [None, Mode.PLAN])
def test_a_ledger_that_is_yet_to_be_begun(mode: Mode | None) -> None:
    """In mode plan, by the total's own way of adding up: envelopes are known when it is begun."""
    total = ApproxDP(epsilon=1, delta="1e-6")
    cost = ApproxDP(epsilon="0.25", delta="1e-7")
    found = ahead_of_beginning(total, mode, (cost,))
    assert found.fits
    assert found.verdict.startswith("ε: 1 total − 0 spent − 0.25 for this plan = 0.75 left; δ: ")
    assert found == ahead_of_beginning(total, Mode.MIXED, (cost,))
    assert not ahead_of_beginning(total, mode, (ApproxDP(epsilon=2, delta="1e-7"),)).fits


def test_without_a_total_there_is_nothing_to_tell() -> None:
    found = ahead_of_beginning(None, None, (TENTH,))
    assert not found.fits
    assert found.verdict == (
        "There is no ledger yet, and the plan names no total to begin one with."
    )
    assert Ahead((TENTH,), None, None, unknown=True).fits


def test_the_last_release_of_a_plan_is_told(ledger: Ledger) -> None:
    assert earlier_line(ledger, "abc") is None
    for _ in range(2):
        entry = ledger.charge(TENTH, purpose="x", digest="abc")
    ledger.charge(TENTH, purpose="x", digest="other")
    found = earlier_line(ledger, "abc")
    assert found == entry
    assert found is not None
    words = earlier_words(found, ledger)
    assert words.startswith("This plan was already released: line 2 of budget.db, ")
    assert words.endswith(" UTC.")


def test_lines_are_read_page_by_page_and_none_is_left_out(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(7):
        ledger.charge(TENTH, purpose="x")
    for page in (1, 2, 3, 7, 8):
        monkeypatch.setattr(store, "PAGE", page)
        assert [each.number for each in Ledger(tmp_path / "budget.db").history()] == [*range(1, 8)]


def test_what_a_schedule_is_drawn_by_is_stored_with_its_charge(ledger: Ledger) -> None:
    first = ledger.begin_schedule(TENTH, name="days", content="by these", purpose="x")
    assert first == ledger.kept("days") == "by these"
    assert ledger.begin_schedule(ONE, name="days", content="by others", purpose="x") == "by these"
    assert ledger.spent == TENTH
    assert ledger.kept_all(["days", "other"]) == ["by these"]


def test_a_charge_for_other_answers_is_not_used_again(tmp_path: Path) -> None:
    """Another price, other data, another name: each is a charge of its own."""
    ledger = Ledger(tmp_path / "budget.db", total=PureDP(epsilon=9), begin=True)
    one, two = PureDP(epsilon=1), PureDP(epsilon=2)
    first = ledger.charge(one, answers="a", purpose="x", unit="row", neighbours="add_remove")
    told: dict[str, Any] = {"purpose": "x", "unit": "row", "neighbours": "add_remove"}
    assert ledger.charge(one, answers="a", **told) == first
    assert Ledger(tmp_path / "budget.db").charge(one, answers="a", **told) == first
    asked = {name: value for name, value in told.items() if name != "purpose"}
    assert ledger.require(one, answers="a", **asked) == first
    assert ledger.require(one, answers="b", **asked) is None
    assert ledger.require(two, answers="a", **asked) is None
    assert ledger.charge(one, answers="b", **told).number == 2
    assert ledger.charge(two, answers="a", **told).number == 3
    assert ledger.charge(two, answers="a", **told).number == 3
    assert ledger.charge(one, answers="a", **told).number == 1
    assert ledger.charge(one, **told).number == 4
    assert ledger.spent == PureDP(epsilon=5)
    with pytest.raises(BudgetExceeded):
        ledger.require(PureDP(epsilon=5), answers="c", **asked)
    with pytest.raises(BudgetExceeded):
        ledger.charge(PureDP(epsilon=5), answers="c", **told)


def test_totals_that_were_noted_elsewhere_are_held_against_the_first_line_too(
    tmp_path: Path,
) -> None:
    """An anchor after one line: its totals count, not its seal alone."""
    ledger = Ledger(tmp_path / "budget.db", total=ONE, begin=True)
    other = Ledger(tmp_path / "other.db", total=ONE, begin=True)
    ledger.charge(TENTH, purpose="x")
    other.charge(PureDP(epsilon="0.2"), purpose="x")
    (noted, seal), (false, _) = ledger.noted, other.noted
    assert noted.number == 1
    assert ledger.goes_on_from(noted, seal)
    assert not ledger.goes_on_from(false, seal)


def test_what_is_stored_first_stays_and_is_told(ledger: Ledger) -> None:
    assert ledger.keep("a", "one") == "one"
    assert ledger.keep("a", "two") == "one"
    assert ledger.kept("a") == "one"
    assert ledger.number == 1
