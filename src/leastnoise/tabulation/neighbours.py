"""Which tables are neighbours, and what that makes public."""

from typing import Final, Literal, SupportsIndex, TypeAlias

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise._frozen import Whole, checked, frozen

NeighboursName = Literal["replace", "add_remove"]
"""How users name the two relations."""

_NAMES: Final = ("replace", "add_remove")


@frozen(kw_only=True, repr=False)
class ReplaceOne:
    """Neighbours have the same number of rows and differ in one of them; that number is public.

    Args:
        records: the number of rows, at least 1.

    Example:
        >>> ReplaceOne(records=1000)
        ReplaceOne(records=1000)
    """

    records: Whole = checked(_check.whole(1))

    def __repr__(self) -> str:
        return f"ReplaceOne(records={self.records})"


@dataclass(frozen=True)
class AddRemove:
    """One neighbour has a row more than the other; the number of rows is secret."""


Neighbours: TypeAlias = ReplaceOne | AddRemove


def checked_neighbours(
    neighbours: NeighboursName | Neighbours, records: SupportsIndex | None
) -> Neighbours:
    """The relation a user means.

    Raises:
        InvalidParameter: no such relation, or a number of rows missing or given against the rule.
    """
    if isinstance(neighbours, Neighbours):
        return neighbours
    if not any(neighbours == name for name in _NAMES):
        raise _check.refuse(
            "`neighbours` must be 'replace' or 'add_remove'",
            f"neighbours={_check.shown(neighbours)}",
            "With 'replace' the number of rows is public, with 'add_remove' it is secret.",
        )
    if neighbours == "add_remove":
        if records is None:
            return AddRemove()
        raise _check.refuse(
            "`records` must be left out for neighbours='add_remove'",
            "a number (not shown: it is secret then)",
            "There the number of rows is secret: it goes into `release` with the column sums.",
        )
    if records is None:
        raise _check.refuse(
            "`records` must be given for neighbours='replace'",
            "records=None",
            "There the number of rows is public and part of the mechanism: state it.",
        )
    return ReplaceOne(records=records)
