"""Rows with owners, from tables: every way there is to make them, and none of them takes text.

Whatever is built of these is local: the rows of an owner depend on that owner's stored rows and on
public tables, and on nothing of anybody else. Bounding and noise come afterwards, on the rows as
they are here, so privacy needs no limit on how many rows a join makes of one.

Proof: docs/proofs/joins.md.
"""

from collections.abc import Iterable, Mapping

from leastnoise.release.ask.expression import Condition, Term
from leastnoise.release.measure.rows.beside_public import BesidePublic
from leastnoise.release.measure.rows.leaves import Owned, Public, Referring
from leastnoise.release.measure.rows.per_unit import (
    CountOf,
    GreatestOf,
    LeastOf,
    MeanOf,
    PerUnit,
    SumOf,
    Total,
)
from leastnoise.release.measure.rows.row_by_row import (
    Filtered,
    Mapped,
    PublicFiltered,
    PublicMapped,
)
from leastnoise.release.measure.rows.rows import PublicRows, Rows
from leastnoise.release.measure.rows.stacked import Stacked
from leastnoise.release.measure.rows.stored import OWNER, Stored
from leastnoise.release.measure.rows.tied import Tied

__all__ = [
    "OWNER",
    "CountOf",
    "GreatestOf",
    "LeastOf",
    "MeanOf",
    "PublicRows",
    "Rows",
    "Stored",
    "SumOf",
    "Total",
    "filtered",
    "mapped",
    "owned",
    "per_unit",
    "public",
    "public_filtered",
    "public_mapped",
    "referring",
    "stacked",
    "tied",
    "with_public",
]

On = Iterable[tuple[str, str]]


def public(leaf: Stored) -> PublicRows:
    """A table that is the same whoever is in the data: only people can know that."""
    return Public(leaf)


def public_filtered(rows: PublicRows, condition: Condition) -> PublicRows:
    """The public rows that meet a condition."""
    return PublicFiltered(rows, condition)


def public_mapped(rows: PublicRows, terms: Mapping[str, Term]) -> PublicRows:
    """New columns of each public row, by name."""
    return PublicMapped(rows, tuple(terms.items()))


def owned(leaf: Stored, unit: str, *, called: str = "") -> Rows:
    """A table with a column that says whose row it is: Theorem 2(a).

    Args:
        leaf: the table.
        unit: the column.
        called: what the unit is called, if otherwise; tables that call it alike have one unit.

    Raises:
        InvalidParameter: an unknown column, or one that cannot name units.
    """
    return Owned(leaf, unit, called)


def referring(
    leaf: Stored, foreign_key: str, parent: Rows, key: str, *, keep: Iterable[str] = ()
) -> Rows:
    """A table whose rows belong to the owners of the rows that they refer to: Theorem 3.

    Rows that refer to nobody are left out; a key with several owners gives its rows to each of
    them, and must not be repaired. Where the key is the unit's own name, nobody is looked up.

    Args:
        leaf: the table.
        foreign_key: its column that refers to the parent.
        parent: rows with owners, filtered and joined as you like.
        key: their column that is referred to: a stored one, perhaps renamed.
        keep: the parent's columns to keep beside the table's own, whose names must differ.

    Raises:
        InvalidParameter: unknown columns, such of different types, a computed key, or names in
            both.
    """
    return Referring(leaf, foreign_key, parent, key, tuple(keep))


def filtered(rows: Rows, condition: Condition) -> Rows:
    """The rows that meet a condition: Theorem 2(b)."""
    return Filtered(rows, condition)


def mapped(rows: Rows, terms: Mapping[str, Term]) -> Rows:
    """New columns of each row, by name: Theorem 2(b). The owner stays what it is."""
    return Mapped(rows, tuple(terms.items()))


def with_public(rows: Rows, public_rows: PublicRows, *, on: On, how: str = "inner") -> Rows:
    """Rows with what a public table says about them: Theorem 2(c).

    Args:
        rows: the rows.
        public_rows: public ones; where several match, a row becomes several, as in SQL.
        on: pairs of columns that must be equal.
        how: "inner", "left", "semi" or "anti".
    """
    return BesidePublic(rows, public_rows, _pairs(on), how)


def tied(rows: Rows, other: Rows, *, on: On = (), how: str = "inner") -> Rows:
    """Pairs of rows of one owner: Theorem 2(d). That the owners are equal goes without saying.

    Args:
        rows: the rows on the left.
        other: rows of the same unit, at most one of which matches each on the left, or the other
            way round: by the key along which owners are found, or made `per_unit`.
        on: further pairs of columns that must be equal.
        how: "inner", "left", "semi" or "anti"; the last two let both sides repeat.
    """
    return Tied(rows, other, _pairs(on), how)


def stacked(*parts: Rows) -> Rows:
    """All rows of parts with the same columns and the same unit: Theorem 2(e)."""
    return Stacked(parts)


def per_unit(
    rows: Rows, *, by: Mapping[str, Term] | None = None, totals: Mapping[str, Total] | None = None
) -> Rows:
    """One row for each owner and combination of values, with exact totals: Theorem 2(f)."""
    return PerUnit(rows, tuple((by or {}).items()), tuple((totals or {}).items()))


def _pairs(on: On) -> tuple[tuple[str, str], ...]:
    return tuple((one, other) for one, other in on)
