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
from leastnoise.ledger.store import Kind, Noted, Transaction, missing

T = TypeVar("T")

_PATIENCE = 120  # seconds that a charger waits for others
# Whatever the role's or the database's own settings are. Under the lock, each statement must see
# what the one before committed; and a policy that hides rows must fail instead of hiding them.
_SETTINGS = """
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL synchronous_commit = on;
SET LOCAL row_security = off;
SET LOCAL lock_timeout = '{patience}s';
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

    def locked(self, work: Callable[[Transaction], T], *, begin: bool = False) -> T:
        """`work` alone with the tables; what it wrote is on the server's disk when this returns."""
        with self._connected() as connection:
            if begin and not schema.is_there(connection):
                _refuse_old(connection)
                schema.create(connection)
            keeps_totals = schema.take_turn(connection)
            return work(_PostgresTransaction(connection, keeps_totals))

    def grant(self, role: str) -> None:
        """Let a role charge the ledger: it may read and add, and nothing else."""
        with self._connected() as connection:
            schema.grant(connection, role)

    def move(self, name: str) -> None:
        """Take over a ledger that an earlier version made in a schema of the same database."""
        with self._connected() as connection:
            if schema.is_there(connection):
                raise _check.refuse(
                    "a ledger is begun once",
                    "a database that has one",
                    "Leave the old one as it is.",
                )
            schema.create(connection)
            schema.move(connection, name)
            moved = _PostgresTransaction(connection)
            Seen.begun(Header.read(moved.header() or "")).reread(moved)

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """A transaction; committed at the end, and not at all after a failure."""
        psycopg = _driver()
        try:
            settings = _SETTINGS.format(patience=_PATIENCE)
            connection = self._connections.begun(psycopg, settings)
            try:
                yield connection
                connection.commit()
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


def _line(row: Any) -> Line:
    return Line(int(row[0]), str(row[1]), str(row[2]))


class _PostgresTransaction:
    def __init__(self, connection: Any, keeps_totals: bool = False) -> None:
        self._connection, self._keeps_totals = connection, keeps_totals

    def header(self) -> str | None:
        row = self._connection.execute("SELECT text FROM leastnoise.header").fetchone()
        return None if row is None else str(row[0])

    def lines(self, first: int, most: int) -> list[Line]:
        rows = self._connection.execute(
            "SELECT number, text, hash FROM leastnoise.line WHERE number >= %s"
            " ORDER BY number LIMIT %s",
            (first, most),
        )
        return [_line(row) for row in rows]

    def lines_for(self, kind: Kind, name: str) -> list[Line]:
        rows = self._connection.execute(
            "SELECT number, text, hash FROM leastnoise.line"
            f" WHERE {schema.KEYS[kind]} = %s ORDER BY number",
            (name,),
        )
        return [_line(row) for row in rows]

    def totals(self) -> Noted | None:
        if not self._keeps_totals:
            return None
        row = self._connection.execute(_BELIEVED).fetchone()
        return None if row is None else Noted(int(row[0]), str(row[1]))

    def note(self, totals: Noted) -> None:
        if self._keeps_totals:
            self._connection.execute(
                "INSERT INTO leastnoise.totals VALUES (session_user, %s, %s)"
                " ON CONFLICT (who) DO UPDATE SET number = EXCLUDED.number, text = EXCLUDED.text",
                totals,
            )

    def begin(self, header: str) -> None:
        self._connection.execute("INSERT INTO leastnoise.header VALUES (1, %s)", (header,))

    def append(self, line: Line) -> None:
        row = (line.number, line.text, line.hash)
        self._connection.execute("INSERT INTO leastnoise.line VALUES (%s, %s, %s)", row)

    def keep(self, digest: str, content: str) -> None:
        row = (digest, content)
        self._connection.execute("INSERT INTO leastnoise.release VALUES (%s, %s)", row)

    def kept(self, digest: str) -> str | None:
        row = self._connection.execute(
            "SELECT content FROM leastnoise.release WHERE digest = %s", (digest,)
        ).fetchone()
        return None if row is None else str(row[0])
