"""Connections to DuckDB that can read the named data and nothing else."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from leastnoise.release.measure.backends.duckdb_engines import (
    Lent,
    alone,
    closed_off,
    engine,
    lent,
    shared,
)
from leastnoise.release.measure.backends.duckdb_memory import MORE_MEMORY
from leastnoise.release.measure.backends.quiet_errors import Advice
from leastnoise.release.measure.sql.dialect import DUCKDB

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_RESERVED = frozenset({"main", "system", "temp"})
_EMPTY = "leastnoise_empty"


def connected(
    folder: Path, memory: int | None, *, files: Sequence[str] = (), database: str | None = None
) -> Lent:
    """A connection with an empty catalogue of its own.

    A database is attached beside it, never opened itself, so that no function, type or view in it
    can take the place of DuckDB's own. All queries see one state of it.

    Args:
        folder: where to spill, if the engine is for this connection alone.
        memory: how many bytes may be used before that; the usual limit if None, DuckDB's own if 0.
        files: what may be read.
        database: a database file.
    """
    if not files and database is None and memory is None:
        return shared()
    if database is None:
        return lent(files, memory)
    connection = engine(folder, memory)
    _attach(database, connection)
    closed_off(connection, files)
    connection.execute("BEGIN TRANSACTION READ ONLY")
    return alone(connection)


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
