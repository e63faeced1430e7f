"""Beginning a ledger at the command line, and noticing that one is gone."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from leastnoise.ledger import Ledger
from leastnoise.privacy import GDP, PureDP
from leastnoise.release.file.anchor import ANCHOR
from leastnoise.release.result.plan_release import PlanRelease
from tests.cli.plans import PLAN, write_visits
from tests.cli.run import run


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_visits(tmp_path, begun=False)


def test_a_release_begins_a_ledger_only_when_told_to(plan: Path) -> None:
    place = plan.parent / "budget.db"
    refused = run("release", plan)
    assert refused.status == 2
    assert "leastnoise budget begin" in refused.errors
    assert not place.exists()
    assert "yet to be begun" in run("preview", plan).output
    begun = run("release", plan, "--begin", "--json")
    assert begun.status == 0, begun.errors
    assert "A new ledger, budget.db, was begun" in begun.errors
    assert PlanRelease.from_json(begun.output).entry.number == 1
    again = run("release", plan, "--begin")
    assert again.status == 2
    assert len(Ledger(place).history()) == 1
    assert "was begun" not in run("release", plan).errors


def test_a_plans_ledger_is_begun_by_itself(plan: Path) -> None:
    begun = run("budget", "begin", plan)
    assert begun.status == 0, begun.errors
    ledger = Ledger(plan.parent / "budget.db")
    assert ledger.seal in begun.output
    assert ledger.about.said == {
        "dataset": "visits.csv", "unit": "patient", "neighbours": "add_remove",
    }  # fmt: skip
    assert run("budget", "begin", plan).status == 2
    assert run("budget", "begin", plan, "--epsilon", "1").status == 2
    assert run("release", plan).status == 0


def test_a_ledger_is_begun_by_its_promises(tmp_path: Path) -> None:
    place = tmp_path / "own.db"
    options = ("--epsilon", "1", "--delta", "1e-6", "--dataset", "clinic", "--unit", "row",
               "--neighbours", "replace", "--mode", "zcdp", "--json")  # fmt: skip
    told = json.loads(run("budget", "begin", place, *options).output)
    ledger = Ledger(place)
    assert (told["seal"], told["ledger"]) == (ledger.seal, "own.db")
    assert (ledger.about.unit, str(ledger.mode)) == ("row", "zcdp")
    assert run("budget", "begin", tmp_path / "x.db").status == 2  # without a total
    assert run("budget", "begin", ":memory:", "--epsilon", "1").status == 2
    assert run("budget", "begin", tmp_path / "x.db", "--epsilon", "1", "--grant", "ann").status == 2
    assert not (tmp_path / "x.db").exists()
    assert run("budget", "grant", place, "ann").status == 2


def test_seals_are_printed_and_checked(plan: Path) -> None:
    place = plan.parent / "budget.db"
    printed = run("release", plan, "--begin").output
    made = PlanRelease.from_json((plan.parent / "out" / "release.json").read_text("utf-8"))
    seal = made.entry.seal
    assert seal in printed
    assert seal in str(made)
    assert seal in (plan.parent / "out" / "report.html").read_text("utf-8")
    assert run("release", plan, "--replace").status == 0
    assert run("budget", place, "--seal", seal).status == 0
    other = run("budget", place, "--seal", "0" * 64, "--json")
    assert other.status == 1
    assert json.loads(other.output)["contained"] is False
    assert "NOT in the ledger's past" in run("budget", place, "--seal", "0" * 64).output


def test_a_seal_in_the_plan(plan: Path) -> None:
    place = plan.parent / "budget.db"
    assert run("release", plan, "--begin").status == 0
    seal = Ledger(place).seal
    sealed = PLAN.replace("[budget]", f'[budget]\nseal = "{seal}"').replace('"out"', '"new"')
    plan.write_text(sealed, "utf-8")
    assert run("release", plan).status == 0
    place.unlink()
    plan.write_text(sealed.replace('"new"', '"third"'), "utf-8")  # where no anchor is
    assert "no past" in run("release", plan, "--begin").errors
    run("budget", "begin", place, "--epsilon", "3", "--delta", "1e-6")
    refused = run("release", plan)
    assert refused.status == 2
    assert "seal that was noted" in refused.errors
    assert Ledger(place).history() == []


def test_a_ledger_that_is_gone_is_missed(plan: Path) -> None:
    place, out = plan.parent / "budget.db", plan.parent / "out"
    assert run("release", plan, "--begin").status == 0
    note = json.loads((out / ANCHOR).read_text("utf-8"))
    assert (note["line"], note["seal"], note["place"]) == (1, Ledger(place).seal, "budget.db")
    place.rename(plan.parent / "kept.db")
    for command in (("release",), ("release", "--begin"), ("budget", "begin")):
        refused = run(*command, plan)
        assert refused.status == 2
        assert "earlier releases" in refused.errors
        assert not place.exists()
    run("budget", "begin", place, "--epsilon", "3", "--delta", "1e-6")  # still another ledger
    refused = run("release", plan)
    assert refused.status == 2
    assert "another one" in refused.errors
    assert Ledger(place).history() == []
    shutil.copy(plan.parent / "kept.db", place)
    assert run("release", plan, "--replace").status == 0


def test_a_ledger_that_is_rolled_back_is_noticed(plan: Path) -> None:
    place = plan.parent / "budget.db"
    assert run("release", plan, "--begin").status == 0
    backup = place.read_bytes()
    assert run("release", plan, "--replace").status == 0
    place.write_bytes(backup)
    refused = run("release", plan)
    assert refused.status == 2
    assert "one without it" in refused.errors
    assert len(Ledger(place).history()) == 1


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "leastnoise anchor 1"}', "[" * 9999])
def test_an_anchor_that_is_none(plan: Path, text: str) -> None:
    assert run("budget", "begin", plan).status == 0
    (plan.parent / "out").mkdir()
    (plan.parent / "out" / ANCHOR).write_text(text, "utf-8")
    refused = run("release", plan)
    assert refused.status == 2
    assert ANCHOR in refused.errors
    assert Ledger(plan.parent / "budget.db").history() == []


def test_a_release_about_another_unit_is_refused_before_the_data(plan: Path) -> None:
    assert run("release", plan, "--begin").status == 0
    for change in ('unit = "row"', 'unit = "patient"\nneighbours = "replace"'):
        plan.write_text(PLAN.replace('unit = "patient"', change), "utf-8")
        for command in ("preview", "release"):
            refused = run(command, plan)
            assert refused.status == 2
            assert "do not add up" in refused.errors
    assert len(Ledger(plan.parent / "budget.db").history()) == 1


def test_stored_releases_that_were_changed(plan: Path) -> None:
    place = plan.parent / "budget.db"
    plan.write_text(PLAN.replace('folder = "out"', 'folder = "out"\nstore = true'), "utf-8")
    assert run("release", plan, "--begin").status == 0
    assert "a release stored" in run("budget", place).output
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("DROP TRIGGER release_stays")
        connection.execute("UPDATE release SET content = replace(content, '1', '9')")
        connection.commit()
    refused = run("release", plan)
    assert refused.status == 2
    assert "stored release must be what a line" in refused.errors


def test_units_are_shown(tmp_path: Path) -> None:
    place = tmp_path / "own.db"
    Ledger(place, total=PureDP(epsilon=1), unit="person", neighbours="replace", begin=True)
    assert "Protected: each person (replaced)" in run("budget", place).output
    assert json.loads(run("budget", place, "--json").output)["unit"] == "person"


def test_a_plan_stands_for_its_ledger(plan: Path) -> None:
    assert run("budget", plan).status == 2  # none was begun
    assert run("release", plan, "--begin").status == 0
    assert run("budget", plan).output == run("budget", plan.parent / "budget.db").output


def test_a_ledger_is_begun_with_a_division_of_delta(tmp_path: Path) -> None:
    place, total = tmp_path / "own.db", ("--epsilon", "1", "--delta", "1e-6")
    assert run("budget", "begin", place, *total, "--split", "zcdp").status == 2
    begun = run("budget", "begin", place, *total, "--split", "zcdp=0.8", "--split", "gdp=0.2")
    assert begun.status == 0, begun.errors
    ledger = Ledger(place)
    ledger.charge(GDP(mu="0.01"), purpose="x")
    assert [type(limit).__name__ for limit in ledger.balances[0].limits] == ["ZCDP", "GDP"]
    shown = run("budget", place).output
    assert "0.0238813 total − 5·10⁻⁵ spent = 0.0238313 left" in shown
    assert "μ = 0.01" in shown
    told = json.loads(run("budget", place, "--json").output)
    assert told["limit"] == repr(ledger.limit)
    assert len(told["balances"][0]["limits"]) == 2
