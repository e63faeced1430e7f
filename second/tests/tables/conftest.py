"""An engine without tables of its own, for all tests of a file."""

from collections.abc import Iterator

import pytest

from leastnoise.tables.engines.duckdb import DuckDB


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDB]:
    with DuckDB([]) as engine:
        yield engine
