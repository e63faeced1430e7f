"""A first TOML file for tables, as text: what `leastnoise init` writes.

It has what is known without a look at the rows. Ranges and values are left to the data's owner,
because what is read from the data would not be public.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from leastnoise.ledger.ledger import ROW
from leastnoise.tables.schema import CsvFiles, Table, Type

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_CSV_STUB = '{type = "number", range = [LOWEST, HIGHEST]}'
_STUBS = {
    Type.INTEGER: "{range = [LOWEST, HIGHEST]}",
    Type.NUMBER: "{range = [LOWEST, HIGHEST]}",
    Type.DATE: "{range = [FIRST_DAY, LAST_DAY]}",
    Type.TIMESTAMP: "{range = [FIRST_DAY, LAST_DAY]}",
    Type.TEXT: '{values = ["ONE", "OTHER"]}',
}


def first_file(
    path: Path,
    tables: Mapping[str, Table],
    paths: Mapping[str, str],
    unit: str,
    places: Mapping[str, str],
    max_contributions: int | None,
) -> str:
    """A file with these tables and a count of the rows of each private one.

    Args:
        path: where the file will be; paths in it are relative to that.
        tables: the tables by name.
        paths: where each is, as it was typed; perhaps a pattern.
        unit: the name of the privacy unit.
        places: of each private table the column that names the unit; the others are public.
        max_contributions: the most rows of one unit that count; chosen privately if None.
    """
    parts = [
        f"# Data, ledger and queries. What it would cost:  leastnoise preview {path.name}\n"
        f"# All fields, for editors:  leastnoise inspect --schema\n"
        f"ledger = {_text(path.stem + '.ledger')}\n"
        "epsilon = 1  # what a release of all queries below costs together"
    ]
    ids = {column.casefold() for column in places.values()}
    for name, table in tables.items():
        lines = [
            f"[tables.{_key(name)}]",
            f"path = {_text(os.path.relpath(paths[name], path.parent))}",
        ]
        if isinstance(table.place, CsvFiles) and table.place.delimiter != ",":
            own = _text(table.place.delimiter), _text(table.place.decimal)
            lines.append("csv = {{delimiter = {}, decimal = {}}}".format(*own))
        if name not in places:
            lines.append("public = true  # about nobody")
        elif unit == ROW:
            lines.append(f"privacy_unit = {_text(ROW)}  # every row is somebody else")
        else:
            lines.append(f"privacy_unit = {{{_key(unit)} = {_text(places[name])}}}")
        stubs = _stubs(table, ids) if name in places else []
        if stubs:
            text = isinstance(table.place, CsvFiles)
            lines.append("# CSV columns are text until they are declared." if text else "")
            lines.append("# Write what is publicly known, never what the data show:")
        parts.append("\n".join(filter(None, [*lines, *stubs])))
    if max_contributions is not None:
        parts.append(
            f"[defaults]\nmax_contributions = {max_contributions}  # rows of one {unit} that count"
        )
    for name in places:
        shown = name if _WORD.fullmatch(name) else '"' + name.replace('"', '""') + '"'
        sql = f"SELECT COUNT(*) AS {shown} FROM {shown}"
        parts.append(f"[queries.{_key(_safe(name))}]\nsql = {_text(sql)}")
    return "\n\n".join(parts) + "\n"


def _stubs(table: Table, ids: Sequence[str] | set[str]) -> list[str]:
    """A commented line for each column of which something could be declared; none for ids."""
    is_text = isinstance(table.place, CsvFiles)
    found = []
    for column in table.schema.values():
        name = column.name.casefold()
        is_id = name in ids or name == "id" or name.endswith(("_id", " id"))
        stub = _CSV_STUB if is_text else _STUBS.get(column.type)
        if stub is not None and not is_id:
            found.append(f"# columns.{_key(column.name)} = {stub}")
    return found


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _safe(name: str) -> str:
    """A name for a query, whose answer goes to a file of that name."""
    return re.sub(r"[^\w-]", "_", name)
