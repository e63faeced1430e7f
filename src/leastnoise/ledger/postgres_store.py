"""A ledger on a PostgreSQL server, for teams."""

from collections.abc import Callable
from typing import Any, TypeVar

from leastnoise.errors import LedgerError
from leastnoise.ledger.chain import Line
from leastnoise.ledger.store import Transaction

T = TypeVar("T")

_TABLES = (
    "CREATE TABLE IF NOT EXISTS leastnoise_header"
    " (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS leastnoise_line"
    " (number BIGINT PRIMARY KEY, text TEXT NOT NULL, hash TEXT NOT NULL UNIQUE)",
    "CREATE TABLE IF NOT EXISTS leastnoise_release"
    " (digest TEXT PRIMARY KEY, content TEXT NOT NULL)",
)
_LOCK = 0x6C6E6C65  # any fixed number: the key of the lock all chargers take


class PostgresStore:
    """Tables in the database that a URL names; chargers take turns by an advisory lock."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __repr__(self) -> str:
        return "PostgresStore(…)"  # the URL may hold a password

    def locked(self, work: Callable[[Transaction], T]) -> T:
        """`work` alone with the tables; what it wrote is on the server's disk when this returns."""
        try:
            import psycopg  # noqa: PLC0415 - an extra
        except ImportError:
            raise LedgerError(
                "a ledger on PostgreSQL needs psycopg; it is not installed. "
                "Install leastnoise[postgres]."
            ) from None
        try:
            with psycopg.connect(self._url, autocommit=False) as connection:
                connection.execute("SET LOCAL synchronous_commit = on")
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                for statement in _TABLES:
                    connection.execute(statement)
                return work(_PostgresTransaction(connection))
        except psycopg.Error as failure:
            raise LedgerError(
                "a ledger's database must be reachable and writable; got: "
                f"{type(failure).__name__}. Check the URL, the server and your rights."
            ) from None


class _PostgresTransaction:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def header(self) -> str | None:
        row = self._connection.execute("SELECT text FROM leastnoise_header").fetchone()
        return None if row is None else str(row[0])

    def lines(self, after: int = 0) -> list[Line]:
        rows = self._connection.execute(
            "SELECT number, text, hash FROM leastnoise_line WHERE %s = 0 OR number > %s"
            " ORDER BY number",
            (after, after),
        )
        return [Line(int(number), str(text), str(digest)) for number, text, digest in rows]

    def begin(self, header: str) -> None:
        self._connection.execute("INSERT INTO leastnoise_header VALUES (1, %s)", (header,))

    def append(self, line: Line) -> None:
        row = (line.number, line.text, line.hash)
        self._connection.execute("INSERT INTO leastnoise_line VALUES (%s, %s, %s)", row)

    def keep(self, digest: str, content: str) -> None:
        self._connection.execute(
            "INSERT INTO leastnoise_release VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (digest, content),
        )

    def kept(self, digest: str) -> str | None:
        row = self._connection.execute(
            "SELECT content FROM leastnoise_release WHERE digest = %s", (digest,)
        ).fetchone()
        return None if row is None else str(row[0])
