"""DuckDB inside this process, locked: it can read the named files and nothing else.

Every engine has a connection of its own with an empty catalogue, so that no macro, view or setting
of the user's can change what a statement means. Frames and relations are streamed in as Arrow. What
does not fit in memory goes to a private temporary folder that ends with the engine.

Trusted.
"""

import os
import tempfile
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, TypeVar, assert_never

from leastnoise.numbers.errors import EngineError, InvalidInput
from leastnoise.tables.cleaning import cleaned, type_of, unit
from leastnoise.tables.dialect import DUCKDB, Dialect, Fragment, fill, joined
from leastnoise.tables.engines.engine import check_integers, quiet
from leastnoise.tables.engines.frames import as_arrow, columns_of_frame, is_relation
from leastnoise.tables.relation_sql import UNIT
from leastnoise.tables.schema import (
    Column,
    CsvFiles,
    Frame,
    ParquetFiles,
    Place,
    Schema,
    Table,
    Value,
)

T = TypeVar("T")

_SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    # Parts of files that were kept would be believed as long as a file's time is the same.
    "enable_external_file_cache": "false",
}
_UNREADABLE = "cannot be read. Check that it exists, is what its name says, and may be read."


class DuckDB:
    """An engine for some tables. Use it as a context manager.

    Args:
        tables: what it may read.
        memory: how much it may use before it goes to disk, such as "512MB"; DuckDB's own limit
            if None.
    """

    dialect: Dialect = DUCKDB

    def __init__(self, tables: Iterable[Table], *, memory: str | None = None) -> None:
        import duckdb

        places = [table.place for table in tables]
        self._paths = sorted({path for place in places for path in _paths(place)})
        self._folder = tempfile.TemporaryDirectory(prefix="leastnoise-", ignore_cleanup_errors=True)
        settings = _SETTINGS | {"temp_directory": os.path.join(self._folder.name, "spilled")}
        if memory is not None:
            settings["memory_limit"] = memory
        self._connection = duckdb.connect(":memory:", config=settings)
        for setting, value in (
            ("TimeZone", "'UTC'"),
            ("enable_progress_bar", "false"),
            ("allowed_paths", "[" + ", ".join(map(_quoted, self._paths)) + "]"),
            ("enable_external_access", "false"),
            ("lock_configuration", "true"),
        ):
            self._connection.execute(f"SET {setting} = {value}")
        self._types: dict[Table, dict[str, str]] = {}
        self._streams: dict[str, tuple[Any, list[str]]] = {}
        self._shown_so_far = 0
        self._before = self._states()

    def __enter__(self) -> "DuckDB":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()
        self._folder.cleanup()

    def schema(self, table: Table) -> Schema:
        """The columns by DuckDB's types; text is text until it is declared otherwise."""
        types = self._native(table)
        return Schema((Column(name, type_of(native, table.time_zone)) for name, native in types.items()),
                      table.name)  # fmt: skip

    def scan(self, table: Table, columns: list[str]) -> Fragment:
        """The columns as the table's schema declares them."""
        types, dialect = self._native(table), self.dialect
        for name in (*columns, *([] if table.unit is None else [table.unit])):
            if name not in types:
                raise InvalidInput(f'{table.name} has no column "{name}" in these rows.')
        decimal = table.place.decimal if isinstance(table.place, CsvFiles) else "."
        shown = [
            fill(
                "{} AS {}",
                cleaned(
                    dialect.name(name),
                    types[name],
                    table.schema[name].type,
                    dialect,
                    decimal=decimal,
                    time_zone=table.time_zone,
                ),
                dialect.name(name),
            )
            for name in columns
        ]
        read = list(columns)
        if table.unit is not None:
            kind = table.schema[table.unit].type
            column = unit(
                dialect.name(table.unit), types[table.unit], kind, dialect, decimal=decimal
            )
            shown.append(fill("{} AS {}", column, dialect.name(UNIT)))
            read.append(table.unit)
        source = self._source(table.place, list(dict.fromkeys(read)))
        return fill("(SELECT {} FROM {})", joined(", ", shown or [Fragment("1 AS one")]), source)

    def prepare(self, query: Fragment) -> None:
        """Plans the statement over the types of streams, not over their rows."""
        self._quiet(lambda: self._run(fill("EXPLAIN {}", query)), "A statement cannot be planned. "
                    "Please report this as a bug, with the query but without data.")  # fmt: skip

    def integers(self, query: Fragment) -> list[tuple[int, ...]]:
        """Runs a statement once; refuses any column that is not of integers."""
        return self._rows(query, integers_from=0)

    def candidates(self, query: Fragment) -> list[tuple[Value, ...]]:
        """Runs a statement once; refuses a last column that is not of integers."""
        return self._rows(query, integers_from=-1)

    def _rows(self, query: Fragment, integers_from: int) -> list[Any]:
        """The rows of a statement; refuses files that change meanwhile."""

        def begin() -> Any:
            used = [name for name in self._streams if f'"{name}"' in query.text]
            for name in used:
                # A connection can have one open result, so only the last relation is streamed.
                data, columns = self._streams[name]
                found, is_last = as_arrow(data, columns), name == used[-1]
                self._register(
                    name, found.read_all() if is_relation(data) and not is_last else found
                )
            return self._run(query)

        result = self._quiet(begin)
        check_integers(str(column[1]) for column in result.description[integers_from:])
        rows: list[Any] = self._quiet(result.fetchall)
        if self._states() != self._before:
            raise EngineError("A file changed while it was read.")
        return rows

    def _native(self, table: Table) -> dict[str, str]:
        """DuckDB's type of every column, by name; reads no rows."""
        if table not in self._types:
            source = self._source(table.place, None)
            found = self._quiet(
                lambda: self._run(fill("DESCRIBE SELECT * FROM {}", source)).fetchall(),
                f"{table.name} {_UNREADABLE}",
            )
            self._types[table] = {str(name): str(kind) for name, kind, *_ in found}
        return self._types[table]

    def _source(self, place: Place, columns: list[str] | None) -> Fragment:
        match place:
            case ParquetFiles(paths):
                # Writers leave NaN out of the ends that they note down for a column, so an engine
                # that believes these would let the values of some rows decide about others.
                return Fragment(
                    "read_parquet(?, hive_partitioning=false, can_have_nan=true)", (list(paths),)
                )
            case CsvFiles(paths, names, delimiter):
                text = (
                    "read_csv(?, columns=?, delim=?, header=true, auto_detect=false, quote='\"', "
                    # Threads that begin in the middle of a quoted value would take its lines for rows.
                    "escape='\"', nullstr='', strict_mode=true, ignore_errors=true, parallel=false, "
                    "hive_partitioning=false)"
                )
                return Fragment(text, (list(paths), dict.fromkeys(names, "VARCHAR"), delimiter))
            case Frame(data):
                return self._shown(data, columns)
            case _:
                assert_never(place)

    def _shown(self, data: Any, columns: list[str] | None) -> Fragment:
        """A frame or relation under a name of its own: its types, until a statement reads it."""
        self._shown_so_far += 1
        name = f"shown_{self._shown_so_far}"
        wanted = (
            columns_of_frame(data) if columns is None else columns or columns_of_frame(data)[:1]
        )
        self._register(name, self._quiet(lambda: as_arrow(data, wanted, rows=False)))
        if columns is not None:
            self._streams[name] = data, wanted
        return self.dialect.name("temp", "main", name)

    def _register(self, name: str, data: Any) -> None:
        self._connection.register(name, data)

    def _run(self, query: Fragment) -> Any:
        return self._connection.execute(query.text, list(query.values))

    def _quiet(self, action: Callable[[], T], message: str = "The data could not be read.") -> T:
        return quiet(action, message)

    def _states(self) -> list[tuple[int, ...] | None]:
        """Size, time and inode of every file."""
        return [_state(path) for path in self._paths]


def _state(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


def _paths(place: Place) -> tuple[str, ...]:
    return () if isinstance(place, Frame) else place.paths


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "''") + "'"
