"""A ledger in one SQLite file: append only, one writer at a time, durable.

Trusted.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from leastnoise.ledger.records import Header, Line
from leastnoise.ledger.store import Store
from leastnoise.numbers.errors import LedgerError

_PATIENCE = 120  # seconds that a writer waits for others
_TABLES = (
    "CREATE TABLE header (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL)",
    "CREATE TABLE line (number INTEGER PRIMARY KEY CHECK (number > 0), text TEXT NOT NULL, "
    "hash TEXT NOT NULL)",
    # Without a rowid there is no index beside the table, which could be damaged by itself.
    "CREATE TABLE stage (charge INTEGER, name TEXT, content TEXT NOT NULL, "
    "PRIMARY KEY (charge, name)) WITHOUT ROWID",
)
# REPLACE deletes without asking the triggers of DELETE, so it has one of its own.
_TRIGGERS = tuple(
    f"CREATE TRIGGER {table}_{change} BEFORE {change} ON {table} {when} "
    "BEGIN SELECT RAISE(ABORT, 'append only'); END"
    for table, key in (
        ("header", "one = NEW.one"),
        ("line", "number = NEW.number"),
        ("stage", "charge = NEW.charge AND name = NEW.name"),
    )
    for change, when in (
        ("UPDATE", ""),
        ("DELETE", ""),
        ("INSERT", f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {key})"),
    )
)


class SQLite(Store):
    """The ledger in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        if not self._path.is_file():
            raise LedgerError(f"There is no ledger {path}.")
        with self._connected() as connection:
            row = connection.execute("SELECT text FROM header").fetchone()
        if row is None:
            raise LedgerError(f"{path} is not a ledger.")
        self._begin(str(*row))
        self.refresh()

    @classmethod
    def create(cls, path: Path, header: Header) -> None:
        """Writes a new ledger, whole or not at all; if two do so at once, the first one stays."""
        folder = path.absolute().parent
        with _errors(path), TemporaryDirectory(prefix=f".{path.name}-", dir=folder) as beside:
            new = Path(beside, path.name)
            with closing(_connect(new, "rwc")) as connection:
                connection.execute("PRAGMA synchronous=EXTRA")
                connection.execute("BEGIN")
                for statement in (*_TABLES, *_TRIGGERS):
                    connection.execute(statement)
                connection.execute("INSERT INTO header VALUES (1, ?)", (header.text(),))
                connection.execute("COMMIT")
            with suppress(FileExistsError):
                os.link(new, path)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator["_Rows"]:
        """A transaction on a connection of its own: closed without COMMIT, it is undone."""
        with self._connected() as connection:
            # With EXTRA the folder is synced too: a charge survives a loss of power.
            connection.execute("PRAGMA synchronous=EXTRA")
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            yield _Rows(connection)
            connection.execute("COMMIT")

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        with _errors(self._path), closing(_connect(self._path, "rw")) as connection:
            yield connection


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, timeout=_PATIENCE, isolation_level=None, uri=True)


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        # Python's own errors may quote what a row says; SQLite's do not, and have a code.
        other = str(error).startswith(("file is not a database", "no such table"))
        own = error if hasattr(error, "sqlite_errorcode") else "it is damaged"
        own = "it is no ledger" if other else own
        words = error.strerror if isinstance(error, OSError) else own
        raise LedgerError(
            f"{path.name} cannot be used: {words}. Check the path, the space on the disk and who may "
            "write the file."
        ) from None


class _Rows:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def lines_after(self, number: int) -> Iterable[Line]:
        rows = self._connection.execute(
            "SELECT number, text, hash FROM line WHERE number > ? ORDER BY number", (number,)
        )
        return (Line(int(number), str(text), str(hash_)) for number, text, hash_ in rows)

    def append(self, line: Line) -> None:
        self._connection.execute(
            "INSERT INTO line VALUES (?, ?, ?)", (line.number, line.text, line.hash)
        )

    def put(self, charge: int, stage: str, content: str) -> None:
        self._connection.execute("INSERT INTO stage VALUES (?, ?, ?)", (charge, stage, content))

    def get(self, charge: int, stage: str) -> str | None:
        row = self._connection.execute(
            "SELECT content FROM stage WHERE charge = ? AND name = ?", (charge, stage)
        ).fetchone()
        return None if row is None else str(*row)

    def stages(self) -> Iterable[tuple[int, str, str]]:
        rows = self._connection.execute("SELECT charge, name, content FROM stage")
        return ((charge, str(name), str(content)) for charge, name, content in rows)
