"""Budgets as sums: what is shown adds up, and what is left is never more than there is."""

import re
from fractions import Fraction
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.sums import BudgetSum, budget_sums, held_words
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from tests.people.test_numbers import number

AMOUNTS = st.fractions(min_value=0, max_value=3, max_denominator=10**9)


@given(st.fractions(min_value=Fraction(1, 1000), max_value=50), AMOUNTS, AMOUNTS, AMOUNTS)
def test_what_is_shown_adds_up(total: Fraction, a: Fraction, b: Fraction, c: Fraction) -> None:
    whole = 1 + a + b + c
    spent, now, held = (total * each / whole for each in (a, b, c))
    words = BudgetSum("ε", total, spent, now, held).words("now")
    numbers = [number(each) for each in re.findall(r"[−\d][\d,.·⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*(?= [a-z])", words)]
    assert len(numbers) == (5 if held else 4)
    assert numbers[0] - sum(numbers[1:-1]) == numbers[-1]
    assert numbers[0] <= total
    assert numbers[-1] <= total - spent - now - held


def test_a_mixed_ledger_says_what_is_held_back(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "b.db", total=ApproxDP(epsilon=3, delta="1e-7"), begin=True)
    before = ledger.balances[0]
    assert [each.words() for each in budget_sums(before)] == [
        "3 total − 0 spent = 3 left",
        "10⁻⁷ total − 0 spent = 10⁻⁷ left",
    ]
    ledger.charge((ApproxDP(epsilon=1, delta="1e-8"), PureDP(epsilon="0.9999999")), purpose="")
    after = ledger.balances[0]
    assert [each.words("now") for each in budget_sums(after, before)] == [
        "3 total − 0 spent − 1 now = 2 left",
        "10⁻⁷ total − 0 spent − 0 now − 5·10⁻⁸ held back = 5·10⁻⁸ left",
    ]
    (words,) = held_words(after)
    assert "beside one this large it stays unused" in words


def test_both_ways_are_told_while_both_are_open(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "b.db", total=ApproxDP(epsilon=3, delta="1e-7"), begin=True)
    ledger.charge((PureDP(epsilon="0.2"), ZCDP(rho="0.02")), purpose="")
    (words,) = held_words(ledger.balances[0])
    said = (
        r"The δ held back lets small releases be counted by ρ: ρ ≈ 0\.0\d+ spent, ρ ≈ 0\.\d+ left\."
    )
    assert re.fullmatch(said, words)


def test_by_rho(tmp_path: Path) -> None:
    total = ApproxDP(epsilon=3, delta="1e-7")
    ledger = Ledger(tmp_path / "b.db", total=total, mode="zcdp", begin=True)
    ledger.charge(ZCDP(rho="0.01"), purpose="")
    rho, delta = budget_sums(ledger.balances[0])
    assert re.fullmatch(r"0\.\d+ total − 0\.01 spent = 0\.\d+ left", rho.words())
    assert delta.words() == "10⁻⁷ total − 0 spent − 5·10⁻⁸ held back = 5·10⁻⁸ left"
    words = "δ is held back to turn ρ into the promise, ε = 3, δ = 10⁻⁷."
    assert held_words(ledger.balances[0]) == (words,)


def test_bars_are_full_only_if_nothing_is_left() -> None:
    assert BudgetSum("ε", Fraction(3), Fraction(299, 100)).bar(10) == "▓" * 9 + "░"
    assert BudgetSum("ε", Fraction(3), Fraction(3)).bar(10) == "▓" * 10
    hair = Fraction(1, 10**30)  # the words say: 3 total − 3 spent = 0 left
    assert BudgetSum("ε", Fraction(3), 3 - hair).bar(10) == "▓" * 10
    assert BudgetSum("ε", Fraction(3), Fraction(2), 1 - hair).bar(20) == "▓" * 20
    assert BudgetSum("ε", Fraction(3), Fraction(1, 1000)).bar(10) == "▓" + "░" * 9
    assert BudgetSum("ε", Fraction(3), Fraction(0)).bar(10) == "░" * 10
