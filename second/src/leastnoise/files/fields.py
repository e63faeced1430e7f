"""The format of the TOML file as one table of fields, which checks files and makes the schema.

Values are checked for their form alone. What they mean, such as whether a column exists, is checked
where they are used.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from leastnoise.files.document import Document, Keys
from leastnoise.numbers.errors import did_you_mean


@dataclass(frozen=True)
class Kind:
    """What the value of a field may be.

    Attributes:
        form: the same in words: "Write {form}."
        accepts: whether a value has this form.
        schema: the form in JSON Schema.
    """

    form: str
    accepts: Callable[[Any], bool]
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Section:
    """A field that holds fields of its own; with names, one such table for each name."""

    name: str
    named: bool = False
    short: Kind | None = None  # what may stand in place of a table


@dataclass(frozen=True)
class Field:
    """A field of the file.

    Attributes:
        section: where it stands.
        name: what it is called there.
        kind: what it holds.
        doc: what it says.
        required: whether it must be there.
    """

    section: str
    name: str
    kind: Kind | Section
    doc: str
    required: bool = False


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_unit(value: Any) -> bool:
    named = isinstance(value, dict) and len(value) == 1 and all(map(_is_text, value.values()))
    return named or _is_text(value)


def _are_groups(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(each, list) for each in value.values())
    return isinstance(value, list) or value == "auto"


_TEXT_SCHEMA = {"type": "string", "minLength": 1}
_WHOLE_SCHEMA = {"type": "integer", "minimum": 1}

TEXT = Kind("text in quotes", _is_text, _TEXT_SCHEMA)
NUMBER = Kind(
    "a number above 0",
    lambda value: _is_number(value) and value > 0,
    {"type": "number", "exclusiveMinimum": 0},
)
WHOLE = Kind("a whole number from 1 on", _is_whole, _WHOLE_SCHEMA)
TRUTH = Kind("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
LIMIT = Kind(
    'a whole number from 1 on, or "auto"',
    lambda value: value == "auto" or _is_whole(value),
    {"anyOf": [_WHOLE_SCHEMA, {"const": "auto"}]},
)
PATHS = Kind(
    "a path in quotes, or a list of paths",
    lambda value: (
        _is_text(value) or (isinstance(value, list) and bool(value) and all(map(_is_text, value)))
    ),
    {"anyOf": [_TEXT_SCHEMA, {"type": "array", "items": _TEXT_SCHEMA, "minItems": 1}]},
)
UNIT = Kind(
    '{patient = "patient_id"}, or "row" if every row is somebody else',
    _is_unit,
    {
        "anyOf": [
            _TEXT_SCHEMA,
            {
                "type": "object",
                "additionalProperties": _TEXT_SCHEMA,
                "minProperties": 1,
                "maxProperties": 1,
            },
        ]
    },
)
RANGE = Kind(
    "two ends, such as [0, 600]",
    lambda value: isinstance(value, list) and len(value) == 2,
    {"type": "array", "minItems": 2, "maxItems": 2},
)
LIST = Kind(
    'a list, such as ["F", "M"]',
    lambda value: isinstance(value, list) and bool(value),
    {"type": "array", "minItems": 1},
)
GROUPS = Kind(
    'a list, {ward = ["A", "B"]}, or "auto"',
    _are_groups,
    {
        "anyOf": [
            {"type": "array"},
            {"type": "object", "additionalProperties": {"type": "array"}},
            {"const": "auto"},
        ]
    },
)
DAY = Kind("a day, such as 2013-01-01", lambda value: isinstance(value, date), {})
NO_DATABASE = Kind(
    "PostgreSQL cannot be read yet. Export the table as Parquet and name a path.",
    lambda _value: False,
    {"not": {}},
)

FIELDS = (
    Field("file", "ledger", TEXT, "The file that keeps the budget, or env:NAME."),
    Field("file", "epsilon", NUMBER, "What a release of all queries of this file together costs."),
    Field("file", "rho", NUMBER, "The same on a ledger in rho."),
    Field("file", "tables", Section("table", named=True), "The data, by table.", required=True),
    Field("file", "defaults", Section("defaults"), "What holds for every query that is silent."),
    Field("file", "queries", Section("query", named=True), "Queries in SQL, by name."),
    Field("table", "path", PATHS, "A Parquet or CSV file, a pattern, a list, or env:NAME."),
    Field("table", "url", NO_DATABASE, "A database. Not available yet."),
    Field("table", "csv", Section("csv"), "How a CSV file is written."),
    Field("table", "time_zone", TEXT, "In which zone moments are read: Europe/Oslo."),
    Field("table", "privacy_unit", UNIT, "Who is protected, and the column that names them."),
    Field("table", "public", TRUTH, "Whether the table is about nobody. The owner decides."),
    Field(
        "table",
        "columns",
        Section("column", named=True, short=TEXT),
        "What is publicly known of columns. CSV columns are text until declared.",
    ),
    Field("csv", "delimiter", TEXT, "What stands between two fields: a comma if not named."),
    Field("csv", "decimal", TEXT, "The decimal point."),
    Field("column", "type", TEXT, "boolean, integer, number, text, date or timestamp."),
    Field("column", "range", RANGE, "Values outside are clipped to it."),
    Field("column", "values", LIST, "All values that the column can have."),
    Field("column", "label", TEXT, "What reports call the column."),
    Field("column", "measured_in", TEXT, "What its numbers are measured in: kr, min."),
    Field("defaults", "max_contributions", LIMIT, "How many rows of one unit count in all."),
    Field("defaults", "max_per_group", WHOLE, "How many of them in one group."),
    Field("defaults", "min_units", WHOLE, "Where groups are found: the fewest units of one."),
    Field("query", "sql", TEXT, "A SELECT with aggregates.", required=True),
    Field("query", "groups", GROUPS, "The groups to show, or auto: found privately."),
    Field("query", "min_units", WHOLE, "With groups = auto: the fewest units of a group."),
    Field("query", "max_contributions", LIMIT, "How many rows of one unit count in all."),
    Field("query", "max_per_group", WHOLE, "How many of them in one group."),
    Field("query", "budget_weight", NUMBER, "What it gets of the budget; others have 1."),
    Field("query", "schedule", Section("schedule"), "Its periods, released one after another."),
    Field("schedule", "every", TEXT, "A day, week, month, quarter or year.", required=True),
    Field("schedule", "column", TEXT, "The dates by which rows have periods.", required=True),
    Field("schedule", "first", DAY, "The first day of the first period.", required=True),
    Field("schedule", "periods", WHOLE, "How many there are.", required=True),
    Field("schedule", "append_only", TRUTH, "Rows are only ever added to tables.", required=True),
    Field("schedule", "epsilon", NUMBER, "What all periods together cost."),
    Field("schedule", "rho", NUMBER, "The same on a ledger in rho."),
)


def _of(section: str) -> dict[str, Field]:
    return {field.name: field for field in FIELDS if field.section == section}


def check(document: Document) -> None:
    """Refuses fields that are unknown, missing, or of another form, each with its place."""
    _check_section(document, "file", (), document.values)


def _check_section(document: Document, section: str, keys: Keys, values: Any) -> None:
    known = _of(section)
    for name, value in values.items():
        if name not in known:
            hint = did_you_mean(name, known) or f" The fields here: {', '.join(known)}."
            raise document.error((*keys, name), f'there is no field "{name}".{hint}')
        _check_field(document, known[name], (*keys, name), value)
    for field in known.values():
        if field.required and field.name not in values:
            what = ".".join(keys) or "the file"
            example = _EXAMPLES.get(field.name, "")
            raise document.error(keys, f"{what} has no {field.name}. {field.doc}{example}")


_EXAMPLES = {
    "tables": '\n  [tables.visits]\n  path = "visits.parquet"\n'
    '  privacy_unit = {patient = "patient_id"}',
    "sql": '\n  sql = "SELECT COUNT(*) AS visits FROM visits"',
}


def _check_field(document: Document, field: Field, keys: Keys, value: Any) -> None:
    kind = field.kind
    if isinstance(kind, Kind):
        _check_form(document, kind, keys, value)
    elif not isinstance(value, dict):
        header = ".".join((*keys, "name") if kind.named else keys)
        raise document.error(keys, f"{field.name} is a table. Write [{header}].")
    elif not kind.named:
        _check_section(document, kind.name, keys, value)
    else:
        for name, each in value.items():
            if isinstance(each, dict):
                _check_section(document, kind.name, (*keys, name), each)
            elif kind.short is not None:
                _check_form(document, kind.short, (*keys, name), each)
            else:
                header = ".".join((*keys, name))
                raise document.error((*keys, name), f"{name} is a table. Write [{header}].")


def _check_form(document: Document, kind: Kind, keys: Keys, value: Any) -> None:
    if kind is NO_DATABASE:
        raise document.error(keys, kind.form)
    if not kind.accepts(value):
        raise document.error(keys, f"{keys[-1]} is {_shown(value)}. Write {kind.form}.")


def _shown(value: Any) -> str:
    """A value as TOML writes it, roughly."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else f"a list of {len(value)}"
    return f'"{value:.40}"' if isinstance(value, str) else str(value).lower()


def schema() -> dict[str, Any]:
    """The format as JSON Schema, for editors that complete and check TOML files."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "leastnoise: data and queries",
        **_section_schema("file"),
    }


def _section_schema(section: str) -> dict[str, Any]:
    fields = _of(section).values()
    found: dict[str, Any] = {
        "type": "object",
        "properties": {
            field.name: {"description": field.doc, **_field_schema(field.kind)} for field in fields
        },
        "additionalProperties": False,
    }
    required = [field.name for field in fields if field.required]
    return found | ({"required": required} if required else {})


def _field_schema(kind: Kind | Section) -> dict[str, Any]:
    if isinstance(kind, Kind):
        return dict(kind.schema)
    inner = _section_schema(kind.name)
    if kind.short is not None:
        inner = {"anyOf": [dict(kind.short.schema), inner]}
    return {"type": "object", "additionalProperties": inner} if kind.named else inner
