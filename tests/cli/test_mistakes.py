"""Mistakes in plans: the message says rule, finding and remedy, and begins with the place."""

import json
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from leastnoise.release.document.toml_places import toml_places
from leastnoise.release.file.plan_schema import fault_in, plan_schema, schema_text
from tests.cli.plans import PLAN, write_visits
from tests.cli.run import run


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_visits(tmp_path)


MISTAKES = [
    # what is replaced, by what, where that is, what is said
    ('ask = "units"', 'ask = "unit"', "22:1", "Did you mean 'units'?"),
    ('ask = "units"', "ask = 3", "22:1", "must be one of"),
    ('ask = "units"', "", "21:1", "must have `ask`"),
    ('ask = "units"', 'ask = "units"\nlower = 0', "23:1", "got `lower`"),
    ("upper = 110", "upper = -1", "27:1", "`lower` must be below `upper`"),
    ("upper = 110", "upper = true", "28:1", "a number or text; got true or false"),
    ("upper = 110", 'upper = "many"', "28:1", "a number or 'auto'"),
    ("upper = 110", "upper = nan", "28:1", "finite number"),
    ("upper = 110", "", "26:1", "must have `upper`, or a declared range"),
    ('keys = ["Oslo", "Bergen"]', 'keys = ["Oslo", "Oslo"]', "19:1", "twice"),
    ('keys = ["Oslo", "Bergen"]', "keys = [1, 2]", "19:1", "of the column's type"),
    ('keys = ["Oslo", "Bergen"]', "keys = [1.5]", "19:9", "got a number"),
    ('keys = ["Oslo", "Bergen"]', "keys = []", "19:1", "must hold something"),
    ('keys = ["Oslo", "Bergen"]', 'keys = "all"', "19:1", "must be one of 'private'"),
    ('keys = ["Oslo", "Bergen"]', "keys = {city = 3}", "19:9", "a list"),
    ('keys = ["Oslo", "Bergen"]', 'keys = {town = ["Oslo"]}', "19:1", "columns in `by`"),
    ('keys = ["Oslo", "Bergen"]', "", "18:1", "`keys` must be given"),
    ('keys = ["Oslo", "Bergen"]', 'keys_file = "none.csv"', "19:1", "file of keys"),
    ('by = "city"', 'by = "town"', "18:1", "'town'"),
    ('by = "city"', "by = 3", "18:1", "text or a list"),
    ('by = "city"', 'by = "age"', "19:1", "of the column's type"),
    ('unit = "patient"', "", "2:1", "whose row it is"),
    ('unit = "patient"', 'unit = "nobody"', "4:1", "'nobody'"),
    ('unit = "patient"', 'unit = "cost"', "4:1", "integers or text"),
    ('path = "visits.csv"', 'path = "visits.csv"\nunit_name = "patient"', "4:1", "[publication]"),
    ('path = "visits.csv"', 'path = "gone.csv"', "3:1", "no file there"),
    ('path = "visits.csv"', 'path = "plan.toml"', "2:1", "must end in one of"),
    ('age = "integer"', 'age = "whole"', "5:10", "must be one of 'truth'"),
    ('age = "integer"', 'height = "integer"', "5:1", "'height'"),
    ("max_rows = 3", "max_row = 3", "9:1", "Did you mean `max_rows`?"),
    ("max_rows = 3", "max_rows = 0", "9:1", "at least 1"),
    ("max_rows = 3", "max_rows = 1.5", "9:1", "a whole number or text; got a number"),
    ("max_rows = 3", "max_rows = 9999999999999999999999", "9:1", "max_rows"),
    ("spend = {epsilon = 1, delta", "spend = {epsilon = -1, delta", "14:10", "epsilon=-1"),
    ("spend = {epsilon = 1, delta", "spend = {epsilom = 1, delta", "14:10", "got `epsilom`"),
    ('spend = {epsilon = 1, delta = "1e-7"}', "spend = {}", "14:1", "must have"),
    ('spend = {epsilon = 1, delta = "1e-7"}', "spend = 1", "14:1", "a table"),
    ('spend = {epsilon = 1, delta = "1e-7"}', "", "11:1", "got no `spend`"),
    ('spend = {epsilon = 1, delta = "1e-7"}', "spend = {rho = 0}", "14:1", "above 0"),
    ('total = {epsilon = 3, delta = "1e-6"}', 'total = {mu = "x"}', "13:10", "finite number"),
    ('ledger = "budget.db"', "", "11:1", "got no `ledger`"),
    ('ledger = "budget.db"', 'ledger = "budget.db"\nmode = "plain"', "13:1", "must be one of"),
    ("above = 10", "over = 10", "29:28", "Did you mean `above`?"),
    ("above = 10", 'above = "ten"', "29:1", "of type 'number'"),
    ("above = 10", "above = 10, below = 20", "29:10", "one comparison"),
    ('{column = "cost", above = 10}', "{any = []}", "29:11", "must hold something"),
    ('{column = "cost", above = 10}', '{column = "weight", above = 1}', "29:1", "'weight'"),
    ('in = ["Oslo", "Bergen"]', 'in = "Oslo"', "29:59", "a list; got text"),
    ("[bounds]", "[bounds", "7:8", "must be TOML"),
    ("max_rows = 3", "max_rows = 0,5", "9:13", "decimals stand behind a point, as in 0.5"),
    ("max_rows = 3", "max_rows = 2026-13-05", "9:16", "a date is written 2026-01-31"),
    ("max_rows = 3", "max_rows = 31.1.2026", "9:16", "a date is written 2026-01-31"),
    ("[bounds]", "[bound]", "7:1", "Did you mean `bounds`?"),
    ("[[question]]", "[question]", "21:11", "TOML"),
    ('column = "age"', 'column = "height"', "26:1", "'height'"),
    ('column = "age"', 'column = "city"', "26:1", "numbers or truth values"),
    ('folder = "out"', 'formats = ["ods"]', "32:12", "must be one of 'csv'"),
]


@pytest.mark.parametrize(("old", "new", "place", "told"), MISTAKES)
def test_mistakes_are_told_where_they_are(
    plan: Path, old: str, new: str, place: str, told: str
) -> None:
    assert old in PLAN
    plan.write_text(PLAN.replace(old, new, 1), "utf-8")
    outcome = run("release", plan)
    assert outcome.status == 2, outcome.output
    assert told in outcome.errors
    assert outcome.errors.startswith(f"leastnoise: plan.toml:{place}: "), outcome.errors
    assert outcome.errors.count("; got") >= 1  # rule; got finding.
    assert outcome.errors.rstrip()[-1] in ".?"  # remedy.
    assert "Traceback" not in outcome.errors
    assert not (plan.parent / "out").exists()
    as_json = run("preview", plan, "--json")
    if as_json.status:  # some budgets are refused by the ledger only
        assert json.loads(as_json.output)["message"] in as_json.errors


def test_plans_that_are_hardly_plans(plan: Path) -> None:
    for text in ("", "\x00", "[" * 5000, "a = " + "[" * 50_000, "x = 1\r\n[data]\r\n"):
        plan.write_text(text, "utf-8")
        outcome = run("preview", plan)
        assert outcome.status == 2
        assert outcome.errors.startswith("leastnoise: plan.toml:")
        assert "Traceback" not in outcome.errors
    plan.write_bytes(b"\xff\xfe")
    assert run("preview", plan).status == 2


def test_places_of_everything() -> None:
    text = """# comment with [brackets] and = signs
a.b = 1 # c
"quoted key" = '''
[not a table]
'''
[x."y z"]
list = [
  1, # one ]
  {k = "v}", l = [2, 3]},
]
[[x.many]]
t = \"\"\"two
lines \\\"\"\" still\"\"\"
[[x.many]]
s = 2026-11-15T07:32:00Z
[x.many.sub]
deep = true
"""
    places = toml_places(text)
    assert places["a", "b"] == (2, 1)
    assert places["quoted key",] == (3, 1)
    assert ("not a table",) not in places
    assert places["x", "y z", "list", 1, "l", 1] == (9, 22)
    assert places["x", "many", 0, "t"] == (12, 1)
    assert places["x", "many", 1, "s"] == (15, 1)
    assert places["x", "many", 1, "sub", "deep"] == (17, 1)


def test_the_schema_is_printed_and_is_json() -> None:
    outcome = run("schema")
    assert outcome.status == 0
    assert json.loads(outcome.output) == plan_schema()
    assert outcome.output == schema_text()


@pytest.fixture(scope="module")
def validator() -> Any:
    """An independent one, which finds the schema to be one and takes the honest plan."""
    jsonschema = pytest.importorskip("jsonschema")
    made = jsonschema.Draft202012Validator(plan_schema())
    made.check_schema(plan_schema())
    assert made.is_valid(tomllib.loads(PLAN))
    return made


@pytest.mark.parametrize(("old", "new"), [mistake[:2] for mistake in MISTAKES])
def test_editors_that_know_json_schema_agree(validator: Any, old: str, new: str) -> None:
    """What our own check refuses by shape, an independent one refuses; and the other way round."""

    def plain(value: Any) -> Any:
        return json.loads(json.dumps(value, default=float))

    try:
        said = tomllib.loads(PLAN.replace(old, new, 1), parse_float=Decimal)
    except tomllib.TOMLDecodeError:
        return
    assert validator.is_valid(plain(said)) == (fault_in(said) is None)


def test_a_word_that_means_the_same_is_recognised(tmp_path: Path) -> None:
    plan = write_visits(tmp_path)
    schedule = '\n[schedule]\nevery = "month"\nstart = "2026-01-01"\nsteps = 3\ncolumn = "day"\n'
    plan.write_text(PLAN + schedule, "utf-8")
    assert "got `start`. Did you mean `from`?" in run("preview", plan).errors
