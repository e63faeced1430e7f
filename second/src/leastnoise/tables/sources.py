"""Finds the tables that a user names: files, data frames, relations, connections."""

import csv
import glob
import gzip
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.numbers.exact import exact
from leastnoise.tables.dialect import fill, joined
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.engines.frames import columns_of_frame
from leastnoise.tables.expressions import Expression, columns_of
from leastnoise.tables.relation_sql import relation_sql
from leastnoise.tables.relations import Relation
from leastnoise.tables.schema import (
    Column,
    CsvFiles,
    Frame,
    ParquetFiles,
    Place,
    Schema,
    Table,
    Type,
    Value,
    value_of,
)

_PATH = (str, os.PathLike)
_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_PARQUET = (".parquet", ".pq")
_FRAMES = {
    ("duckdb", "DuckDBPyRelation"),
    ("pandas", "DataFrame"),
    ("polars", "DataFrame"),
    ("polars", "LazyFrame"),
    ("pyarrow", "Table"),
}
_FIELDS = ("type", "range", "values", "label", "measured_in")
_FORM = {"delimiter": ",", "decimal": "."}


def find_table(
    source: Any,
    *,
    name: str | None = None,
    table: str | None = None,
    csv: Mapping[str, str] | None = None,
    columns: Mapping[str, Any] | None = None,
    time_zone: str | None = None,
) -> Table:
    """The table that a source stands for, with the columns that it has and what is declared of them.

    Args:
        source: a path, a pattern or a list of paths; a frame; a DuckDB connection or relation.
        name: what it is called in FROM; the stem of the file, or "data", if None.
        table: the table of a connection.
        csv: the delimiter and the decimal point of text files.
        columns: for some columns their type, range, values, label and what they are measured in.
        time_zone: the zone in which moments with a zone are read.
    """
    if name is not None and not isinstance(name, str):
        raise InvalidInput(f'{name!r} is no name of a table. Write {{"visits": ...}}.')
    columns = as_dict(columns, 'columns={"cost": "number"}')
    place, stem = _place(source, table, as_dict(csv, 'csv={"delimiter": ";", "decimal": ","}'))
    found = Table(name or stem, place, Schema((), ""), time_zone=_zone(time_zone))
    _check_names(found.name, _names(place))
    with DuckDB([found]) as engine:
        schema = engine.schema(found)
    return replace(found, schema=_declared(schema, columns))


def as_dict(given: Any, example: str) -> Mapping[str, Any]:
    """What was given, if it is a dict, or an empty one for None."""
    if given is not None and not isinstance(given, Mapping):
        raise InvalidInput(f"{example.partition('=')[0]} is no dict. Write {example}.")
    return given or {}


def public_rows(relation: Relation, expressions: Sequence[Expression]) -> list[tuple[Value, ...]]:
    """The values that expressions have together in public rows, each once, and how often."""
    if not relation.is_public:
        raise InvalidInput("These rows are private.")
    with DuckDB(relation.tables) as engine:
        dialect = engine.dialect
        names = [column.name for each in expressions for column in columns_of(each)]
        shown = joined(", ", (each.sql(dialect) for each in expressions))
        source = relation_sql(relation, names, engine.scan, dialect)
        places = ", ".join(str(place + 1) for place in range(len(expressions)))
        text = f"SELECT {{}}, COUNT(*) FROM {{}} AS p GROUP BY {places} ORDER BY {places}"
        return engine.candidates(fill(text, shown, source))


def fingerprint(tables: Iterable[Table]) -> list[list[int]] | None:
    """Time and inode of every file; None if a table is no file.

    Size and content are functions of the data and are never written anywhere.
    """
    states: list[list[int]] = []
    for table in tables:
        if isinstance(table.place, Frame):
            return None
        for path in table.place.paths:
            try:
                state = os.stat(path)
            except OSError:
                raise InvalidInput(f"{path} is not there any more.") from None
            states.append([state.st_mtime_ns, state.st_ino])
    return states


def _place(source: Any, table: str | None, form: Mapping[str, str]) -> tuple[Place, str]:
    if type(source).__name__ == "DuckDBPyConnection":
        if table is None:
            raise InvalidInput(
                'Which table of the connection?  ln.read(connection, table="visits", ...)'
            )
        return Frame(_relation(source, table)), table.rpartition(".")[2]
    if table is not None:
        raise InvalidInput("table= is for connections. Leave it out.")
    if (type(source).__module__.partition(".")[0], type(source).__name__) in _FRAMES:
        if form:
            raise InvalidInput("csv= is for text files. Leave it out.")
        return Frame(source), "data"
    if isinstance(source, _PATH):
        if str(source).startswith(("postgresql:", "postgres:")):
            raise InvalidInput("PostgreSQL cannot be read yet. Export the table as Parquet.")
        paths = _paths(os.fspath(source))
    elif isinstance(source, list | tuple) and source and all(isinstance(p, _PATH) for p in source):
        paths = [path for each in source for path in _paths(os.fspath(each))]
    else:
        raise InvalidInput(
            f"A source of type {type(source).__name__} cannot be read. Give a file (Parquet or CSV), "
            "a data frame (pandas, Polars, Arrow), or a DuckDB connection or relation."
        )
    endings = {_ending(path) for path in paths}
    stem = Path(paths[0]).name.partition(".")[0]
    if endings <= {*_PARQUET}:
        if form:
            raise InvalidInput("csv= is for text files. Leave it out.")
        return ParquetFiles(tuple(paths)), stem
    if endings <= {*_CSV}:
        return _text_files(paths, form), stem
    raise InvalidInput(
        f"{Path(paths[0]).name} is neither Parquet nor CSV by its name. Files end in "
        f"{', '.join(_PARQUET + _CSV)}."
    )


def _ending(path: str) -> str:
    name = path.lower()
    return next((each for each in (*_CSV, *_PARQUET) if name.endswith(each)), Path(name).suffix)


def _paths(text: str) -> list[str]:
    """A path, or what a pattern matches, absolute and in order."""
    matched = sorted(glob.glob(text)) if any(mark in text for mark in "*?[") else [text]
    if not matched:
        raise InvalidInput(f"No file matches {text}.")
    for path in matched:
        if os.path.isdir(path):
            raise InvalidInput(f"{path} is a folder. Name its files: {path}/*.parquet")
        if not os.path.isfile(path):
            folder = os.path.dirname(path) or "."
            others = os.listdir(folder) if os.path.isdir(folder) else []
            hint = did_you_mean(os.path.basename(path), others)
            raise InvalidInput(f"There is no file {path}.{hint}")
    return [os.path.abspath(path) for path in matched]


def _relation(connection: Any, table: str) -> Any:
    try:
        return connection.table(table)
    except Exception:
        try:
            names = "SELECT table_name FROM information_schema.tables"
            known = [row[0] for row in connection.execute(names).fetchall()]
        except Exception:
            raise InvalidInput("The connection is closed, or broken. Open another one.") from None
    raise InvalidInput(f'The connection has no table "{table}".{did_you_mean(table, known)}')


def _text_files(paths: list[str], form: Mapping[str, str]) -> CsvFiles:
    for key in form:
        if key not in _FORM:
            raise InvalidInput(f'csv= has no field "{key}".{did_you_mean(key, _FORM)}')
    tabs = {"delimiter": "\t"} if ".tsv" in paths[0].lower() else {}
    chosen = _FORM | tabs | dict(form)
    for key, value in chosen.items():
        if not isinstance(value, str) or len(value) != 1:
            raise InvalidInput(f"csv= has {key} {value!r}. Give one character.")
    headers = [_header(path, chosen["delimiter"]) for path in paths]
    if len(headers[0]) == 1 and ";" in headers[0][0] and "delimiter" not in form:
        raise InvalidInput(
            f'{Path(paths[0]).name} has one column, "{headers[0][0]:.60}". Name the delimiter:  '
            'csv={"delimiter": ";"}'
        )
    for path, header in zip(paths, headers, strict=True):
        if header != headers[0]:
            raise InvalidInput(f"{Path(path).name} has other columns than {Path(paths[0]).name}.")
    return CsvFiles(tuple(paths), headers[0], chosen["delimiter"], chosen["decimal"])


def _header(path: str, delimiter: str) -> tuple[str, ...]:
    opened = gzip.open if path.lower().endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            first = next(csv.reader(file, delimiter=delimiter), [])
    except UnicodeDecodeError:
        raise InvalidInput(f"{Path(path).name} is not in UTF-8. Save it in UTF-8.") from None
    except (OSError, csv.Error, EOFError):
        first = []
    if not first:
        raise InvalidInput(f"{Path(path).name} has no first line with the names of its columns.")
    return tuple(first)


def _names(place: Place) -> list[str]:
    """The names as the source has them: an engine renames columns that differ by case alone."""
    if isinstance(place, Frame):
        for name in place.data.columns if hasattr(place.data, "iloc") else ():
            if not isinstance(name, str):
                raise InvalidInput(
                    f"The frame has a column called {name!r}, which is no text.\n"
                    "Convert it:  df.columns = df.columns.astype(str)"
                )
        return columns_of_frame(place.data)
    if isinstance(place, CsvFiles):
        return list(place.columns)
    import pyarrow.parquet as pq

    try:
        return list(pq.read_schema(place.paths[0]).names)
    except (OSError, ValueError):
        raise InvalidInput(f"{Path(place.paths[0]).name} is no Parquet file.") from None


def _check_names(table: str, names: list[str]) -> None:
    if not names:
        raise InvalidInput(f"{table} has no columns.")
    seen: dict[str, str] = {}
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f'{table} has two columns called "{name}". Rename one.')
        if not name.strip() or name.startswith(" "):
            raise InvalidInput(
                f'{table} has a column called "{name}". Rename it: names begin with a letter.'
            )
        before = seen.setdefault(name.casefold(), name)
        if before is not name:
            raise InvalidInput(
                f'{table} has columns "{before}" and "{name}", which differ by case alone. Rename one.'
            )


def _declared(schema: Schema, columns: Mapping[str, Any]) -> Schema:
    """The schema with what is declared of its columns."""
    found = dict(schema)
    for name, given in columns.items():
        own = schema[name]  # refuses unknown names
        fields = {"type": given} if isinstance(given, str) else dict(given)
        for key in fields:
            if key not in _FIELDS:
                raise InvalidInput(
                    f'"{name}" in columns= has a field "{key}".{did_you_mean(key, _FIELDS)}'
                )
        kind = _type(name, fields.get("type", own.type), own.type)
        ends = fields.get("range")
        values = fields.get("values")
        if isinstance(values, str):
            raise InvalidInput(f'"values" of "{name}" is "{values}". Give a list: ["{values}"]')
        found[name] = Column(
            name,
            kind,
            None if ends is None else _range(name, kind, ends),
            None if values is None else tuple(value_of(each, kind, f'"{name}"') for each in values),
            fields.get("label"),
            fields.get("measured_in"),
        )
    return Schema(found.values(), schema.of)


def _type(name: str, given: str, own: Type) -> Type:
    usable = [kind for kind in Type if kind is not Type.OTHER]
    if given not in usable:
        hint = did_you_mean(given, usable)
        raise InvalidInput(f'"{name}" is declared as "{given}".{hint}\nTypes: {", ".join(usable)}.')
    kind = Type(given)
    if kind is own or own is Type.TEXT or (kind.is_numeric and own.is_numeric):
        return kind
    raise InvalidInput(
        f'"{name}" holds values of type {own} and is declared as {kind}. Leave it out.'
    )


def _range(name: str, kind: Type, ends: Any) -> Any:
    try:
        low, high = ends
    except (TypeError, ValueError):
        raise InvalidInput(f'The range of "{name}" is {ends!r}. Give two ends: [0, 600].') from None
    if kind.is_dated:
        low, high = (value_of(end, Type.DATE, f'"{name}"') for end in (low, high))
    elif kind.is_numeric:
        low, high = (exact(end, f'an end of the range of "{name}"') for end in (low, high))
    else:
        raise InvalidInput(
            f'"{name}" is of type {kind}. Only numbers and dates have a range. Declare its type, too.'
        )
    if low is None or high is None or not low < high:
        raise InvalidInput(
            f'The range of "{name}" is empty: its first end is not below its second.'
        )
    return low, high


def _zone(name: str | None) -> str | None:
    if name is None:
        return None
    import zoneinfo

    if name not in zoneinfo.available_timezones():
        hint = did_you_mean(name, zoneinfo.available_timezones())
        raise InvalidInput(f'There is no time zone "{name}".{hint}')
    return name
