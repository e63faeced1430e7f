"""Plans under hostile eyes: what may be passed in, what may be replaced, what may never crash."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from leastnoise.errors import (
    InvalidParameter,
    LedgerError,
    UnsupportedQuery,
)
from leastnoise.groupwise.relative_counts import RelativeCounts
from leastnoise.ledger import Ledger
from leastnoise.privacy import ZCDP, ApproxDP, PureDP
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import PostgresTable, place_of
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.draw.noisy_numbers import moved
from leastnoise.release.plan import Plan, plan
from leastnoise.release.questions.relative_count import RelativeCount
from leastnoise.release.read import read
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.groups import Groups
from tests.release.drawn_again import drawn_again
from tests.release.foretold import half

ROWS = pd.DataFrame(
    {
        "who": [1, 1, 2, 3, 3, 3],
        "city": ["Oslo", "Bergen", "Oslo", "Oslo", "Oslo", None],
        "age": [10, 20, 30, 40, 50, 60],
        "smoker": [True, False, True, True, False, False],
    }
)


@pytest.mark.parametrize(
    ("name", "meant"), [("add_remove", Neighbours.ADD_REMOVE), ("replace", Neighbours.REPLACE)]
)
def test_neighbours_may_be_named(name: str, meant: Neighbours) -> None:
    assert read(ROWS, unit="who", neighbours=name).neighbours is meant


@pytest.mark.parametrize("name", ["Replace", "replace-one", "", None, 1])
def test_neighbours_that_are_none_are_refused(name: str) -> None:
    with pytest.raises(InvalidParameter, match="add_remove"):
        read(ROWS, unit="who", neighbours=name)


def _asks_all_kinds(empty: Plan) -> list[Plan]:
    """One plan for each kind of question whose noise depends on its table in its own way."""
    keys = [10, 20]
    return [
        empty.histogram("age", lower=0, upper=100, parts=2),
        empty.quantiles("age", [0.5], lower=0, upper=100),
        empty.marginals(["smoker"]),
        empty.most_common("age", count=1, keys=keys),
        empty.relative_counts(relative_error="0.5", smallest=9, by="age", keys=keys),
        empty.count(by="age", keys=keys),
        empty.mean("age", lower=0, upper=100, by="age", keys=keys, clip=Clip(max_norm=2)),
        empty.std("age", lower=0, upper=100),
        empty.share(col("age") > 20, by="age", keys=keys),
        empty.share_units(col("age") > 20),
        empty.ratio("age", "who", lower=0, upper=100, over_lower=0, over_upper=9),
        empty.weighted_mean("age", "who", lower=0, upper=100, most_weight=9),
        empty.median("age", lower=0, upper=100),
        empty.correlation("age", "who", lower=0, upper=100, other_lower=0, other_upper=9),
        empty.regression(
            "age", ["who", "smoker"], lower=0, upper=100, on_lower=[0, 0], on_upper=[9, 1]
        ),
        empty.distinct("age"),
        empty.cumulative("age", lower=0, upper=100, parts=5, by="age", keys=keys),
    ]


@pytest.mark.spread(17)
@pytest.mark.parametrize("other", [{"unit": None}, {"unit": "who", "neighbours": "replace"}])
@pytest.mark.parametrize("kind", range(17))
def test_a_question_asked_of_another_table_is_as_if_asked_of_it_first(
    other: dict[str, Any], kind: int
) -> None:
    """Questions hold no facts of a table: noise, measurements and forecasts follow it."""
    table = read(ROWS, **other)
    asked, anew = (
        _asks_all_kinds(plan(each, max_groups=1, max_rows=1))[kind]
        for each in (read(ROWS, unit="who"), table)
    )
    _assert_alike(replace(asked, table=table), anew)


@pytest.mark.parametrize("kind", range(17))
def test_a_question_with_other_bounds_is_as_if_asked_with_them_first(kind: int) -> None:
    narrow, wide = (plan(read(ROWS, unit="who"), max_groups=each, max_rows=each) for each in (1, 2))
    moved = replace(_asks_all_kinds(narrow)[kind], bounds=wide.bounds)
    _assert_alike(moved, _asks_all_kinds(wide)[kind])


def _assert_alike(one: Plan, other: Plan) -> None:
    for budget in (ZCDP(rho=1), ApproxDP(epsilon=2, delta="1e-6")):
        assert _drawn_for(one, budget) == _drawn_for(other, budget)
        assert one.preview(budget) == other.preview(budget)
    assert one.digest == other.digest


def _drawn_for(asked: Plan, budget: Guarantee) -> list[tuple[object, ...]]:
    steps = asked.admitted(budget).steps
    return [(each.asked, repr(each.mechanism), each.claim) for each in steps]


def test_quantiles_in_one_part_are_known_and_cost_next_to_nothing() -> None:
    asked = plan(read(ROWS, unit="who"), max_groups=1, max_rows=1).quantiles(
        "age", [0.5], lower=0, upper=100, parts=1
    )
    for budget in (PureDP(epsilon=1), ZCDP(rho=1), ApproxDP(epsilon=1, delta="1e-6")):
        assert asked.preview(budget)[0].interval == 0
        assert asked.count().preview(budget)[0].interval == 0


@pytest.mark.parametrize("budget", [PureDP(epsilon="1e-6"), ZCDP(rho="1e-12")])
def test_quantiles_with_distances_beyond_a_double_are_foretold(budget: Guarantee) -> None:
    start = plan(read(ROWS, unit="who"), max_rows=2**18, measure_cut=False)
    asked = start.quantiles("age", [0.5], lower=0, upper=9)
    assert 10**6 < half(asked.preview(budget)[0]) < 10**16


@pytest.mark.parametrize("kind", ["quantiles", "marginals"])
def test_what_public_facts_forbid_is_refused_before_the_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    asked = _asks_all_kinds(plan(read(ROWS, unit="who"), max_groups=1, max_rows=1))[
        1 if kind == "quantiles" else 2
    ]
    ledger = Ledger(tmp_path / "budget.db", total=ZCDP(rho=1), begin=True)

    def refuses(*_: object) -> Forecast:
        raise UnsupportedQuery("no such noise")

    monkeypatch.setattr(type(asked.questions[0]), "forecast", refuses)
    with pytest.raises(UnsupportedQuery):
        asked.release(ZCDP(rho=1), ledger=ledger)
    assert ledger.history() == []


def _answers(asked: Plan, budget: Guarantee, times: int) -> list[ReleasedTable]:
    """Answers to the first question, again and again."""
    return [tables[0] for tables in drawn_again(asked, budget, times)]


def test_intervals_of_the_largest_of_many_numbers_still_hold() -> None:
    """500 groups alike: the 10 with the most noise are kept, and 95 % intervals of all must do."""
    table = read(pd.DataFrame({"who": range(50_000), "group": np.arange(50_000) % 500}), unit="who")
    asked = plan(table, max_groups=1, max_rows=1).most_common("group", count=10, keys="private")
    found = _answers(asked, ApproxDP(epsilon=1, delta="1e-6"), 20)
    hits = sum(int(((one.lower <= 100) & (one.upper >= 100)).sum()) for one in found)
    # At least 190 of 200 on average; 170 and fewer have a chance below 1e-6 if all are independent.
    assert hits > 170


@pytest.mark.parametrize("error", ["0.5", "0.2"])
def test_intervals_of_relative_counts_hold_for_large_groups(error: str) -> None:
    """Answers are e^−σ² times the median; at 10 000 draws 93.9 % has a chance below 1e-6."""
    mechanism = RelativeCounts(relative_error=error, smallest=5)
    drawn = mechanism.release(np.full(10_000, 10**6)).value
    ends = RelativeCount("", Groups(), mechanism)._ends(drawn.astype(float), Fraction(95, 100))
    assert ((ends[0] <= 10**6) & (ends[1] >= 10**6)).mean() > 0.939


@pytest.mark.parametrize("rho", [88, 1000, 10**6])
def test_private_groups_under_huge_budgets_are_shown_from_two_units_on(rho: int) -> None:
    asked = plan(read(ROWS, unit="who"), max_groups=1, max_rows=1).count(by="age", keys="private")
    told = asked.preview(ZCDP(rho=rho, delta="1e-6"))[0]
    assert told.shown_from in {2, 3}


def test_tables_in_memory_are_not_taken_for_one_another(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db", total=PureDP(epsilon=10), begin=True)
    asked = plan(read(ROWS, unit=None)).count()
    with pytest.raises(InvalidParameter, match="in memory"):
        asked.release(PureDP(epsilon=1), ledger=ledger, store=True)
    assert ledger.history() == []


def test_databases_are_told_apart_without_their_passwords() -> None:
    one, other, same = (
        place_of(PostgresTable(f"postgresql://{address}", ("visits",)))
        for address in ("ann:secret@here/clinic", "ann:secret@there/clinic", "bob:word@here/clinic")
    )
    assert one != other
    assert one == same
    assert "secret" not in one


@pytest.mark.parametrize("margin", [2**61, 2**62, 2**64])
@pytest.mark.parametrize("number", [0, 2**61, 2**63 - 1, -(2**63)])
def test_ends_of_intervals_do_not_wrap_around(number: int, margin: int) -> None:
    found = np.array([number], dtype=np.int64)
    assert int(moved(found, margin)[0]) == number + margin
    assert int(moved(found, -margin)[0]) == number - margin


def test_releases_of_marginals_are_written_with_short_numbers(tmp_path: Path) -> None:
    budget = ZCDP(rho="0.1")
    asked = plan(read(ROWS, unit=None, neighbours="replace")).marginals(
        ["city", "smoker"], ways=2, keys={"city": ["Oslo", "Bergen", "Elsewhere"]}
    )
    made = asked.release(budget, ledger=Ledger(tmp_path / "budget.db", total=budget, begin=True))
    assert len(made.to_json()) < 10_000
    assert PlanRelease.from_json(made.to_json()).facts == made.facts


@pytest.mark.parametrize("budget", [PureDP(epsilon=1), ApproxDP(epsilon=1, delta=0)])
def test_relative_counts_without_delta_are_told_what_they_lack(budget: Guarantee) -> None:
    asked = _asks_all_kinds(plan(read(ROWS, unit="who"), max_groups=1, max_rows=1))[4].count()
    with pytest.raises(UnsupportedQuery, match="relative errors need"):
        asked.preview(budget)


@pytest.mark.parametrize(
    "mistake",
    [
        lambda p: p.count(by=3, keys=[1]),
        lambda p: p.count(by="age", keys=5),
        lambda p: p.count(by="city", keys={"town": ["Oslo"]}),
        lambda p: p.count(where="age >"),
        lambda p: p.count(where=col("smoker")),
        lambda p: p.count(name=3),
        lambda p: p.count(name="a\x00b"),
        lambda p: p.sum(3, lower=0, upper=1),
        lambda p: p.sum("city", lower=0, upper=1),
        lambda p: p.mean("nowhere", lower=0, upper=1),
        lambda p: p.quantiles("city", [0.5], lower=0, upper=1),
        lambda p: p.histogram("age", lower=0, upper=9, parts=2, by="nowhere", keys=[1]),
        lambda p: p.marginals(["city"], keys=["Oslo"]),
        lambda p: p.marginals(["city"], keys={"city": "Oslo"}),
        lambda p: p.count().release(ZCDP(rho=1), ledger="budget.db"),
    ],
)
def test_mistakes_are_told_when_they_are_made(mistake: Callable[[Plan], object]) -> None:
    with pytest.raises(InvalidParameter):
        mistake(plan(read(ROWS, unit="who"), max_groups=1, max_rows=1))


@pytest.mark.parametrize(
    "keys", [[10, 20], (10, 20), np.array([10, 20]), pd.Series([10, 20]), range(10, 30, 10)]
)
def test_keys_come_as_people_have_them(keys: Iterable[int]) -> None:
    (asked,) = (
        plan(read(ROWS, unit="who"), max_groups=1, max_rows=1).count(by="age", keys=keys).questions
    )
    assert asked.groups.public_keys == Keys.of("age", [10, 20])


def test_keys_of_several_columns_are_tuples() -> None:
    pairs = [("Oslo", True), ("Bergen", False)]
    (asked,) = (
        plan(read(ROWS, unit="who"), max_groups=1, max_rows=1)
        .count(by=["city", "smoker"], keys=pairs)
        .questions
    )
    assert asked.groups.public_keys == Keys(["city", "smoker"], pairs)


def test_a_needed_budget_says_what_no_budget_of_its_kind_can_pay() -> None:
    asked = plan(read(ROWS, unit="who"), max_groups=1, max_rows=1).count(
        by="age", keys="private", name="ages"
    )
    with pytest.raises(UnsupportedQuery, match="private keys need"):
        asked.needed({"ages": 10})


def test_answers_that_cannot_be_stored_are_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are paid for by then, and shown to nobody: released again they cost nothing more."""
    file = tmp_path / "rows.parquet"
    duckdb.sql(f"COPY (SELECT range AS who FROM range(50)) TO '{file}' (FORMAT parquet)")
    ledger = Ledger(tmp_path / "budget.db", total=PureDP(epsilon=9), begin=True)

    asked, one = plan(read(file, unit="who"), max_groups=1, max_rows=1).count(), PureDP(epsilon=1)

    def full(*_: object) -> None:
        raise LedgerError("the disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "keep", full)
        with pytest.raises(LedgerError, match=r"line 1 .* is full\. Then release the same"):
            asked.release(one, ledger=ledger, store=True)
    assert ledger.remaining == PureDP(epsilon=8)
    found = asked.release(one, ledger=ledger, store=True)
    assert found.entry.number == 1
    assert asked.release(one, ledger=ledger, store=True).to_json() == found.to_json()
    assert ledger.remaining == PureDP(epsilon=8)
    # Who does not store them is shown a new draw, at its price.
    assert asked.release(one, ledger=ledger).entry.number == 3
    assert ledger.remaining == PureDP(epsilon=7)


def test_of_two_draws_for_one_charge_the_stored_one_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program stored its answers while these were drawn: nobody may see both."""
    file = tmp_path / "rows.parquet"
    duckdb.sql(f"COPY (SELECT range AS who FROM range(50)) TO '{file}' (FORMAT parquet)")
    ledger = Ledger(tmp_path / "budget.db", total=PureDP(epsilon=9), begin=True)
    # Noise so wide that two draws are the same once in ten thousand years.
    asked = plan(read(file, unit="who"), max_groups=1, max_rows=1).count()
    little, other, keep = PureDP(epsilon="1e-9"), [], Ledger.keep

    def overtaken(self: Ledger, name: str, content: str) -> str:
        monkeypatch.setattr(Ledger, "keep", keep)
        other.append(asked.release(little, ledger=Ledger(tmp_path / "budget.db"), store=True))
        return keep(self, name, content)

    monkeypatch.setattr(Ledger, "keep", overtaken)
    found = asked.release(little, ledger=ledger, store=True)
    assert found.to_json() == other[0].to_json()
    assert ledger.spent == little
