"""Plans with a schedule on the command line: previewed, begun, released step by step."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from leastnoise.ledger import Charge, Ledger
from tests.cli.run import run

PLAN = """
[data]
path = "visits.csv"
unit = "person"
types = {person = "integer", day = "date"}

[bounds]
max_groups = 1
max_rows = 1

[budget]
ledger = "budget.db"
total = {epsilon = 2, delta = "1e-6"}
spend = {epsilon = 1, delta = "1e-7"}

[schedule]
every = "day"
from = 2020-03-01
steps = 31
contributes = 1
column = "day"

[[question]]
ask = "count"
by = "town"
keys = ["Oslo", "Bergen"]
name = "visits"

[output]
folder = "out"
report = false
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    lines = [f"{n},2020-03-{n % 31 + 1:02},{'Oslo' if n % 3 else 'Bergen'}" for n in range(3000)]
    (tmp_path / "visits.csv").write_text("\n".join(["person,day,town", *lines]), "utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, "utf-8")
    return tmp_path / "plan.toml"


def test_a_total_is_to_the_last_day_of_its_step(plan: Path) -> None:
    monthly = PLAN.replace('every = "day"', 'every = "month"').replace("steps = 31", "steps = 2")
    plan.write_text(monthly, "utf-8")
    made = run("release", plan, "--begin", "--begin-schedule", "--step", "2020-03-05")
    assert made.status == 0, made.errors
    assert "visits, to 2020-03-31" in made.output
    assert "what is left out is not measured" in made.said
    assert "about the first step that each person has rows in" in made.said


def test_from_the_preview_to_the_last_step(plan: Path) -> None:
    told = json.loads(run("preview", plan, "--json").output)
    assert {each["of"] for each in told["times"]} >= {"a day", "7 days", "the steps to date"}
    assert told["fits"] is True
    assert "noise apart" in run("preview", plan).output
    refused = run("release", plan, "--begin", "--step", "2020-03-05")
    assert refused.status == 2
    assert "--begin-schedule" in refused.errors
    begun = run("release", plan, "--begin-schedule")
    assert begun.status == 0, begun.errors
    one = run("release", plan, "--step", "2020-03-05", "--json")
    assert one.status == 0, one.errors
    assert json.loads(one.output)["number"] == 5
    assert run("release", plan, "--step", "2020-03-05", "--json").output == one.output
    last = run("release", plan)  # the last one that is over
    assert last.status == 0, last.errors
    assert "to 2020-03-31" in last.output
    assert "1 row in each group of a person count; what is left out is not measured" in last.said
    rows = (plan.parent / "out" / "01_visits.csv").read_text("utf-8").splitlines()
    assert rows[0].startswith("day,town,value,")
    assert len(rows) == 1 + 2 * 31
    assert json.loads((plan.parent / "out" / "release.json").read_text("utf-8"))["number"] == 31
    events = [entry.event for entry in Ledger(plan.parent / "budget.db").history()]
    assert sum(isinstance(each, Charge) for each in events) == 1


def test_begun_twice_is_charged_once(plan: Path) -> None:
    assert run("release", plan, "--begin", "--begin-schedule").status == 0
    left = json.loads(run("budget", plan.parent / "budget.db", "--json").output)["remaining"]
    assert run("release", plan, "--begin-schedule").status == 0
    again = json.loads(run("budget", plan.parent / "budget.db", "--json").output)["remaining"]
    assert again == left


def test_a_preview_says_how_to_begin_and_that_steps_are_paid_for(plan: Path) -> None:
    assert f"Next leastnoise release {plan} --begin --begin-schedule" in run("preview", plan).said
    first = run("release", plan, "--begin", "--begin-schedule", "--step", "2020-03-01")
    assert first.status == 0, first.errors
    begun = run("preview", plan)
    assert "all its steps are paid for, and a step costs nothing more" in begun.said
    assert "for this plan" not in begun.said
    assert "--begin" not in begun.said
    dry = run("release", plan, "--dry-run")
    assert dry.status == 0
    assert "--replace" not in dry.said


def test_a_beginning_for_programs_is_one_value_of_json(plan: Path) -> None:
    begun = json.loads(run("release", plan, "--begin", "--begin-schedule", "--json").output)
    assert begun["line"] == 1
    both = run("release", plan, "--begin-schedule", "--step", "2020-03-01", "--json")
    assert json.loads(both.output)["number"] == 1


def test_a_beginning_whose_step_fails_says_that_it_was_charged(plan: Path) -> None:
    failed = run("release", plan, "--begin", "--begin-schedule", "--step", "2021-01-01")
    assert failed.status == 3
    assert "line 1 of the ledger was charged for all steps of the schedule" in failed.errors
    assert "`step` must be a day of the schedule" in failed.errors
    again = run("release", plan, "--begin-schedule", "--step", "2021-01-01")
    assert again.status == 2  # nothing was charged this time


def test_a_beginning_onto_a_full_disk_is_done(plan: Path) -> None:
    """It is charged: what becomes of the terminal changes nothing."""
    command = f"'{sys.executable}' -m leastnoise release '{plan}' --begin --begin-schedule --yes"
    done = subprocess.run(["sh", "-c", f"{command} > /dev/full"], check=False)
    assert done.returncode == 0


def test_a_step_that_was_released_before_is_told_as_such(plan: Path) -> None:
    assert run("release", plan, "--begin", "--begin-schedule").status == 0
    first, again = (run("release", plan, "--step", "2020-03-05").said for _ in range(2))
    assert "told again from the ledger" not in first
    assert "Step 5 was released before: it is told again from the ledger" in again


def test_a_schedule_whose_promise_is_worth_next_to_nothing_is_told(plan: Path) -> None:
    assert "next to nothing" not in run("preview", plan).said
    (spend,) = (line for line in PLAN.splitlines() if line.startswith("spend"))
    plan.write_text(PLAN.replace(spend, "spend = {epsilon = 50}"), "utf-8")
    assert "An epsilon of 50 promises next to nothing" in run("preview", plan).said


def test_dry_runs_charge_nothing(plan: Path) -> None:
    assert run("release", plan, "--dry-run").status == 0
    assert not (plan.parent / "budget.db").exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('every = "day"', 'every = "hour"', "must be one of"),
        ("from = 2020-03-01", 'from = "soon"', "`start` must be a day"),
        ('column = "day"', 'column = "town"', "must hold dates"),
        ("contributes = 1", "contributes = 99", "`contributes`"),
        ("steps = 31\n", "", "must have `every`"),
        ('ask = "count"', 'ask = "count"\nat_least = 3', "at_least"),
        ('keys = ["Oslo", "Bergen"]', 'keys = "private"', "public keys"),
    ],
)
def test_mistakes(plan: Path, old: str, new: str, words: str) -> None:
    assert old in PLAN
    plan.write_text(PLAN.replace(old, new), "utf-8")
    outcome = run("preview", plan)
    assert outcome.status == 2
    assert words in outcome.errors


def test_steps_of_plans_without_a_schedule(plan: Path) -> None:
    start, end = PLAN.index("[schedule]"), PLAN.index("[[question]]")
    plan.write_text(PLAN[:start] + PLAN[end:], "utf-8")
    for words in (("--step", "2020-03-01"), ("--begin-schedule",)):
        outcome = run("release", plan, *words)
        assert outcome.status == 2
        assert "plans with a schedule" in outcome.errors
