"""Where the data are: a closed family. A location holds no data and never shows any."""

from abc import ABC, abstractmethod
from dataclasses import field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.csv_form import USUAL, CsvForm

Declared: TypeAlias = tuple[tuple[str, ColumnType], ...]
"""The names of columns, each with what its texts are."""


@dataclass(frozen=True)
class ParquetFiles:
    """Parquet files of one schema.

    Attributes:
        paths: where they are.
        partitioned: whether folder names such as year=2024 are columns.
        declared: what columns of text are to be read as.
    """

    paths: tuple[str, ...]
    partitioned: bool
    declared: Declared = ()

    def __repr__(self) -> str:
        more = f", declared={self.declared!r}" if self.declared else ""
        return f"ParquetFiles(paths={self.paths!r}, partitioned={self.partitioned!r}{more})"


@dataclass(frozen=True)
class PreparedFiles(ParquetFiles):
    """A copy of a table that was made for many releases; `prepare` makes it.

    Attributes:
        folder: where the copy and its manifest are.
        unit: the column by which its rows lie together; None if each row is a unit.
        flagged: which columns were text, and have a flag for fields that could not be read.
    """

    folder: str = ""
    unit: str | None = None
    flagged: Declared = ()

    def __repr__(self) -> str:
        return f"PreparedFiles(folder={self.folder!r})"


@dataclass(frozen=True)
class CsvFiles:
    """Text files of one form; columns have the types declared, not guessed ones."""

    paths: tuple[str, ...]
    columns: tuple[tuple[str, ColumnType], ...]
    form: CsvForm = USUAL

    def __repr__(self) -> str:
        """As ever where nothing but the delimiter is said: plans keep their fingerprints."""
        plain = self.form == CsvForm(delimiter=self.form.delimiter)
        form = f"delimiter={self.form.delimiter!r}" if plain else f"form={self.form!r}"
        return f"CsvFiles(paths={self.paths!r}, columns={self.columns!r}, {form})"


@dataclass(frozen=True, eq=False)
class Frame:
    """A pandas, Polars or Arrow table in memory, read where it lies.

    Attributes:
        data: the table.
        declared: what columns of text or of Python objects are to be read as.
    """

    data: Any = field(repr=False)
    declared: Declared = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return False
        return self.data is other.data and self.declared == other.declared

    def __hash__(self) -> int:
        return id(self.data)

    def __repr__(self) -> str:
        return f"Frame(declared={self.declared!r})" if self.declared else "Frame()"


@dataclass(frozen=True, eq=False)
class DuckDBRelation:
    """A relation of somebody's own DuckDB connection, read as a stream."""

    relation: Any = field(repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DuckDBRelation) and self.relation is other.relation

    def __hash__(self) -> int:
        return id(self.relation)


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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparkFrame) and self.frame is other.frame

    def __hash__(self) -> int:
        return id(self.frame)


PlainLocation: TypeAlias = (
    ParquetFiles | CsvFiles | Frame | DuckDBRelation | DuckDBFile | PostgresTable | SparkFrame
)
"""Where one table lies, read as it is."""


@dataclass(frozen=True)
class Zoned:
    """A table whose time stamps with a zone are read as local times of one zone."""

    place: PlainLocation
    zone: str


StoredLocation: TypeAlias = PlainLocation | Zoned
"""Where one table lies."""


class RowsOfTables(ABC):
    """Rows made of stored tables; release/measure/rows/ has all there are."""

    @property
    @abstractmethod
    def locations(self) -> tuple[StoredLocation, ...]:
        """Where the tables lie that they are made of, each once."""

    @property
    def only_grows(self) -> bool:
        """Whether rows that come to the tables surely leave every row here as it was."""
        return False

    @property
    def declared(self) -> Declared:
        """The columns of text that are read as something else, whose flags these rows have."""
        return ()


@dataclass(frozen=True)
class Joined:
    """Rows made of several tables, by the one engine that has them all."""

    rows: RowsOfTables


Location: TypeAlias = StoredLocation | Joined


def declared_in(location: Location) -> Declared:
    """The columns of text that are read as something else, so that a field may not be such."""
    if isinstance(location, Zoned):
        return declared_in(location.place)
    if isinstance(location, Joined):
        return location.rows.declared
    if isinstance(location, CsvFiles):
        return tuple(each for each in location.columns if each[1] is not ColumnType.TEXT)
    if isinstance(location, PreparedFiles):
        return location.flagged
    return location.declared if isinstance(location, ParquetFiles | Frame) else ()


def place_of(location: Location) -> str:
    """What tells a place from others, so that what was said of it can be found again.

    Raises:
        InvalidParameter: a table in memory, which has no place: another one would look like it.
    """
    if isinstance(location, Frame | DuckDBRelation):
        raise _check.refuse(
            "a release is stored under the place of its data",
            "a table in memory, which has none",
            "Read the data from a file or a database, or leave out store=True.",
        )
    if isinstance(location, Zoned):
        return f"{place_of(location.place)} {location.zone}"
    if isinstance(location, Joined):
        return " ".join([*map(place_of, location.rows.locations), repr(location)])
    if isinstance(location, PostgresTable):
        parts = urlsplit(location.url)  # without user and password
        return f"{parts.hostname} {parts.port} {parts.path} {parts.query} {location.table!r}"
    return repr(location)
