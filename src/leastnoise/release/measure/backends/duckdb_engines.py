"""DuckDB's engines in this process: locked down, and used again, for to begin one takes 10 ms.

What one connection is shown or told, no other can see: it is in its own temporary schema, and goes
with it. A copy of the process has no engine, since threads are not copied; it begins its own, and
never touches the others again, not even those of sessions that were open when it was made.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, TypeAlias
from weakref import WeakSet

from leastnoise._dataclass import dataclass
from leastnoise.release.measure.backends.duckdb_memory import set_usual_limit
from leastnoise.release.measure.own_folder import OwnFolder

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


def engine(folder: Path, memory: int | None) -> DuckDBPyConnection:
    """An engine that is not closed off yet.

    Args:
        folder: where to spill.
        memory: how many bytes may be used before that; the usual limit if None, DuckDB's own if 0.
    """
    import duckdb  # noqa: PLC0415 - whoever only draws noise need not have it loaded

    settings: dict[str, str | bool | int | float | list[str]] = {**_SETTINGS}
    settings["temp_directory"] = str(folder / _SPILLED)
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


class _Root:
    """The connection that an engine began with, and ends with; a copy of the process has none."""

    _all: ClassVar[WeakSet[_Root]] = WeakSet()

    def __init__(self, connection: DuckDBPyConnection) -> None:
        self.connection = connection
        self.is_ours = True
        self._all.add(self)

    def end(self) -> None:
        if self.is_ours:
            self.connection.close()

    @classmethod
    def forget_all(cls) -> None:
        """In a copy of the process: ending an engine would wait for threads that are not there."""
        for each in cls._all:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(each.connection))  # is never ended
            each.is_ours = False


os.register_at_fork(after_in_child=_Root.forget_all)

_Purpose: TypeAlias = tuple[tuple[str, ...], int | None]
"""The files that an engine may read, and its memory."""


@dataclass(frozen=True, eq=False)
class _Engine:
    """An engine, closed off, with a folder for what it spills."""

    purpose: _Purpose
    root: _Root
    folder: OwnFolder

    @staticmethod
    def begun(purpose: _Purpose) -> _Engine:
        (files, memory), folder = purpose, OwnFolder()
        return _Engine(purpose, _Root(closed_off(engine(folder.path, memory), files)), folder)

    @property
    def is_good(self) -> bool:
        """Whether it can be used again: it is of this process and has put no rows on disk.

        They are surely gone when it has ended.
        """
        return self.root.is_ours and not (self.folder.path / _SPILLED).exists()

    @property
    def is_cleared_away(self) -> bool:
        """Whether nothing can be spilled any more: long-lived folders are, on some machines."""
        return not self.folder.path.is_dir()

    def end(self) -> None:
        self.root.end()
        self.folder.remove()


class _Engines:
    """The engine for all tables in memory, and one for files that waits to be used again."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._shared: _Engine | None = None
        self._spare: _Engine | None = None
        os.register_at_fork(after_in_child=self._forget)

    def shared(self) -> Lent:
        """A connection to the engine that may read no file; it stays as long as the process."""
        with self._guard:
            if self._shared is None or self._shared.is_cleared_away:
                self._shared = _Engine.begun(((), None))
            connection, held = self._shared.root.connection.cursor(), [self._shared]

        def close(_: bool) -> None:
            connection.close()
            held.clear()  # another may be shared meanwhile

        return Lent(connection, close)

    def lent(self, files: Sequence[str], memory: int | None) -> Lent:
        """A connection to an engine that may read these files and that nobody else has meanwhile.

        Whoever reads the columns of a table mostly reads its rows next. An engine in which
        something failed is not used again, nor one that spilled.
        """
        purpose = (tuple(files), memory)
        own = self._taken(purpose) or _Engine.begun(purpose)
        connection, left = own.root.connection.cursor(), [own]

        def close(went_well: bool) -> None:
            connection.close()
            while left:  # several sessions may have the one connection
                done = left.pop()
                over = self._kept(done) if went_well and done.is_good else done
                if over is not None:
                    over.end()

        return Lent(connection, close)

    def _taken(self, purpose: _Purpose) -> _Engine | None:
        """The waiting engine, if it is for this and its folder is still there."""
        with self._guard:
            found = self._spare
            if found is None or found.purpose != purpose or found.is_cleared_away:
                return None
            self._spare = None
            return found

    def _kept(self, engine: _Engine) -> _Engine | None:
        """From now on this one waits, and the one that waited is over."""
        with self._guard:
            over, self._spare = self._spare, engine
            return over

    def _forget(self) -> None:
        """In a copy of the process, which begins its own."""
        self._shared = self._spare = None
        self._guard = Lock()


_ENGINES = _Engines()
lent, shared = _ENGINES.lent, _ENGINES.shared


def alone(connection: DuckDBPyConnection) -> Lent:
    """A connection to an engine that ends with it."""
    root = _Root(connection)
    return Lent(connection, lambda _: root.end())
