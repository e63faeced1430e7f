"""A ledger in a file, through SQLite."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from leastnoise.errors import LedgerError
from leastnoise.ledger.chain import Line
from leastnoise.ledger.store import Transaction

T = TypeVar("T")

_PATIENCE = 120  # seconds that a charger waits for others
_TABLES = """
CREATE TABLE IF NOT EXISTS header (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS line (
    number INTEGER PRIMARY KEY, text TEXT NOT NULL, hash TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS release (digest TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TRIGGER IF NOT EXISTS header_stays BEFORE UPDATE ON header
    BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER IF NOT EXISTS header_lasts BEFORE DELETE ON header
    BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER IF NOT EXISTS line_stays BEFORE UPDATE ON line
    BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER IF NOT EXISTS line_lasts BEFORE DELETE ON line
    BEGIN SELECT RAISE(ABORT, 'append only'); END;
"""


class SQLiteStore:
    """A file that one process at a time may write; others wait their turn."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __repr__(self) -> str:
        return f"SQLiteStore({str(self._path)!r})"

    def locked(self, work: Callable[[Transaction], T]) -> T:
        """`work` alone with the file; what it wrote is on the disk when this returns."""
        try:
            with closing(self._connection()) as connection:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    _make_tables(connection)
                    result = work(_SQLiteTransaction(connection))
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
                return result
        except sqlite3.Error as failure:
            raise _unusable(str(failure)) from None
        except UnicodeDecodeError:  # a damaged file: SQLite quotes it, and Python cannot
            raise _unusable("a damaged file") from None

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)
        # A rollback journal with EXTRA also syncs the folder: a charge survives a loss of power.
        connection.execute("PRAGMA synchronous=EXTRA")
        return connection


def _unusable(finding: str) -> LedgerError:
    return LedgerError(
        f"a ledger's file must be a readable and writable SQLite database; got: {finding}. "
        "Check the path, the disk's space and the file's permissions."
    )


def _make_tables(connection: sqlite3.Connection) -> None:
    for statement in _statements():
        connection.execute(statement)


def _statements() -> list[str]:
    """The script in single statements: `executescript` would commit first."""
    found, part = [], ""
    for line in _TABLES.splitlines(keepends=True):
        part += line
        if sqlite3.complete_statement(part):
            found.append(part)
            part = ""
    return found


class _SQLiteTransaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def header(self) -> str | None:
        row = self._connection.execute("SELECT text FROM header").fetchone()
        return None if row is None else str(row[0])

    def lines(self, after: int = 0) -> list[Line]:
        rows = self._connection.execute(
            "SELECT number, text, hash FROM line WHERE ? = 0 OR number > ? ORDER BY number",
            (after, after),
        )
        return [Line(int(number), str(text), str(digest)) for number, text, digest in rows]

    def begin(self, header: str) -> None:
        self._connection.execute("INSERT INTO header VALUES (1, ?)", (header,))

    def append(self, line: Line) -> None:
        row = (line.number, line.text, line.hash)
        self._connection.execute("INSERT INTO line VALUES (?, ?, ?)", row)

    def keep(self, digest: str, content: str) -> None:
        self._connection.execute(
            "INSERT INTO release VALUES (?, ?) ON CONFLICT DO NOTHING", (digest, content)
        )

    def kept(self, digest: str) -> str | None:
        row = self._connection.execute(
            "SELECT content FROM release WHERE digest = ?", (digest,)
        ).fetchone()
        return None if row is None else str(row[0])
