"""Connections to DuckDB that can read the named data and nothing else."""

from __future__ import annotations

import atexit
import ctypes
import gzip
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from typing import TYPE_CHECKING

from leastnoise.release.measure.backends.duckdb_memory import MORE_MEMORY, set_usual_limit
from leastnoise.release.measure.backends.quiet_errors import Advice
from leastnoise.release.measure.sql.dialect import DUCKDB

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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
_RESERVED = frozenset({"main", "system", "temp"})
_EMPTY = "leastnoise_empty"


def connected(
    folder: str, memory: int | None, *, files: Sequence[str] = (), database: str | None = None
) -> DuckDBPyConnection:
    """A connection with an empty catalogue of its own.

    A database is attached beside it, never opened itself, so that no function, type or view in it
    can take the place of DuckDB's own. All queries see one state of it.

    Args:
        folder: where to spill.
        memory: how many bytes may be used before that; the usual limit if None, DuckDB's own if 0.
        files: what may be read.
        database: a database file.
    """
    if not files and database is None and memory is None:
        return _SHARED.connection()
    connection = _opened(folder, memory)
    connection.execute("SET enable_progress_bar = false")
    if database is not None:
        _attach(database, connection)
    _close_off(connection, files)
    if database is not None:
        connection.execute("BEGIN TRANSACTION READ ONLY")
    return connection


def _opened(folder: str, memory: int | None) -> DuckDBPyConnection:
    import duckdb  # noqa: PLC0415 - whoever only draws noise need not have it loaded

    settings: dict[str, str | bool | int | float | list[str]] = {**_SETTINGS}
    settings["temp_directory"] = str(Path(folder) / "spilled")
    if memory:
        settings["memory_limit"] = f"{memory}B"
    connection = duckdb.connect(":memory:", config=settings)
    if memory is None:
        set_usual_limit(connection)
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    return connection


def _close_off(connection: DuckDBPyConnection, files: Sequence[str]) -> None:
    """From now on these files can be read, nothing else, and no setting can be changed."""
    connection.execute("SET allowed_paths = ?", [list(files)])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


class _Shared:
    """One engine for all tables in memory, as long as the process lives: beginning one takes 15 ms.

    It may read no file. What one connection is shown, no other can see: that is in its own
    temporary schema, and goes with it. A copy of the process has no engine, since threads are not
    copied; it begins one of its own, and never touches the other again.
    """

    def __init__(self) -> None:
        self._guard = Lock()
        self._engine: DuckDBPyConnection | None = None
        self._folder = ""
        self._process = 0
        os.register_at_fork(after_in_child=self._forget)

    def connection(self) -> DuckDBPyConnection:
        """A connection of one's own."""
        with self._guard:
            if self._engine is None:
                self._engine = _opened(self._room(), None)
                _close_off(self._engine, ())
            return self._engine.cursor()

    def _forget(self) -> None:
        """In a copy of the process: ending an engine would wait for threads that are not there."""
        engine, self._engine, self._guard = self._engine, None, Lock()
        if engine is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))  # so that it is never ended

    def _room(self) -> str:
        """Where to spill: a folder for this process and its owner alone, which goes with it."""
        if self._process != os.getpid():
            self._folder, self._process = mkdtemp(prefix="leastnoise-"), os.getpid()
            atexit.register(_removed, self._folder, self._process)
        return self._folder


def _removed(folder: str, process: int) -> None:
    if process == os.getpid():  # a copy of the process leaves it alone
        rmtree(folder, ignore_errors=True)


_SHARED = _Shared()


def _attach(database: str, connection: DuckDBPyConnection) -> None:
    """The file beside an empty catalogue; the first one's name, memory, may be the file's."""
    connection.execute(f"ATTACH ':memory:' AS {_EMPTY}; USE {_EMPTY}; DETACH memory")
    quoted = database.replace("'", "''")  # no parameter can stand here
    name = DUCKDB.identifier(catalogue_name(database)).text
    connection.execute(f"ATTACH '{quoted}' AS {name} (TYPE duckdb, READ_ONLY)")


def catalogue_name(database: str) -> str:
    """What a file's catalogue is called: as when it is opened itself, because views may say so."""
    name = Path(database).stem
    return name if name.casefold() not in {*_RESERVED, _EMPTY} else f"{name}_file"


def said_of_schema(error: Exception) -> str:
    """What DuckDB's binder says of names and types, before any row is read.

    The name of an enumerated type lists its values, and those of a frame's categories are data.
    """
    import duckdb  # noqa: PLC0415

    words = str(error)
    about = isinstance(error, duckdb.BinderException | duckdb.CatalogException)
    return words if about and "ENUM" not in words.upper() else ""


def is_out_of_memory(error: Exception) -> bool:
    """Whether DuckDB had too little memory."""
    import duckdb  # noqa: PLC0415

    return isinstance(error, duckdb.OutOfMemoryException)


def advice() -> Advice:
    """What to say of DuckDB's errors."""
    import duckdb  # noqa: PLC0415

    return (
        (duckdb.OutOfMemoryException, MORE_MEMORY),
        (duckdb.ConnectionException, _OPEN),
        # DuckDB 1 has no name of its own for this.
        (getattr(duckdb, "ResourceInUseException", duckdb.ConnectionException), _OPEN),
        # A file that is gone is taken for a folder that it may not look into.
        ((duckdb.IOException, duckdb.PermissionException), _FILE),
        ((FileNotFoundError, PermissionError, EOFError, gzip.BadGzipFile, zlib.error), _FILE),
        (ModuleNotFoundError, "Install pyarrow, through which DuckDB reads such tables."),
        (OSError, "Make room for temporary files; TMPDIR says where they are."),
    )


_OPEN = "Close this process's other connections to the file."
_FILE = "Check that the file exists, can be read, and is what it is named."
