"""Every question of a plan can be asked in a file, with the same parts under the same names."""

import inspect
import json
import re
from pathlib import Path
from typing import Any, Self

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.ledger import Mode
from leastnoise.privacy import GDP, RDP, ZCDP, ApproxDP, PureDP
from leastnoise.release.file.plan_file import PlanFile, plan_file
from leastnoise.release.file.plan_schema import plan_schema
from leastnoise.release.file.question_kinds import KINDS, QuestionKind
from leastnoise.release.questionnaire import Questionnaire
from leastnoise.web.questions import question_forms
from tests.cli.plans import PLAN, write_visits


def kinds() -> dict[str, dict[str, Any]]:
    known = plan_schema()["$defs"]["question"]["oneOf"]
    return {each["properties"]["ask"]["const"]: each for each in known}


def methods() -> dict[str, Any]:
    """What makes a plan longer by a question."""
    return {
        name: each
        for name, each in inspect.getmembers(Questionnaire, inspect.isfunction)
        if not name.startswith("_") and inspect.signature(each).return_annotation is Self
    }


def test_the_schema_knows_every_question() -> None:
    assert {KINDS[name].method or name for name in kinds()} == set(methods())


def docs_table() -> str:
    """The kinds as docs/plans.md lists them."""
    common = {"by", "keys", "keys_file", "at_least", "where", "importance", "name"}
    common |= {"max_groups", "max_rows", "expected", "expected_answer"}
    rows = ["| ask | parts (those that may be left out) | answer | bounds |", "|---|---|---|---|"]
    for kind in KINDS.values():
        needed = [f"`{name}`" for name in kind.required]
        others = [name for name in kind.parts if name not in {*kind.required, *common}]
        if not kind.has_groups and "keys" in kind.parts:
            others.append("keys")
        parts = ", ".join([*needed, *(f"(`{name}`)" for name in others)])
        rows.append(f"| `{kind.ask}` | {parts} | {kind.answer} | {kind.limit} |")
    return "\n".join(rows)


def test_the_documentation_lists_every_question() -> None:
    page = Path(__file__).parents[2] / "docs" / "plans.md"
    assert docs_table() in page.read_text("utf-8"), f"docs/plans.md must say:\n{docs_table()}"


def test_a_kind_declared_once_is_known_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = QuestionKind("spread", "spread of a column", "How far values lie", "all", "variance")
    monkeypatch.setitem(KINDS, "spread", kind)
    plan_schema.cache_clear()
    try:
        question = 'ask = "spread"\ncolumn = "age"\nlower = 0\nupper = 100'
        assert asked(tmp_path, question).plan.questions[0].words().startswith("The variance of age")
        form = next(each for each in question_forms({})["kinds"] if each["ask"] == "spread")
        assert form["label"] == "spread of a column"
        assert form["parts"] == ["column", "lower", "upper"]
        row = "| `spread` | `column`, (`lower`), (`upper`) | How far values lie | all |"
        assert row in docs_table()
    finally:
        plan_schema.cache_clear()


def test_the_explorer_offers_every_question() -> None:
    forms = question_forms({})
    assert [each["ask"] for each in forms["kinds"]] == list(KINDS)
    for each in forms["kinds"]:
        needed = set(KINDS[each["ask"]].required) - {"by"}
        assert needed <= set(each["parts"]) <= set(forms["parts"])


@pytest.mark.parametrize("name", kinds())
def test_a_question_has_the_parts_of_its_method(name: str) -> None:
    schema = kinds()[name]
    signature = inspect.signature(methods()[KINDS[name].method or name]).parameters
    parts = set(schema["properties"]) - {"ask"}
    assert parts - {"keys_file"} == set(signature) - {"self"}
    assert ("keys_file" in parts) == ("by" in parts)
    needed = {part for part, each in signature.items() if each.default is inspect.Parameter.empty}
    assert set(schema["required"]) - {"ask"} == needed - {"self", "keys"}


def asked(folder: Path, question: str, budget: str | None = None) -> PlanFile:
    write_visits(folder)
    head = PLAN.partition("[[question]]")[0]
    if budget is not None:
        head = f"{head.partition('[budget]')[0]}[budget]\n{budget}\n"
    return plan_file(f"{head}\n[[question]]\n{question}\n", folder)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ('ask = "count"', "count"),
        ('ask = "count"\nclip = {max_norm = 3}', "count"),
        (
            'ask = "sum"\ncolumn = "cost"\nlower = 0\nupper = 9\nclip = {max_total = 3}',
            "sum of cost",
        ),
        ('ask = "units"\nby = "city"\nkeys = "private"', "units by city"),
        (
            'ask = "units"\nby = "city"\nkeys = "private"\nat_least = 20',
            "units by city, groups of 20 or more",
        ),
        ('ask = "sum"\ncolumn = "cost"\nlower = 0\nupper = 0.5', "sum of cost"),
        ('ask = "mean"\ncolumn = "cost"\nlower = "-1/3"\nupper = 0.5', "mean of cost"),
        (
            'ask = "histogram"\ncolumn = "age"\nlower = 0\nupper = 100\nparts = 10',
            "histogram of age",
        ),
        (
            'ask = "quantiles"\ncolumn = "age"\nlevels = [0.5, 0.9]\nlower = 0\nupper = 100',
            "quantiles of age",
        ),
        ('ask = "std"\ncolumn = "cost"\nlower = 0\nupper = 9', "std of cost"),
        ('ask = "median"\ncolumn = "cost"\nlower = 0\nupper = 9', "median of cost"),
        (
            'ask = "share"\nof = {column = "age", at_least = 18}\nby = "city"\nkeys = ["Oslo"]',
            "share with age >= 18 by city",
        ),
        (
            'ask = "share_units"\n'
            'of = {any = [{column = "age", below = 2}, {column = "cost", is = 0}]}\n'
            'where = {column = "city", is = "Oslo"}',
            "share of units with (age < 2 or cost = 0) where city = 'Oslo'",
        ),
        (
            'ask = "ratio"\ncolumn = "cost"\nover = "age"\nlower = 0\nupper = 9\n'
            "over_lower = 0\nover_upper = 99",
            "ratio of cost to age",
        ),
        *(
            (
                f'ask = "{kind}"\ncolumn = "cost"\nother = "age"\nlower = 0\nupper = 9\n'
                "other_lower = 0\nother_upper = 99",
                f"{kind} of cost and age",
            )
            for kind in ("covariance", "correlation")
        ),
        (
            'ask = "weighted_mean"\ncolumn = "cost"\nweight = "age"\nlower = 0\nupper = 9\n'
            "most_weight = 99",
            "mean of cost weighted by age",
        ),
        ('ask = "variance"\ncolumn = "cost"\nlower = 0\nupper = 9', "variance of cost"),
        (
            'ask = "marginals"\ncolumns = ["city", "age"]\nways = 2\n'
            'keys = {city = ["Oslo", "Bergen"], age = [20, 21]}',
            "marginals of city, age, 2 ways",
        ),
        (
            'ask = "relative_counts"\nrelative_error = 0.1\nsmallest = 100',
            "relative counts",
        ),
        (
            'ask = "most_common"\nby = "city"\ncount = 1\nkeys = ["Oslo", "Bergen"]',
            "1 most common by city",
        ),
        (
            'ask = "count"\nby = ["city", "age"]\nkeys = [["Oslo", 20], ["Bergen", 21]]',
            "count by city, age",
        ),
        (
            'ask = "count"\nby = ["city", "age"]\nkeys = {age = [1, 2], city = ["Oslo"]}',
            "count by city, age",
        ),
        (
            'ask = "count"\nwhere = {any = [{not = {column = "age", is = 3}}, '
            '{column = "cost", missing = true}]}',
            "count where (not age = 3 or cost is missing)",
        ),
        (
            'ask = "count"\nwhere = {column = "cost", at_least = 0.1}',
            "count where cost >= 0.1",
        ),
        (
            'ask = "count"\nwhere = {column = "city", in = ["Oslo"]}',
            "count where city in ('Oslo')",
        ),
    ],
)
def test_questions_are_asked(tmp_path: Path, question: str, told: str) -> None:
    (only,) = asked(tmp_path, question).plan.questions
    assert only.name == told


def test_derived_columns(tmp_path: Path) -> None:
    write_visits(tmp_path)
    (tmp_path / "visits.csv").write_text("who,day,price,pieces\n", "utf-8")
    plan = """
[data]
path = "visits.csv"
unit = "who"
types = {day = "date", price = "number", pieces = "integer"}
[derive]
paid = "price * pieces - 0.5"
month = "month(day)"
[budget]
ledger = "budget.db"
spend = {epsilon = 1}
[[question]]
ask = "sum"
column = "paid"
lower = 0
upper = 100
where = {column = "paid", above = 1}
[[question]]
ask = "count"
by = "month"
keys = [1, 2, 3]
[[question]]
ask = "weighted_mean"
name = "weighed"
column = "price"
weight = "paid"
lower = 0
upper = 9
most_weight = 9
[[question]]
ask = "share"
name = "dear"
of = {column = "paid", above = 1}
[[question]]
ask = "count"
name = "all combinations"
by = ["month", "pieces"]
keys = {pieces = [1, 2], month = [1]}
[[question]]
ask = "count"
name = "file"
by = "month"
keys_file = "months.csv"
[bounds]
max_groups = 1
max_rows = 1
"""
    (tmp_path / "months.csv").write_text("month\n4\n5\n", "utf-8")
    names = [each.name for each in plan_file(plan, tmp_path).plan.questions]
    paid = "((price * pieces) - 0.5)"
    assert names[:2] == [f"sum of {paid} where {paid} > 1", "count by month of day"]
    read = plan_file(plan, tmp_path).plan.questions
    assert f"weighted by {paid};" in read[2].words()
    assert f"rows with {paid} > 1," in read[3].words()
    groups = [each.groups.public_keys for each in read[:2] + read[4:]]
    assert groups[2] is not None
    assert groups[2].columns == ("month of day", "pieces")
    assert groups[2].rows == ((1, 1), (1, 2))
    assert groups[3] is not None
    assert groups[3].rows == ((4,), (5,))
    for old, new, place, told in [
        ('"price * pieces - 0.5"', '"price ** pieces"', "plan:7:1", "derived column"),
        ('"price * pieces - 0.5"', '"cost"', "plan:7:1", "'cost'"),
        ('"price * pieces - 0.5"', '"day + 1"', "plan:7:1", "numbers"),
        ('"month(day)"', '"month(price)"', "plan:8:1", "; got"),
        ("month =", "price =", "plan:8:1", "a name of its own"),
        ('by = "month"\nkeys = [1', 'by = "paid"\nkeys = [1', "plan:20:1", "`by` must hold"),
    ]:
        assert old in plan
        with pytest.raises(InvalidParameter, match=re.escape(told)) as refused:
            plan_file(plan.replace(old, new, 1), tmp_path)
        assert str(refused.value).startswith(f"{place}: "), str(refused.value)


def test_keys_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "groups.csv"
    file.write_text("age,ignored,city\n20,x,Oslo\n21,y,Bergen\n", "utf-8")
    question = 'ask = "count"\nby = ["city", "age"]\nkeys_file = "groups.csv"'
    (only,) = asked(tmp_path, question).plan.questions
    assert only.groups.public_keys is not None
    assert only.groups.public_keys.rows == (("Oslo", 20), ("Bergen", 21))
    for bad, why in [
        ("city\nOslo\n", "no 'age'"),
        ("city,age\nOslo,old\n", "column's type, 'integer'"),
        ("city,age\nOslo\n", "fewer in record 2"),
        ("city,age\n", "at least one group"),
        ("city,age\nOslo,1\nOslo,1\n", "twice"),
        ("", "no 'city'"),
    ]:
        file.write_text(bad, "utf-8")
        with pytest.raises(InvalidParameter, match=why) as refused:
            asked(tmp_path, question)
        assert "old" not in str(refused.value)
        assert str(refused.value).startswith("plan:20:1: ")
    with pytest.raises(InvalidParameter, match="one place"):
        asked(tmp_path, question + '\nkeys = "private"')


def test_budgets_of_every_kind(tmp_path: Path) -> None:
    budget = """ledger = "postgresql://server/db"
spend = {rho = 0.1}
total = {order = 8, epsilon = 2}
mode = "renyi"
labels = {analyst = "ann", month = "2026-11"}
purpose = "spring tables"
"""
    found = asked(tmp_path, 'ask = "count"', budget)
    assert found.ledger == "postgresql://server/db"
    assert found.spend == ZCDP(rho="0.1")  # a tenth, not the float next to it
    assert found.total == RDP(order=8, epsilon=2)
    assert found.mode is Mode.RENYI
    assert found.labels == {"analyst": "ann", "month": "2026-11"}
    assert found.purpose == "spring tables"
    envelopes = """ledger = "budget.db"
spend = {epsilon = 0.5}
total = {epsilon = 3, delta = 1e-6}
mode = "plan"
envelopes = {spring = {mu = 0.2}, autumn = {epsilon = 0.5}}
"""
    found = asked(tmp_path, 'ask = "count"', envelopes)
    assert found.spend == PureDP(epsilon="0.5")
    assert found.total == ApproxDP(epsilon=3, delta="1e-6")
    assert found.envelopes == {"spring": GDP(mu="0.2"), "autumn": PureDP(epsilon="0.5")}


def test_every_part_says_what_it_is() -> None:
    """Editors show descriptions, and so do our messages."""

    def parts(schema: Any, path: str) -> None:
        if isinstance(schema, dict) and ("type" in schema or "properties" in schema):
            assert schema.get("description"), path
        if isinstance(schema, dict):
            for name, each in schema.items():
                if name not in {"items", "additionalProperties"}:
                    parts(each, f"{path}/{name}")

    parts(json.loads(json.dumps(plan_schema())), "")
