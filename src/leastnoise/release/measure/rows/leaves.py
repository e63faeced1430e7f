"""Tables with owners: by a column of their own, or by a key of another table.

Proof: docs/proofs/joins.md, Theorems 2(a) and 3.
"""

from functools import cached_property

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.ledger.arguments import checked_text
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.location import Declared, declared_in
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.row_names import together
from leastnoise.release.measure.rows.rows import PublicRows, Rows, checked_rows, checked_stored
from leastnoise.release.measure.rows.stored import (
    Origin,
    Stored,
    Way,
    Ways,
    one_way,
    refuse_unequal,
)


@dataclass(frozen=True)
class Public(PublicRows):
    """A table that is the same whoever is in the data."""

    stored: Stored

    def __post_init__(self) -> None:
        checked_stored(self.stored)

    @property
    def schema(self) -> Schema:
        """The table's."""
        return self.stored.schema

    @property
    def leaf(self) -> Stored:
        """The table."""
        return self.stored

    @property
    def only_grows(self) -> bool:
        """It does."""
        return True

    @cached_property
    def ways(self) -> Ways:
        """None."""
        return {self.stored.location: Way(self.stored.name, None)}


@dataclass(frozen=True)
class Owned(Rows):
    """A table with a column that says whose row it is: Theorem 2(a).

    Args:
        leaf: the table.
        unit: the column.
        called: what the unit is called; tables are of the same unit if they call it alike. The
            column's name if empty.

    Raises:
        InvalidParameter: an unknown column, or one that cannot name units.
    """

    leaf: Stored
    unit: str
    called: str = ""

    def __post_init__(self) -> None:
        kind = checked_stored(self.leaf).kind(self.unit)
        checked_text(self.called, "called")
        if not kind.can_be_unit:
            raise _check.refuse(
                "a unit must be named by integers or text",
                f"{self.unit!r}, which holds values of type {kind.value!r}",
                "Name the column that says whose row it is.",
            )

    @property
    def schema(self) -> Schema:
        """The table's."""
        return self.leaf.schema

    @property
    def declared(self) -> Declared:
        """The table's, but for the unit: without one, a row counts nowhere."""
        return tuple(each for each in declared_in(self.leaf.location) if each[0] != self.unit)

    @property
    def whose(self) -> str:
        """What the unit is called."""
        return self.called or self.unit

    @property
    def owner_kind(self) -> ColumnType:
        """That of the unit's column."""
        return self.leaf.kind(self.unit)

    @property
    def leaves(self) -> tuple[Stored, ...]:
        """The table."""
        return (self.leaf,)

    @cached_property
    def ways(self) -> Ways:
        """By the unit's column."""
        return {self.leaf.location: Way(self.leaf.name, self.unit)}

    @property
    def only_grows(self) -> bool:
        """It does."""
        return True

    @property
    def grain(self) -> object:
        """The table's rows."""
        return self.leaf.location

    @property
    def unique(self) -> frozenset[str] | None:
        """Nothing is known."""
        return None

    @property
    def steps(self) -> int:
        """One."""
        return 1

    def traced(self, name: str) -> Origin | None:
        """Itself."""
        self.leaf.kind(name)
        return Origin(self.leaf.location, name)


@dataclass(frozen=True)
class Referring(Rows):
    """A table whose rows belong to the owners of the rows that they refer to: Theorem 3.

    Args:
        leaf: the table.
        foreign_key: its column that refers to others' rows.
        parent: those rows.
        key: the column of theirs that is referred to; it must show a stored column, unchanged.
        keep: the parent's columns to keep beside the table's own.

    Raises:
        InvalidParameter: an unknown column, other types, a computed key, or a name
            twice.
    """

    leaf: Stored
    foreign_key: str
    parent: Rows
    key: str
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        kind = checked_stored(self.leaf).kind(self.foreign_key)
        own = checked_rows(self.parent, "parent").schema.type_of(Column(self.key))
        refuse_unequal((self.foreign_key, self.key), (kind, own))
        if self.parent.traced(self.key) is None:
            raise _check.refuse(
                "a foreign key must refer to a stored column",
                f"{self.key!r}, which is computed",
                "Whose a row is would depend on it: refer to the column itself.",
            )
        _ = self.schema, self.ways

    @cached_property
    def schema(self) -> Schema:
        """The table's columns, then what is kept of the parent."""
        kept = [(name, self.parent.schema.type_of(Column(name))) for name in self.keep]
        return together(self.leaf.schema.columns, kept)

    @property
    def declared(self) -> Declared:
        """The table's, but for the foreign key: without one, a row is nobody's."""
        return tuple(e for e in declared_in(self.leaf.location) if e[0] != self.foreign_key)

    @property
    def whose(self) -> str:
        """The parent's."""
        return self.parent.whose

    @property
    def owner_kind(self) -> ColumnType:
        """The parent's."""
        return self.parent.owner_kind

    @property
    def leaves(self) -> tuple[Stored, ...]:
        """The table, then the parent's."""
        return (self.leaf,) if self.names_owner else (self.leaf, *self.parent.leaves)

    @property
    def names_owner(self) -> bool:
        """Whether the foreign key is the unit's own name, so that nobody need be looked up.

        A wider foreign key may hold what names no unit, and could not be read as such a name.
        """
        parent = self.parent
        if not isinstance(parent, Owned) or self.key != parent.unit or self.keep:
            return False
        kind, own = self.leaf.kind(self.foreign_key), parent.owner_kind
        return kind is own or own is ColumnType.WIDE_INTEGER

    @cached_property
    def ways(self) -> Ways:
        """The parent's, and by the foreign key."""
        way = Way(self.leaf.name, self.foreign_key, self.parent.traced(self.key))
        return one_way(self.parent.ways, {self.leaf.location: way})

    @property
    def only_grows(self) -> bool:
        """As the parent does."""
        return self.parent.only_grows

    @property
    def grain(self) -> object:
        """The table's rows, if keys are not repeated."""
        return self.leaf.location

    @property
    def unique(self) -> frozenset[str] | None:
        """Nothing is known."""
        return None

    @property
    def steps(self) -> int:
        """One more than the parent's."""
        return 1 + self.parent.steps

    def traced(self, name: str) -> Origin | None:
        """Itself, or what the parent shows."""
        if name in self.keep:
            return self.parent.traced(name)
        self.leaf.kind(name)
        return Origin(self.leaf.location, name)
