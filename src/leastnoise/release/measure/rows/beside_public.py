"""`BesidePublic`: a join with a public table: Theorem 2(c). Proof: docs/proofs/joins.md."""

from functools import cached_property

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.changed import Changed
from leastnoise.release.measure.rows.row_names import (
    KEEPING_BOTH,
    Pairs,
    refuse_kind,
    refuse_pairs,
    together,
)
from leastnoise.release.measure.rows.rows import PublicRows, checked_public
from leastnoise.release.measure.rows.stored import Origin, Stored, Ways, one_way


@dataclass(frozen=True)
class BesidePublic(Changed):
    """Rows with what a public table says about them.

    Args:
        rows: the rows, whose owners stay.
        public: the public rows.
        on: pairs of columns that must be equal, at least one.
        how: "inner", "left" (rows without a match stay, with nothing), "semi" (rows that have a
            match, as they are) or "anti" (rows that have none).

    Raises:
        InvalidParameter: unknown columns, such of different types, names in both, or another kind.
    """

    public: PublicRows
    on: Pairs
    how: str

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_kind(self.how)
        refuse_pairs(self.on, self.rows.schema, checked_public(self.public, "public").schema)
        if not self.on:
            raise _check.refuse(
                "a join must say which columns are equal", "none", "Write on=[('city', 'name')]."
            )
        _ = self.schema, self.ways

    @cached_property
    def schema(self) -> Schema:
        """The columns of both; of the rows alone, if public ones only decide which stay."""
        found = self.public.schema.columns if self.how in KEEPING_BOTH else ()
        return together(self.rows.schema.columns, found)

    @property
    def leaves(self) -> tuple[Stored, ...]:
        """One more."""
        return (*self.rows.leaves, self.public.leaf)

    @cached_property
    def ways(self) -> Ways:
        """One more."""
        return one_way(self.rows.ways, self.public.ways)

    @property
    def unique(self) -> frozenset[str] | None:
        """As before, if no row can become several."""
        return None if self.how in KEEPING_BOTH else self.rows.unique

    def traced(self, name: str) -> Origin | None:
        """As before; public columns belong to nobody."""
        known = name in self.rows.schema.names
        return self.rows.traced(name) if known else None
