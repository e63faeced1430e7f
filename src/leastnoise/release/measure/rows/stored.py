"""`Stored`: a table as it lies, and `Way`: how the owner of its rows is found."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from itertools import combinations
from typing import TypeAlias, get_args

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.ledger.arguments import checked_text
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.location import (
    CsvFiles,
    DuckDBFile,
    Frame,
    ParquetFiles,
    StoredLocation,
    Zoned,
)
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.local_files import same_files

OWNER = "owner of the row"
"""The hidden column: it travels beside a row, and no column of a user may have its name."""

EQUATABLE = frozenset(
    {
        ColumnType.TRUTH,
        ColumnType.INTEGER,
        ColumnType.WIDE_INTEGER,
        ColumnType.TEXT,
        ColumnType.DATE,
        ColumnType.MOMENT,
    }
)
"""Whose values are equal in one plain sense: numbers are not, for NaN and −0.0."""
_WHOLE = frozenset({ColumnType.INTEGER, ColumnType.WIDE_INTEGER})


@dataclass(frozen=True)
class Stored:
    """A table as it lies: of whom its rows are is not yet said.

    Args:
        name: for messages; public.
        location: where it is.
        schema: its columns.

    Raises:
        InvalidParameter: rows of several tables as a location, or a column with a reserved name.
    """

    name: str
    location: StoredLocation
    schema: Schema

    def __post_init__(self) -> None:
        checked_text(self.name, "name")
        if not isinstance(self.location, get_args(StoredLocation)):
            raise _check.refuse(
                "a stored table must lie in one place",
                f"a {type(self.location).__name__}",
                "Give the location of a table made by `read`.",
            )
        refuse_reserved(self.schema.names)

    def kind(self, column: str) -> ColumnType:
        """What a column holds.

        Raises:
            InvalidParameter: there is no such column.
        """
        return self.schema.type_of(Column(column))


@dataclass(frozen=True)
class Origin:
    """A column of a table as it lies."""

    location: StoredLocation
    column: str


@dataclass(frozen=True)
class Way:
    """How the owner of a table's rows is found.

    Attributes:
        table: the table's name, for messages.
        column: the column that names the owner or refers to another table; None if the table is
            public, and nobody's.
        key: what the column refers to; None if it names the owner itself.
    """

    table: str = field(compare=False)
    column: str | None
    key: Origin | None = None

    def __str__(self) -> str:
        return "nobody's, being public" if self.column is None else f"by {self.column!r}"


Ways: TypeAlias = Mapping[StoredLocation, Way]


def one_way(*found: Ways) -> Ways:
    """All of them together.

    Neighbouring databases differ in the rows of one unit, so it must be one and the same for all
    parts of a query whose a stored row is.

    Raises:
        InvalidParameter: a table's owners are found in two ways.
    """
    merged: dict[StoredLocation, Way] = {}
    places: dict[StoredLocation, Way] = {}
    for location, way in (each for ways in found for each in ways.items()):
        merged[location] = way
        known = places.setdefault(location.place if isinstance(location, Zoned) else location, way)
        _refuse_two_ways(known, way)
    for (one, way), (other, their) in combinations(places.items(), 2):
        if _share_rows(one, other):
            _refuse_two_ways(way, their)
    return merged


def _refuse_two_ways(known: Way, way: Way) -> None:
    if known != way:
        raise _check.refuse(
            f"the rows of {way.table!r} must have one owner throughout",
            f"owners found {known} and {way}",
            "Name one way to the unit, and use the table along it everywhere.",
        )


def _share_rows(one: StoredLocation, other: StoredLocation) -> bool:
    """Whether two places have a file in common, or are one table, named or declared in two ways."""
    if isinstance(one, DuckDBFile) and isinstance(other, DuckDBFile):
        return same_files([one.path], [other.path]) and _in_schema(one) == _in_schema(other)
    if isinstance(one, Frame) and isinstance(other, Frame):
        return one.data is other.data
    if isinstance(one, ParquetFiles | CsvFiles) and isinstance(other, ParquetFiles | CsvFiles):
        return same_files(one.paths, other.paths)
    return False


def _in_schema(location: DuckDBFile) -> tuple[str, ...]:
    """A table's schema and name, which DuckDB finds however they are written."""
    return tuple(each.casefold() for each in ("main", *location.table)[-2:])


def refuse_reserved(names: Iterable[str]) -> None:
    """Checks that nobody's column could be taken for the hidden owner."""
    if any(name.casefold().startswith(OWNER) for name in names):
        raise _check.refuse(
            f"no column's name may begin with {OWNER!r}",
            "one that does",
            "Rename it: the name stands for the unit that a row belongs to.",
        )


def refuse_unequal(names: tuple[str, str], kinds: tuple[ColumnType, ColumnType]) -> None:
    """Checks that values of two columns can be equal, in one plain sense.

    Raises:
        InvalidParameter: columns of different types, or of one without plain equality.
    """
    fits = kinds[0] is kinds[1] or set(kinds) <= _WHOLE
    if fits and kinds[0] in EQUATABLE:
        return
    raise _check.refuse(
        "columns that rows are joined on must hold the same: integers, text, truth values, dates "
        "or time stamps",
        f"{names[0]!r} of type {kinds[0].value!r} and {names[1]!r} of type {kinds[1].value!r}",
        "Declare the type of the one as that of the other where the table is read.",
    )
