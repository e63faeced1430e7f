"""Names of columns where two tables come together, and pairs of columns to join on."""

from collections.abc import Iterable
from typing import TypeAlias

from leastnoise import _check
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.stored import refuse_unequal

Pairs: TypeAlias = tuple[tuple[str, str], ...]
"""Columns of the left rows, and columns of the right ones that they must equal."""

Columns: TypeAlias = Iterable[tuple[str, ColumnType]]

KEEPING_BOTH = ("inner", "left")
KINDS = (*KEEPING_BOTH, "semi", "anti")


def together(left: Columns, right: Columns) -> Schema:
    """The columns of both.

    Raises:
        InvalidParameter: a name is in both.
    """
    left, right = tuple(left), tuple(right)
    known = {name.casefold() for name, _ in left}
    shared = [name for name, _ in right if name.casefold() in known]
    if shared:
        raise _check.refuse(
            "tables that are joined must have different names for their columns",
            f"{shared[0]!r} in both",
            "Rename it on one side, with `mapped` or `public_mapped`.",
        )
    return Schema((*left, *right))


def refuse_kind(how: str) -> None:
    """Checks the kind of a join.

    Raises:
        InvalidParameter: one that would keep rows of nobody, or none at all.
    """
    if how not in KINDS:
        raise _check.refuse(
            "`how` must be 'inner', 'left', 'semi' or 'anti'",
            f"{_check.shown(how)}",
            "Rows on the right without a match would be nobody's: join the other way round.",
        )


def refuse_pairs(on: Pairs, left: Schema, right: Schema) -> None:
    """Checks that the columns of each pair exist and can be equal."""
    for pair in on:
        one, other = pair
        refuse_unequal(pair, (left.type_of(Column(one)), right.type_of(Column(other))))
