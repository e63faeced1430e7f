"""PostgreSQL: sums are taken on the server, in one read-only view of the data."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise import _check
from leastnoise.engine.column_type import ColumnType
from leastnoise.engine.dialect import POSTGRES, Dialect
from leastnoise.engine.fragment import Fragment, fill, joined
from leastnoise.engine.keys import Keys
from leastnoise.engine.location import PostgresTable
from leastnoise.engine.measurement import Totals
from leastnoise.engine.quiet import Advice, quiet
from leastnoise.engine.schema import Schema
from leastnoise.engine.session import Found

if TYPE_CHECKING:
    from psycopg import Connection

_MOST_DIGITS = 300  # more could be beyond doubles, and converting them an error
_INT64 = range(-(2**63), 2**63)


class PostgresSession:
    """One transaction: read-only, and all of its queries see the same data."""

    def __init__(self, location: PostgresTable) -> None:
        self._location = location
        self._open = ExitStack()
        self._connection = self._quiet(lambda: _connected(location.url))
        self._open.callback(self._connection.close)

    def __enter__(self) -> PostgresSession:
        return self

    def __exit__(self, *_error: object) -> None:
        self._open.close()

    @property
    def dialect(self) -> Dialect:
        """PostgreSQL's spelling."""
        return POSTGRES

    def schema(self) -> Schema:
        """The columns, by name and type, from the catalogue."""
        found = self._quiet(lambda: self._run(_columns(*self._path)))
        if not found:
            raise _check.refuse(
                "the table must be in the database, and readable",
                "none of that name",
                "Give table=('schema', 'name'), spelled as the catalogue has it.",
            )
        return Schema((name, _column_type(kind, digits)) for name, kind, digits in found)

    @property
    def rereads(self) -> bool:
        """One transaction sees one state of a table; a view may be computed anew each time."""
        named = ".".join('"' + name.replace('"', '""') + '"' for name in self._path)
        kinds = Fragment("SELECT relkind FROM pg_class WHERE oid = to_regclass(%s)", (named,))
        found = self._quiet(lambda: self._run(kinds))
        return [kind for (kind,) in found] in (["r"], ["p"], ["m"])

    def scan(self, columns: tuple[str, ...]) -> Fragment:  # noqa: ARG002 - the server picks them
        """The table's quoted name."""
        return POSTGRES.identifier(*self._path)

    def key_table(self, keys: Keys) -> Fragment:
        """Public keys and their numbers, as bound arrays."""
        columns = [_array(list(range(len(keys.rows))), POSTGRES.integer, "i")]
        for number, values in enumerate(zip(*keys.rows, strict=True)):
            columns.append(_array(list(values), _word(values[0]), f"c{number}"))
        return fill("(SELECT {})", joined(", ", columns))

    def fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        """The query's columns; totals arrive as exact decimals."""
        names = ", ".join([*(f"k{i}" for i in range(keys)), *(f"t{i}" for i in range(totals))])
        rows = self._quiet(lambda: self._run(fill(f"SELECT {names} FROM ({{}}) AS answer", query)))
        columns = list(zip(*rows, strict=True)) or [()] * (keys + totals)
        return Found(
            tuple(list(column) for column in columns[:keys]),
            tuple(_whole_numbers(column) for column in columns[keys:]),
        )

    def refuse_changed(self) -> None:
        """One transaction sees one state of the data."""
        return

    @property
    def _path(self) -> tuple[str, ...]:
        table = self._location.table
        return ("public", *table) if len(table) == 1 else table

    def _run(self, query: Fragment) -> Any:
        # Only a literal could be checked by a type checker; ours is made of literals and names.
        text: Any = query.text
        return self._connection.execute(text, query.parameters).fetchall()

    def _quiet(self, action: Callable[[], Any]) -> Any:
        return quiet(action, "PostgreSQL", _advice())


def _connected(url: str) -> Connection[Any]:
    import psycopg  # noqa: PLC0415 - an extra

    connection = psycopg.connect(url, connect_timeout=30)
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    connection.execute("SET TIME ZONE 'UTC'")
    # With the usual 4 MB every sum per unit is sorted on disk, at twice the time.
    connection.execute(
        "SELECT set_config('work_mem', '64MB', false) "
        "WHERE pg_size_bytes(current_setting('work_mem')) < 67108864"
    )
    return connection


def _columns(schema: str, table: str) -> Fragment:
    return Fragment(
        "SELECT column_name, data_type, numeric_precision FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position",
        (schema, table),
    )


def _array(values: list[Any], kind: str, name: str) -> Fragment:
    return Fragment(f"unnest(CAST(%s AS {kind}[])) AS {name}", (values,))


def _word(value: object) -> str:
    if isinstance(value, bool):
        return POSTGRES.truth
    return POSTGRES.integer if isinstance(value, int) else POSTGRES.text


def _whole_numbers(column: tuple[Any, ...]) -> Totals:
    values = [int(value) for value in column]
    fits = all(value in _INT64 for value in values)
    return np.array(values, np.int64) if fits else np.array(values, np.object_)


def _column_type(kind: str, digits: int | None) -> ColumnType:
    if kind == "numeric":
        limited = digits is not None and digits <= _MOST_DIGITS
        return ColumnType.NUMBER if limited else ColumnType.OTHER
    return _TYPES.get(kind, ColumnType.OTHER)


_TYPES = {
    "boolean": ColumnType.TRUTH,
    "smallint": ColumnType.INTEGER,
    "integer": ColumnType.INTEGER,
    "bigint": ColumnType.INTEGER,
    "real": ColumnType.NUMBER,
    "double precision": ColumnType.NUMBER,
    "text": ColumnType.TEXT,
    "character varying": ColumnType.TEXT,
    "character": ColumnType.TEXT,
    "uuid": ColumnType.TEXT,
    "date": ColumnType.DATE,
    "timestamp without time zone": ColumnType.MOMENT,
}


def _advice() -> Advice:
    try:
        import psycopg  # noqa: PLC0415
    except ModuleNotFoundError:
        return ((ModuleNotFoundError, "Install leastnoise[postgres]."),)
    return (
        (psycopg.OperationalError, "Check the address, the password and that the server runs."),
        (psycopg.errors.InsufficientPrivilege, "Ask for the right to read the table."),
    )
