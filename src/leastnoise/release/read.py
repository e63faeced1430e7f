"""`read`: a table's public facts, from wherever it is; no row leaves its place."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.column_type import DECLARABLE, ColumnType
from leastnoise.release.ask.csv_form import CsvForm, checked_form
from leastnoise.release.ask.location import (
    CsvFiles,
    Declared,
    DuckDBFile,
    DuckDBRelation,
    Frame,
    ParquetFiles,
    PlainLocation,
    PostgresTable,
    SparkFrame,
    StoredLocation,
    Zoned,
)
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from leastnoise.release.ask.zone import checked_zone
from leastnoise.release.measure.backends.duckdb_memory import asked_memory
from leastnoise.release.measure.backends.frames import refuse_objects
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.csv_lines import header, refuse_other_headers
from leastnoise.release.measure.local_files import local_files
from leastnoise.release.measure.prepared_folder import is_prepared, prepared_location

_CSV = tuple(f"{end}{packed}" for end in (".csv", ".tsv", ".txt") for packed in ("", ".gz"))
_PARQUET = (".parquet", ".parq", ".pq")
_DATABASE = (".duckdb", ".ddb", ".db")
_ADDRESSES = ("postgresql://", "postgres://")
_FRAMES = frozenset({"pandas", "polars", "pyarrow"})
_ROW = "row"
_TWICE = "a table must be readable more than once"
_SCHEMAS = ("collect_schema", "schema", "columns")  # in this order: Polars warns of the others


def read(  # noqa: PLR0913 - one per kind of source would be six functions to know
    data: Any,
    *,
    unit: str | None,
    table: str | tuple[str, ...] | None = None,
    types: Mapping[str, ColumnType | str] | None = None,
    delimiter: str | None = None,
    csv: CsvForm | Mapping[str, Any] | None = None,
    neighbours: Neighbours | str = Neighbours.ADD_REMOVE,
    session: Any = None,
    dataset: str = "",
    zone: str | None = None,
) -> Table:
    r"""A table to ask questions about.

    Nothing of the data is read but the columns' names and types. Later questions are answered where
    the data are; only sums come back.

    Args:
        data: a Parquet or CSV file, a folder or pattern of such (folders named year=2024 make a
            text column, unless `types` says otherwise), a DuckDB database file, the address of a
            PostgreSQL database (postgresql://…), a pandas, Polars or Arrow table, a DuckDB
            relation, or a Spark DataFrame; or a folder that `prepare` made. With `session`, the
            path of Parquet files that the cluster reads.
        unit: the column that says whose row it is; None or "row" if every row is a unit of its own.
        table: the name of the table, in a database; a tuple if it is in a schema.
        types: what columns hold that are text, or Python objects in pandas: "integer", "number",
            "text", "truth", "date" or "moment". All other columns of CSV files are text, and
            objects that are not declared cannot be asked about: guessing would look at the data. A
            field that is not what was declared counts as missing, as an empty one does, and a
            plan's `unparsed` tells how many there are. In CSV files, lines with another number of
            fields, with quotes out of place, or that are no text are left out; a line end inside
            quotes is read as a space.
        delimiter: for CSV files, what separates fields, if nothing else is to be said of them.
        csv: for CSV files, how they are written: a `CsvForm`, or its parts, such as
            {"delimiter": ";", "decimal": ",", "dates": "%d.%m.%Y", "encoding": "latin-1"}.
        neighbours: what privacy is promised for: by default "add_remove", that any one unit is
            there or not; or "replace".
        session: a SparkSession, if its cluster is to read the path.
        dataset: the name of the data, by which their ledger knows them; public. A ledger that has
            a name for its data refuses tables with another name or none.
        zone: in which time stamps with a zone are read, such as "Europe/Oslo": as local time there.
            Without it nothing can be asked about them. Columns without a zone stay as they are.

    Raises:
        InvalidParameter: no such file, column or type; or LEASTNOISE_MEMORY in the environment is
            no size.
        BackendError: the engine could not read the table's columns; its message is withheld.

    Example:
        >>> import pandas as pd
        >>> visits = pd.DataFrame({"patient": [1, 1, 2], "cost": [80.0, 120.0, 40.0]})
        >>> table = read(visits, unit="patient")  # or read("visits.parquet", unit="patient")
        >>> table.unit
        'patient'
    """
    if session is not None:
        _refuse_given("table", table)
        _refuse_given("types", types)
        _refuse_given("csv", csv)
        location: PlainLocation = _on_cluster(data, session)
    else:
        asked_memory()  # what it says wrongly is told here, not when the first release is made
        location = _location(data, table, types, (csv, delimiter))
    schema, place = _in_zone(_schema(location), location, zone)
    return Table(
        schema=schema,
        unit=_unit(unit, schema),
        neighbours=neighbours,
        location=place,
        dataset=dataset,
    )


def holds_text(data: Any) -> bool:
    """Whether a place holds CSV files, whose types only people know."""
    if not isinstance(data, str | os.PathLike) or os.fspath(data).startswith(_ADDRESSES):
        return False
    path = os.fspath(data)
    known = path.lower().endswith((*_PARQUET, *_DATABASE))
    return not known and all(
        each.lower().endswith(_CSV) for each in local_files(path, (*_PARQUET, *_CSV))
    )


def files_of(data: Any) -> tuple[str, ...]:
    """The files that a table is made of; none if it is in a database, in memory or not there."""
    if not isinstance(data, str | os.PathLike):
        return ()
    path = os.fspath(data)
    if path.startswith(_ADDRESSES) or path.lower().endswith(_DATABASE):
        return ()
    try:
        return local_files(path, (*_PARQUET, *_CSV))
    except InvalidParameter:
        return ()


def _in_zone(
    schema: Schema, location: PlainLocation, zone: str | None
) -> tuple[Schema, StoredLocation]:
    """The columns as they are read, and from where; a zone matters to time stamps with one."""
    if zone is None:
        return schema, location
    name = checked_zone(zone)
    local = schema.in_zone()
    return local, location if local == schema else Zoned(location, name)


def _unit(said: str | None, schema: Schema) -> str | None:
    """The unit's column; "row" for none, as in a plan's file."""
    if said != _ROW:
        return said
    if not any(name.casefold() == _ROW for name in schema.names):
        return None
    raise _check.refuse(
        "`unit` must say whose rows these are",
        f"unit={_ROW!r}, which means that each row is a unit of its own, and is a column here",
        "Write unit=None for the former, or rename the column.",
    )


def _on_cluster(data: Any, session: Any) -> SparkFrame:
    if not isinstance(data, str | os.PathLike) or not hasattr(session, "newSession"):
        raise _check.refuse(
            "`session` must be a SparkSession that reads a path",
            f"a {type(session).__name__} beside a {type(data).__name__}",
            "A DataFrame has its own session: leave it out.",
        )
    path = os.fspath(data)
    if path.lower().endswith(_CSV):
        raise _check.refuse(
            "the cluster must be told what text files hold",
            "a CSV file",
            "Read it with session.read.csv and a schema, and give that DataFrame.",
        )
    from leastnoise.release.measure.backends.spark import frame_of  # noqa: PLC0415 - few need it

    return SparkFrame(frame_of(path, session))


def _schema(location: PlainLocation) -> Schema:
    if isinstance(location, CsvFiles):
        return Schema(location.columns)
    with opened(location) as session:
        return session.schema()


def _location(
    data: Any,
    table: str | tuple[str, ...] | None,
    types: Mapping[str, ColumnType | str] | None,
    form: tuple[CsvForm | Mapping[str, Any] | None, str | None],
) -> PlainLocation:
    found = _undeclared_location(data, table, types, form)
    if isinstance(found, CsvFiles):
        return found
    _refuse_given("csv", form[0])
    if isinstance(found, Frame | ParquetFiles):
        return replace(found, declared=_declared_columns(types or {}, found))
    _refuse_given("types", types)
    return found


def _undeclared_location(
    data: Any,
    table: str | tuple[str, ...] | None,
    types: Mapping[str, ColumnType | str] | None,
    form: tuple[CsvForm | Mapping[str, Any] | None, str | None],
) -> PlainLocation:
    if not isinstance(data, str | os.PathLike):
        _refuse_given("table", table)
        return _in_memory(data)
    path = os.fspath(data)
    if path.startswith(_ADDRESSES):
        return PostgresTable(path, _table_names(table))
    if path.lower().endswith(_DATABASE) or (table is not None and Path(path).is_file()):
        return _database(path, table)
    _refuse_given("table", table)
    if is_prepared(path):
        _refuse_given("types", types)
        return prepared_location(path)
    paths = local_files(path, (*_PARQUET, *_CSV))
    if all(each.lower().endswith(_PARQUET) for each in paths):
        return ParquetFiles(paths, partitioned=_is_partitioned(path, paths))
    if all(each.lower().endswith(_CSV) for each in paths):
        return csv_files(paths, types or {}, checked_form(*form))
    ends = sorted({Path(each).suffix for each in paths})
    raise _check.refuse(
        f"files must end in one of {', '.join((*_PARQUET, *_CSV, *_DATABASE))}, all alike",
        _check.shown(ends),
        "Rename them by what they are, or name fewer.",
    )


def _refuse_given(name: str, value: object) -> None:
    if value is not None:
        raise _check.refuse(
            f"`{name}` must be left out here",
            f"{name}={_check.shown(value)}",
            "`table` is for databases, `types` for text files, tables in memory and Parquet files, "
            "`csv` for text files.",
        )


def _declared_columns(
    types: Mapping[str, ColumnType | str], location: Frame | ParquetFiles
) -> Declared:
    """What columns of text, or of Python objects, are to be read as."""
    if not types:
        return ()
    found = dict(_schema(location).columns)
    declared = {name: _declared(kind) for name, kind in types.items()}
    _refuse_unknown(declared, found)
    for name, kind in declared.items():
        if found[name] not in {kind, ColumnType.TEXT, ColumnType.UNDECLARED}:
            raise _check.refuse(
                "`types` must say what text or Python objects are; other columns have their types",
                f"{name!r}, which holds values of type {found[name].value!r}",
                "Leave it out.",
            )
    return tuple(each for each in declared.items() if each[1] is not found[each[0]])


def _refuse_unknown(declared: Iterable[str], names: Iterable[str]) -> None:
    unknown = set(declared) - set(names)
    if unknown:
        raise _check.refuse(
            "`types` must name columns of the data",
            f"{min(unknown)!r}",
            f"They are: {', '.join(map(repr, names))}."[:300],
        )


def _in_memory(data: Any) -> PlainLocation:
    library = type(data).__module__.partition(".")[0]
    if type(data).__name__ == "DuckDBPyRelation":
        return DuckDBRelation(data)
    if library == "pyspark" and hasattr(data, "sparkSession"):
        if not data.isStreaming:
            return SparkFrame(data)
        raise _check.refuse(_TWICE, "a stream", "Give a DataFrame of stored data.")
    if library in _FRAMES and any(hasattr(data, name) for name in _SCHEMAS):
        if hasattr(data, "read_next_batch"):
            raise _check.refuse(_TWICE, "a stream", "Give a table or a file.")
        refuse_objects(data)
        return Frame(data)
    raise _check.refuse(
        "`data` must be a path, a pandas, Polars or Arrow table, a DuckDB relation, or a Spark "
        "DataFrame",
        f"a {type(data).__name__}",
        "Give one of these.",
    )


def _database(path: str, table: str | tuple[str, ...] | None) -> DuckDBFile:
    names = _table_names(table)
    return DuckDBFile(local_files(path, ())[0], names)


def _table_names(table: str | tuple[str, ...] | None) -> tuple[str, ...]:
    names = (table,) if isinstance(table, str) else tuple(table or ())
    if len(names) in {1, 2} and all(name and name.isprintable() for name in names):
        return names
    raise _check.refuse(
        "a database needs the name of a table",
        f"table={_check.shown(table)}",
        "Give table='visits' or ('main', 'visits').",
    )


def _is_partitioned(path: str, paths: tuple[str, ...]) -> bool:
    """Whether folders below the one that was named are called name=value."""
    fixed = Path(path).resolve().parts
    return any(
        "=" in part
        for part, named in zip_longest(Path(paths[0]).parts[:-1], fixed)
        if part is not None and part != named
    )


def csv_files(
    paths: tuple[str, ...], types: Mapping[str, ColumnType | str], form: CsvForm
) -> CsvFiles:
    """Text files with the columns that their first lines, or their form, name.

    Raises:
        InvalidParameter: a file without names or with others, or a type for no column.
    """
    names = header(paths[0], form)
    declared = {name: _declared(kind) for name, kind in types.items()}
    _refuse_unknown(declared, names)
    columns = tuple((name, declared.get(name, ColumnType.TEXT)) for name in names)
    found = CsvFiles(paths, columns, form)
    refuse_other_headers(found)
    return found


def _declared(kind: ColumnType | str) -> ColumnType:
    try:
        found = ColumnType(kind)
    except ValueError:
        found = ColumnType.OTHER
    if found in DECLARABLE:
        return found
    raise _check.refuse(
        f"a column's type must be one of {', '.join(repr(each.value) for each in DECLARABLE)}",
        f"{kind!r}",
        "Leave out columns that are text.",
    )
