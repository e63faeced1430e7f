"""`Stacked`: rows under one another: Theorem 2(e). Proof: docs/proofs/joins.md."""

from functools import cached_property

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.rows import Rows, checked_rows
from leastnoise.release.measure.rows.stored import Origin, Stored, Ways, one_way
from leastnoise.release.measure.rows.tied import refuse_other_unit


@dataclass(frozen=True)
class Stacked(Rows):
    """All rows of several parts, which have the same columns and the same unit.

    Raises:
        InvalidParameter: no parts, or parts with other columns or of other units.
    """

    parts: tuple[Rows, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise _check.refuse("something must be stacked", "nothing", "Name the parts.")
        first, *others = (checked_rows(each, "parts") for each in self.parts)
        for each in others:
            refuse_other_unit(first, each)
            if each.schema != first.schema:
                raise _check.refuse(
                    "rows that are stacked must have the same columns, of the same types, in order",
                    f"{list(first.schema.names)!r:.60} and {list(each.schema.names)!r:.60}",
                    "Name and order them alike with `mapped`.",
                )
        _ = self.ways, checked_rows(self, "parts")

    @property
    def schema(self) -> Schema:
        """That of each part."""
        return self.parts[0].schema

    @property
    def whose(self) -> str:
        """That of each part."""
        return self.parts[0].whose

    @property
    def owner_kind(self) -> ColumnType:
        """That of each part."""
        return self.parts[0].owner_kind

    @property
    def leaves(self) -> tuple[Stored, ...]:
        """Those of all parts."""
        return tuple(leaf for each in self.parts for leaf in each.leaves)

    @cached_property
    def ways(self) -> Ways:
        """Those of all parts."""
        return one_way(*(each.ways for each in self.parts))

    @property
    def only_grows(self) -> bool:
        """If all parts do."""
        return all(each.only_grows for each in self.parts)

    @property
    def grain(self) -> object:
        """These rows."""
        return self

    @property
    def unique(self) -> frozenset[str] | None:
        """Nothing is known."""
        return None

    @property
    def steps(self) -> int:
        """Those of all parts, and one."""
        return 1 + sum(each.steps for each in self.parts)

    def traced(self, _name: str) -> Origin | None:
        """A column shows one stored column here and another there."""
        return None
