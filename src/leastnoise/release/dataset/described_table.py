"""`DescribedTable`: what the owner of the data says about one table of a dataset."""

from dataclasses import field
from typing import Any, NamedTuple

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.column_type import ColumnType


class Reference(NamedTuple):
    """A column of a table of the dataset, written patients.id."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass(frozen=True)
class DescribedTable:
    """Public and declared; nothing of it was taken from rows.

    Attributes:
        name: what the table is called in questions.
        data: where it is: a path or address, or a table in memory.
        options: how it is read: the table of a database, the form of CSV files and so on.
        types: what columns hold, as far as that is said.
        facts: by column, ranges, public values and so on.
        refers: by column, the key in another table whose values it holds.
        owner: of several ways to the unit, the column where the one that counts begins.
        public: whether it is the same whoever is in the data.
        unique: columns that together name a row; of public tables.
        description: for people.
    """

    name: str
    data: Any = field(repr=False)
    options: tuple[tuple[str, Any], ...] = ()
    types: tuple[tuple[str, ColumnType], ...] = ()
    facts: tuple[tuple[str, ColumnFacts], ...] = ()
    refers: tuple[tuple[str, Reference], ...] = ()
    owner: str = ""
    public: bool = False
    unique: tuple[str, ...] = ()
    description: str = ""

    def type_of(self, column: str) -> ColumnType | None:
        """What a column is declared to hold, if that is said."""
        return next((kind for name, kind in self.types if name == column), None)
