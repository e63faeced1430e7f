"""Words about a release: who publishes it, what is shown first. No number changes by them."""

import json
from pathlib import Path

import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.publication import Publication
from leastnoise.release.file.plan_file import plan_file
from leastnoise.release.plan import Plan
from leastnoise.release.result.plan_release import PlanRelease

WORDS = {
    "title": "Visits to clinics",
    "publisher": "Example Health Agency",
    "licence": "CC BY 4.0",
    "headline": {"visits": "visits in 2026"},
    "sections": {"Who comes": ["visits", "mean cost"]},
    "texts": {"mean cost": "What a visit costs."},
    "unit_name": "visit",
    "labels": {"city": "Where"},
}
FILE = """
[data]
path = "visits.csv"
unit = "row"
name = "visits"
types = {cost = "number"}
[budget]
ledger = "budget.db"
spend = {epsilon = 1}
[publication]
title = "Visits to clinics"
unit_name = "visit"
labels = {city = "Where"}
headline = {visits = "visits in 2026"}
sections = {"Who comes" = ["visits"]}
[[question]]
ask = "count"
name = "visits"
"""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "visits.csv").write_text("city,cost\nOslo,120\nBergen,80\n")
    table = ln.read(tmp_path / "visits.csv", unit=None, dataset="visits", types={"cost": "number"})
    return ln.plan(table).count(name="visits").mean("cost", lower=0, upper=200, name="mean cost")


def test_words_change_no_fingerprint_and_stay_with_the_release(plan: Plan, tmp_path: Path) -> None:
    told = plan.published(**WORDS)  # type: ignore[arg-type]
    assert told.digest == plan.digest
    budget = ln.PureDP(epsilon=1)
    total = ln.PureDP(epsilon=3)
    ledger = ln.Ledger(tmp_path / "b.db", total=total, dataset="visits", begin=True)
    made = told.release(budget, ledger=ledger, store=True)
    assert made.facts.publication == told.publication
    assert PlanRelease.from_json(made.to_json()).facts == made.facts
    assert [each.kind for each in made.facts.questions] == ["Count", "Mean"]
    again = plan.published(title="A better title").release(budget, ledger=ledger, store=True)
    assert again.facts.publication == Publication(title="A better title")
    assert again["visits"].values.tolist() == made["visits"].values.tolist()


def test_an_early_release_without_words_reads_back(plan: Plan, tmp_path: Path) -> None:
    ledger = ln.Ledger(tmp_path / "b.db", total=ln.PureDP(epsilon=3), begin=True)
    made = plan.release(ln.PureDP(epsilon=1), ledger=ledger)
    early = json.loads(made.to_json())
    del early["facts"]["publication"]
    for question in early["facts"]["questions"]:
        del question["kind"], question["measure"]
    assert PlanRelease.from_json(json.dumps(early)).facts.publication == Publication()


def test_words_about_no_question_are_refused(plan: Plan) -> None:
    with pytest.raises(InvalidParameter, match="must be about a question of the plan; got 'vists'"):
        plan.published(headline=["vists"])
    with pytest.raises(InvalidParameter, match="texts of at most 4,000 letters; got a text of"):
        plan.published(title="x" * 5000)
    with pytest.raises(InvalidParameter, match="got a int"):
        plan.published(title=3)  # type: ignore[arg-type]


def test_a_plan_in_a_file_says_them(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("city,cost\nOslo,120\n")
    said = plan_file(FILE, tmp_path).plan.publication
    assert said.title == "Visits to clinics"
    assert said.headline == (("visits", "visits in 2026"),)
    assert said.sections == (("Who comes", ("visits",)),)
    with pytest.raises(InvalidParameter, match=r"plan:.*about a question of the plan; got 'none'"):
        plan_file(FILE.replace('["visits"]', '["none"]'), tmp_path)


def test_words_for_units_and_columns_are_read_from_files_and_old_releases(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("city,cost\nOslo,120\n")
    words = plan_file(FILE, tmp_path).plan.publication
    assert (words.unit_name, words.label("city"), words.label("cost")) == ("visit", "Where", "")
    early = {"title": "Visits", "headline": [], "sections": [], "texts": []}
    assert Publication.from_values(early) == Publication(title="Visits")
