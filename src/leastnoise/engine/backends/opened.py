"""`opened`: the engine that can read a location."""

from leastnoise.engine.backends.duckdb import DuckDBSession
from leastnoise.engine.backends.postgres import PostgresSession
from leastnoise.engine.location import Location, PostgresTable
from leastnoise.engine.session import Session


def opened(location: Location, *, memory: int | None = None) -> Session:
    """A session on the data; close it by leaving its `with`."""
    if isinstance(location, PostgresTable):
        return PostgresSession(location)
    return DuckDBSession(location, memory=memory)
