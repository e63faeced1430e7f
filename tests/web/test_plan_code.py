"""A plan as a program and as SQL says what its file says."""

from pathlib import Path
from typing import Any

import pytest

from leastnoise.release.read import read
from leastnoise.release.sql.single import SingleTable
from leastnoise.release.sql.sql_plan import sql_plan
from leastnoise.web.plan_code import plan_code
from tests.web.visits import CITIES, plan, write_visits

QUESTIONS: list[dict[str, Any]] = [
    {"ask": "count", "where": {"column": "age", "at_least": 18}},
    {"ask": "units", "by": "city", "keys": [*CITIES]},
    {"ask": "count", "by": "smoker", "keys": [True, False]},
    {"ask": "mean", "column": "age", "lower": "0", "upper": "100"},
    {"ask": "share", "of": {"column": "city", "is": "it's"}},
    {"ask": "quantiles", "column": "age", "levels": ["0.5"], "lower": "0", "upper": "100"},
]


@pytest.fixture
def said(tmp_path: Path) -> dict[str, Any]:
    write_visits(tmp_path)
    made: dict[str, Any] = plan(question=QUESTIONS)
    made["data"] = {**made["data"], "path": str(tmp_path / "visits.csv")}
    made["budget"] = {**made["budget"], "ledger": str(tmp_path / "budget.db")}
    return made


def test_the_program_runs_and_releases(said: dict[str, Any], tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec(plan_code(said, begins=True)["python"], names)
    assert len(names["release"].tables) == len(QUESTIONS)
    assert names["ledger"].history()[0].event.purpose == "a test"
    again = plan_code(said, begins=False)["python"]
    assert "begin=True" not in again
    assert "total" not in again
    assert (tmp_path / "budget.db").exists()


def test_the_statements_are_understood(said: dict[str, Any]) -> None:
    data = said["data"]
    table = SingleTable("visits", read(data["path"], unit="patient_id", types=data["types"]))
    text = plan_code(said, begins=True)["sql"]
    statements = [f"SELECT{each}" for each in text.split("SELECT")[1:]]
    asked = [each.partition("\n--")[0] for each in statements]
    assert len(asked) == 4
    for each in asked:
        assert sql_plan(each, table, bounds={"max_rows": 2}).plan.questions
    assert "-- share: not in SQL; the plan's file has it" in text
    assert "-- quantiles: not in SQL" in text


def test_names_and_texts_cannot_end_what_quotes_them(said: dict[str, Any]) -> None:
    said["question"] = [{"ask": "count", "where": {"column": 'a"b', "is": "x' OR 'y"}}]
    text = plan_code(said, begins=True)
    assert """"a""b" = 'x'' OR ''y'""" in text["sql"]
    compile(text["python"], "plan", "exec")
