"""`Rows`: rows of one unit each, whose owner travels beside them, and `PublicRows`, nobody's.

Both are closed families. Every class below them is one case of a theorem, whose conditions its
constructor checks; so whatever rows there are depend, row by row, on the rows of their own owner
and on public tables alone. None takes text.

Proof: docs/proofs/joins.md.
"""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from leastnoise import _check
from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.location import Joined, RowsOfTables, StoredLocation
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.rows.stored import OWNER, Origin, Stored, Ways

_HERE = "leastnoise.release.measure.rows."
_MOST_STEPS = 100


class PublicRows(RowsOfTables):
    """Rows that are the same whoever is in the data."""

    def __init_subclass__(cls, **_more: Any) -> None:
        _refuse_stranger(cls)

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The columns."""

    @property
    @abstractmethod
    def leaf(self) -> Stored:
        """The table they come from."""

    @property
    @abstractmethod
    def ways(self) -> Ways:
        """That the table is public."""

    @property
    def locations(self) -> tuple[StoredLocation, ...]:
        """Where the table lies."""
        return (self.leaf.location,)


class Rows(RowsOfTables):
    """Rows of one unit each: local, in the words of the proof."""

    def __init_subclass__(cls, **_more: Any) -> None:
        _refuse_stranger(cls)

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The columns, without the owner."""

    @property
    @abstractmethod
    def whose(self) -> str:
        """What the unit is called."""

    @property
    @abstractmethod
    def owner_kind(self) -> ColumnType:
        """What names the owner holds."""

    @property
    @abstractmethod
    def leaves(self) -> tuple[Stored, ...]:
        """The tables they are made of, in order; a table may be there several times."""

    @property
    @abstractmethod
    def ways(self) -> Ways:
        """How the owner of each table's rows is found."""

    @property
    @abstractmethod
    def grain(self) -> object:
        """What there is at most one row for each of: a table's rows, or those of a step."""

    @property
    @abstractmethod
    def unique(self) -> frozenset[str] | None:
        """Columns that name, together with the owner, one row at most; None if none surely do."""

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many constructors they are made by."""

    @abstractmethod
    def traced(self, name: str) -> Origin | None:
        """The stored column that a column shows.

        Of each row, its value and its owner are those of some row of that table; None if it is not
        sure to be so.
        """

    @property
    def locations(self) -> tuple[StoredLocation, ...]:
        """Where the tables lie that they are made of, each once."""
        return tuple(dict.fromkeys(each.location for each in self.leaves))

    def table(
        self,
        *,
        dataset: str = "",
        neighbours: Neighbours | str = Neighbours.ADD_REMOVE,
        facts: Iterable[tuple[str, ColumnFacts]] = (),
    ) -> Table:
        """A table to ask questions about; its unit is the hidden owner."""
        return Table(
            schema=Schema([(OWNER, self.owner_kind), *self.schema.columns]),
            unit=OWNER,
            neighbours=neighbours,
            location=Joined(self),
            dataset=dataset,
            facts=facts,
            unit_name=self.whose,
        )


def checked_rows(value: object, name: str) -> Rows:
    """Rows with an owner.

    Raises:
        InvalidParameter: something else, or rows made in too many steps.
    """
    if not isinstance(value, Rows):
        raise _check.refuse(
            f"`{name}` must be rows that have an owner",
            f"a {type(value).__name__}",
            "Make them with `owned` or `referring`.",
        )
    if value.steps < _MOST_STEPS:
        return value
    raise _check.refuse(
        f"rows may be made in {_MOST_STEPS} steps",
        f"{value.steps + 1}",
        "Ask a shorter question, or store what comes between.",
    )


def checked_public(value: object, name: str) -> PublicRows:
    """Public rows.

    Raises:
        InvalidParameter: something else.
    """
    if isinstance(value, PublicRows):
        return value
    raise _check.refuse(
        f"`{name}` must be public rows",
        f"a {type(value).__name__}",
        "Make them with `public`, if the table is the same whoever is in the data.",
    )


def checked_stored(value: object) -> Stored:
    """A stored table.

    Raises:
        InvalidParameter: something else.
    """
    if isinstance(value, Stored):
        return value
    raise _check.refuse(
        "`leaf` must be a stored table", f"a {type(value).__name__}", "Make one with `Stored`."
    )


def _refuse_stranger(made: type) -> None:
    if not made.__module__.startswith(_HERE):
        raise TypeError("rows are made by the constructors of release/measure/sources.py alone")
