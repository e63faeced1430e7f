"""The main job on the command line: preview, release, budget; and everything that goes wrong."""

import json
from pathlib import Path

import pytest

from tests.cli.plans import PLAN, write_visits
from tests.cli.run import run


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_visits(tmp_path)


def test_preview_reads_no_data(plan: Path) -> None:
    (plan.parent / "budget.db").unlink()
    told = json.loads(run("preview", plan, "--json").output)
    assert [one["answers"] for one in told["questions"]] == [2, 1, 1]
    assert "95 %" in run("preview", plan).output
    assert not (plan.parent / "budget.db").exists()


def test_release_until_the_budget_is_spent(plan: Path) -> None:
    for spent in (1, 2, 3):
        outcome = run("release", plan, "--replace")
        assert outcome.status == 0, outcome.errors
        told = json.loads(run("budget", plan.parent / "budget.db", "--json").output)
        assert len(told["lines"]) == spent
    assert told["remaining"].startswith(("ApproxDP(epsilon=", "ZCDP(rho="))
    assert [balance["name"] for balance in told["balances"]] == ["total"]
    refused = run("release", plan, "--replace")
    assert refused.status == 1
    assert "no more than remains" in refused.errors
    made = json.loads((plan.parent / "out" / "release.json").read_text("utf-8"))
    assert len(made["tables"]) == 3
    table = (plan.parent / "out" / "01_count_by_city.csv").read_text("utf-8")
    assert table.splitlines()[0] == "city,value,standard_error,lower,upper,grade,flags"
    assert "3 total − 3 spent = 0 left" in run("budget", plan.parent / "budget.db").output


def test_dry_run_spends_nothing(plan: Path) -> None:
    (plan.parent / "budget.db").unlink()
    assert run("release", plan, "--dry-run").status == 0
    assert not (plan.parent / "budget.db").exists()


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


def test_yes_and_no_and_columns_are_told_in_the_words_of_the_plan(plan: Path) -> None:
    """And a grade stands beside each number, in files for programs, too."""
    text = PLAN.replace('types = {age = "integer"', 'types = {insured = "truth", age = "integer"')
    text = text.replace(
        'by = "city"\nkeys = ["Oslo", "Bergen"]', 'by = "insured"\nkeys = [true, false]'
    )
    text = text.replace("[output]", '[publication]\nlabels = {insured = "Insured"}\n\n[output]')
    plan.write_text(
        text.replace('folder = "out"', 'folder = "out"\nformats = ["csv", "json"]'), "utf-8"
    )
    rows = (plan.parent / "visits.csv").read_text("utf-8").splitlines()
    told = [f"{row},{place % 3 == 0}".lower() for place, row in enumerate(rows[1:])]
    (plan.parent / "visits.csv").write_text("\n".join([f"{rows[0]},insured", *told]), "utf-8")
    outcome = run("release", plan)
    assert outcome.status == 0, outcome.errors
    words = [line.split()[0] for line in outcome.output.splitlines() if line.strip()]
    assert {"Insured", "yes", "no"} <= set(words)
    assert not {"insured", "True", "False"} & set(words)
    written = json.loads((plan.parent / "out" / "01_count_by_insured.json").read_text("utf-8"))
    assert all(each["grade"] in "ABCD" for each in written["answers"])
