"""DuckDB inside this process: locked down, on files, frames, relations and its own databases."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from leastnoise.engine.backends.interruptible import interruptible
from leastnoise.engine.column_type import ColumnType
from leastnoise.engine.dialect import DUCKDB, Dialect
from leastnoise.engine.fragment import Fragment, fill, joined
from leastnoise.engine.keys import Keys
from leastnoise.engine.location import (
    CsvFiles,
    DuckDBFile,
    DuckDBRelation,
    Frame,
    ParquetFiles,
)
from leastnoise.engine.quiet import Advice, quiet
from leastnoise.engine.reading import sql_type
from leastnoise.engine.schema import Schema, refuse_ambiguous
from leastnoise.engine.session import Found

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Readable = ParquetFiles | CsvFiles | Frame | DuckDBRelation | DuckDBFile

_SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    # Otherwise the type of a column of Python objects would hang on a sample of its values.
    "pandas_analyze_sample": "0",
    # The one turns a numbered window into a form that cannot spill to disk; the other counts a
    # window's rows by a second scan, which shows other rows if the table is a computation.
    "disabled_optimizers": "top_n_window_elimination,window_self_join",
}
_HIGH = 2**62


class DuckDBSession:
    """A connection of our own that can read the named data and nothing else.

    Args:
        location: where the data are.
        memory: how many bytes DuckDB may use before it spills to disk; its own choice if None.
    """

    def __init__(self, location: Readable, *, memory: int | None = None) -> None:
        self._location = location
        self._folder = self._quiet(
            lambda: tempfile.TemporaryDirectory(prefix="leastnoise-", ignore_cleanup_errors=True)
        )
        self._registered = 0
        try:
            self._connection = self._quiet(lambda: _connected(location, self._folder.name, memory))
        except BaseException:
            self._folder.cleanup()
            raise

    def __enter__(self) -> DuckDBSession:
        return self

    def __exit__(self, *_error: object) -> None:
        self._connection.close()
        self._folder.cleanup()

    @property
    def dialect(self) -> Dialect:
        """DuckDB's spelling."""
        return DUCKDB

    def schema(self) -> Schema:
        """The columns, by name and type; reads no rows."""
        self._refuse_renamed()
        text = fill("DESCRIBE SELECT * FROM {}", self._whole())
        found = self._quiet(lambda: self._run(text).fetchall())
        return Schema((name, column_type(kind)) for name, kind, *_ in found)

    @property
    def rereads(self) -> bool:
        """Files and tables in memory stay what they are; relations and lazy frames are computed."""
        location = self._location
        match location:
            case ParquetFiles() | CsvFiles():
                return True
            case Frame():
                return not hasattr(location.data, "collect")
            case DuckDBFile():
                views = Fragment("SELECT 1 FROM duckdb_views() WHERE view_name = ?",
                                 location.table[-1:])  # fmt: skip
                return not self._quiet(lambda: self._run(views).fetchall())
            case DuckDBRelation():
                return False
            case _:
                assert_never(location)

    def scan(self, columns: tuple[str, ...]) -> Fragment:
        """The table for the next query; a relation is read as a stream, anew each time."""
        if isinstance(self._location, DuckDBRelation):
            relation = self._location.relation
            return self._register(self._quiet(lambda: _stream(relation, columns)))
        return self._whole()

    def key_table(self, keys: Keys) -> Fragment:
        """Public keys and their numbers, read where NumPy holds them."""
        columns = {"i": np.arange(len(keys.rows), dtype=np.int32)}
        for number, values in enumerate(zip(*keys.rows, strict=True)):
            kind = object if isinstance(values[0], str) else None
            columns[f"c{number}"] = np.array(values, dtype=kind)
        return self._register(columns)

    def fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        """The query's columns; totals as exact integers, however large."""
        found: Found = interruptible(
            lambda: self._quiet(lambda: self._fetch(query, keys, totals)),
            cancel=self._connection.interrupt,
        )
        return found

    def explain(self, query: Fragment) -> str:
        """DuckDB's plan, for tests."""
        rows = self._run(fill("EXPLAIN {}", query)).fetchall()
        return "\n".join(row[-1] for row in rows)

    def _fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        # NumPy has no 128-bit integers, and doubles would round: two halves of 62 bits are exact.
        halves = [f"CAST(t{i} {part} AS BIGINT)" for i in range(totals) for part in _HALVES]
        names = [f"k{i}" for i in range(keys)]
        text = f"SELECT {', '.join([*names, *halves])} FROM ({{}}) AS answer"
        columns = list(self._run(fill(text, query)).fetchnumpy().values())
        pairs = zip(columns[keys::2], columns[keys + 1 :: 2], strict=True)
        return Found(
            tuple(column.tolist() for column in columns[:keys]),
            tuple(_whole_numbers(high, low) for high, low in pairs),
        )

    def _run(self, query: Fragment) -> Any:
        return self._connection.execute(query.text, list(query.parameters))

    def _whole(self) -> Fragment:
        location = self._location
        match location:
            case ParquetFiles():
                return Fragment(
                    "read_parquet(?, hive_partitioning=?, hive_types_autocast=false)",
                    (list(location.paths), location.partitioned),
                )
            case CsvFiles():
                return _csv_scan(location)
            case DuckDBFile():
                return DUCKDB.identifier(*location.table)
            case Frame():
                return self._frame
            case DuckDBRelation():
                return self.scan(())
            case _:
                assert_never(location)

    @cached_property
    def _frame(self) -> Fragment:
        assert isinstance(self._location, Frame)
        return self._register(self._location.data)

    def _register(self, data: object) -> Fragment:
        self._registered += 1
        name = f"registered_{self._registered}"
        self._quiet(lambda: self._connection.register(name, data))
        return DUCKDB.identifier(name)

    def _refuse_renamed(self) -> None:
        """DuckDB renames columns that differ by case alone: names are taken at the source."""
        location = self._location
        if isinstance(location, Frame):
            refuse_ambiguous(frame_names(location.data))
        if isinstance(location, ParquetFiles):
            query = Fragment(
                "SELECT name, num_children FROM parquet_schema(?)", (location.paths[0],)
            )
            refuse_ambiguous(_top_names(self._quiet(lambda: self._run(query).fetchall())))

    def _quiet(self, action: Callable[[], Any]) -> Any:
        return quiet(action, "DuckDB", _advice())


_HALVES = (f"// {_HIGH}", f"% {_HIGH}")


def _connected(location: Readable, folder: str, memory: int | None) -> DuckDBPyConnection:
    import duckdb  # noqa: PLC0415 - whoever only draws noise need not have it loaded

    settings: dict[str, str | bool | int | float | list[str]] = {**_SETTINGS}
    settings["temp_directory"] = str(Path(folder) / "spilled")
    if memory is not None:
        settings["memory_limit"] = f"{memory}B"
    if isinstance(location, DuckDBFile):
        connection = duckdb.connect(location.path, read_only=True, config=settings)
    else:
        connection = duckdb.connect(":memory:", config=settings)
    paths = list(location.paths) if isinstance(location, ParquetFiles | CsvFiles) else []
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET allowed_paths = ?", [paths])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _csv_scan(location: CsvFiles) -> Fragment:
    """All columns are read as text, then tried: text that is no number is a missing one."""
    columns = joined(", ", (_tried(name, kind) for name, kind in location.columns))
    text = (
        "(SELECT {} FROM read_csv(?, columns=?, delim=?, header=true, auto_detect=false, "
        "quote='\"', escape='\"', nullstr='', strict_mode=true, hive_partitioning=false)) AS file"
    )
    scan = fill(text, columns)
    types = {name: DUCKDB.text for name, _ in location.columns}
    return Fragment(scan.text, (list(location.paths), types, location.delimiter))


def _tried(name: str, kind: ColumnType) -> Fragment:
    named = DUCKDB.identifier(name)
    if kind is ColumnType.TEXT:
        return named
    # DuckDB 2.0 moves the cast of a bare column into its reader, where it fails instead of trying.
    return fill(f"TRY_CAST(nullif({{}}, '') AS {sql_type(kind, DUCKDB)}) AS {{}}", named, named)


def _stream(relation: Any, columns: tuple[str, ...]) -> Any:
    import duckdb  # noqa: PLC0415

    if columns:
        relation = relation.select(*map(duckdb.ColumnExpression, columns))
    return relation.to_arrow_reader(1 << 17)


def _advice() -> Advice:
    import duckdb  # noqa: PLC0415

    return (
        (duckdb.OutOfMemoryException, "Give it more memory, or more room for temporary files."),
        (duckdb.ConnectionException, "Close this process's other connections to the file."),
        # A file that is gone is taken for a folder that it may not look into.
        ((duckdb.IOException, duckdb.PermissionException), _FILE),
        (ModuleNotFoundError, "Install pyarrow, through which DuckDB reads such tables."),
        (OSError, "Make room for temporary files; TMPDIR says where they are."),
    )


_FILE = "Check that the file exists, can be read, and is what it is named."


def _whole_numbers(high: Any, low: Any) -> Any:
    if not np.any(high):
        return np.asarray(low, dtype=np.int64)
    return high.astype(object) * _HIGH + low.astype(object)


def _top_names(nodes: list[tuple[str, int | None]]) -> list[str]:
    """The children of the root of a Parquet schema, which lists every node before its children."""
    names, skip = [], 0
    for name, children in nodes[1:]:
        if skip == 0:
            names.append(name)
        else:
            skip -= 1
        skip += children or 0
    return names


def frame_names(data: Any) -> list[str]:
    """The names of a frame's columns, as its own library has them."""
    if hasattr(data, "collect_schema"):
        return list(data.collect_schema().names())
    if hasattr(data, "schema") and hasattr(data.schema, "names"):
        return list(data.schema.names)
    return [str(name) for name in data.columns]


def column_type(name: object) -> ColumnType:
    """What DuckDB's name of a type means; only the word before any parenthesis is looked at."""
    text = str(name)
    if text.endswith("]"):
        return ColumnType.OTHER
    if text.startswith("DECIMAL("):
        whole = text.endswith(",0)")
        return ColumnType.WIDE_INTEGER if whole else ColumnType.NUMBER
    return _TYPES.get(text.partition("(")[0], ColumnType.OTHER)


_TYPES = {
    **dict.fromkeys(("BOOLEAN",), ColumnType.TRUTH),
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"),
        ColumnType.INTEGER,
    ),
    **dict.fromkeys(("UBIGINT", "HUGEINT"), ColumnType.WIDE_INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE"), ColumnType.NUMBER),
    **dict.fromkeys(("VARCHAR", "ENUM", "UUID"), ColumnType.TEXT),
    **dict.fromkeys(("DATE",), ColumnType.DATE),
    **dict.fromkeys(
        ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), ColumnType.MOMENT
    ),
}
