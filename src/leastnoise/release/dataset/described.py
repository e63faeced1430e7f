"""From what a file or a mapping says to a `Dataset`: every rule that needs no data is checked."""

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise.ledger.arguments import checked_text
from leastnoise.release.ask.column_facts import NOTHING_SAID, ColumnFacts
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.neighbours import checked_neighbours
from leastnoise.release.ask.schema import refuse_ambiguous
from leastnoise.release.ask.zone import checked_zone
from leastnoise.release.dataset.dataset import Dataset
from leastnoise.release.dataset.dataset_schema import Described
from leastnoise.release.dataset.described_table import DescribedTable, Reference
from leastnoise.release.dataset.fitting import refuse_misfit
from leastnoise.release.document.said_guarantee import said_guarantee

_MOST_TABLES = 10_000
_MOST_LETTERS = 200  # of a name
_ROW = "row"
_DATES = {ColumnType.DATE, ColumnType.MOMENT}


def described(document: Described, beside: Path, data: Mapping[str, Any]) -> Dataset:
    """The dataset that a description stands for.

    Args:
        document: what is said, as the schema has it.
        beside: the folder that paths are relative to.
        data: by the names of tables, those that are in memory.

    Raises:
        InvalidParameter: a rule is broken; of a file, the message says where.
    """
    said = document.said
    with document.about("tables"):
        _refuse_names(list(said["tables"]))
    tables = {name: _table(document, name, beside, data) for name in said["tables"]}
    with document.about("dataset"):
        name = checked_text(said["dataset"]["name"], "name")
        unit = _unit(said["dataset"]["unit"], tables)
        neighbours = checked_neighbours(said["dataset"].get("neighbours", "add_remove"))
        zone = checked_zone(said["dataset"]["zone"]) if "zone" in said["dataset"] else ""
    with document.about("bounds"):
        bounds = dict(said.get("bounds", {}))
    budget = said.get("budget", {})
    promises = {}
    for part in ("spend", "total"):
        with document.about("budget", part):
            promises[part] = said_guarantee(budget[part]) if part in budget else None
    made = Dataset(
        name=name,
        unit=unit,
        described=tables,
        neighbours=neighbours,
        zone=zone,
        bounds=bounds,
        spend=promises["spend"],
        total=promises["total"],
        ledger=_place(budget["ledger"], beside) if "ledger" in budget else None,
        description=said["dataset"].get("description", ""),
    )
    _refuse_lost(document, made)
    return made


def _refuse_names(names: list[str]) -> None:
    if not names:
        raise _check.refuse("a dataset must have tables", "none", "Write [tables.visits].")
    if len(names) > _MOST_TABLES:
        raise _check.refuse(
            f"a dataset must have at most {_MOST_TABLES} tables", f"{len(names)}", "Make several."
        )
    for name in names:
        if not name.isprintable() or len(name) > _MOST_LETTERS:
            raise _check.refuse(
                "a table's name must be printable text", _check.shown(name), "Use one word."
            )
    refuse_ambiguous(names)


def _table(document: Described, name: str, beside: Path, data: Mapping[str, Any]) -> DescribedTable:
    said = document.said["tables"][name]
    columns = said.get("columns", {})
    types, facts = {}, {}
    for column, told in columns.items():
        with document.about("tables", name, "columns", column):
            col(column)
            kind = ColumnType(told["type"]) if "type" in told else None
            found = _facts(told, kind)
            if kind is not None:
                types[column] = kind
                refuse_misfit(column, found, kind)
            if found != NOTHING_SAID:
                facts[column] = found
    with document.about("tables", name):
        refers = {
            col(column).name: _reference(key, document.said["tables"])
            for column, key in said.get("refers", {}).items()
        }
        if said.get("unique") and not said.get("public"):
            raise _check.refuse(
                "`unique` is for public tables",
                f"it for {name!r}, whose rows are private",
                "Leave it out: whether keys repeat would be told of private rows.",
            )
        if said.get("owner") and said.get("public"):
            raise _check.refuse(
                "a public table has no `owner`", repr(said["owner"]), "Drop one of the two."
            )
        return DescribedTable(
            name=name,
            data=_data(said, name, beside, data),
            options=tuple(_options(said, name).items()),
            types=tuple(types.items()),
            facts=tuple(facts.items()),
            refers=tuple(refers.items()),
            owner=said.get("owner", ""),
            public=said.get("public", False),
            unique=tuple(said.get("unique", ())),
            description=said.get("description", ""),
        )


def _facts(told: Mapping[str, Any], kind: ColumnType | None) -> ColumnFacts:
    ends = told.get("range", [None, None])
    if len(ends) != 2:
        raise _check.refuse(
            "`range` must be the least and the greatest value",
            f"{len(ends)} of them",
            "Write range = [0, 110].",
        )
    low, high = (_end(each, kind) for each in ends)
    return ColumnFacts(
        lower=low,
        upper=high,
        values=told.get("values"),
        measure=checked_text(told.get("unit", ""), "unit"),
        description=checked_text(told.get("description", ""), "description"),
        never_null=told.get("never_null", False),
    )


def _end(value: Any, kind: ColumnType | None) -> Any:
    """Text that ends the range of dates is a date, as JSON and editors write them."""
    if not isinstance(value, str) or kind not in _DATES:
        return value
    try:
        return date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    except ValueError:
        raise _check.refuse(
            "the range of dates must be dates", _check.shown(value), "Write 2026-12-31."
        ) from None


def _reference(text: str, tables: Mapping[str, Any]) -> Reference:
    """A table and a column, joined by a dot; either may hold dots itself."""
    dots = [at for at, letter in enumerate(text) if letter == "."]
    found = [Reference(text[:at], text[at + 1 :]) for at in dots if text[:at] in tables]
    if len(found) == 1 and found[0].column:
        return found[0]
    raise _check.refuse(
        "a key must be named by a table of the dataset and its column",
        _check.shown(text),
        f'Write "{next(iter(tables), "patients")}.id", say.',
    )


def _unit(text: str, tables: Mapping[str, DescribedTable]) -> Reference | None:
    private = [name for name, each in tables.items() if not each.public]
    if not private:
        raise _check.refuse(
            "a dataset must have a private table",
            "public ones alone",
            "Public tables need no noise; describe the table whose rows are people's.",
        )
    if text == _ROW:
        if len(private) == 1:
            return None
        raise _check.refuse(
            'unit = "row" is for one private table',
            f"{len(private)} of them",
            "Name the key of the people, such as patients.id.",
        )
    found = _reference(text, tables)
    if tables[found.table].public:
        raise _check.refuse(
            "the table of the unit must be private",
            f"{found.table!r}, which is public",
            "A table that lists people is not public.",
        )
    return found


def _place(said: str, beside: Path) -> str | Path:
    return said if "://" in said else beside / said


def _data(said: Mapping[str, Any], name: str, beside: Path, data: Mapping[str, Any]) -> Any:
    if name in data:
        return data[name]
    if "path" in said:
        return _place(said["path"], beside)
    raise _check.refuse(f"the table {name!r} must have `path`", "none", "Say where it is.")


def _options(said: Mapping[str, Any], name: str) -> dict[str, Any]:
    """How the table is read, beside its place; no cluster is called before it is."""
    found = {part: said[part] for part in ("delimiter", "csv", "spark") if part in said}
    path = said.get("path", "")
    if "table" in said:
        found["table"] = tuple(said["table"]) if isinstance(said["table"], list) else said["table"]
    elif "://" in path or path.lower().endswith((".duckdb", ".ddb", ".db")):
        found["table"] = name
    return found


def _refuse_lost(document: Described, made: Dataset) -> None:
    """Every private table must come to its unit, along keys of one type."""
    for name, table in made.described.items():
        with document.about("tables", name):
            if not table.public:
                made.way(name)
            for column, key in table.refers:
                one, other = table.type_of(column), made.described[key.table].type_of(key.column)
                if one is not None and other is not None and one is not other:
                    raise _check.refuse(
                        f"`refers` of {name!r} must be to a key of the same type",
                        f"{column!r} of type {one.value!r} to {key} of type {other.value!r}",
                        "Declare both alike.",
                    )
