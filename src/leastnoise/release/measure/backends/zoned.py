"""`ZonedSession`: time stamps with a zone, read as local time of a declared one.

Only moments become local times, never the other way, so that nothing is ambiguous: in autumn two
moments share an hour, and in spring an hour has none. Engines have tables of zones of their own;
where these differ, so do local times.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.location import Declared
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.unparsed import flag_of
from leastnoise.release.measure.backends.session import Found, Session
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.sql_dates import local_time


class ZonedSession:
    """A session on the same table, whose time stamps with a zone have become ones without.

    Args:
        session: the engine's own.
        zone: the name of the zone.
        declared: columns of which a scan also tells whether a field could not be read.
    """

    def __init__(self, session: Session, zone: str, declared: Declared = ()) -> None:
        self._session = session
        self._zone = zone
        self._declared = frozenset(name for name, _ in declared)

    def __enter__(self) -> ZonedSession:
        self._session.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._session.__exit__(*error)

    @property
    def plain(self) -> Session:
        """The engine's own."""
        return self._session

    @property
    def dialect(self) -> Dialect:
        """The engine's spelling."""
        return self._session.dialect

    @property
    def rereads(self) -> bool:
        """As the engine has it."""
        return self._session.rereads

    def schema(self) -> Schema:
        """The columns as they are read."""
        return self._stored.in_zone()

    @cached_property
    def _stored(self) -> Schema:
        return self._session.schema()

    @cached_property
    def _instants(self) -> frozenset[str]:
        found = self._stored.columns
        return frozenset(name for name, kind in found if kind is ColumnType.INSTANT)

    def scan(self, columns: tuple[str, ...]) -> Fragment:
        """The table, with local times in place of moments."""
        if self._instants.isdisjoint(columns):
            return self._session.scan(columns)
        flags = (flag_of(each) for each in columns if each in self._declared)
        named = map(self.dialect.identifier, flags)
        listed = joined(", ", [*(self._read(each) for each in columns), *named])
        return fill("(SELECT {} FROM {}) AS zoned", listed, self._session.scan(columns))

    def _read(self, column: str) -> Fragment:
        named = self.dialect.identifier(column)
        if column not in self._instants:
            return named
        return fill("{} AS {}", local_time(named, self._zone, self.dialect), named)

    def key_table(self, keys: Keys) -> Fragment:
        """As the engine has it."""
        return self._session.key_table(keys)

    def fetch(self, query: Fragment, keys: int, totals: int) -> Found:
        """As the engine has it."""
        return self._session.fetch(query, keys, totals)

    def held(self, query: Fragment) -> AbstractContextManager[Fragment | None]:
        """As the engine has it."""
        return self._session.held(query)

    def explain(self, query: Fragment) -> str:
        """The engine's plan, for tests."""
        told: str = self._session.explain(query)  # type: ignore[attr-defined]
        return told

    def refuse_changed(self) -> None:
        """As the engine has it."""
        self._session.refuse_changed()
