"""Tables as their columns: names, types, what is publicly known of them, and where the rows are.

Trusted.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from fractions import Fraction
from math import isfinite
from numbers import Integral, Real
from typing import Any

from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.numbers.exact import exact


class Type(StrEnum):
    """What the values of a column are. Every engine's types become one of these."""

    BOOLEAN = "boolean"
    INTEGER = "integer"  # 64 bits
    NUMBER = "number"  # double precision
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"  # microseconds, without a zone
    OTHER = "other"  # exists, and can be used for nothing

    @property
    def is_numeric(self) -> bool:
        """Whether it can be added up."""
        return self in (Type.INTEGER, Type.NUMBER)

    @property
    def is_dated(self) -> bool:
        """Whether it has a day."""
        return self in (Type.DATE, Type.TIMESTAMP)


Value = bool | int | Fraction | str | date | datetime | None
"""A public value: a group's key, a literal of a statement. None is a missing value."""


def value_of(given: Any, kind: Type, what: str) -> Value:
    """A typed value in the one normal form of its type.

    >>> value_of(1.0, Type.INTEGER, "carrier"), value_of("2013-01-31", Type.DATE, "day")
    (1, datetime.date(2013, 1, 31))
    """
    found = normal(given.item() if hasattr(given, "item") else given, kind)
    if found is not None or is_missing(given):
        return found
    hint = " Write it as '2013-01-31'." if kind.is_dated else ""
    raise InvalidInput(f"{what} holds values of type {kind}; {given!r:.60} is not one.{hint}")


def as_text(value: Value) -> str | None:
    """A value as text that `of_text` reads."""
    return (
        None
        if value is None
        else str(value)
        if not isinstance(value, datetime)
        else value.isoformat()
    )


def of_text(text: str | None, kind: Type) -> Value:
    """A value of a type that `as_text` wrote."""
    match kind:
        case _ if text is None:
            return None
        case Type.BOOLEAN:
            return text == "True"
        case Type.INTEGER:
            return int(text)
        case Type.DATE:
            return date.fromisoformat(text)
        case Type.TIMESTAMP:
            return datetime.fromisoformat(text)
        case _:
            return text


def is_missing(given: Any) -> bool:
    """Whether a value in a Python list stands for a missing one: None, NaN, NaT, pandas' NA."""
    return given is None or type(given).__name__ in ("NAType", "NaTType") or given != given


def normal(given: Any, kind: Type) -> Value:
    """A value of a type in the one form that it has in Python; None if it is none."""
    match kind:
        case Type.BOOLEAN:
            return given if isinstance(given, bool) else None
        case Type.INTEGER | Type.NUMBER:
            if isinstance(given, bool) or not isinstance(given, Real) or not isfinite(given):
                return None
            number = Fraction(given) if isinstance(given, Integral) else exact(str(given))
            if kind is Type.NUMBER:
                return number
            fits = number.denominator == 1 and -(2**63) <= number < 2**63
            return int(number) if fits else None
        case Type.TEXT:
            return str(given) if isinstance(given, str) else None
        case Type.DATE | Type.TIMESTAMP:
            return _moment(given, kind)
        case _:
            return None


def _moment(given: Any, kind: Type) -> date | datetime | None:
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given)
        except ValueError:
            return None
    if not isinstance(given, datetime):
        if not isinstance(given, date):
            return None
        given = datetime(given.year, given.month, given.day)
    if given.tzinfo is not None:
        return None
    moment = datetime.combine(given.date(), given.time())  # of a subclass, the plain one
    if kind is Type.TIMESTAMP:
        return moment
    return moment.date() if moment.time() == datetime.min.time() else None


@dataclass(frozen=True)
class Column:
    """A column and what is publicly known of it, declared and never read from the data."""

    name: str
    type: Type
    range: tuple[Fraction | date, Fraction | date] | None = None
    values: tuple[Value, ...] | None = None
    label: str | None = None
    measured_in: str | None = None


class Schema(Mapping[str, Column]):
    """Columns by name, in order."""

    def __init__(self, columns: Iterable[Column], of: str = "the table") -> None:
        self._columns = {each.name: each for each in columns}
        self.of = of

    def __getitem__(self, name: str) -> Column:
        if name in self._columns:
            return self._columns[name]
        shown = ", ".join(sorted(self._columns)[:20])
        more = f", and {len(self) - 20} more" if len(self) > 20 else ""
        raise InvalidInput(
            f'{self.of} has no column "{name}".{did_you_mean(name, self)}\n'
            f"Its columns: {shown}{more}."
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __hash__(self) -> int:
        return hash(tuple(self._columns))

    def __repr__(self) -> str:
        return f"{self.of}: {', '.join(f'{each.name} ({each.type})' for each in self.values())}"


@dataclass(frozen=True)
class ParquetFiles:
    """Rows in Parquet files, one after another."""

    paths: tuple[str, ...]


@dataclass(frozen=True)
class CsvFiles:
    """Rows in text files of the same columns, perhaps gzipped."""

    paths: tuple[str, ...]
    columns: tuple[str, ...]
    delimiter: str = ","
    decimal: str = "."


@dataclass(frozen=True, eq=False)
class Frame:
    """Rows in memory, or a relation: anything that can be read as Arrow batches."""

    data: Any = field(repr=False)


Place = ParquetFiles | CsvFiles | Frame


@dataclass(frozen=True, eq=False)
class Table:
    """A named table: its place, its columns, and whose rows it has.

    Attributes:
        name: what it is called in FROM.
        place: where its rows are.
        schema: its columns.
        unit: the column that names the privacy unit; None if every row is a unit of its own, or
            if the table is public.
        public: whether the table is about nobody, as the data's owner declared.
        time_zone: in which zone moments with a zone are read.
    """

    name: str
    place: Place
    schema: Schema
    unit: str | None = None
    public: bool = False
    time_zone: str | None = None
