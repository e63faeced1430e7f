"""The main job on the command line: preview, release, budget; and everything that goes wrong."""

import csv
import json
from pathlib import Path

import pytest

from tests.cli.run import run

PLAN = """
[data]
path = "visits.csv"
unit = "patient"
types = {age = "integer", cost = "number"}

[bounds]
max_groups = 2
max_rows = 3

[budget]
ledger = "budget.db"
total = {epsilon = 3, delta = "1e-6"}
spend = {epsilon = 1, delta = "1e-7"}

[[question]]
ask = "count"
by = "city"
keys = ["Oslo", "Bergen"]

[[question]]
ask = "units"

[[question]]
ask = "mean"
column = "age"
lower = 0
upper = 110
where = [{column = "cost", above = 10}, {column = "city", in = ["Oslo", "Bergen"]}]

[output]
folder = "out"
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    with (tmp_path / "visits.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient", "city", "age", "cost"])
        for i in range(500):
            writer.writerow([i % 100, "Oslo" if i % 3 else "Bergen", 20 + i % 50, i % 77])
    place = tmp_path / "plan.toml"
    place.write_text(PLAN, "utf-8")
    return place


def test_preview_reads_no_data(plan: Path) -> None:
    told = json.loads(run("preview", plan, "--json").output)
    assert [one["answers"] for one in told["questions"]] == [2, 1, 1]
    assert "95 %" in run("preview", plan).output
    assert not (plan.parent / "budget.db").exists()


def test_release_until_the_budget_is_spent(plan: Path) -> None:
    for spent in (1, 2, 3):
        outcome = run("release", plan)
        assert outcome.status == 0, outcome.errors
        told = json.loads(run("budget", plan.parent / "budget.db", "--json").output)
        assert len(told["lines"]) == spent
    assert "ApproxDP(epsilon=0" in told["remaining"]
    refused = run("release", plan)
    assert refused.status == 1
    assert "no more than remains" in refused.output
    made = json.loads((plan.parent / "out" / "release.json").read_text("utf-8"))
    assert len(made["tables"]) == 3
    table = (plan.parent / "out" / "01_count_by_city.csv").read_text("utf-8")
    assert table.splitlines()[0] == "city,value,standard_error,lower,upper"
    assert "remaining" in run("budget", plan.parent / "budget.db").output


def test_dry_run_spends_nothing(plan: Path) -> None:
    assert run("release", plan, "--dry-run").status == 0
    assert not (plan.parent / "budget.db").exists()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('ask = "units"', 'ask = "unit"', "[[question]] number 2"),
        ("upper = 110", "upper = -1", "[[question]] number 3"),
        ("upper = 110", "", "needs column, lower, upper"),
        ('keys = ["Oslo", "Bergen"]', 'keys = ["Oslo", "Oslo"]', "twice"),
        ('unit = "patient"', "", "whose rows"),
        ('unit = "patient"', 'unit = "nobody"', "nobody"),
        ('path = "visits.csv"', 'path = "gone.csv"', "no file there"),
        ("max_rows = 3", "max_row = 3", "max_row"),
        ("max_rows = 3", "max_rows = 0", "max_rows"),
        ("epsilon = 1, delta", "epsilon = -1, delta", "epsilon"),
        ("epsilon = 1, delta", "epsilom = 1, delta", "epsilom"),
        ('ledger = "budget.db"', "", "ledger"),
        ("above = 10", "over = 10", "comparison"),
        ("[bounds]", "[bounds", "TOML"),
        ('column = "age"', 'column = "height"', "height"),
    ],
)
def test_mistakes_in_the_plan(plan: Path, old: str, new: str, told: str) -> None:
    assert old in PLAN
    plan.write_text(PLAN.replace(old, new, 1), "utf-8")
    outcome = run("release", plan)
    assert outcome.status == 2, outcome.output
    assert told in outcome.errors
    assert "Traceback" not in outcome.errors


def test_other_failures(plan: Path, tmp_path: Path) -> None:
    assert run("release", tmp_path / "none.toml").status == 2
    assert run("budget", tmp_path / "none.db").status == 2
    (plan.parent / "budget.db").write_text("not a database, but long enough to be taken for one")
    outcome = run("release", plan)
    assert outcome.status == 2
    assert "SQLite" in outcome.errors


def test_a_ledger_is_for_one_body_of_data(plan: Path) -> None:
    assert run("release", plan).status == 0
    other = PLAN.replace('unit = "patient"', 'unit = "patient"\nname = "other data"')
    plan.write_text(other, "utf-8")
    outcome = run("release", plan)
    assert outcome.status == 2
    assert "one body of data" in outcome.errors


def test_long_names_of_questions_in_any_script(plan: Path) -> None:
    """A file's name is limited in bytes: seen after the budget is spent, it is too late."""
    name = "漢" * 90
    plan.write_text(
        plan.read_text("utf-8").replace('ask = "units"', f'ask = "units"\nname = "{name}"')
    )
    outcome = run("release", plan)
    assert outcome.status == 0, outcome.errors
    assert (plan.parent / "out" / f"02_{'漢' * 33}.csv").exists()
