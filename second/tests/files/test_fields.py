"""The table of fields: what it refuses, its schema, and its page."""

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from leastnoise.cli.init import VISITS_TOML
from leastnoise.files.document import Document
from leastnoise.files.fields import FIELDS, check, schema
from leastnoise.numbers.errors import InvalidInput
from tests.files.clinic import CLINIC

DOCS = Path(__file__).parents[2] / "docs"
TABLE = '[tables.visits]\npath = "v.parquet"\nprivacy_unit = {patient = "id"}\n'
SCHEDULE = TABLE + (
    '[queries.a]\nsql = "s"\n[queries.a.schedule]\nevery = "month"\ncolumn = "d"\n'
    "first = 2025-01-01\nperiods = 12\nappend_only = true\nepsilon = 1\n"
)


def is_valid(value: Any, own: dict[str, Any]) -> bool:
    """As much of JSON Schema as the schema uses."""
    if "anyOf" in own and not any(is_valid(value, each) for each in own["anyOf"]):
        return False
    if "not" in own or ("const" in own and value != own["const"]):
        return False
    of_type: dict[Any, Any] = {
        "object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
        "number": (int, float), None: object,
    }  # fmt: skip
    if not isinstance(value, of_type[own.get("type")]):
        return False
    if isinstance(value, bool) and own.get("type") in ("integer", "number"):
        return False
    if isinstance(value, int | float) and (
        value < own.get("minimum", value) or value <= own.get("exclusiveMinimum", value - 1)
    ):
        return False
    if isinstance(value, list):
        fits = own.get("minItems", 0) <= len(value) <= own.get("maxItems", len(value))
        return fits and all(is_valid(each, own.get("items", {})) for each in value)
    if isinstance(value, dict):
        known, more = own.get("properties", {}), own.get("additionalProperties", True)
        rest = [name for name in value if name not in known]
        return (
            own.get("minProperties", 0) <= len(value) <= own.get("maxProperties", len(value))
            and all(name in value for name in own.get("required", ()))
            and all(is_valid(value[name], known[name]) for name in known if name in value)
            and all(
                more is not False and is_valid(value[name], {} if more is True else more)
                for name in rest
            )
        )
    return not isinstance(value, str) or len(value) >= own.get("minLength", 0)


@pytest.mark.parametrize("text", [CLINIC, VISITS_TOML, SCHEDULE])
def test_examples_pass_the_check_and_the_schema(text: str) -> None:
    check(Document.read("x.toml", text))
    assert is_valid(tomllib.loads(text), schema())


WRONG = {
    'ledgr = "x"\n' + TABLE: 'line 1, column 1: there is no field "ledgr". Did you mean "ledger"?',
    "epsilon = true\n" + TABLE: "line 1, column 1: epsilon is true. Write a number above 0.",
    "epsilon = -1\n" + TABLE: "epsilon is -1. Write a number above 0.",
    'epsilon = "1"\n' + TABLE: 'epsilon is "1". Write a number above 0.',
    "ledger = 3\n" + TABLE: "ledger is 3. Write text in quotes.",
    'ledger = "x"\n': "x.toml: the file has no tables. The data, by table.",
    "tables = 3\n": "tables is a table. Write [tables.name].",
    "[tables]\nvisits = 3\n": "line 2, column 1: visits is a table. Write [tables.visits].",
    TABLE + "public = 1\n": "public is 1. Write true or false.",
    TABLE + "path = []\n".replace("path", "csv"): "csv is a table. Write [tables.visits.csv].",
    TABLE.replace('"v.parquet"', "[]"): "path is a list of 0. Write a path in quotes, or a list of",
    TABLE.replace('{patient = "id"}', "{}"): 'privacy_unit is a table. Write {patient = "patient_id"}',
    TABLE + "columns.cost = {range = [1]}\n": "range is a list of 1. Write two ends",
    TABLE + "columns.cost = 3\n": "line 4, column 9: cost is 3. Write text in quotes.",
    TABLE + "columns.cost = {unit = 3}\n": 'there is no field "unit". The fields here: type, range',
    TABLE + "[queries.a]\n": "line 4, column 10: queries.a has no sql. A SELECT with aggregates.",
    TABLE + '[queries.a]\nsql = "s"\nmax_contributions = 0\n': "is 0. Write a whole number from 1",
    TABLE + '[queries.a]\nsql = "s"\ngroups = "atuo"\n': 'groups is "atuo". Write a list, {ward =',
    TABLE + '[queries.a]\nsql = "s"\nschedule = "month"\n': "schedule is a table. Write [queries.a.schedule].",
    TABLE + '[queries.a]\nsql = "s"\n[queries.a.schedule]\nevery = "month"\n':
        "line 6, column 12: queries.a.schedule has no column. The dates by which rows have periods.",
    SCHEDULE.replace("= 12", "= 0"): "line 10, column 1: periods is 0. Write a whole number from 1 on.",
    SCHEDULE.replace("= true", '= "yes"'): 'append_only is "yes". Write true or false.',
    SCHEDULE.replace("periods", "perods"): 'there is no field "perods". Did you mean "periods"?',
    TABLE + 'url = "env:DB"\n': "PostgreSQL cannot be read yet. Export the table as Parquet",
    TABLE + "[defaults]\nepsilon = 1\n": 'line 5, column 1: there is no field "epsilon".',
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_field_is_refused_with_its_place_and_fails_the_schema(text: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(WRONG[text])):
        check(Document.read("x.toml", text))
    assert not is_valid(tomllib.loads(text), schema())


def test_the_first_day_is_a_day_of_toml() -> None:
    for first in ('"2025-01-01"', "2025"):
        with pytest.raises(InvalidInput, match=r"Write a day, such as 2013-01-01\."):
            check(Document.read("x.toml", SCHEDULE.replace("2025-01-01", first)))


def test_every_field_is_in_the_page_with_its_sentence() -> None:
    page = (DOCS / "files.md").read_text("utf-8")
    for field in FIELDS:
        assert re.search(rf"\| `{field.name}` \| {re.escape(field.doc)} \|", page), field.name


def test_dates_are_values_of_toml_that_the_schema_lets_pass() -> None:
    columns = {"day": {"range": [date(2025, 1, 1), date(2025, 12, 31)]}}
    table = {"path": "v", "privacy_unit": "row", "columns": columns}
    assert is_valid({"tables": {"v": table}}, schema())
