"""Which groups a GROUP BY makes: public ones, all shown, or private ones, found in the data."""

import math
import operator
from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from math import prod

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.defaults import declared_values
from leastnoise.release.ask.keys import Key, Keys, range_of_dates
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.ask.ranges import range_of
from leastnoise.release.ask.table import Table
from leastnoise.release.ask.terms import (
    Arithmetic,
    Called,
    Column,
    Constant,
    Operation,
    Term,
)
from leastnoise.release.sql.shape import Shape

MOST_PUBLIC = 100_000
"""Groups that are shown whether they have rows or not."""
MOST_PARTS = 1_000
"""Whole numbers of a computed term's range that are groups of their own."""


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
    """All values that a term may have, if they are public and few; else None.

    They are declared, follow from a type, or from the range of what is computed: decades of ages,
    months of dates.
    """
    declared = declared_values(term, table)
    if declared is not None:
        return declared if all(map(_is_key, declared)) else None
    match term:
        case Arithmetic():
            return _computed(term, table)
        case Called(function="date_trunc", arguments=(Constant(value=str() as period), _)):
            return _dates(term, table, period)
        case Column() if kind_of(term, table.schema) is ColumnType.DATE:
            return _dates(term, table, "day")
    if kind_of(term, table.schema) is ColumnType.TRUTH:
        return (False, True)
    return _in_range(term, table)


def _is_key(value: object) -> bool:
    return isinstance(value, int | str | date)


def _dates(term: Term, table: Table, period: str) -> tuple[Key, ...] | None:
    """The first days of all periods in the range of dates."""
    found = range_of(term, table)
    if found is None or not isinstance(found.lower, date) or not isinstance(found.upper, date):
        return None
    days = range_of_dates(found.lower, found.upper, period)
    return tuple(days) if len(days) <= MOST_PARTS else None


def _computed(term: Arithmetic, table: Table) -> tuple[Key, ...] | None:
    """Parts of a range, as in floor(age / 10) * 10: few values, with steps between them."""
    values = _few(term.one, table), _few(term.other, table)
    if not any(isinstance(each, Constant) for each in (term.one, term.other)):
        return _in_range(term, table)
    if values[0] is None or values[1] is None:
        return _in_range(term, table)
    numbers = [[v for v in each or () if isinstance(v, int)] for each in values]
    found = {_OPERATIONS[term.operation](one, other) for one in numbers[0] for other in numbers[1]}
    return tuple(sorted(found)) if found else None


def _few(term: Term, table: Table) -> tuple[Key, ...] | None:
    if isinstance(term, Constant):
        value = term.value
        whole = isinstance(value, int) or (isinstance(value, Fraction) and value.denominator == 1)
        return (int(value),) if whole else None  # type: ignore[arg-type]
    return public_values(term, table)


_OPERATIONS: dict[Operation, Callable[[int, int], int]] = {
    Operation.PLUS: operator.add,
    Operation.MINUS: operator.sub,
    Operation.TIMES: operator.mul,
}


def _in_range(term: Term, table: Table) -> tuple[Key, ...] | None:
    """All whole numbers between the ends of a computed term that is whole."""
    if isinstance(term, Column):
        return None  # of a column as it is, values are declared or found
    found = range_of(term, table)
    if found is None or not found.whole or not isinstance(found.lower, int | Fraction):
        return None
    assert isinstance(found.upper, int | Fraction), "ends are alike"
    least, most = math.ceil(found.lower), math.floor(found.upper)
    return tuple(range(least, most + 1)) if 0 <= most - least < MOST_PARTS else None


def keys_of(parts: Sequence[KeyPart]) -> Keys | str | None:
    """The groups of a statement: public ones, 'private', or None for one total."""
    if not parts:
        return None
    lists = [each.values for each in parts]
    known = [each for each in lists if each is not None]
    if len(known) < len(lists) or prod(map(len, known)) > MOST_PUBLIC:
        return "private"
    return Keys.cross({each.term.name: each.values or () for each in parts})
