"""A table on DuckDB that is copied to one new file, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

from leastnoise.errors import BackendError
from leastnoise.release.ask.location import StoredLocation, Zoned, declared_in
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.duckdb_connection import advice
from leastnoise.release.measure.backends.duckdb_memory import asked_memory
from leastnoise.release.measure.backends.interruptible import interruptible
from leastnoise.release.measure.backends.quiet_errors import Advice, quiet
from leastnoise.release.measure.backends.session import Session
from leastnoise.release.measure.backends.zoned import ZonedSession
from leastnoise.release.measure.prepared_folder import new_file
from leastnoise.release.measure.sql.copied_rows import CopiedRows
from leastnoise.release.measure.sql.fragment import Fragment, fill

_MEMORY = 2**31


class CopyingSession(DuckDBSession):
    """A session that can also write one file, which exists and is empty."""

    def __init__(self, location: StoredLocation, target: str) -> None:
        self._target = target
        super().__init__(location, memory=asked_memory() or _MEMORY)  # type: ignore[arg-type] # others are refused

    def __enter__(self) -> CopyingSession:
        return self

    def _allowed(self) -> tuple[str, ...]:
        return *super()._allowed(), self._target

    def copy(self, query: Fragment) -> None:
        """Writes a query's rows to the file."""
        quoted = self._target.replace("'", "''")  # no parameter can stand here
        # Into the file itself: one of another name would be made for all to read.
        text = f"COPY ({{}}) TO '{quoted}' (FORMAT parquet, USE_TMP_FILE false)"
        interruptible(
            lambda: quiet(lambda: self._run(fill(text, query)), "DuckDB", _advice()),
            cancel=self._connection.interrupt,
        )


def _advice() -> Advice:
    import duckdb  # noqa: PLC0415

    uncopied = "Text that is not UTF-8 and integers of more than 38 digits cannot be copied."
    return ((duckdb.ConversionException, uncopied), *advice())


def write_copy(location: StoredLocation, target: Path, schema: Schema, rows: CopiedRows) -> None:
    """Writes the rows of a table to a new file, for its owner alone.

    Args:
        location: where the data are, on DuckDB.
        target: the file.
        schema: the columns that the table must have.
        rows: what is copied of it, and how.

    Raises:
        BackendError: the engine failed, or the table has other columns or was changed meanwhile.
    """
    new_file(target)
    place = location.place if isinstance(location, Zoned) else location
    with CopyingSession(place, str(target)) as session:
        shown: Session = session
        if isinstance(location, Zoned):
            shown = ZonedSession(session, location.zone, declared_in(location))
        if shown.schema() != schema:
            raise BackendError(
                "the data must have the columns they had when they were read; they have others "
                "now. Read the table again."
            )
        session.copy(rows.query(lambda: shown.scan(rows.schema.names)))
        session.refuse_changed()
    with target.open("rb") as file:
        os.fsync(file.fileno())
