"""PostgreSQL: sums are taken on the server, in one read-only view of the data."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import cached_property
from typing import Any

import numpy as np

from leastnoise import _check
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import PostgresTable
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.backends.postgres_catalogue import (
    Relation,
    column_type,
    columns_query,
    members_query,
    number_query,
    relation_of,
)
from leastnoise.release.measure.backends.postgres_connection import (
    connected,
    pin,
    refuse_encoding,
    said_of_schema,
)
from leastnoise.release.measure.backends.quiet_errors import Advice, Said, quiet
from leastnoise.release.measure.backends.session import Found
from leastnoise.release.measure.sql.dialect import POSTGRES, Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.step.secret_totals import Totals

_INT64 = range(-(2**63), 2**63)


class PostgresSession:
    """One transaction: read-only, and all of its queries see the same data."""

    def __init__(self, location: PostgresTable) -> None:
        self._location = location
        self._connection = self._quiet(lambda: connected(location.url))
        with ExitStack() as opening:
            opening.callback(self._connection.close)
            refuse_encoding(self._connection.info.parameter_status("server_encoding"))
            self._open = opening.pop_all()

    def beside(self, location: PostgresTable) -> PostgresSession:
        """A session on another table in the same transaction, which ends with this one's."""
        other = PostgresSession.__new__(PostgresSession)
        other._location = location
        other._connection = self._connection
        other._open = ExitStack()
        return other

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
        found = self._quiet(lambda: self._run(columns_query(self._named)))
        if not found:
            raise _no_table()
        return Schema((name, column_type(kind, modifier)) for name, kind, modifier in found)

    @property
    def rereads(self) -> bool:
        """One transaction sees one state of a stored table, if nothing decides row by row.

        Children may be attached, and policies and views computed anew, between two queries.
        """
        return self._relation.is_plain

    def scan(self, columns: tuple[str, ...]) -> Fragment:
        """The table's quoted name: alone, if it is plain, so that children can only come in vain.

        OFFSET keeps the server from computing a column of a view several times for one row, and
        from handing comparisons to a foreign server, whose text may compare in another way.
        """
        named = POSTGRES.identifier(*self._path)
        if self._relation.is_plain:
            return fill("ONLY {}", named)
        if self._relation.is_stored:
            return named
        wanted = joined(", ", (POSTGRES.identifier(each) for each in columns))
        return fill("(SELECT {} FROM {} OFFSET 0) AS seen", wanted, named)

    def refuse_changed(self) -> None:
        """Rows cannot change within the transaction's view; the name could mean another table."""
        ((number,),) = self._quiet(lambda: self._run(number_query(self._named)))
        if number != self._relation.number:
            raise _check.refuse(
                "a table must stay where it is while it is read",
                "another one of its name",
                "Ask again when nobody renames schemas.",
            )

    def key_table(self, keys: Keys) -> Fragment:
        """Public keys and their numbers, as bound arrays."""
        columns = [_array(list(range(len(keys))), POSTGRES.integer, "i")]
        for number, values in enumerate(keys.listed.values):
            columns.append(_array(list(values), _word(values[0]), f"c{number}"))
        return fill("(SELECT {})", joined(", ", columns))

    def fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        """The query's columns; totals arrive as exact decimals."""
        names = ", ".join([*(f"k{i}" for i in range(keys)), *(f"t{i}" for i in range(totals))])
        asked = fill(f"SELECT {names} FROM ({{}}) AS answer", query)
        rows = self._quiet(lambda: self._run(asked), lambda _: self._said_before_rows(asked))
        columns = list(zip(*rows, strict=True)) or [()] * (keys + totals)
        return Found(
            tuple(list(column) for column in columns[:keys]),
            tuple(_whole_numbers(column) for column in columns[keys:]),
        )

    def held(self, query: Fragment) -> AbstractContextManager[None]:  # noqa: ARG002 - as others
        """Nothing: the transaction may not write, not even a table of its own."""
        return nullcontext()

    @property
    def _path(self) -> tuple[str, ...]:
        table = self._location.table
        return ("public", *table) if len(table) == 1 else table

    @property
    def _named(self) -> str:
        """The name as the catalogue's functions take it."""
        return ".".join('"' + name.replace('"', '""') + '"' for name in self._path)

    @cached_property
    def _relation(self) -> Relation:
        """Looked up once, and after a lock that keeps definition and policies as they are."""
        locked = fill("SELECT FROM ONLY {} WHERE false", POSTGRES.identifier(*self._path))
        self._quiet(lambda: self._run(locked), said_of_schema)
        found = relation_of(self._quiet(lambda: self._run(members_query(self._named))))
        if found is None:
            raise _no_table()
        return found

    def _run(self, query: Fragment) -> Any:
        # Only a literal could be checked by a type checker; ours is made of literals and names.
        text: Any = query.text
        return self._connection.execute(text, query.parameters).fetchall()

    def _said_before_rows(self, query: Fragment) -> str:
        """What the server says of a query that failed when it is only to be planned."""
        try:
            self._connection.rollback()
            pin(self._connection)
            self._run(fill("EXPLAIN {}", query))
        except Exception as error:
            return said_of_schema(error)
        return ""

    def _quiet(self, action: Callable[[], Any], said: Said | None = None) -> Any:
        return quiet(action, "PostgreSQL", _advice(), said=said)


def _no_table() -> Exception:
    return _check.refuse(
        "the table must be in the database, and readable",
        "none of that name",
        "Give table=('schema', 'name'), spelled as the catalogue has it.",
    )


def _array(values: list[Any], kind: str, name: str) -> Fragment:
    order = ' COLLATE "C"' if kind == POSTGRES.text else ""
    return Fragment(f"unnest(CAST(%s AS {kind}[])){order} AS {name}", (values,))


def _word(value: object) -> str:
    if isinstance(value, bool):
        return POSTGRES.truth
    return POSTGRES.integer if isinstance(value, int) else POSTGRES.text


def _whole_numbers(column: tuple[Any, ...]) -> Totals:
    values = [int(value) for value in column]
    fits = all(value in _INT64 for value in values)
    return np.array(values, np.int64) if fits else np.array(values, np.object_)


def _advice() -> Advice:
    try:
        import psycopg  # noqa: PLC0415
    except ModuleNotFoundError:
        return ((ModuleNotFoundError, "Install leastnoise[postgres]."),)
    return (
        (psycopg.OperationalError, "Check the address, the password and that the server runs."),
        (psycopg.errors.InsufficientPrivilege, "Ask for the right to read the table."),
    )
