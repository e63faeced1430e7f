"""`leastnoise prepare`: a plan's table, or one of a dataset, copied for many releases."""

import os
from pathlib import Path

from tests.cli.plans import write_visits
from tests.cli.run import run


def test_a_plan_on_the_copy_is_previewed_and_released(tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    made = run("prepare", place, tmp_path / "copy")
    assert made.status == 0, made.errors
    assert "as secret as they are" in made.said
    assert 'name = "visits.csv", by which the ledger knows them' in made.said
    text = place.read_text("utf-8")
    for old, new in (
        ('path = "visits.csv"', 'path = "copy"\nname = "visits.csv"'),
        ('types = {age = "integer", cost = "number"}\n', ""),
    ):
        assert old in text
        text = text.replace(old, new)
    other = tmp_path / "copied.toml"
    other.write_text(text, "utf-8")
    shown = run("release", other, "--yes")
    assert shown.status == 0, shown.errors


def test_an_existing_copy_is_replaced_when_asked(tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    assert run("prepare", place, tmp_path / "copy").status == 0
    refused = run("prepare", place, tmp_path / "copy")
    assert refused.status == 2
    assert "--replace" in refused.errors
    assert run("prepare", place, tmp_path / "copy", "--replace").status == 0
    assert run("prepare", place, tmp_path / "copy2", "--table", "visits").status == 2
    (tmp_path / "copy" / "mine.txt").write_text("keep me", "utf-8")
    kept = run("prepare", place, tmp_path / "copy", "--replace")
    assert kept.status == 2
    assert "holds 'mine.txt' beside a copy" in kept.errors
    assert (tmp_path / "copy" / "mine.txt").read_text("utf-8") == "keep me"


def test_a_table_of_a_dataset(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("patient,age\n1,30\n1,31\n2,40\n", "utf-8")
    (tmp_path / "stays.csv").write_text("patient,days\n1,3\n", "utf-8")
    described = tmp_path / "data.toml"
    described.write_text(DATASET, "utf-8")
    several = run("prepare", described, tmp_path / "copy")
    assert several.status == 2
    assert "--table" in several.errors
    made = run("prepare", described, tmp_path / "copy", "--table", "visits")
    assert made.status == 0, made.errors
    assert "leastnoise-prepared.json" in os.listdir(tmp_path / "copy")


DATASET = """
[dataset]
name = "visits 2026"
unit = "visits.patient"

[tables.visits]
path = "visits.csv"
columns.patient = {type = "integer"}
columns.age = {type = "integer", range = [0, 110]}

[tables.stays]
path = "stays.csv"
refers = {patient = "visits.patient"}
columns.patient = {type = "integer"}
"""
