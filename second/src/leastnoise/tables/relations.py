"""The unit-local algebra: which rows a query reads, and whose they are.

A relation is a multiset of rows, each with a hidden privacy unit. Every constructor is *unit-local*:
what it gives is the disjoint union, over the units, of a function of that unit's rows and of public
tables alone. So adding or removing one unit changes no row of any other. Proof page:
docs/proofs/unit_locality.md.

Trusted.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Literal

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.expressions import Column, Expression, check_columns
from leastnoise.tables.per_unit import PerUnitAggregate
from leastnoise.tables.schema import Column as Declared
from leastnoise.tables.schema import Schema, Table, Type

Join = Literal["inner", "left", "semi", "anti"]
"""Rows of both; all of the left; rows of the left with, or without, a match on the right."""


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
    def is_public(self) -> bool:
        """Whether it reads public tables alone."""
        return all(table.public for table in self.tables)

    @property
    def unit(self) -> Type | None:
        """The type of the hidden unit; None if there is no such column."""
        raise NotImplementedError

    @property
    def one_row_each(self) -> bool:
        """Whether no unit has more than one row, so that no limit is needed."""
        raise NotImplementedError


@dataclass(frozen=True)
class _OfTable(Relation):
    table: Table

    @property
    def schema(self) -> Schema:
        """The columns of the table."""
        return self.table.schema

    @property
    def tables(self) -> Iterator[Table]:
        """The one table."""
        yield self.table


@dataclass(frozen=True)
class Public(_OfTable):
    """The rows of a public table, which are nobody's."""

    def __post_init__(self) -> None:
        if not self.table.public:
            raise InvalidInput(f"{self.table.name} is not declared as public.")

    @property
    def unit(self) -> None:
        """None."""
        return None

    @property
    def one_row_each(self) -> bool:
        """There are no units."""
        return False


@dataclass(frozen=True)
class OfUnit(_OfTable):
    """The rows of one private table, each of which belongs to the unit that its column names."""

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
    def unit(self) -> Type | None:
        """The type of the column that names the unit."""
        return None if self.table.unit is None else self.table.schema[self.table.unit].type

    @property
    def one_row_each(self) -> bool:
        """Whether the table has no column that names a unit: every row is a unit of its own."""
        return self.table.unit is None


@dataclass(frozen=True)
class Referring(_OfTable):
    """The rows of a child table; each belongs to every unit that has a row of the parent it names.

    Attributes:
        table: the child table.
        column: its column that names a row of the parent.
        parent: a private table, or a child table.
        key: the column of the parent.
    """

    column: str
    parent: "OfUnit | Referring"
    key: str

    def __post_init__(self) -> None:
        own, other = self.table.schema[self.column], self.parent.schema[self.key]
        if self.parent.unit is None or self.table.unit is not None or self.table.public:
            raise InvalidInput(f"{self.table.name} cannot refer to {self.parent.table.name}.")
        if own.type is not other.type or own.type not in (Type.INTEGER, Type.TEXT):
            raise InvalidInput(
                f"{self.table.name}.{self.column} is of type {own.type}, and "
                f"{self.parent.table.name}.{self.key} of type {other.type}. Both must be integers, "
                "or both text."
            )

    @property
    def tables(self) -> Iterator[Table]:
        """The table and its parents."""
        yield self.table
        yield from self.parent.tables

    @property
    def unit(self) -> Type | None:
        """That of the parent."""
        return self.parent.unit

    @property
    def one_row_each(self) -> bool:
        """It may have any number."""
        return False


@dataclass(frozen=True)
class _OfSource(Relation):
    source: Relation

    @cached_property
    def schema(self) -> Schema:
        """That of the source."""
        return self.source.schema

    @property
    def tables(self) -> Iterator[Table]:
        """Those of the source."""
        return self.source.tables

    @property
    def unit(self) -> Type | None:
        """As in the source."""
        return self.source.unit

    @property
    def one_row_each(self) -> bool:
        """As in the source."""
        return self.source.one_row_each


@dataclass(frozen=True)
class Filtered(_OfSource):
    """The rows that meet a condition."""

    condition: Expression

    def __post_init__(self) -> None:
        _check_condition(self.condition, self.source.schema, "WHERE")


@dataclass(frozen=True)
class Mapped(_OfSource):
    """The same rows with other columns, each computed from the row."""

    columns: tuple[tuple[str, Expression], ...]

    def __post_init__(self) -> None:
        _check_names([name for name, _ in self.columns])
        for _, each in self.columns:
            check_columns(each, self.source.schema)

    @cached_property
    def schema(self) -> Schema:
        """The new columns; what is declared of a column stays with it."""
        return Schema((computed(name, each, self.source.schema) for name, each in self.columns),
                      self.source.schema.of)  # fmt: skip


def computed(name: str, expression: Expression, schema: Schema) -> Declared:
    """A column with a new name; of a plain column, with what is declared of it."""
    if isinstance(expression, Column):
        return replace(schema[expression.name], name=name)
    return Declared(name, expression.type)


@dataclass(frozen=True)
class _Joined(Relation):
    left: Relation
    right: Relation
    kind: Join
    on: Expression | None = None

    def __post_init__(self) -> None:
        both = [*self.left.schema, *self.right.schema]
        _check_names(both)
        if self.on is not None:
            _check_condition(self.on, self._both, "ON")

    @cached_property
    def _both(self) -> Schema:
        columns = [*self.left.schema.values(), *self.right.schema.values()]
        return Schema(columns, f"{self.left.schema.of} with {self.right.schema.of}")

    @cached_property
    def schema(self) -> Schema:
        """The columns of both sides; of the left side, if the right side only decides."""
        return self.left.schema if self.kind in ("semi", "anti") else self._both

    @property
    def tables(self) -> Iterator[Table]:
        """Those of both sides."""
        yield from self.left.tables
        yield from self.right.tables

    @property
    def unit(self) -> Type | None:
        """As on the left."""
        return self.left.unit


@dataclass(frozen=True)
class WithPublic(_Joined):
    """Rows joined to public rows, by any condition."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.right.is_public:
            raise InvalidInput(f"{self.right.schema.of} is not public.")
        repeats = self.kind in ("inner", "left")
        if self.left.unit is None and not self.left.is_public and repeats:
            raise InvalidInput(
                "These rows have no privacy unit, so a join could count one row several times. Give "
                "a privacy unit, or join one column to one of the same type whose values are "
                "different in all rows."
            )

    @property
    def one_row_each(self) -> bool:
        """As on the left, where rows are not repeated."""
        return self.kind in ("semi", "anti") and self.left.one_row_each


@dataclass(frozen=True)
class LookedUp(_Joined):
    """Rows joined to the one public row whose key they name; public keys that repeat match nothing."""

    own: str = ""
    key: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        own, key = self.left.schema[self.own].type, self.right.schema[self.key].type
        if not self.right.is_public or self.kind not in ("inner", "left") or self.on is not None:
            raise InvalidInput("Only public rows are looked up.")
        if own is not key or own not in (Type.INTEGER, Type.TEXT):
            raise InvalidInput(
                f"{self.own} is of type {own}, and {self.key} of type {key}. Both must be integers, "
                "or both text."
            )

    @property
    def one_row_each(self) -> bool:
        """As on the left: no row is repeated."""
        return self.left.one_row_each


@dataclass(frozen=True)
class OnUnit(_Joined):
    """Rows of a unit joined to rows of the same unit, by any further condition."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.left.unit is None or self.left.unit is not self.right.unit:
            raise InvalidInput(
                f"{self.left.schema.of} and {self.right.schema.of} have no privacy unit of one "
                "type, so they cannot be joined."
            )

    @property
    def one_row_each(self) -> bool:
        """Where a unit has one row on each side that rows are taken from."""
        decides = self.kind in ("semi", "anti")
        return self.left.one_row_each and (decides or self.right.one_row_each)


@dataclass(frozen=True)
class PerUnit(_OfSource):
    """Groups of rows of one unit, with aggregates of each: GROUP BY the unit and more.

    Attributes:
        source: the rows.
        keys: what they are grouped by, beside the unit.
        aggregates: what is taken of each group.
    """

    keys: tuple[tuple[str, Expression], ...]
    aggregates: tuple[tuple[str, PerUnitAggregate], ...] = ()

    def __post_init__(self) -> None:
        if self.source.unit is None:
            raise InvalidInput(
                "Where every row is a privacy unit, there is nothing to group by it."
            )
        _check_names([name for name, _ in (*self.keys, *self.aggregates)])
        for _, key in self.keys:
            check_columns(key, self.source.schema)
        for _, aggregate in self.aggregates:
            aggregate.check(self.source.schema)

    @cached_property
    def schema(self) -> Schema:
        """The keys and the aggregates."""
        keys = [computed(name, each, self.source.schema) for name, each in self.keys]
        rest = [Declared(name, each.type) for name, each in self.aggregates]
        return Schema([*keys, *rest], self.source.schema.of)

    @property
    def one_row_each(self) -> bool:
        """Where all rows of a unit are one group."""
        return not self.keys


@dataclass(frozen=True)
class Stacked(Relation):
    """The rows of several relations of one unit, one below the other."""

    parts: tuple[Relation, ...]

    def __post_init__(self) -> None:
        first = [(column.name, column.type) for column in self.parts[0].schema.values()]
        for part in self.parts:
            if [(column.name, column.type) for column in part.schema.values()] != first:
                raise InvalidInput(
                    "UNION ALL needs the same columns, of the same types, on both sides."
                )
            if part.unit is None or part.unit is not self.parts[0].unit:
                raise InvalidInput("UNION ALL needs rows of the same privacy unit on both sides.")

    @cached_property
    def schema(self) -> Schema:
        """The columns; what is declared of them holds only where all parts declare it."""
        schemas = [part.schema for part in self.parts]
        same = {name for name in schemas[0] if len({each[name] for each in schemas}) == 1}
        columns = (each if each.name in same else Declared(each.name, each.type)
                   for each in schemas[0].values())  # fmt: skip
        return Schema(columns, schemas[0].of)

    @property
    def tables(self) -> Iterator[Table]:
        """Those of all parts."""
        for part in self.parts:
            yield from part.tables

    @property
    def unit(self) -> Type | None:
        """That of all parts."""
        return self.parts[0].unit

    @property
    def one_row_each(self) -> bool:
        """A unit may have a row in each part."""
        return False


def only_grows(relation: Relation) -> bool:
    """Whether new rows of its tables, public ones too, only ever add rows to it and change none."""
    match relation:
        case OfUnit() | Public():
            return True
        case Referring(parent=source) | Filtered(source=source) | Mapped(source=source):
            return only_grows(source)
        case WithPublic() | OnUnit():
            both = only_grows(relation.left) and only_grows(relation.right)
            return both and relation.kind in ("inner", "semi")
        case Stacked(parts):
            return all(map(only_grows, parts))
        case _:
            return False


def over_tables(relation: Relation, new: Mapping[Table, Table]) -> Relation:
    """The same relation over other tables."""
    changed = {each.name: _over(getattr(relation, each.name), new) for each in fields(relation)}
    return replace(relation, **changed)


def _over(value: object, new: Mapping[Table, Table]) -> object:
    match value:
        case Table():
            return new.get(value, value)
        case Relation():
            return over_tables(value, new)
        case (Relation(), *_):
            return tuple(_over(each, new) for each in value)
        case _:
            return value


def _check_condition(condition: Expression, schema: Schema, word: str) -> None:
    if condition.type is not Type.BOOLEAN:
        raise InvalidInput(f"{condition} is of type {condition.type}. {word} takes a condition.")
    check_columns(condition, schema)


def _check_names(names: list[str]) -> None:
    """Refuses names that are the same to an engine, for which letters have no case."""
    folded = [name.casefold() for name in names]
    for name in names:
        if folded.count(name.casefold()) > 1:
            raise InvalidInput(f'Two columns are called "{name}". Rename one:  ... AS other_name')
        if name.startswith(" "):
            raise InvalidInput(f'A column cannot be called "{name}". Rename it.')
