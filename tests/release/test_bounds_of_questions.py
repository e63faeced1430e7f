"""Bounds of a question's own: as if the plan had them, beside questions that have others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.release.ask.clip import Clip
from leastnoise.release.file.plan_file import plan_file
from leastnoise.release.plan import Plan
from leastnoise.release.result.plan_release import PlanRelease

ROWS = pd.DataFrame(
    [
        (who, city, (who + visit) % 10, visit % 2 == 0)
        for who in range(60)
        for city in "abcd"
        for visit in range(who % 7 + 1)
    ],
    columns=["who", "city", "x", "late"],
)
RANGE: dict[str, Any] = {"lower": 0, "upper": 9}
BY: dict[str, Any] = {"by": "city", "keys": ["a", "b", "c", "d"]}
ALL: dict[str, Callable[..., Plan]] = {
    "count": lambda p, **own: p.count(**BY, **own),
    "sum": lambda p, **own: p.sum("x", **RANGE, **BY, **own),
    "mean": lambda p, **own: p.mean("x", **RANGE, **BY, **own),
    "middle": lambda p, **own: p.mean("x", **RANGE, **BY, missing="middle", **own),
    "variance": lambda p, **own: p.variance("x", **RANGE, **BY, **own),
    "std": lambda p, **own: p.std("x", **RANGE, **BY, **own),
    "share": lambda p, **own: p.share(ln.col("late") == True, **BY, **own),  # noqa: E712
    "private": lambda p, **own: p.sum("x", **RANGE, by="city", keys="private", **own),
}
GROUPS: dict[str, Callable[..., Plan]] = {
    "units": lambda p, **own: p.count_units(**BY, **own),
    "share_units": lambda p, **own: p.share_units(ln.col("late") == True, **BY, **own),  # noqa: E712
    "common": lambda p, **own: p.most_common("city", count=2, keys=BY["keys"], **own),
    "private units": lambda p, **own: p.count_units(by="city", keys="private", **own),
}
ALL_ROWS: dict[str, Callable[..., Plan]] = {
    "histogram": lambda p, **own: p.histogram("x", **RANGE, parts=3, **BY, **own),
    "median": lambda p, **own: p.median("x", **RANGE, **own),
    "marginals": lambda p, **own: p.marginals(["late"], **own),
}
BUDGET = ApproxDP(epsilon=1, delta="1e-6")


def start(**bounds: int) -> Plan:
    return ln.plan(ln.read(ROWS, unit="who"), measure_cut=False, **bounds)


def steps(asked: Plan) -> list[tuple[Any, ...]]:
    """What would be drawn: what is measured, with which noise, at which price."""
    return [(step.asked, repr(step.mechanism), step.claim) for step in asked.admitted(BUDGET).steps]


def released(asked: Plan, folder: Path) -> PlanRelease:
    budget = ApproxDP(epsilon=300, delta="1e-6")
    ledger = ln.Ledger(folder / "budget.db", total=budget, begin=True)
    return asked.release(budget, ledger=ledger)


@pytest.mark.parametrize(
    ("kind", "names"),
    [(kind, ("max_groups", "max_rows")) for kind in ALL]
    + [(kind, ("max_groups",)) for kind in GROUPS]
    + [(kind, ("max_rows",)) for kind in ALL_ROWS],
)
def test_bounds_of_a_question_are_as_if_the_plan_had_them(
    kind: str, names: tuple[str, ...]
) -> None:
    ask = (ALL | GROUPS | ALL_ROWS)[kind]
    own, bounds = dict.fromkeys(names, 3), {"max_groups": 3, "max_rows": 3}
    others = {name: 3 for name in bounds if name not in names}
    alone, named = ask(start(**bounds)), ask(start(**others), **own)
    over = ask(start(**{"max_groups": 2, "max_rows": 5} | others), **own)
    assert steps(named) == steps(over) == steps(alone)
    assert named.preview(BUDGET)[0].interval == alone.preview(BUDGET)[0].interval
    assert steps(ask(start(max_groups=2, max_rows=2))) != steps(alone)


def test_what_a_question_does_not_say_the_plan_says() -> None:
    half = start(max_groups=2, max_rows=5).sum("x", **RANGE, **BY, max_rows=3)
    assert steps(half) == steps(start(max_groups=2, max_rows=3).sum("x", **RANGE, **BY))


def test_equal_questions_under_equal_bounds_are_measured_once() -> None:
    same = start(max_groups=2, max_rows=5).count(**BY, name="one")
    assert len(steps(same.count(**BY, max_rows=5, name="two"))) == 1
    assert len(steps(same.count(**BY, max_rows=4, name="two"))) == 2
    wide = start(max_groups=50, max_rows=5).count(**BY, name="one")
    assert len(steps(wide.count(**BY, max_groups=4, name="two"))) == 1  # there are four groups


def test_common_groups_are_taken_from_counts_under_the_same_bounds() -> None:
    counts = start(max_groups=2).count_units(**BY, max_groups=3)
    same = counts.most_common("city", count=2, keys=BY["keys"], max_groups=3)
    other = counts.most_common("city", count=2, keys=BY["keys"])
    assert [len(steps(each)) for each in (same, other)] == [1, 3]


def test_private_groups_are_chosen_once_for_each_bounds() -> None:
    private: dict[str, Any] = {"by": "city", "keys": "private"}
    both = start(max_groups=2, max_rows=2).count_units(**private).sum("x", **RANGE, **private)
    choices = [step for step in both.admitted(BUDGET).steps if step.among is None]
    assert len(choices) == 1
    apart = both.count_units(**private, max_groups=3, name="more")
    choices = [step for step in apart.admitted(BUDGET).steps if step.among is None]
    assert sorted(step.mechanism.max_groups for step in choices) == [2, 3]  # type: ignore[union-attr]


def test_each_answer_is_that_of_its_own_bounds(tmp_path: Path) -> None:
    asked = start(max_groups=4, max_rows=7).count(name="all").count(max_rows=2, name="two")
    made = released(asked.sum("x", **RANGE, max_rows=1, name="one"), tmp_path)
    visits = ROWS.groupby(["who"]).size()
    assert made["all"].values[0] == pytest.approx(visits.clip(upper=7).sum(), abs=1)
    assert made["two"].values[0] == pytest.approx(visits.clip(upper=2).sum(), abs=1)
    assert made["one"].values[0] == pytest.approx(ROWS.groupby("who").x.mean().sum(), rel=0.01)
    assert [each.max_rows for each in made.facts.questions] == [7, 2, 1]
    assert [each.max_groups for each in made.facts.questions] == [None] * 3
    assert "at most 2 rows of a unit count" in made.facts.questions[1].words
    assert PlanRelease.from_json(made.to_json()).facts == made.facts


def test_words_and_facts_of_groups_and_clips(tmp_path: Path) -> None:
    asked = start(max_rows=2).count(**BY, max_groups=3, name="own")
    asked = asked.count(**BY, clip=Clip(max_norm=4), name="clipped").histogram(
        "x", **RANGE, parts=3, max_rows=6, **BY
    )
    own, clipped, parts = released(asked, tmp_path).facts.questions
    assert "at most 3 groups of a unit count" in own.words
    assert (own.max_groups, own.max_rows, own.max_norm) == (3, 2, None)
    assert (clipped.max_groups, clipped.max_rows, clipped.max_norm) == (None, None, 4)
    assert "at most 6 rows of a unit count" in parts.words
    assert "in each group" not in parts.words


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="`max_groups` is for questions by groups"):
        start(max_rows=1).count(max_groups=2)
    with pytest.raises(InvalidParameter, match="a clip takes the place"):
        start().count(**BY, max_rows=2, clip=Clip(max_total=2))
    with pytest.raises(InvalidParameter, match="`clip` must be a Clip"):
        start().count(**BY, clip=3)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedQuery, match="a clip needs public keys"):
        start().count(by="city", keys="private", clip=Clip(max_total=2))
    with pytest.raises(InvalidParameter, match="max_rows"):
        start().count(max_rows=0)


def test_where_rows_are_units_bounds_have_no_effect() -> None:
    rows = ln.plan(ln.read(ROWS, unit=None))
    bounded = rows.count(**BY, max_groups=3, max_rows=5)
    assert bounded.preview(PureDP(epsilon=1)) == rows.count(**BY).preview(PureDP(epsilon=1))


def test_plan_files_say_bounds_of_questions(tmp_path: Path) -> None:
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    text = """
[data]
path = "rows.csv"
unit = "who"
[budget]
ledger = "budget.db"
spend = {epsilon = 1}
[[question]]
ask = "count"
by = "city"
keys = ["a", "b"]
max_groups = 1
max_rows = 3
[[question]]
ask = "units"
by = "city"
keys = ["a", "b"]
clip = {max_norm = 2}
"""
    counts, units = plan_file(text, tmp_path).plan.questions
    assert "at most 1 group and 3 rows in each group of a unit count" in counts.words()
    assert "it weighs at most 2 as the length" in units.words()
    with pytest.raises(InvalidParameter, match=r"plan:8:1: `max_rows` must be given"):
        plan_file(text.replace("max_rows = 3\n", ""), tmp_path)
    with pytest.raises(InvalidParameter, match=r"plan:13:1: `max_rows` in .* at least 1"):
        plan_file(text.replace("max_rows = 3", "max_rows = 0"), tmp_path)
