"""The unit-local algebra: which rows a query reads, and whose they are.

A relation is a multiset of rows, each with a hidden privacy unit. Every constructor is *unit-local*:
what it gives is the disjoint union, over the units, of a function of that unit's rows and of public
tables alone. So adding or removing one unit changes no row of any other. Proof page:
docs/proofs/unit_locality.md.

Trusted.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.expressions import Expression, check_columns
from leastnoise.tables.schema import Schema, Table, Type


@dataclass(frozen=True)
class Relation:
    """What all relations have in common."""

    @property
    def schema(self) -> Schema:
        """The columns that expressions may read."""
        raise NotImplementedError

    @property
    def tables(self) -> Iterator[Table]:
        """The tables that it reads."""
        raise NotImplementedError

    @property
    def rows_are_units(self) -> bool:
        """Whether every row is a privacy unit of its own, so that no limit is needed."""
        raise NotImplementedError


@dataclass(frozen=True)
class OfUnit(Relation):
    """The rows of one private table, each of which belongs to the unit that its column names."""

    table: Table

    def __post_init__(self) -> None:
        if self.table.public:
            raise InvalidInput(f"{self.table.name} is public. Query it directly.")
        name = self.table.unit
        if name is None:
            return
        if self.table.schema[name].type is Type.NUMBER:
            raise InvalidInput(
                f'"{name}" is a float column (pandas stores integers with gaps so), and floats do '
                f'not tell units apart.\nConvert it:  df["{name}"] = df["{name}"].astype("Int64")'
            )
        if self.table.schema[name].type not in (Type.INTEGER, Type.TEXT):
            raise InvalidInput(
                f'"{name}" is of type {self.table.schema[name].type}. A privacy unit is named by '
                "integers or text."
            )

    @property
    def schema(self) -> Schema:
        """The columns of the table."""
        return self.table.schema

    @property
    def tables(self) -> Iterator[Table]:
        """The one table."""
        yield self.table

    @property
    def rows_are_units(self) -> bool:
        """Whether the table has no column that names a unit."""
        return self.table.unit is None


@dataclass(frozen=True)
class Filtered(Relation):
    """The rows that meet a condition."""

    source: Relation
    condition: Expression

    def __post_init__(self) -> None:
        if self.condition.type is not Type.BOOLEAN:
            raise InvalidInput(
                f"{self.condition} is of type {self.condition.type}. WHERE takes a condition."
            )
        check_columns(self.condition, self.source.schema)

    @property
    def schema(self) -> Schema:
        """That of the source."""
        return self.source.schema

    @property
    def tables(self) -> Iterator[Table]:
        """Those of the source."""
        return self.source.tables

    @property
    def rows_are_units(self) -> bool:
        """As in the source."""
        return self.source.rows_are_units
