"""DuckDB inside this process: locked down, on files, frames, relations and its own databases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise.errors import BackendError
from leastnoise.randomness.source import checked_source
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.csv_form import USUAL
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import (
    CsvFiles,
    DuckDBFile,
    DuckDBRelation,
    Frame,
    ParquetFiles,
    PreparedFiles,
)
from leastnoise.release.ask.schema import Schema, refuse_ambiguous
from leastnoise.release.ask.unparsed import is_flag
from leastnoise.release.measure.backends.coarse_times import coarse_in_files, coarse_in_frame
from leastnoise.release.measure.backends.duckdb_connection import (
    advice,
    catalogue_name,
    connected,
    is_out_of_memory,
    said_of_schema,
)
from leastnoise.release.measure.backends.duckdb_integers import (
    in_halves,
    never_null,
    out_of_halves,
)
from leastnoise.release.measure.backends.duckdb_memory import OutOfMemory, asked_memory
from leastnoise.release.measure.backends.duckdb_scans import (
    Readable,
    csv_scan,
    files_of,
    parquet_scan,
    records_in,
    stream_of,
    top_names,
    used,
)
from leastnoise.release.measure.backends.duckdb_types import column_type
from leastnoise.release.measure.backends.frames import frame_names, is_in_memory
from leastnoise.release.measure.backends.interruptible import interruptible
from leastnoise.release.measure.backends.object_columns import (
    first_none,
    odd_columns,
    undeclared,
    with_texts,
)
from leastnoise.release.measure.backends.quiet_errors import Said, quiet
from leastnoise.release.measure.backends.session import Found
from leastnoise.release.measure.backends.variables import with_variables
from leastnoise.release.measure.backends.word_stream import streamed_words
from leastnoise.release.measure.csv_lines import refuse_other_headers
from leastnoise.release.measure.file_states import FileStates
from leastnoise.release.measure.own_folder import OwnFolder
from leastnoise.release.measure.prepared_folder import HIDDEN, checked_manifest
from leastnoise.release.measure.sql.dialect import DUCKDB, Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.sql_field import declared_scan


class DuckDBSession:
    """A connection of our own that can read the named data and nothing else.

    Args:
        location: where the data are.
        memory: how many bytes DuckDB may use before it spills to disk; the usual limit if None,
            as many as it takes by itself if 0.
    """

    _connection: Any
    _close: Callable[[bool], None]
    _has_usual_limit = False

    def __init__(self, location: Readable, *, memory: int | None = None) -> None:
        self._prepare(location)
        _connect((self,), memory)

    @classmethod
    def together(
        cls, locations: Sequence[Readable], *, memory: int | None = None
    ) -> tuple[DuckDBSession, ...]:
        """A session for each place, all on one connection, so that a query can read them all."""
        made: list[DuckDBSession] = []
        try:
            for each in locations:
                session = cls.__new__(cls)
                session._prepare(each)
                made.append(session)
        except BaseException:
            _clean(made)
            raise
        _connect(made, memory)
        return tuple(made)

    def _prepare(self, location: Readable) -> None:
        self._location = location
        self._states = FileStates(files_of(location))
        # After the look at the files: of another copy in their place, one of the two would tell.
        self._manifest = (
            checked_manifest(location.folder) if isinstance(location, PreparedFiles) else None
        )
        self._folder: OwnFolder = self._quiet(OwnFolder)
        self._registered = 0
        try:
            self._records = self._quiet(lambda: records_in(location, self.folder))
        except BaseException:
            self._folder.remove()
            raise

    def _allowed(self) -> tuple[str, ...]:
        """The files that must be readable."""
        location = self._location
        copies = tuple(each.path for each in self._records)
        return location.paths if isinstance(location, ParquetFiles) else copies

    def __enter__(self) -> DuckDBSession:
        return self

    def __exit__(self, *error: object) -> None:
        self._close(error[:1] == (None,))
        self._folder.remove()

    @property
    def dialect(self) -> Dialect:
        """DuckDB's spelling."""
        return DUCKDB

    def schema(self) -> Schema:
        """The columns, by name and type; reads no rows."""
        self._refuse_renamed()
        found = self._quiet(
            lambda: self._run(fill("DESCRIBE SELECT * FROM {}", self._whole())).fetchall(),
            said_of_schema,
        )
        objects = undeclared(self._location)
        hidden = HIDDEN if isinstance(self._location, PreparedFiles) else ()
        shown = (each for each in found if not is_flag(each[0]) and each[0] not in hidden)
        kinds = {name: column_type(kind) for name, kind, *_ in shown}
        kinds |= {name: ColumnType.UNDECLARED for name in kinds if name in objects}
        zoned = [name for name, kind in kinds.items() if kind is ColumnType.INSTANT]
        coarse = self._coarse() if zoned else frozenset()
        kinds |= {name: ColumnType.OTHER for name in zoned if name in coarse}
        return Schema(kinds.items())

    def _coarse(self) -> frozenset[str]:
        """The columns whose time stamps may not fit."""
        location = self._location
        if isinstance(location, Frame):
            return coarse_in_frame(location.data)
        if isinstance(location, ParquetFiles):
            query = coarse_in_files(location.paths)
            return frozenset(name for (name,) in self._quiet(lambda: self._run(query).fetchall()))
        return frozenset()

    @property
    def rereads(self) -> bool:
        """Files, stored tables and frames in memory stay what they are; all else is computed."""
        location = self._location
        match location:
            case ParquetFiles() | CsvFiles():
                return True
            case Frame():
                return is_in_memory(location.data)
            case DuckDBFile():
                found: bool = self._quiet(self._is_stored)
                return found
            case DuckDBRelation():
                return False
            case _:
                assert_never(location)

    @property
    def left_out(self) -> int:
        """How many lines of text files are no records; secret."""
        return sum(each.left_out for each in self._records)

    def refuse_changed(self) -> None:
        """Checks that nobody wrote to the files, not even one that is no database's."""
        self._states.refuse_changed()

    def _is_stored(self) -> bool:
        """Whether the name can only mean a table, and one whose columns are all stored."""
        catalogue, schema, table = self._path
        text = (
            "SELECT schema_name, table_name, sql FROM duckdb_tables() WHERE database_name = ? "
            "UNION ALL SELECT schema_name, view_name, NULL FROM duckdb_views() "
            "WHERE database_name = ?"
        )
        named = [
            made
            for owner, name, made in self._run(Fragment(text, (catalogue, catalogue))).fetchall()
            if (owner.casefold(), name.casefold()) == (schema.casefold(), table.casefold())
        ]
        return len(named) == 1 and named[0] is not None and "GENERATED" not in named[0].upper()

    @property
    def _path(self) -> tuple[str, str, str]:
        assert isinstance(self._location, DuckDBFile)
        table = self._location.table
        schema = table[0] if len(table) > 1 else "main"
        return catalogue_name(self._location.path), schema, table[-1]

    def scan(self, columns: tuple[str, ...]) -> Fragment:
        """The table for the next query; a relation is read as a stream, anew each time."""
        location = self._location
        if isinstance(location, DuckDBRelation):
            return self._register(self._quiet(lambda: stream_of(location.relation, columns)))
        if isinstance(location, Frame):
            return self._frame(columns)
        return self._whole(columns)

    def key_table(self, keys: Keys) -> Fragment:
        """Public keys and their numbers, read where NumPy holds them."""
        if id(keys) not in self._keys:
            columns = {"i": np.arange(len(keys), dtype=np.int32)}
            for number, values in enumerate(keys.listed.columns):
                kind = object if isinstance(values[0], str) else None
                columns[f"c{number}"] = np.asarray(values, dtype=kind)
            self._keys[id(keys)] = keys, self._register(columns)
        return self._keys[id(keys)][1]

    def fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        """The query's columns; totals as exact integers, however large."""
        found: Found = interruptible(
            lambda: self._quiet(
                lambda: self._fetch(query, keys, totals), lambda _: self._said_before_rows(query)
            ),
            cancel=self._connection.interrupt,
        )
        return found

    @contextmanager
    def held(self, query: Fragment) -> Iterator[Fragment]:
        """A table of this connection alone; what does not fit in memory is spilled."""
        self._registered += 1
        name = DUCKDB.identifier("temp", "main", f"{self._prefix}_{self._registered}")
        interruptible(
            lambda: self._quiet(
                lambda: self._run(fill("CREATE TEMP TABLE {} AS {}", name, query)),
                lambda _: self._said_before_rows(query),
            ),
            cancel=self._connection.interrupt,
        )
        try:
            yield name
        finally:
            with suppress(BackendError):  # it goes with the connection in any case
                self._quiet(lambda: self._run(fill("DROP TABLE {}", name)))

    def shown(self, columns: Mapping[str, NDArray[np.int64]]) -> Fragment:
        """Arrays as a table, read where they lie."""
        return self._register(dict(columns))

    @contextmanager
    def showing(self, columns: Mapping[str, NDArray[np.int64]]) -> Iterator[Fragment]:
        """The same for a while: afterwards they are held no longer."""
        shown, name = self.shown(columns), f"{self._prefix}_{self._registered}"
        try:
            yield shown
        finally:
            self._quiet(lambda: self._connection.unregister(name))

    def arrays(self, query: Fragment, *, related: bool = False) -> list[Any]:
        """The columns of a query: integers that are never NULL; truth values, masked if NULL.

        Args:
            query: what to ask.
            related: whether it has many rows and few bound values: then rows are held once.

        Raises:
            BackendError: the engine failed.
            MemoryError: they cannot be held; it says nothing else.
        """
        runs = self._related if related else self._run_once
        found: list[Any] = self._in_arrays(lambda: _arrays(runs(query)))
        return found

    def _run_once(self, query: Fragment) -> Any:
        return self._run(query)

    def stream_words(self, query: Fragment, take: Callable[[NDArray[np.uint64]], None]) -> None:
        """Hands on the only column of a query, batch after batch, in no certain order.

        Raises:
            BackendError: it is something else than words, or the engine failed, or what takes them.
            MemoryError: they cannot be held; it says nothing else.
        """
        self._in_arrays(lambda: streamed_words(self._related(query), take))

    def _in_arrays(self, action: Callable[[], Any]) -> Any:
        """What an action finds, which can be found without arrays, too, if memory is lacking."""
        lacking = False

        def noted() -> Any:
            nonlocal lacking
            try:
                return action()
            except MemoryError:
                lacking = True
                raise

        try:
            return interruptible(lambda: self._quiet(noted), cancel=self._connection.interrupt)
        except BackendError:
            if not lacking:
                raise
        raise MemoryError

    @property
    def folder(self) -> Path:
        """For temporary files: of this session, and for its owner alone."""
        return self._folder.path

    def _related(self, query: Fragment) -> Any:
        # A result of a query with parameters would be held twice; one with variables is not.
        for number, value in enumerate(query.parameters):
            self._connection.execute(f"SET VARIABLE leastnoise_{number} = ?", [value])
        return self._connection.sql(with_variables(query))

    def kinds(self, query: Fragment) -> list[str]:
        """The engine's types of a query's columns; reads no rows."""
        found = self._quiet(lambda: self._run(fill("DESCRIBE {}", query)).fetchall())
        return [kind for _, kind, *_ in found]

    @property
    def is_quick_to_reread(self) -> bool:
        """Whether one column can be looked at alone, and surely shows what it shows again."""
        return self.rereads and not isinstance(self._location, CsvFiles)

    @property
    def surely_rereads(self) -> bool:
        """Whether a second look shows the very same rows, or `refuse_changed` fails.

        Tables in memory can be written to between two looks, and nothing would tell.
        """
        return self.is_quick_to_reread and not isinstance(self._location, Frame)

    def _said_before_rows(self, query: Fragment) -> str:
        """What DuckDB says of a query that failed when it is only to be planned."""
        try:
            self.explain(query)
        except Exception as error:
            return said_of_schema(error)
        return ""

    def explain(self, query: Fragment) -> str:
        """DuckDB's plan; reads no rows."""
        rows = self._run(fill("EXPLAIN {}", query)).fetchall()
        return "\n".join(row[-1] for row in rows)

    def _fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        columns = self._run(in_halves(query, keys, totals)).fetchnumpy().values()
        return out_of_halves(list(columns), keys)

    def _run(self, query: Fragment) -> Any:
        return self._connection.execute(query.text, list(query.parameters))

    def _whole(self, columns: tuple[str, ...] = ()) -> Fragment:
        """The table, with these of its columns as they were declared; all if none is named."""
        location = self._location
        match location:
            case ParquetFiles():
                return parquet_scan(location, columns)
            case CsvFiles():
                return csv_scan(location, [each.path for each in self._records], columns)
            case DuckDBFile():
                return DUCKDB.identifier(*self._path)
            case Frame():
                none = self._register(first_none(location.data))
                return declared_scan(none, location.declared, USUAL)
            case DuckDBRelation():
                return self._register(stream_of(location.relation.limit(0), ()))
            case _:
                assert_never(location)

    def _frame(self, columns: tuple[str, ...]) -> Fragment:
        """The frame, shown once for each set of columns that have to be written as text."""
        assert isinstance(self._location, Frame)
        data, declared = self._location.data, self._location.declared
        odd = odd_columns(data, columns)
        if odd not in self._frames:
            self._frames[odd] = self._register(with_texts(data, odd, declared) if odd else data)
        return declared_scan(self._frames[odd], used(declared, columns), USUAL)

    @cached_property
    def _frames(self) -> dict[tuple[int, ...], Fragment]:
        return {}

    def _register(self, data: object) -> Fragment:
        """Data under a name that no view of a database can mean."""
        self._registered += 1
        name = f"{self._prefix}_{self._registered}"
        self._quiet(lambda: self._connection.register(name, data))
        return DUCKDB.identifier("temp", "main", name)

    @cached_property
    def _keys(self) -> dict[int, tuple[Keys, Fragment]]:
        """Keys that were shown already; they are held, so that no others have their place."""
        return {}

    @cached_property
    def _prefix(self) -> str:
        return f"leastnoise_{checked_source(None).bits(128):x}"

    def _refuse_renamed(self) -> None:
        """DuckDB renames columns that differ by case alone: names are taken at the source."""
        location = self._location
        if isinstance(location, Frame):
            refuse_ambiguous(frame_names(location.data))
        if isinstance(location, ParquetFiles):
            query = Fragment(
                "SELECT name, num_children FROM parquet_schema(?)", (location.paths[0],)
            )
            refuse_ambiguous(top_names(self._quiet(lambda: self._run(query).fetchall())))
        if isinstance(location, CsvFiles):
            refuse_other_headers(location)

    def _quiet(self, action: Callable[[], Any], said: Said | None = None) -> Any:
        lacking = False

        def noted() -> Any:
            nonlocal lacking
            try:
                return action()
            except Exception as error:
                lacking = is_out_of_memory(error)
                raise

        try:
            return quiet(noted, "DuckDB", advice(), said=said)
        except BackendError as error:
            if lacking and self._has_usual_limit:
                raise OutOfMemory(str(error)) from None
            raise


def _connect(sessions: Sequence[DuckDBSession], memory: int | None) -> None:
    """One connection for all of them, which is closed with any."""
    try:
        files = [path for each in sessions for path in each._allowed()]
        databases = {
            each._location.path for each in sessions if isinstance(each._location, DuckDBFile)
        }
        if len(databases) > 1:
            raise _check.refuse(
                "tables that are joined must lie in one DuckDB file",
                f"{len(databases)} of them",
                "Copy them into one, which is also one state of all, or store them as Parquet.",
            )
        folder, database = sessions[0].folder, next(iter(databases), None)
        limit = asked_memory() if memory is None else memory
        lent = quiet(
            lambda: connected(folder, limit, files=files, database=database), "DuckDB", advice()
        )
    except BaseException:
        _clean(sessions)
        raise
    for each in sessions:
        each._connection, each._close = lent.connection, lent.close
        each._has_usual_limit = limit is None


def _clean(sessions: Iterable[DuckDBSession]) -> None:
    for each in sessions:
        each._folder.remove()


def _arrays(result: Any) -> list[Any]:
    found = result.fetchnumpy().values()
    return [each if each.dtype == np.bool_ else never_null(each) for each in found]
