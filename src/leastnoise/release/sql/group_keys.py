"""Which groups a GROUP BY makes: public ones, all shown, or private ones, found in the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column, DatePart, Part, Term
from leastnoise.release.ask.keys import Key, Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.sql.shape import Shape

MOST_PUBLIC = 100_000
"""Groups that are shown whether they have rows or not."""
_CALENDAR = {Part.MONTH: (1, 12), Part.DAY: (1, 31), Part.HOUR: (0, 23)}


@dataclass(frozen=True)
class KeyPart:
    """One part of GROUP BY.

    Attributes:
        shape: what was written.
        name: what the result calls it.
        term: what makes the groups.
        values: the public groups; None if they must be found in the data.
    """

    shape: Shape
    name: str
    term: Term
    values: tuple[Key, ...] | None


def public_values(term: Term, table: Table) -> tuple[Key, ...] | None:
    """All values that a term may have, if they are public and few; else None."""
    if isinstance(term, Column):
        declared = table.fact(term.name).values
        if declared is not None:
            return declared  # type: ignore[return-value]
    if kind_of(term, table.schema) is ColumnType.TRUTH:
        return (False, True)
    if isinstance(term, DatePart) and term.part in _CALENDAR:
        least, most = _CALENDAR[term.part]
        return tuple(range(least, most + 1))
    return None


def keys_of(parts: Sequence[KeyPart]) -> Keys | str | None:
    """The groups of a statement: public ones, 'private', or None for one total."""
    if not parts:
        return None
    lists = [each.values for each in parts]
    known = [each for each in lists if each is not None]
    if len(known) < len(lists) or prod(map(len, known)) > MOST_PUBLIC:
        return "private"
    return Keys.cross({each.term.name: each.values or () for each in parts})
