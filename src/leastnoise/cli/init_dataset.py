"""A draft of a dataset's file, from the names and types of columns; never from rows."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from leastnoise._check import refuse
from leastnoise.cli.files import write_new_text
from leastnoise.cli.guessed_keys import GuessedKeys, guessed_keys
from leastnoise.cli.looked_at import looked_at
from leastnoise.cli.screen import show_json, show_text
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.schema import Schema
from leastnoise.release.read import holds_text
from leastnoise.web.plan_text import toml_key, toml_text

_HEAD = """\
# What is public about the data: whose rows, where they are, what columns can hold.
# Write nothing here that you took from the rows. Lines that begin with # wait for you.
# Begin its budget, once: leastnoise budget begin <this file>
# Ask about it: leastnoise sql <this file> "SELECT …", or a plan that begins so:
#   [data]
#   dataset = "<this file>"
#   table = "…"
"""
CSV_HINT = '# csv = {decimal = ",", dates = "%d.%m.%Y", encoding = "latin-1", null = ["NA"]}'
_TAIL = """
[bounds]
# How much of one person counts, at most. More keeps more of the data, and needs more noise;
# "auto" has it chosen from the data, for a part of the budget.
# max_groups =   # in how many groups
# max_rows =     # with how many rows in each group

[budget]
ledger = "budget.db"                   # keep it with the data, and never lose it
total = {epsilon = 3, delta = "1e-7"}  # for everything that will ever be released
spend = {epsilon = 1, delta = "1e-8"}  # for a release that does not say it
"""


def init_dataset(
    data: list[str],
    path: Path,
    unit: str | None,
    names: list[str],
    delimiter: str | None,
    as_json: bool,
) -> None:
    """Write a dataset's file to begin with.

    Args:
        data: where the tables are.
        path: the file to write.
        unit: the key that names people, such as patients.id, if somebody knows.
        names: of tables in a database.
        delimiter: of CSV files, if not commas.
        as_json: whether to tell in JSON what was guessed.
    """
    places = _places(data, names)
    tables = {name: looked_at(place, table, delimiter) for name, (place, table) in places.items()}
    undeclared = {name for name, (place, _) in places.items() if holds_text(place)}
    guess = guessed_keys(tables, undeclared)
    if unit is not None:
        guess = GuessedKeys(_said(unit, tables), guess.refers)
    blocks = [_HEAD + _dataset(path.stem, guess, said=unit is not None)]
    for name, (place, table) in places.items():
        lines = _table(name, tables[name], _relative(place, path), table, guess)
        if name in undeclared and delimiter not in {None, ","}:
            lines.append(f"delimiter = {toml_text(delimiter)}")
        lines += [CSV_HINT] if name in undeclared else []
        lines += _columns(name, tables, guess, undeclared)
        blocks.append("\n".join(lines))
    write_new_text(path, "\n\n".join(blocks) + "\n" + _TAIL)
    _tell(path, guess, tables, as_json)


def _places(data: list[str], names: list[str]) -> dict[str, tuple[str, str | None]]:
    found: list[tuple[str, tuple[str, str | None]]]
    if names and len(data) > 1:
        raise refuse(
            "`--table` is for one database", f"{len(data)} places", "Name the database alone."
        )
    if names:
        found = [(name, (data[0], name)) for name in names]
    else:
        found = [
            (Path(each.rstrip("/*")).name.split(".")[0] or each, (each, None)) for each in data
        ]
    if len(dict(found)) == len(found):
        return dict(found)
    raise refuse(
        "tables must have different names",
        ", ".join(name for name, _ in found),
        "Rename a file or folder.",
    )


def _said(unit: str, tables: Mapping[str, Schema]) -> tuple[str, str]:
    table, _, column = unit.rpartition(".")
    if table in tables and column in tables[table].names:
        return table, column
    raise refuse(
        "`--unit` must be a table and its column",
        repr(unit),
        f"Tables are: {', '.join(tables)}; write patients.id, say.",
    )


def _relative(place: str, path: Path) -> str:
    if "://" in place or Path(place).is_absolute():
        return place
    return os.path.relpath(place, path.parent)


def _dataset(name: str, guess: GuessedKeys, *, said: bool) -> str:
    lines = ["", "[dataset]", f"name = {toml_text(name)}"]
    if guess.unit is None:
        lines.append(
            'unit = "…"  # whose rows they are: a table and its column, such as patients.id'
        )
    else:
        how = "" if said else "  # whose rows they are: guessed by names, so check it"
        lines.append(f"unit = {toml_text('.'.join(guess.unit))}{how}")
    return "\n".join(lines)


def _table(
    name: str, schema: Schema, place: str, table: str | None, guess: GuessedKeys
) -> list[str]:
    lines = [f"[tables.{toml_key(name)}]", f"path = {toml_text(place)}"]
    lines += [f"table = {toml_text(table)}"] if table not in {None, name} else []
    refers = {
        column: ".".join(guess.refers[name, column])
        for column in schema.names
        if (name, column) in guess.refers
    }
    if refers:
        inside = ", ".join(f"{toml_key(c)} = {toml_text(key)}" for c, key in refers.items())
        lines.append(f"refers = {{{inside}}}  # guessed by names, so check it")
    elif guess.unit is None or name != guess.unit[0]:
        key = "patients.id" if guess.unit is None else ".".join(guess.unit)
        lines += [
            f"# refers = {{… = {toml_text(key)}}}  # the column that leads to people, or:",
            "# public = true  # if the table is the same whoever is in the data",
        ]
    return lines


def _columns(
    name: str, tables: Mapping[str, Schema], guess: GuessedKeys, undeclared: Collection[str]
) -> list[str]:
    """A line for each column: what is known of it, and what only people can say."""
    lines = []
    for column, kind in tables[name].columns:
        table, key = guess.refers.get((name, column), (name, column))
        if (table, key) != (name, column):
            known = dict(tables[table].columns)[key]
            if name in undeclared and table not in undeclared and known is not kind:
                told = f'{{type = "{known.value}"}}  # as {table}.{key}'
                lines.append(f"columns.{toml_key(column)} = {told}")
        elif (name, column) != guess.unit and (name, column) not in guess.refers.values():
            lines.append(_column(column, kind, name in undeclared))
    return lines


def _column(name: str, kind: ColumnType, is_text: bool) -> str:
    start = f"columns.{toml_key(name)} ="
    if is_text:
        return f'# {start} {{type = "…"}}  # integer, number, truth, date or moment; else text'
    if kind in {ColumnType.INTEGER, ColumnType.NUMBER}:
        return (
            f"# {start} {{range = [0, 100]}}  # {kind.value}: the range values can have, unit = …"
        )
    if kind in {ColumnType.DATE, ColumnType.MOMENT}:
        return f"# {start} {{range = [2000-01-01, 2030-12-31]}}  # {kind.value}"
    if kind is ColumnType.TEXT:
        return f'# {start} {{values = ["…", "…"]}}  # text: all there are, if few and public'
    return f'# {start} {{description = "…"}}  # {kind.value}'


def _tell(path: Path, guess: GuessedKeys, tables: Mapping[str, Schema], as_json: bool) -> None:
    refers = {".".join(here): ".".join(there) for here, there in guess.refers.items()}
    unit = None if guess.unit is None else ".".join(guess.unit)
    lost = guess.lost(tables)
    if as_json:
        columns = {
            name: {column: kind.value for column, kind in schema.columns}
            for name, schema in tables.items()
        }
        told = {"dataset": str(path), "unit": unit, "refers": refers, "undecided": lost}
        show_json({**told, "tables": columns})
        return
    show_text(f"wrote {path}")
    show_text(f"  whose rows: {unit or 'say it in the file'}" + (", by its name" if unit else ""))
    for here, there in refers.items():
        show_text(f"  {here} refers to {there}, by its name")
    for name in lost:
        show_text(f"  {name}: say what leads to people, or that it is public")
    show_text("check these guesses, and say the ranges and values that only you know")
