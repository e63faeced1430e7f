"""`JoinedSession`: rows made of several tables, on the one engine that has them all."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from leastnoise import _check
from leastnoise.errors import BackendError
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import (
    Joined,
    PlainLocation,
    PostgresTable,
    SparkFrame,
    StoredLocation,
    Zoned,
    declared_in,
)
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.unparsed import flag_of
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.postgres import PostgresSession
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.backends.spark import SparkSessionBeside
from leastnoise.release.measure.backends.zoned import ZonedSession
from leastnoise.release.measure.rows.rows import Rows
from leastnoise.release.measure.rows.stored import OWNER, Stored
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill
from leastnoise.release.measure.sql.rows_sql import RowsQuery


class JoinedSession:
    """One look at several tables; the join is a part of each query, and no row leaves its place.

    Args:
        location: the rows.
        memory: how many bytes the engine may use before it spills to disk, if it can be told.

    Raises:
        InvalidParameter: the tables lie on different engines, or in different databases.
    """

    def __init__(self, location: Joined, *, memory: int | None = None) -> None:
        if not isinstance(location.rows, Rows):
            raise _check.refuse(
                "joined rows must have owners",
                f"{type(location.rows).__name__}",
                "Ask public tables without a budget: they are nobody's.",
            )
        self._rows = location.rows
        self._tables = _together(self._rows.locations, memory)
        self._engine: Session = next(iter(self._tables.values()))
        self._query = RowsQuery(self._engine.dialect, self._scan)
        self._open = ExitStack()

    def __enter__(self) -> JoinedSession:
        for each in self._tables.values():
            self._open.enter_context(each)
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.__exit__(*error)

    @property
    def dialect(self) -> Dialect:
        """The engine's spelling."""
        return self._engine.dialect

    def schema(self) -> Schema:
        """The owner and the columns, after a look at those of every table; reads no rows.

        Raises:
            BackendError: a table has other columns than it had.
        """
        for leaf in self._rows.leaves:
            if self._tables[leaf.location].schema() != leaf.schema:
                raise BackendError(
                    f"the table {leaf.name!r} must have the columns it had when it was read; it "
                    "has others now, and nothing was charged. Read it again."
                )
        return Schema([(OWNER, self._rows.owner_kind), *self._rows.schema.columns])

    @property
    def rereads(self) -> bool:
        """Whether every table surely shows the same rows each time."""
        return all(each.rereads for each in self._tables.values())

    def scan(self, columns: tuple[str, ...]) -> Fragment:
        """The rows, of whose tables no column is read that they do not need."""
        declared = {name for name, _ in self._rows.declared}
        flags = (flag_of(each) for each in columns if each in declared)
        own = (each for each in columns if each != OWNER)
        query = self._query.query(self._rows, (*own, *flags))
        return fill("({}) AS {}", query, self.dialect.identifier(OWNER))

    def _scan(self, leaf: Stored, columns: tuple[str, ...]) -> Fragment:
        found: Fragment = self._tables[leaf.location].scan(columns)
        return found

    def key_table(self, keys: Keys) -> Fragment:
        """As the engine has it."""
        return self._engine.key_table(keys)

    def fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        """As the engine has it."""
        return self._engine.fetch(query, keys, totals)

    def held(self, query: Fragment) -> AbstractContextManager[Fragment | None]:
        """As the engine has it."""
        return self._engine.held(query)

    def explain(self, query: Fragment) -> str:
        """The engine's plan, for tests."""
        told: str = self._engine.explain(query)  # type: ignore[attr-defined]
        return told

    def refuse_changed(self) -> None:
        """Checks every table."""
        for each in self._tables.values():
            each.refuse_changed()


def _together(
    locations: tuple[StoredLocation, ...], memory: int | None
) -> Mapping[StoredLocation, Any]:
    """A session for each place, such that one query can read them all, in one state."""
    plain = {each: each.place if isinstance(each, Zoned) else each for each in locations}
    sessions = _beside(tuple(dict.fromkeys(plain.values())), memory)
    return {
        each: ZonedSession(sessions[place], each.zone, declared_in(each))
        if isinstance(each, Zoned)
        else sessions[place]
        for each, place in plain.items()
    }


def _beside(
    locations: tuple[PlainLocation, ...], memory: int | None
) -> Mapping[PlainLocation, Any]:
    first, *others = locations
    if isinstance(first, PostgresTable):
        same = [each for each in others if isinstance(each, PostgresTable)]
        _refuse_mixed(len(same) == len(others))
        if any(each.url != first.url for each in same):
            raise _check.refuse(
                "tables that are joined must lie in one database",
                "tables of several addresses",
                "Write the address alike, or copy the tables into one database.",
            )
        main = PostgresSession(first)
        near: dict[PlainLocation, Any] = {each: main.beside(each) for each in same}
        return {first: main} | near
    if isinstance(first, SparkFrame):
        frames = [each for each in others if isinstance(each, SparkFrame)]
        _refuse_mixed(len(frames) == len(others))
        session = SparkSessionBeside(first)
        beside: dict[PlainLocation, Any] = {each: session.beside(each) for each in frames}
        return {first: session} | beside
    here = [each for each in locations if not isinstance(each, PostgresTable | SparkFrame)]
    _refuse_mixed(len(here) == len(locations))
    return dict(zip(here, DuckDBSession.together(here, memory=memory), strict=True))


def _refuse_mixed(alike: bool) -> None:
    if not alike:
        raise _check.refuse(
            "tables that are joined must lie on one engine: files, frames and one DuckDB file; one "
            "PostgreSQL database; or one Spark session",
            "tables on several",
            "Copy the smaller ones to where the largest is.",
        )
