"""DuckDB's engines in this process: locked down, and used again, for to begin one takes 10 ms.

What one connection is shown or told, no other can see: it is in its own temporary schema, and goes
with it. A copy of the process has no engine, since threads are not copied; it begins its own, and
never touches the others again.
"""

from __future__ import annotations

import atexit
import ctypes
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from leastnoise.release.measure.backends.duckdb_memory import set_usual_limit

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    # Otherwise the type of a column of Python objects would hang on a sample of its values.
    "pandas_analyze_sample": "0",
    # Some versions keep parts of files and believe in them for as long as a file's time is the
    # same: then an engine that is used again reads some of a file as it was, and some as it is.
    "enable_external_file_cache": "false",
    # The one turns a numbered window into a form that cannot spill to disk; the other counts a
    # window's rows by a second scan, which shows other rows if the table is a computation.
    "disabled_optimizers": "top_n_window_elimination,window_self_join",
}
_SPILLED = "spilled"


def engine(folder: str, memory: int | None) -> DuckDBPyConnection:
    """An engine that is not closed off yet.

    Args:
        folder: where to spill.
        memory: how many bytes may be used before that; the usual limit if None, DuckDB's own if 0.
    """
    import duckdb  # noqa: PLC0415 - whoever only draws noise need not have it loaded

    settings: dict[str, str | bool | int | float | list[str]] = {**_SETTINGS}
    settings["temp_directory"] = str(Path(folder) / _SPILLED)
    if memory:
        settings["memory_limit"] = f"{memory}B"
    connection = duckdb.connect(":memory:", config=settings)
    if memory is None:
        set_usual_limit(connection)
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")  # other connections to it have none
    return connection


def closed_off(connection: DuckDBPyConnection, files: Sequence[str]) -> DuckDBPyConnection:
    """From now on these files can be read, nothing else, and no setting can be changed."""
    connection.execute("SET allowed_paths = ?", [list(files)])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


@dataclass(frozen=True)
class Lent:
    """A connection of one's own, and what to call at its end: with True if all went well."""

    connection: DuckDBPyConnection
    close: Callable[[bool], None]


_Purpose: TypeAlias = tuple[tuple[str, ...], int | None]
"""The files that an engine may read, and its memory."""


@dataclass(frozen=True, eq=False)
class _Engine:
    """An engine, closed off, with a folder for what it spills."""

    purpose: _Purpose
    connection: DuckDBPyConnection
    folder: str

    @staticmethod
    def begun(purpose: _Purpose) -> _Engine:
        files, memory = purpose
        folder = mkdtemp(prefix="leastnoise-")
        try:
            return _Engine(purpose, closed_off(engine(folder, memory), files), folder)
        except BaseException:
            rmtree(folder, ignore_errors=True)
            raise

    @property
    def has_spilled(self) -> bool:
        """Whether rows were put on disk; they are surely gone when it has ended."""
        return (Path(self.folder) / _SPILLED).exists()

    def end(self) -> None:
        self.connection.close()
        rmtree(self.folder, ignore_errors=True)


class _Engines:
    """The engine for all tables in memory, and one for files that waits to be used again."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._shared: _Engine | None = None
        self._spare: _Engine | None = None
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self._end)

    def shared(self) -> Lent:
        """A connection to the engine that may read no file; it stays as long as the process."""
        with self._guard:
            if self._shared is None:
                self._shared = _Engine.begun(((), None))
            connection = self._shared.connection.cursor()
        return Lent(connection, lambda _: connection.close())

    def lent(self, files: Sequence[str], memory: int | None) -> Lent:
        """A connection to an engine that may read these files and that nobody else has meanwhile.

        Whoever reads the columns of a table mostly reads its rows next. An engine in which
        something failed is not used again, nor one that spilled.
        """
        purpose = (tuple(files), memory)
        own = self._taken(purpose) or _Engine.begun(purpose)
        connection, left = own.connection.cursor(), [own]

        def close(went_well: bool) -> None:
            connection.close()
            while left:  # several sessions may have the one connection
                done = left.pop()
                over = self._kept(done) if went_well and not done.has_spilled else done
                if over is not None:
                    over.end()

        return Lent(connection, close)

    def _taken(self, purpose: _Purpose) -> _Engine | None:
        """The waiting engine, if it is for this and its folder is still there."""
        with self._guard:
            found = self._spare
            if found is None or found.purpose != purpose or not Path(found.folder).is_dir():
                return None
            self._spare = None
            return found

    def _kept(self, engine: _Engine) -> _Engine | None:
        """From now on this one waits, and the one that waited is over."""
        with self._guard:
            over, self._spare = self._spare, engine
            return over

    def _forget(self) -> None:
        """In a copy of the process: ending an engine would wait for threads that are not there."""
        for each in (self._shared, self._spare):
            if each is not None:
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(each.connection))  # is never ended
        self._shared = self._spare = None
        self._guard = Lock()

    def _end(self) -> None:
        for each in (self._shared, self._spare):
            if each is not None:
                rmtree(each.folder, ignore_errors=True)


_ENGINES = _Engines()
shared, lent = _ENGINES.shared, _ENGINES.lent
