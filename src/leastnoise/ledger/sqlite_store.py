"""A ledger in a file, through SQLite."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from leastnoise.errors import LedgerError
from leastnoise.ledger.chain import Line
from leastnoise.ledger.store import Kind, Noted, Transaction, missing

T = TypeVar("T")

_PATIENCE = 120  # seconds that a charger waits for others
# Made when it is not there: what it says is added up again from the lines.
_TOTALS = (
    "CREATE TABLE IF NOT EXISTS totals (one INTEGER PRIMARY KEY CHECK (one = 1),"
    " number INTEGER NOT NULL, text TEXT NOT NULL)"
)
_TABLES = (
    "CREATE TABLE header (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL)",
    "CREATE TABLE line (number INTEGER PRIMARY KEY, text TEXT NOT NULL, hash TEXT NOT NULL UNIQUE)",
    "CREATE TABLE release (digest TEXT PRIMARY KEY, content TEXT NOT NULL)",
)
# Of a line that is no JSON nothing is known: whoever reads it refuses it.
_KEYS: dict[Kind, str] = {
    "answers": "CASE WHEN json_valid(text)"
    " THEN coalesce(json_extract(text, '$.name'), json_extract(text, '$.answers')) END",
    "plan": "CASE WHEN json_valid(text) THEN nullif(json_extract(text, '$.digest'), '') END",
}
# Made when they are not there, as triggers are.
_INDEXES = tuple(
    f"CREATE INDEX IF NOT EXISTS line_by_{kind} ON line ({key}) WHERE {key} IS NOT NULL"
    for kind, key in _KEYS.items()
)
_FOUND_BY = _KEYS | {"seal": "hash"}  # which is unique, and so has an index
# Made when they are not there: ledgers of earlier versions have none for releases.
_TRIGGERS = tuple(
    f"CREATE TRIGGER IF NOT EXISTS {table}_{name} BEFORE {change} ON {table}"
    " BEGIN SELECT RAISE(ABORT, 'append only'); END"
    for table in ("header", "line", "release")
    for name, change in (("stays", "UPDATE"), ("lasts", "DELETE"))
) + tuple(  # REPLACE deletes without asking the triggers of DELETE
    f"CREATE TRIGGER IF NOT EXISTS {table}_{key}_once BEFORE INSERT ON {table}"
    f" WHEN EXISTS (SELECT 1 FROM {table} WHERE {table}.{key} = NEW.{key})"
    " BEGIN SELECT RAISE(ABORT, 'append only'); END"
    for table, key in (
        ("header", "one"),
        ("line", "number"),
        ("line", "hash"),
        ("release", "digest"),
    )
)


class SQLiteStore:
    """A file that one process at a time may write; others wait their turn."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __repr__(self) -> str:
        return f"SQLiteStore({str(self._path)!r})"

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    def locked(
        self,
        work: Callable[[Transaction], T],
        *,
        begin: bool = False,
        known: int = 0,  # noqa: ARG002 - for stores that are far away
    ) -> T:
        """`work` alone with the file; what it wrote is on the disk when this returns."""
        try:
            self._refuse_no_file(begin)
            with closing(self._connection(begin)) as connection:
                # With EXTRA the folder is synced too: a charge survives a loss of power.
                connection.execute("PRAGMA synchronous=EXTRA")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    self._prepare(connection, begin)
                    result = work(_SQLiteTransaction(connection))
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
                return result
        except sqlite3.Error as failure:
            raise _unusable(str(failure)) from None
        except OSError as failure:
            raise _unusable((failure.strerror or "an error").lower()) from None
        except UnicodeDecodeError:  # a damaged file: SQLite quotes it, and Python cannot
            raise _unusable("a damaged file") from None

    def _refuse_no_file(self, begin: bool) -> None:
        """A device or a pipe takes every line and keeps none."""
        if self._path.exists():
            if not self._path.is_file():
                raise _unusable("something that is not a file")
        elif not begin:
            raise missing(self.name)

    def _connection(self, begin: bool) -> sqlite3.Connection:
        mode = "rwc" if begin else "rw"  # to look at a ledger must not make one
        address = f"{self._path.as_uri()}?mode={mode}"
        return sqlite3.connect(address, timeout=_PATIENCE, isolation_level=None, uri=True)

    def _prepare(self, connection: sqlite3.Connection, begin: bool) -> None:
        """Tables are made once: those of a ledger that lost them must not come back empty."""
        there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if "header" not in there:
            if not begin:
                raise missing(self.name)
            if there:
                raise _unusable("a database of something else")
            for statement in _TABLES:
                connection.execute(statement)
        for statement in (_TOTALS, *_INDEXES, *_TRIGGERS):
            connection.execute(statement)


def _unusable(finding: str) -> LedgerError:
    return LedgerError(
        f"a ledger's file must be a readable and writable SQLite database; got: {finding}. "
        "Check the path, the disk's space and the file's permissions."
    )


def _whole(number: object) -> int:
    """A line's number: of a damaged file it may be anything."""
    if isinstance(number, int):
        return number
    raise _unusable("a damaged file")


def _line(row: tuple[object, object, object]) -> Line:
    return Line(_whole(row[0]), str(row[1]), str(row[2]))


class _SQLiteTransaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def header(self) -> str | None:
        row = self._connection.execute("SELECT text FROM header").fetchone()
        return None if row is None else str(row[0])

    def lines(self, first: int, most: int) -> list[Line]:
        rows = self._connection.execute(
            "SELECT number, text, hash FROM line WHERE number >= ? ORDER BY number LIMIT ?",
            (first, most),
        )
        return [_line(row) for row in rows]

    def lines_for(self, kind: Kind, name: str) -> list[Line]:
        rows = self._connection.execute(
            f"SELECT number, text, hash FROM line WHERE {_FOUND_BY[kind]} = ? ORDER BY number",
            (name,),
        )
        return [_line(row) for row in rows]

    def totals(self) -> Noted | None:
        row = self._connection.execute("SELECT number, text FROM totals").fetchone()
        return None if row is None else Noted(_whole(row[0]), str(row[1]))

    def note(self, totals: Noted) -> None:
        self._connection.execute("INSERT OR REPLACE INTO totals VALUES (1, ?, ?)", totals)

    def begin(self, header: str) -> None:
        self._connection.execute("INSERT INTO header VALUES (1, ?)", (header,))

    def append(self, line: Line) -> None:
        row = (line.number, line.text, line.hash)
        self._connection.execute("INSERT INTO line VALUES (?, ?, ?)", row)

    def keep(self, digest: str, content: str) -> None:
        self._connection.execute("INSERT INTO release VALUES (?, ?)", (digest, content))

    def kept(self, digest: str) -> str | None:
        row = self._connection.execute(
            "SELECT content FROM release WHERE digest = ?", (digest,)
        ).fetchone()
        return None if row is None else str(row[0])
