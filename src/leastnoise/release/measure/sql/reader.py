r"""`Reader`: how functions and conditions in SQL ask for what they are made of."""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import Condition, Readable
from leastnoise.release.ask.terms import Called
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment


class Reader(Protocol):
    """Terms and conditions of one table in one engine's SQL; none can fail on data."""

    @property
    def dialect(self) -> Dialect:
        """The engine's spelling."""

    def kind(self, term: Readable) -> ColumnType:
        """What a term holds."""

    def read(self, term: Readable) -> Fragment:
        """A term's value as its own type; NULL, or NaN of a column, where there is none."""

    def number(self, term: Readable) -> Fragment:
        """A term of numbers or truth values as a tame double: 0, or 2^−200..2^200 in magnitude.

        NULL where there is none, never NaN.
        """

    def integer(self, term: Readable) -> Fragment:
        """A term of whole numbers as a 64-bit integer; NULL from ±2^53 on if it was computed."""

    def holds(self, condition: Condition) -> Fragment:
        """A condition: true or false, never unknown."""


Spelling: TypeAlias = Callable[[Called, Reader], Fragment]
Spellings: TypeAlias = Mapping[str, Spelling]
"""By the name of a function: its result as the type that its signature tells."""
