"""`opened`: the engine that can read a location."""

from leastnoise.engine.backends.duckdb import DuckDBSession
from leastnoise.engine.backends.postgres import PostgresSession
from leastnoise.engine.backends.spark import SparkSessionBeside
from leastnoise.engine.location import Location, PostgresTable, SparkFrame
from leastnoise.engine.session import Session


def opened(location: Location, *, memory: int | None = None) -> Session:
    """A session on the data; close it by leaving its `with`."""
    if isinstance(location, PostgresTable):
        return PostgresSession(location)
    if isinstance(location, SparkFrame):
        return SparkSessionBeside(location)
    return DuckDBSession(location, memory=memory)
