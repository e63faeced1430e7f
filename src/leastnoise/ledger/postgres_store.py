"""A ledger on a PostgreSQL server, for teams."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

from leastnoise import _check
from leastnoise.errors import LedgerError
from leastnoise.ledger import postgres_schema as schema
from leastnoise.ledger.chain import Line
from leastnoise.ledger.header import Header
from leastnoise.ledger.postgres_connections import Connections
from leastnoise.ledger.seen import Seen
from leastnoise.ledger.store import PAGE, Kind, Noted, Transaction, missing

T = TypeVar("T")

_PATIENCE = 120  # seconds that a charger waits for others
# Whatever the role's or the database's own settings are. Under the lock, each statement must see
# what the one before committed; and a policy that hides rows must fail instead of hiding them.
_BEGINNING = """
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL row_security = off;
SET LOCAL lock_timeout = '{patience}s';
"""
# Under the lock, in one message: each statement sees what the one before waited for.
_HEADER = "SELECT text FROM leastnoise.header"
_LINES = (
    "SELECT number, text, hash FROM leastnoise.line WHERE number >= {} ORDER BY number LIMIT {}"
)
# The next charger has its turn as soon as the order of the lines is settled, and many wait for the
# disk together. Nobody is told anything before: a second commit, of a record that says nothing,
# ends when the disk has everything that the server wrote before it, in the order it was written.
_END = """
SET LOCAL synchronous_commit = off;
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE NOT DEFERRABLE;
SET LOCAL synchronous_commit = on;
SELECT pg_catalog.pg_logical_emit_message(true, 'leastnoise', '');
COMMIT
"""
_BELIEVED = """
SELECT number, text FROM leastnoise.totals
WHERE who = session_user OR who = (
    SELECT pg_catalog.pg_get_userbyid(nspowner) FROM pg_catalog.pg_namespace
    WHERE nspname = 'leastnoise'
)
ORDER BY number DESC LIMIT 1
"""


class PostgresStore:
    """Tables in the database that a URL names; chargers take turns by a lock on a row of ours."""

    def __init__(self, url: str) -> None:
        self._url, self._connections = url, Connections(url)

    def __repr__(self) -> str:
        return "PostgresStore(…)"  # the URL may hold a password

    @property
    def name(self) -> str:
        """The server and the database; no user and no password."""
        try:
            parts = urlsplit(self._url)
            return f"postgresql://{parts.hostname or ''}{parts.path}"
        except ValueError:
            return "postgresql://"

    def locked(self, work: Callable[[Transaction], T], *, begin: bool = False, known: int = 0) -> T:
        r"""`work` alone with the tables; all it read and wrote is on the disk when this returns.

        Theorem: let the server's log be a sequence of records, of which a crash leaves a beginning
        that has every record before one whose commit has waited for the disk. If this returns, a
        crash afterwards loses none of the lines that `work` read or wrote.
        Proof: `work` reads what was committed before it had its turn, and what it wrote itself; the
        records of these commits are before its own, and its own is before the one that is waited
        for, because each statement is sent after the one before it has ended.
        """
        with self._begun() as transaction:
            connection = transaction.connection
            if begin and not schema.is_there(connection):
                _refuse_old(connection)
                schema.create(connection)
            transaction.take_turn(known)
            return work(transaction)

    def grant(self, role: str) -> None:
        """Let a role charge the ledger: it may read and add, and nothing else."""
        with self._begun() as transaction:
            schema.grant(transaction.connection, role)

    def move(self, name: str) -> None:
        """Take over a ledger that an earlier version made in a schema of the same database."""
        with self._begun() as moved:
            connection = moved.connection
            if schema.is_there(connection):
                raise _check.refuse(
                    "a ledger is begun once",
                    "a database that has one",
                    "Leave the old one as it is.",
                )
            schema.create(connection)
            schema.move(connection, name)
            Seen.begun(Header.read(moved.header() or "")).reread(moved)

    @contextmanager
    def _begun(self) -> Iterator["_PostgresTransaction"]:
        """A transaction; committed at the end, and not at all after a failure."""
        psycopg = _driver()
        try:
            beginning = _BEGINNING.format(patience=_PATIENCE)
            connection = self._connections.begun(psycopg, beginning)
            try:
                transaction = _PostgresTransaction(connection, psycopg.ClientCursor(connection))
                yield transaction
                transaction.end()
            except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
                connection.rollback()
                raise self._absent(connection) from None
            except BaseException:
                with suppress(psycopg.Error):
                    connection.rollback()
                raise
            finally:
                self._connections.give_back(connection)
        except psycopg.errors.LockNotAvailable:
            raise LedgerError(
                "one program at a time may write to a ledger; another has held it for "
                f"{_PATIENCE} seconds. See who it is in pg_stat_activity, and try again; nothing "
                "was charged."
            ) from None
        except psycopg.errors.InsufficientPrivilege:
            raise LedgerError(
                "a ledger's role must have been granted the right to read and add lines; this one "
                "was not. Its owner grants it: leastnoise budget grant postgresql://… ROLE."
            ) from None
        except psycopg.Error as failure:
            raise LedgerError(
                "a ledger's database must be reachable and writable; got: "
                f"{type(failure).__name__}. Check the URL, the server and your rights."
            ) from None

    def _absent(self, connection: Any) -> LedgerError:
        if schema.is_there(connection):
            return LedgerError(
                "a ledger's tables must all be in the schema `leastnoise`; some are not. They were "
                "dropped: restore a backup, and count everything since as spent."
            )
        _refuse_old(connection)
        return missing(self.name)


def _driver() -> Any:
    try:
        import psycopg  # noqa: PLC0415 - an extra
    except ImportError:
        raise LedgerError(
            "a ledger on PostgreSQL needs psycopg; it is not installed. "
            "Install leastnoise[postgres]."
        ) from None
    return psycopg


def _refuse_old(connection: Any) -> None:
    """A ledger of an earlier version must not be forgotten beside a new one."""
    found = schema.old_schemas(connection)
    if found:
        raise LedgerError(
            "a ledger must be in the schema `leastnoise`; this database has one that an earlier "
            f"version made, in {', '.join(map(repr, found))}. Its owner takes it over, with all "
            f"that was spent: leastnoise budget move postgresql://… {found[0]}."
        )


def _text(row: Any) -> str | None:
    return None if row is None else str(row[0])


def _line(row: Any) -> Line:
    return Line(int(row[0]), str(row[1]), str(row[2]))


class _PostgresTransaction:
    """Reads as it is asked; what is written goes to the server in one message at the end."""

    def __init__(self, connection: Any, writer: Any) -> None:
        self.connection, self._writer = connection, writer
        self._keeps_totals = False
        self._writes: list[tuple[str, tuple[object, ...]]] = []
        self._header: list[str | None] = []
        self._lines: dict[tuple[int, int], list[Line]] = {}

    def take_turn(self, known: int) -> None:
        """Wait until nobody else is writing, and read what every work begins with."""
        wanted = [schema.TURN, _HEADER] + [_LINES.format(known, PAGE)] * bool(known)
        cursor = self.connection.execute(";".join(wanted))
        row = cursor.fetchone()
        self._keeps_totals = row is not None and bool(row[0])
        cursor.nextset()
        self._header = [_text(cursor.fetchone())]
        if cursor.nextset():
            self._lines = {(known, PAGE): [_line(row) for row in cursor]}

    def end(self) -> None:
        """All that was written is kept, and on the disk when this returns."""
        self._write(_END)

    def _read(self, query: str, *values: object) -> Any:
        if self._writes:
            self._write("")
        return self.connection.execute(query, values or None)

    def _write(self, last: str) -> None:
        values = [value for _, row in self._writes for value in row]
        statements = ";".join([*(statement for statement, _ in self._writes), last])
        self._writes, self._lines = [], {}
        self._writer.execute(statements, values or None)

    def header(self) -> str | None:
        return self._header[0] if self._header else _text(self._read(_HEADER).fetchone())

    def lines(self, first: int, most: int) -> list[Line]:
        if not self._writes and (first, most) in self._lines:
            return self._lines[first, most]
        return [_line(row) for row in self._read(_LINES.format(int(first), int(most)))]

    def lines_for(self, kind: Kind, name: str) -> list[Line]:
        rows = self._read(
            "SELECT number, text, hash FROM leastnoise.line"
            f" WHERE {schema.FOUND_BY[kind]} = %s ORDER BY number",
            name,
        )
        return [_line(row) for row in rows]

    def totals(self) -> Noted | None:
        row = self._read(_BELIEVED).fetchone() if self._keeps_totals else None
        return None if row is None else Noted(int(row[0]), str(row[1]))

    def note(self, totals: Noted) -> None:
        if self._keeps_totals:
            statement = (
                "INSERT INTO leastnoise.totals VALUES (session_user, %s, %s)"
                " ON CONFLICT (who) DO UPDATE SET number = EXCLUDED.number, text = EXCLUDED.text"
            )
            self._writes.append((statement, totals))

    def begin(self, header: str) -> None:
        self._header = [header]
        self._writes.append(("INSERT INTO leastnoise.header VALUES (1, %s)", (header,)))

    def append(self, line: Line) -> None:
        row = (line.number, line.text, line.hash)
        self._writes.append(("INSERT INTO leastnoise.line VALUES (%s, %s, %s)", row))

    def keep(self, digest: str, content: str) -> None:
        row = (digest, content)
        self._writes.append(("INSERT INTO leastnoise.release VALUES (%s, %s)", row))

    def kept(self, digest: str) -> str | None:
        query = "SELECT content FROM leastnoise.release WHERE digest = %s"
        return _text(self._read(query, digest).fetchone())
