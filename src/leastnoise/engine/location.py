"""Where the data are: a closed family. A location holds no data and never shows any."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from leastnoise.engine.column_type import ColumnType


@dataclass(frozen=True)
class ParquetFiles:
    """Parquet files of one schema; `partitioned` if folder names such as year=2024 are columns."""

    paths: tuple[str, ...]
    partitioned: bool


@dataclass(frozen=True)
class CsvFiles:
    """Text files with one header line each; columns have the types declared, not guessed ones."""

    paths: tuple[str, ...]
    columns: tuple[tuple[str, ColumnType], ...]
    delimiter: str


@dataclass(frozen=True, eq=False)
class Frame:
    """A pandas, Polars or Arrow table in memory, read where it lies."""

    data: Any = field(repr=False)


@dataclass(frozen=True, eq=False)
class DuckDBRelation:
    """A relation of somebody's own DuckDB connection, read as a stream."""

    relation: Any = field(repr=False)


@dataclass(frozen=True)
class DuckDBFile:
    """A table of a DuckDB database file, opened for reading only."""

    path: str
    table: tuple[str, ...]


@dataclass(frozen=True)
class PostgresTable:
    """A table of a PostgreSQL database."""

    url: str = field(repr=False)  # it may hold a password
    table: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SparkFrame:
    """A Spark DataFrame, read on its own cluster."""

    frame: Any = field(repr=False)


Location: TypeAlias = (
    ParquetFiles | CsvFiles | Frame | DuckDBRelation | DuckDBFile | PostgresTable | SparkFrame
)
