"""Counts of private groups come from the draw that chooses the groups: one step, one price."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.auditing.plans import audit_plan
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.groupwise.relative_counts import RelativeCounts
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee
from leastnoise.release.ask.expression import col
from leastnoise.release.plan import Plan
from leastnoise.release.result.plan_release import PlanRelease
from tests.release.drawn_again import drawn_again

BUDGET, LEAKY = ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho="0.1", delta="1e-6")
SIZES = {"a": 900, "b": 300, "c": 15, "d": 5, "e": 1}
FRAME = pd.DataFrame(
    [(f"{city}{i}", city, float(i % 10)) for city, n in SIZES.items() for i in range(n)],
    columns=["who", "city", "x"],
)


def start(unit: str | None = "who", **bounds: int) -> Plan:
    usual: Any = {"max_groups": 1, "max_rows": 1, "measure_cut": False}
    return ln.plan(ln.read(FRAME, unit=unit), **usual | bounds)


def released(asked: Plan, tmp_path: Path, budget: Guarantee = BUDGET) -> PlanRelease:
    mode = "zcdp" if isinstance(budget, ZCDP) else "approximate"
    ledger = ln.Ledger(tmp_path / "budget.db", total=budget, mode=mode, begin=True)
    return asked.release(budget, ledger=ledger)  # the whole ledger: no second price


def mechanisms(asked: Plan, budget: Guarantee = BUDGET) -> list[type]:
    return [type(step.mechanism) for step in asked.admitted(budget).steps]


COUNTS: dict[str, Any] = {
    "units": lambda p: p.count_units(by="city", keys="private"),
    "rows, one for each unit": lambda p: p.count(by="city", keys="private"),
    "most common": lambda p: p.most_common("city", count=2, keys="private"),
}


@pytest.mark.parametrize("budget", [BUDGET, LEAKY], ids=repr)
@pytest.mark.parametrize("name", COUNTS)
def test_one_draw_chooses_and_counts(name: str, budget: Guarantee, tmp_path: Path) -> None:
    asked = COUNTS[name](start())
    assert mechanisms(asked, budget) == [CountedPartitions]
    (step,) = asked.admitted(budget).steps
    assert step.claim == budget or isinstance(budget, ZCDP)
    (told,) = asked.preview(budget)
    assert told.share == pytest.approx(1)
    assert told.shown_from == step.mechanism.likely_kept("0.95")
    if budget is BUDGET:
        assert told.expected_error == pytest.approx(0.882, abs=0.001)  # with two draws 1.92
        assert told.shown_from == 16
    found = released(asked, tmp_path, budget).tables[0]
    shown = {row[0]: number for row, number in zip(found.rows, found.values, strict=True)}
    assert abs(shown["a"] - 900) < 60
    assert abs(shown["b"] - 300) < 60
    assert "e" not in shown
    assert (found.lower <= found.values).all()
    assert (found.values <= found.upper).all()


def test_rows_of_a_table_of_rows_are_units() -> None:
    assert mechanisms(start(unit=None).count(by="city", keys="private")) == [CountedPartitions]


def test_counts_of_several_rows_keep_their_own_noise() -> None:
    asked = start(max_rows=3).count(by="city", keys="private")
    assert mechanisms(asked) == [PartitionSelection, CellNoise]
    both = asked.count_units(by="city", keys="private")
    assert mechanisms(both) == [CountedPartitions, CellNoise]


def test_several_questions_take_their_numbers_from_one_draw(tmp_path: Path) -> None:
    asked = start().count_units(by="city", keys="private", name="units")
    asked = asked.count(by="city", keys="private", name="rows")
    asked = asked.most_common("city", count=1, keys="private", name="first")
    asked = asked.mean("x", lower=0, upper=9, by="city", keys="private", name="mean")
    assert mechanisms(asked) == [CountedPartitions, CellNoise]
    told = {each.question: each for each in asked.preview(BUDGET)}
    assert told["units"].share == told["rows"].share == told["first"].share
    assert sum(each.share for each in told.values()) == pytest.approx(1)
    found = released(asked, tmp_path)
    assert list(found["units"].values) == list(found["rows"].values)
    assert found["units"].rows == found["rows"].rows == found["mean"].rows
    assert found["first"].values[0] == max(found["units"].values)
    means = dict(zip(found["mean"].rows, found["mean"].values, strict=True))
    assert means["a",] == pytest.approx(4.5, abs=0.5)


def test_other_rows_are_other_groups() -> None:
    asked = start().count_units(by="city", keys="private")
    asked = asked.count_units(by="city", keys="private", where=col("x") > 3)
    assert mechanisms(asked) == [CountedPartitions, CountedPartitions]


def relative(error: str, smallest: int) -> Plan:
    return start().relative_counts(
        by="city", keys="private", relative_error=error, smallest=smallest, name="n"
    )


def test_relative_errors_are_met_by_the_counts_where_they_can_be(tmp_path: Path) -> None:
    """0.88 is less than 0.95·0.05·20: every group of 20 or more is precise enough."""
    asked = relative("0.05", 20)
    assert mechanisms(asked) == [CountedPartitions]
    (told,) = asked.preview(BUDGET)
    assert told.expected_error == pytest.approx(0.882, abs=0.001)
    found = released(asked, tmp_path).tables[0]
    assert found.values.min() >= 20
    assert abs(found.values[0] - 900) < 60


def test_relative_errors_that_are_not_met_keep_their_own_noise() -> None:
    """Precise enough, but a group of 15 is not shown often enough; then too much noise at all."""
    asked = relative("0.5", 15)
    assert mechanisms(asked) == [PartitionSelection, RelativeCounts]
    with pytest.raises(UnsupportedQuery, match="errors asked for"):
        relative("0.001", 20).preview(BUDGET)


def test_a_choice_without_counts_uses_the_rule_that_shows_most() -> None:
    asked = start().sum("x", lower=0, upper=9, by="city", keys="private")
    assert mechanisms(asked, LEAKY) == [PartitionSelection, CellNoise]


@pytest.mark.parametrize("budget", [BUDGET, LEAKY], ids=repr)
def test_a_least_number_of_people(budget: Guarantee, tmp_path: Path) -> None:
    asked = start().count_units(by="city", keys="private", at_least=200, name="units")
    asked = asked.sum("x", lower=0, upper=9, by="city", keys="private", at_least=200)
    assert mechanisms(asked, budget) == [CountedPartitions, CellNoise]
    found = released(asked, tmp_path, budget)["units"]
    assert [row[0] for row in found.rows] == ["a", "b"]
    assert (found.lower >= 200).all()
    plain = start().count_units(by="city", keys="private", name="units")
    more = start().count_units(by="city", keys="private", at_least=200, name="units")
    assert more.preview(budget)[0].shown_from == plain.preview(budget)[0].shown_from + 199  # type: ignore[operator]
    both = asked.count_units(by="city", keys="private", name="all")
    assert mechanisms(both, budget).count(CountedPartitions) == 2  # other groups are shown
    assert "groups of 200 or more" in asked.questions[0].words()


@pytest.mark.parametrize("budget", [BUDGET, LEAKY], ids=repr)
def test_sums_of_groups_that_are_chosen_in_two_ways_are_paid_for_twice(budget: Guarantee) -> None:
    asked = start()
    for least in (1, 200):
        asked = asked.sum(
            "x", lower=0, upper=9, by="city", keys="private", at_least=least, name=f"{least}"
        )
    chosen, noisy = [PartitionSelection] * 2, [CellNoise] * 2
    assert mechanisms(asked, budget) == [*chosen, *noisy]


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3"])
def test_hostile_least_numbers(wrong: Any) -> None:
    with pytest.raises(InvalidParameter, match="at_least"):
        start().count_units(by="city", keys="private", at_least=wrong)


def test_a_least_number_is_for_private_groups() -> None:
    with pytest.raises(InvalidParameter, match="found in the data"):
        start().count_units(at_least=5)
    with pytest.raises(InvalidParameter, match="found in the data"):
        start().count_units(by="city", keys=["a"], at_least=5)


def test_small_numbers_come_with_a_note() -> None:
    """Ten groups of 14, each shown in 70 of 100 draws, with 14 or a little more."""
    rows = pd.DataFrame({"city": [f"c{i % 10}" for i in range(140)]})
    asked = ln.plan(ln.read(rows, unit=None)).count(by="city", keys="private", name="n")
    tables = [tables[0] for tables in drawn_again(asked, BUDGET, 20)]
    numbers = np.concatenate([each.values for each in tables])
    assert numbers.min() == 14
    for each in tables:
        small = bool((each.values < 18).any())
        assert any("no number below 14" in note for note in each.notes) == small
    assert 80 < len(numbers) < 195
    large = pd.DataFrame({"city": ["c"] * 1000})
    calm = ln.plan(ln.read(large, unit=None)).count(by="city", keys="private", name="n")
    ((table,),) = drawn_again(calm, BUDGET, 1)
    assert not table.notes


def test_a_release_is_read_again(tmp_path: Path) -> None:
    made = released(COUNTS["units"](start()), tmp_path)
    again = PlanRelease.from_json(made.to_json())
    assert again.tables[0].records() == made.tables[0].records()
    assert again.tables[0].mechanism.startswith("CountedPartitions at ")


@pytest.mark.spread(2)
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize("groups", [1, 2])
def test_the_auditor_finds_no_leak(neighbours: str, groups: int) -> None:
    rows = pd.DataFrame({"who": [1, 1, 2, 3, 4], "city": ["a", "b", "a", "b", "a"]})
    table = ln.read(rows, unit="who", neighbours=neighbours)
    plan = ln.plan(table, max_groups=groups, measure_cut=False)
    asked = plan.count_units(by="city", keys="private").most_common("city", count=1, keys="private")
    found = audit_plan(asked, budget=BUDGET, orders=1)
    assert found, str(found)
    assert found.leak is not None
    assert 0 < found.leak.found.lower <= BUDGET.delta
