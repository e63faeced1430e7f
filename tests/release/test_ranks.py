"""Most common groups: which ranks are certain, by brute force and by many releases."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf
from scipy.stats import binom

import leastnoise as ln
from leastnoise.mechanisms.choosing.exponential_mechanism import ExponentialMechanism
from leastnoise.mechanisms.choosing.permute_and_flip import PermuteAndFlip
from leastnoise.mechanisms.choosing.rare_gap import (
    Missed,
    flipping_missed,
    rare_gap,
    weighing_missed,
)
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.plan import Plan
from leastnoise.release.questions.rank_bounds import rank_bounds
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.ranks import Ranks
from leastnoise.release.result.released_table import ReleasedTable
from tests.mechanisms.selection_reference import exponential_law, flipping_law
from tests.release.drawn_again import drawn_again

SIZES = [900, 700, 690, 400, 150, 149, 148, 20, 10, 5]
NAMES = [f"g{place}" for place in range(len(SIZES))]
RISK = Fraction(5, 100)


def start() -> Plan:
    rows = pd.DataFrame({"group": np.repeat(NAMES, SIZES)})
    return ln.plan(ln.read(rows, unit=None))


intervals = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3)).map(lambda p: (p[0], p[0] + p[1])),
    min_size=1,
    max_size=5,
)


@settings(deadline=None, max_examples=150)
@given(intervals, st.integers(1, 5), st.randoms(use_true_random=False))
def test_bounds_hold_for_all_numbers_within_the_intervals(
    ends: list[tuple[int, int]], count: int, random: object
) -> None:
    """And each of them is met by some: none could be narrower."""
    places = random.sample(range(len(ends)), min(count, len(ends)))  # type: ignore[attr-defined]
    lower, upper = (np.array(each, dtype=float) for each in zip(*ends, strict=True))
    told, size = rank_bounds(lower, upper, np.array(places), "all groups"), len(places)
    ranks: list[set[int]] = [set() for _ in places]
    least = size
    for numbers in product(*(range(low, high + 1) for low, high in ends)):
        for known, place in zip(ranks, places, strict=True):
            known.add(1 + sum(other > numbers[place] for other in numbers))
            known.add(sum(other >= numbers[place] for other in numbers))
        # Ties are broken against the named.
        order = sorted(range(len(ends)), key=lambda i: (-numbers[i], i in places))
        least = min(least, len(set(order[:size]) & set(places)))
    assert told.best == tuple(min(known) for known in ranks)
    assert told.worst == tuple(max(known) for known in ranks)
    assert told.sure == least


def truly_named(table: ReleasedTable) -> int:
    """How many are among the first, by the true sizes."""
    places = [NAMES.index(row[0]) for row in table.rows]  # type: ignore[arg-type]
    bar = SIZES[len(places) - 1]
    return sum(SIZES[place] >= bar for place in places)


def is_right(table: ReleasedTable) -> bool:
    told = table.ranks
    assert told is not None
    assert told.sure is not None
    if told.sure > truly_named(table):
        return False
    places = [NAMES.index(row[0]) for row in table.rows]  # type: ignore[arg-type]
    pairs = zip(places, told.best, told.worst, strict=True)
    return all(best <= place + 1 <= worst for place, best, worst in pairs)


@pytest.mark.parametrize(
    "budget", [PureDP(epsilon="0.05"), PureDP(epsilon=1), ZCDP(rho="0.0002")], ids=repr
)
def test_ranks_of_counted_groups_are_right_as_often_as_said(budget: Guarantee) -> None:
    asked = start().count_units(by="group", keys=NAMES)
    asked, times = asked.most_common("group", count=3, keys=NAMES, name="top"), 200
    found = [tables[1] for tables in drawn_again(asked, budget, times)]
    wrong = sum(not is_right(table) for table in found)
    assert binom.sf(wrong - 1, times, 0.05) > 1e-9
    if budget == PureDP(epsilon=1):
        assert all(table.ranks is not None and table.ranks.sure == 3 for table in found)
    else:
        assert any(table.ranks is not None and table.ranks.sure != 3 for table in found)


def test_ranks_of_private_groups_are_among_those_shown() -> None:
    asked = start().most_common("group", count=3, keys="private", name="top")
    (table,) = next(iter(drawn_again(asked, ApproxDP(epsilon=1, delta="1e-6"), 1)))
    assert table.ranks is not None
    assert table.ranks.among == "the groups that are shown"
    assert is_right(table)
    assert "at least 3 of these 3 are truly among the first 3" in table.notes[1]
    assert table.notes[1] in " ".join(str(table).split())


@pytest.mark.parametrize("missed", [weighing_missed, flipping_missed])
@pytest.mark.parametrize("candidates", [1, 2, 10, 10**6])
def test_a_rare_gap_is_found_at_once_however_far_it_is(missed: Missed, candidates: int) -> None:
    asked: list[int] = []

    def counted(number: int, coin: arb) -> arb:
        asked.append(number)
        return missed(number, coin)

    for rate in (Fraction(1), Fraction(1, 10**9)):
        found = rare_gap(counted, candidates, rate, RISK)
        assert (found > 10**8) is (rate < 1 < candidates)
    assert len(asked) < 40  # of which 16 are for guesses; halves would take a hundred


@pytest.mark.parametrize(("kind", "known"), [
    (PermuteAndFlip, flipping_law), (ExponentialMechanism, exponential_law)
])  # fmt: skip
def test_a_choice_reaches_its_rare_gap_no_more_often(kind: type, known: object) -> None:
    for monotone in (False, True):
        one = kind(candidates=4, epsilon=1, sensitivity=1, monotone=monotone)
        gap = one.rare_gap(RISK)
        chances = [1 - known([0, -d, -d, -d], one.rate)[0] for d in (gap, gap - 1)]  # type: ignore[operator]
        assert chances[0] <= mpf("0.05") < chances[1]
    assert TopSelection(one, 4).rare_gap(RISK) == 1
    assert TopSelection(one, 2).rare_gap(RISK) == one.rare_gap(RISK / 2)


def test_golden_gap_of_five_choices() -> None:
    """Less than k/ε·ln(m·k/α) = 46.05, which is a bound for the exponential mechanism."""
    one = PermuteAndFlip(candidates=100, epsilon="0.2", sensitivity=1, monotone=True)
    assert TopSelection(one, 5).rare_gap(RISK) == 43
    weighed = ExponentialMechanism(candidates=100, epsilon="0.2", sensitivity=1, monotone=True)
    assert TopSelection(weighed, 5).rare_gap(RISK) == 46


@pytest.mark.parametrize("budget", [PureDP(epsilon="0.2"), ZCDP(rho="0.01")], ids=repr)
def test_chosen_groups_are_as_large_as_said(budget: Guarantee) -> None:
    asked, times = start().most_common("group", count=4, keys=NAMES, name="top"), 200
    wrong = 0
    for (table,) in drawn_again(asked, budget, times):
        told = table.ranks
        assert told is not None
        assert told.within is not None
        assert told.sure is None
        sizes = [SIZES[NAMES.index(row[0])] for row in table.rows]  # type: ignore[arg-type]
        wrong += min(sizes) < SIZES[3] - told.within
        assert f"more than {told.within:,} units less" in table.notes[1]
    assert binom.sf(wrong - 1, times, 0.05) > 1e-9


def test_all_of_it_is_in_json(tmp_path: object) -> None:
    ledger = ln.Ledger(f"{tmp_path}/budget.db", total=PureDP(epsilon=9), begin=True)
    asked = start().count_units(by="group", keys=NAMES)
    asked = asked.most_common("group", count=1, keys=NAMES, name="top")
    made = asked.release(PureDP(epsilon=1), ledger=ledger)
    again = PlanRelease.from_json(made.to_json())
    assert again["top"].ranks == made["top"].ranks != Ranks()
    said = json.loads(made["top"].to_json())["ranks"]
    assert said["sure"] == 1
    assert said["best"] == said["worst"] == [1]
    assert again.tables[0].ranks is None


def test_words() -> None:
    none = Ranks((1, 1), (2, 2), sure=1)
    assert none.words == (
        "with 95 % probability at least 1 of these 2 are truly among the first 2 of all groups; "
        "no place is certain",
    )
    assert Ranks((1, 2), (1, 3), sure=2).words[0].endswith("this place is certain: 1")
    assert Ranks((1, 2), (1, 2), sure=2).words[0].endswith("these places are certain: 1, 2")
    assert Ranks().words == ()


@pytest.mark.parametrize("missed", [flipping_missed, weighing_missed])
@pytest.mark.parametrize("candidates", [1, 2, 1000])
def test_at_great_rates_nothing_but_the_best_is_likely(missed: Missed, candidates: int) -> None:
    assert rare_gap(missed, candidates, Fraction(10**7), Fraction(1, 20)) == 1


def test_a_huge_budget_does_not_lose_the_most_common(tmp_path: Path) -> None:
    frame = pd.DataFrame({"who": range(9), "city": list("aaaabbbcc")})
    asked = ln.plan(ln.read(frame, unit="who"), max_groups=1).most_common(
        "city", count=2, keys=["a", "b", "c"]
    )
    budget = PureDP(epsilon=2**20)
    made = asked.release(budget, ledger=ln.Ledger(tmp_path / "own.db", total=budget, begin=True))
    assert made.tables[0].rows == (("a",), ("b",))
