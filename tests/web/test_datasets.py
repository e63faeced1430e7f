"""Datasets on the page: a table to choose, declared ranges, groups, bounds and budget."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.release.dataset.clinic import CLINIC, clinic_in
from tests.web.client import Client, client_of


@pytest.fixture
def clinic(tmp_path: Path) -> Iterator[Client]:
    clinic_in(tmp_path)
    with client_of(tmp_path) as opened:
        yield opened


def test_tables_and_what_is_declared_of_one(clinic: Client) -> None:
    first = clinic.ask("columns", path="clinic.toml")
    assert first["tables"] == ["patients", "visits", "lab_results"]
    assert first["table"] == "patients"
    found = clinic.ask("columns", path="clinic.toml", table="visits")
    columns = {each.pop("name"): each for each in found["columns"]}
    assert columns["cost"] == {"type": "number", "lower": "0", "upper": "5000", "measure": "NOK"}
    assert columns["city"] == {"type": "text", "values": ["Oslo", "Bergen"]}
    assert [
        each["name"]
        for each in clinic.ask("columns", path="clinic.toml", table="lab_results")["columns"]
    ] == ["visit_id", "level"]


def test_a_release_takes_what_the_dataset_says(clinic: Client) -> None:
    said = {
        "data": {"dataset": "clinic.toml", "table": "visits"},
        "bounds": {},
        "budget": {"spend": {"epsilon": "1"}, "purpose": "a test"},
        "question": [{"ask": "mean", "column": "cost", "by": "city"}],
    }
    told = clinic.ask("preview", **said)
    assert told["questions"][0]["answers"] == 2
    made = clinic.ask("release", ticket=told["ticket"], confirmed=True)
    assert "mean of cost by city" in json.dumps(made)
    assert (clinic.folder / "budget.db").exists()


@pytest.mark.parametrize("table", ["visit", "cities"])
def test_other_tables_are_refused(clinic: Client, table: str) -> None:
    assert clinic.refused("columns", path="clinic.toml", table=table)["remedy"]


def test_mistakes_in_a_dataset_are_told(clinic: Client) -> None:
    (clinic.folder / "clinic.toml").write_text(CLINIC.replace("max_rows", "max_row"))
    assert "max_rows" in json.dumps(clinic.refused("columns", path="clinic.toml"))
    (clinic.folder / "x.toml").write_text("[data")
    assert "must be TOML" in json.dumps(clinic.refused("columns", path="x.toml"))
    assert clinic.refused("columns", path="none.toml")["remedy"]
