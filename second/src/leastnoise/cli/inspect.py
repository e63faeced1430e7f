"""The command `inspect`: what the data's owner should look at before anything is released.

It reads private rows and shows them without noise, so it is for the owner alone.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, cast

import typer

from leastnoise.cli.output import bad_input, show, show_json, tell, working
from leastnoise.files.fields import schema
from leastnoise.files.load import DataFile, is_toml
from leastnoise.numbers.exact import written
from leastnoise.release.data import Data
from leastnoise.report.numbers import percent
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View
from leastnoise.tables.dialect import Fragment, fill, joined
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.relations import Referring
from leastnoise.tables.schema import Column, CsvFiles, Schema, Table, Type

_LARGEST = 5
_SUSPICIOUS = 0.05  # of all rows, from which one id may be a missing value


def inspect(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE.toml", help="The file that describes the data.")
    ] = None,
    as_schema: Annotated[
        bool, typer.Option("--schema", help="Print the format of the file as JSON Schema.")
    ] = False,
) -> None:
    """For the data's owner: what columns hold, the largest units."""
    if as_schema:
        show_json(schema())
        return
    if file is None or not is_toml(file):
        raise bad_input("Name the .toml that describes the data:  leastnoise inspect clinic.toml")
    data = DataFile.open(file).data()
    tell("Contains private data. For the data's owner only.\n")
    with working("Reading the tables"):
        views = [view for name in data.tables for view in _views(data, name)]
    show("\n\n\n".join(map(text_of, views)))


def _views(data: Data, name: str) -> Iterator[View]:
    relation = data.tables[name]
    (table,) = {each.name: each for each in relation.tables if each.name == name}.values()
    with DuckDB([table]) as engine:
        rows, columns = _counts(engine, table)
        whose = "about nobody" if table.public else f"each {data.unit} is protected"
        notes = []
        if isinstance(relation, Referring):
            notes.append(f"Whose rows these are follows from {relation.parent.table.name}.")
        yield View(
            (f"{name}: {rows:,} rows, {whose}",),
            ("column", "type", "range or values", "missing", "unreadable", "outside"),
            tuple(tuple(map(Cell, row)) for row in columns),
            tuple(notes),
            left=3,
        )
        if table.unit is not None:
            yield _largest(engine, table, data.unit, rows)


def _counts(engine: DuckDB, table: Table) -> tuple[int, list[tuple[str, ...]]]:
    """How many rows there are, and of each column what is missing, unreadable and outside."""
    shown = [column for column in table.schema.values() if column.type is not Type.OTHER]
    read = _ask(engine, table, shown)
    raw = read
    if isinstance(table.place, CsvFiles):  # the same columns as text: what was there at all
        texts = [Column(column.name, Type.TEXT) for column in shown]
        as_text = replace(table, schema=Schema(texts, table.name))
        raw = _ask(engine, as_text, texts)
    rows, found = read[0], []
    for place, column in enumerate(shown):
        present, outside = read[1 + 2 * place : 3 + 2 * place]
        there = raw[1 + 2 * place]
        parts = (rows - there, there - present, outside)
        texts_shown = [percent(part / rows) if rows and part else "-" for part in parts]
        found.append((column.name, str(column.type), _known(column), *texts_shown))
    others = [column for column in table.schema.values() if column.type is Type.OTHER]
    found += [(column.name, "not usable", "", "", "", "") for column in others]
    return rows, found


def _ask(engine: DuckDB, table: Table, columns: list[Column]) -> list[int]:
    """The rows, and of each column how many have a value and how many one outside its range."""
    dialect = engine.dialect
    parts = [Fragment("COUNT(*)")]
    for column in columns:
        name = dialect.name(column.name)
        parts.append(fill("COUNT({})", name))
        if column.range is None:
            parts.append(Fragment("CAST(0 AS BIGINT)"))
            continue
        low, high = (_bound(end) for end in column.range)
        parts.append(fill("COUNT(*) FILTER ({} < {} OR {} > {})", name, low, name, high))
    scan = engine.scan(table, [column.name for column in columns])
    (found,) = engine.integers(fill("SELECT {} FROM {} AS t", joined(", ", parts), scan))
    return list(found)


def _bound(end: Any) -> Fragment:
    return Fragment("?", (end if isinstance(end, date) else float(end),))


def _known(column: Column) -> str:
    if column.range is not None:
        ends = [str(end) if isinstance(end, date) else written(end) for end in column.range]
        return " to ".join(ends)
    if column.values is not None:
        more = ", ..." if len(column.values) > 3 else ""
        return ", ".join(map(str, column.values[:3])) + more
    return ""


def _id(key: Any) -> str:
    return "(missing)" if key is None else repr(key)


def _largest(engine: DuckDB, table: Table, unit: str, rows: int) -> View:
    """The units with most rows: two people under one id are protected as one only."""
    assert table.unit is not None
    column = engine.dialect.name(table.unit)
    text = (
        f"SELECT {{}}, COUNT(*) AS n FROM {{}} AS t GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {_LARGEST}"
    )
    scan = engine.scan(table, [table.unit])
    found: list[Any] = engine.candidates(fill(text, column, scan))
    count = fill("SELECT COUNT(DISTINCT {}) FROM {} AS t", column, scan)
    ((units,),) = cast(list[tuple[int]], engine.integers(count))
    notes = [
        f"{_id(key)} has {percent(count / rows)} of all rows: is it a missing value?"
        for key, count in found
        if count > _SUSPICIOUS * rows and count > 10
    ]
    return View(
        (f"{units:,} values of {table.unit}, each of which is one {unit}; with most rows:",),
        (table.unit, "rows"),
        tuple((Cell(_id(key)), Cell(f"{count:,}")) for key, count in found),
        tuple(notes),
    )
