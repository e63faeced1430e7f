"""`opened`: the engine that can read a location."""

from typing import Protocol

from leastnoise.release.ask.location import (
    Joined,
    Location,
    PostgresTable,
    PreparedFiles,
    SparkFrame,
    Zoned,
    declared_in,
)
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.prepared import PreparedSession
from leastnoise.release.measure.backends.session import Session
from leastnoise.release.measure.backends.zoned import ZonedSession


class Opener(Protocol):
    """What opens a session on data."""

    def __call__(self, location: Location, *, memory: int | None) -> Session:
        """A session; close it by leaving its `with`."""


def opened(location: Location, *, memory: int | None = None) -> Session:
    """A session on the data; close it by leaving its `with`."""
    if isinstance(location, Zoned):
        session = opened(location.place, memory=memory)
        return ZonedSession(session, location.zone, declared_in(location))
    if isinstance(location, Joined):
        from leastnoise.release.measure.backends.joined import JoinedSession  # noqa: PLC0415

        return JoinedSession(location, memory=memory)
    if isinstance(location, PostgresTable):
        from leastnoise.release.measure.backends.postgres import PostgresSession  # noqa: PLC0415

        return PostgresSession(location)
    if isinstance(location, SparkFrame):
        from leastnoise.release.measure.backends.spark import (  # noqa: PLC0415 - few need it
            SparkSessionBeside,
        )

        return SparkSessionBeside(location)
    if isinstance(location, PreparedFiles):
        return PreparedSession(location, memory=memory)
    return DuckDBSession(location, memory=memory)
