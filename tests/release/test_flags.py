"""Flags: what must be known of answers, from released numbers and public facts alone."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.privacy.guarantee import ApproxDP, Guarantee
from leastnoise.release.draw.answered import _facts
from leastnoise.release.plan import Plan
from leastnoise.release.result.cut import Cut
from leastnoise.release.result.flag import Flag, FlagKind
from leastnoise.release.result.flagging import AnswerFacts, flagged, flagged_again
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.reports.report import report_html
from tests.release.drawn_again import drawn_again

FRAME = pd.DataFrame(
    [(i // 2, "abc"[i % 3], float(i % 10)) for i in range(600)], columns=["who", "city", "x"]
)
NOISE, BOUND, WHOLE = FlagKind.MOSTLY_NOISE, FlagKind.BOUND, FlagKind.WHOLE_RANGE


def made(*answers: tuple[float, float, float], flags: tuple[Flag, ...] = ()) -> ReleasedTable:
    """Answers as (lower, value, upper)."""
    lower, values, upper = (np.array(each, dtype=np.float64) for each in zip(*answers, strict=True))
    rows = tuple((place,) for place in range(len(values)))
    return ReleasedTable(
        name="cost", columns=("group",), rows=rows, values=values, flags=flags,
        standard_error=np.ones(len(values)), lower=lower, upper=upper, mechanism="",
    )  # fmt: skip


def kinds(table: ReleasedTable) -> dict[FlagKind, tuple[int, ...]]:
    return {flag.kind: flag.rows for flag in table.flags}


def asked(frame: pd.DataFrame = FRAME, unit: str | None = "who") -> Plan:
    plan = ln.plan(ln.read(frame, unit=unit), max_groups=2, max_rows=2)
    return (
        plan.count(by="city", keys=["a", "b", "nowhere"], name="rows")
        .mean("x", lower=0, upper=10, name="mean")
        .variance("x", lower=0, upper=10, name="variance")
        .share(ln.col("x") > 100, name="share")
        .quantiles("x", [0.5], lower=0, upper=10, name="middle")
        .count_units(by="city", keys="private", name="found")
    )


def released(plan: Plan, tmp_path: Path, budget: Guarantee) -> PlanRelease:
    ledger = ln.Ledger(tmp_path / "budget.db", total=budget, mode="approximate", begin=True)
    return plan.release(budget, ledger=ledger)


def test_an_interval_wider_than_half_of_the_answer_is_mostly_noise() -> None:
    table = made((90, 100, 140), (89, 100, 140), (-1, 0, 0.5), (-140, -100, -89), (np.nan,) * 3)
    assert kinds(flagged(table, AnswerFacts())) == {NOISE: (1, 2, 3)}


def test_intervals_that_reach_a_bound() -> None:
    table = made((0, 1, 1.1), (9, 9.9, 10), (0, 5, 10), (4.9, 5, 5.1), (np.nan, 5, np.nan))
    found = flagged(table, AnswerFacts((0.0, 10.0)))
    said = {flag.words: flag.rows for flag in found.flags}
    assert said == {
        "nothing known between 0 and 10": (2,),
        "at the bound 0": (0,),
        "at the bound 10": (1,),
        "mostly noise": (0,),  # what is not known at all is not said to be noise, too
    }


def test_ends_may_be_off_by_rounding() -> None:
    third = 0.1 + 0.2 * (1 - 1e-16)  # of bounds 0.1 … 0.3
    found = flagged(made((0.2, 0.29, third)), AnswerFacts((0.1, 0.3)))
    assert kinds(found) == {BOUND: (0,)}


def test_limits_that_do_not_end_flag_nothing() -> None:
    table = made((1.0, 1.1, 1.2), (-np.inf, 3.0, np.inf))
    assert kinds(flagged(table, AnswerFacts((-np.inf, np.inf)))) == {NOISE: (1,)}


def test_a_table_without_groups_says_from_which_size_on_they_show() -> None:
    empty = replace(made((0, 0, 0)), rows=(), values=np.array([]), lower=np.array([]),
                    upper=np.array([]), standard_error=np.array([]))  # fmt: skip
    (flag,) = flagged(empty, AnswerFacts(likely=17, even=15)).flags
    assert flag == Flag(
        FlagKind.EMPTY,
        "no group is large enough to be shown: groups of 17 and more are shown with 95 % chance, "
        "of 15 with 50 %; groups that are public can be named as `keys`",
    )
    assert flagged(empty, AnswerFacts()).flags == ()


def test_sizes_that_are_told_are_those_of_the_rule(tmp_path: Path) -> None:
    few = pd.DataFrame({"who": [1, 2], "city": ["a", "b"]})
    plan = ln.plan(ln.read(few, unit="who"), max_groups=1, max_rows=1)
    budget = ApproxDP(epsilon=1, delta="1e-6")
    plan = plan.count_units(by="city", keys="private", name="found")
    (table,) = released(plan, tmp_path, budget).tables
    step, *_ = plan.admitted(budget).steps
    assert not len(table)
    words = table.flags[0].words
    assert f"groups of {step.mechanism.likely_kept('0.95')} and more" in words  # type: ignore[union-attr]
    assert f"of {step.mechanism.likely_kept('0.5')} with 50 %" in words  # type: ignore[union-attr]
    assert words in " ".join(str(table).split())
    assert words in table._repr_html_()


def test_flags_need_no_data(tmp_path: Path) -> None:
    """What is read from a file, with the facts of a plan about no rows at all, has the same."""
    budget = ApproxDP(epsilon=1, delta="1e-6")
    seen = released(asked(), tmp_path, budget)
    priced = asked(FRAME.head(0).astype(FRAME.dtypes.to_dict()))._priced(budget)
    again = PlanRelease.from_json(seen.to_json())
    questions = zip(priced.questions, priced.steps, again.tables, strict=True)
    for question, steps, table in questions:
        bare = replace(table, flags=())
        assert flagged(bare, _facts(question, steps)).flags == seen[table.name].flags
        assert table.flags == seen[table.name].flags


def test_a_release_has_the_flags_it_should() -> None:
    wanted = {"mean": set(), "variance": set(), "share": {BOUND}, "middle": set()}
    for tables in drawn_again(asked(), ApproxDP(epsilon=400, delta="1e-6"), 3):
        found = {table.name: set(kinds(table)) for table in tables}
        assert {name: found[name] & {BOUND, WHOLE} for name in wanted} == wanted
        (rows,) = [table for table in tables if table.name == "rows"]
        assert kinds(rows).get(NOISE, ()) in {(), (2,)}  # of 0 rows
    for tables in drawn_again(asked(), ApproxDP(epsilon="0.01", delta="1e-6"), 3):
        found = {table.name: set(kinds(table)) for table in tables}
        assert found["variance"] == {WHOLE}
        assert FlagKind.EMPTY in found["found"]


def test_answers_after_the_noise_keep_their_flags() -> None:
    table = flagged(made((-4, -1, 2), (98, 100, 102), (0, 1, 4)), AnswerFacts((0.0, 200.0)))
    assert kinds(table) == {BOUND: (0, 2), NOISE: (0, 2)}
    assert table.rounded().flags == table.flags
    assert table.non_negative().flags == table.flags  # 0 … 2 at 0 is not less noisy than −4 … 2
    mapped = table.map(np.cbrt, "root")
    assert kinds(mapped) == kinds(table)
    assert {flag.words for flag in mapped.flags} == {"at the bound 0 of 'cost'", "mostly noise"}


def test_parts_that_are_moved_are_looked_at_anew() -> None:
    noisy, bound = Flag(NOISE, "mostly noise", (1,)), Flag(WHOLE, "nothing known", (2,))
    table = made((0, 1, 2), (99, 100, 101), (0, 5, 10), flags=(noisy, bound))
    assert kinds(flagged_again(table)) == {WHOLE: (2,), NOISE: (0,)}


def test_rows_without_a_unit_are_mentioned_once(tmp_path: Path) -> None:
    made_of = released(asked(), tmp_path, ApproxDP(epsilon=1, delta="1e-6"))
    words = "rows without a 'who' are left out of every answer"
    assert [flag.words for flag in made_of.flags] == [words]
    assert str(made_of).count(words) == 1
    assert json.loads(made_of.to_json())["flags"] == [
        {"kind": "no unit", "words": words, "rows": []}
    ]
    assert "Rows without a" in report_html(made_of)


def test_tables_of_single_rows_have_no_rows_without_a_unit(tmp_path: Path) -> None:
    plan = ln.plan(ln.read(FRAME, unit=None)).count()
    assert released(plan, tmp_path, ApproxDP(epsilon=1, delta="1e-6")).flags == ()


def test_every_surface_shows_flags() -> None:
    table = flagged(made((90, 100, 110), (-5, 1, 4)), AnswerFacts())
    assert table.to_csv().splitlines() == [
        "group,value,standard_error,lower,upper,grade,flags",
        "0,100.0,1.0,90.0,110.0,B,",
        "1,1.0,1.0,-5.0,4.0,D,mostly noise",
    ]
    lines = str(table).splitlines()
    assert lines[1].split()[-1] == "flags"
    assert lines[2].endswith("90 – 110       B")
    assert lines[3].endswith("−5.0 to 4.0    D      mostly noise")
    assert lines[4] == "mostly noise: the interval is wider than half of the answer"
    assert "mostly noise" in table._repr_html_()
    assert table.records()[1]["flags"] == "mostly noise"
    assert json.loads(table.to_json())["flags"] == [
        {"kind": "mostly noise", "words": "mostly noise", "rows": [1]}
    ]


def test_tables_without_flags_look_as_they_did() -> None:
    table = flagged(made((90, 100, 110)), AnswerFacts((0.0, 200.0)))
    assert "flags" not in str(table)
    assert str(table).count("\n") == 2


def test_flags_of_the_whole_table_stand_in_each_row_of_its_file() -> None:
    table = made((90, 100, 110), (80, 100, 101), flags=(Flag(FlagKind.EMPTY, "of all"),))
    assert [row["flags"] for row in table.records()] == ["of all", "of all"]
    assert [row.flags for row in table.shown(5)] == ["", ""]
    assert table.remarks == ("of all",)


def test_a_key_column_may_be_called_flags() -> None:
    table = replace(made((90, 100, 110)), columns=("flags",))
    assert (
        table.to_csv().splitlines()[0] == "flags_key,value,standard_error,lower,upper,grade,flags"
    )


def test_a_flag_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="unheard"):
        Flag.from_values({"kind": "unheard of", "words": "", "rows": []})


ends = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(ends, ends, ends).map(sorted), min_size=1, max_size=5))
def test_flags_come_back_from_text(answers: list[list[float]]) -> None:
    table = flagged(made(*map(tuple, answers)), AnswerFacts((-1e3, 1e3)))  # type: ignore[arg-type]
    assert tuple(Flag.from_values(flag.to_values()) for flag in table.flags) == table.flags
    assert all(flag.rows for flag in table.flags)


def cut_by(**changed: object) -> Cut:
    told = Cut("rows", (10.0, 90.0), None, (0.5, 0.6), (2.0, 2.0), True, None, 8, None)
    return replace(told, **changed)  # type: ignore[arg-type]


def test_answers_that_bounds_cut_say_so() -> None:
    table = replace(made((50, 100, 150), (98, 100, 102)), cut=cut_by())
    assert kinds(flagged(table, AnswerFacts())) == {FlagKind.CUT: (0,)}
    unsure = replace(table, cut=cut_by(surely_more=False))
    assert kinds(flagged(unsure, AnswerFacts())) == {FlagKind.CUT_NOT_KNOWN: (0,)}


def test_without_a_cap_no_interval_is_said_to_hold_all() -> None:
    table = replace(made((50, 100, 150), (98, 100, 102)), cut=cut_by(beyond=300))
    found = flagged(table, AnswerFacts())
    assert found.flags == (Flag(FlagKind.CUT, "cut, not all of it in the interval", (0, 1)),)
    said = " ".join(found.remarks)
    assert "intervals hold a part of what the bounds left out" in said
    assert "left out of all groups together, counting 8 of a unit at most" in said
    assert "at most 300 units lost more than 8" in said
    assert "a part of" not in " ".join(cut_by().words)


def test_bounds_on_values_of_several_columns_stand_below() -> None:
    both: dict[str, Any] = {"lower": 0, "upper": 5, "other_lower": 0, "other_upper": 99}
    tables, *_ = drawn_again(
        ln.plan(ln.read(FRAME, unit="who"), max_groups=1, max_rows=1)
        .ratio("x", "who", lower=0, upper=5, over_lower=0, over_upper=99)
        .covariance("x", "who", **both)
        .correlation("x", "who", **both)
        .regression("x", ["who"], lower=0, upper=5, on_lower=[0], on_upper=[99]),
        ApproxDP(epsilon=1, delta="1e-6"),
        1,
    )
    for table in tables:
        ends = "who to 0 … 99, x to 0 … 5" if "regr" in table.name else "x to 0 … 5, who to 0 … 99"
        told = f"values are cut: {ends}; intervals do not hold what lies beyond"
        assert told in table.below


def test_bounds_on_values_and_what_is_not_measured_stand_below() -> None:
    (table, total, part), *_ = drawn_again(
        ln.plan(ln.read(FRAME, unit="who"), max_groups=1, max_rows=1, measure_cut=False)
        .mean("x", lower=0, upper=5)
        .sum("x", lower=0, upper=5)
        .share(ln.col("x") > 3),
        ApproxDP(epsilon=1, delta="1e-6"),
        1,
    )
    beyond = "values are cut to 0 … 5; intervals do not hold what lies beyond"
    not_measured = "what the bounds left out is not measured for this question"
    for each in (table, total):
        assert {beyond, not_measured} <= set(each.below)
        assert beyond in str(each)
    assert beyond not in part.below
    assert not_measured in part.below
