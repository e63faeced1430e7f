"""What questions take from the facts of a table where nothing is said: ranges, and public keys.

A fact is public and no promise rests on it: values outside a range are cut as they are outside
bounds that somebody typed, and rows outside the declared values are in no group.
"""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from itertools import chain

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.date_ranges import CALENDAR, period_values
from leastnoise.release.ask.expression import (
    Called,
    Case,
    Column,
    Constant,
    DatePart,
    Indicator,
    Part,
    Term,
)
from leastnoise.release.ask.keys import Key, Keys
from leastnoise.release.ask.ranges import dates_of, range_of
from leastnoise.release.ask.table import Table

_CALENDAR = {Part.MONTH: range(1, 13), Part.DAY: range(1, 32), Part.HOUR: range(24)}
_MOST_YEARS = 1000  # more are a slip, and each would be a group


def range_or_declared(
    term: Term, table: Table, lower: Exact | None, upper: Exact | None, names: tuple[str, str]
) -> tuple[Exact, Exact]:
    """The range of a term: what is given, and for an end that is not, what is declared.

    Args:
        term: what the range is of.
        table: whose facts are used.
        lower: as somebody typed it, or None.
        upper: likewise.
        names: what the two are called, for messages.

    Raises:
        InvalidParameter: an end is neither given nor declared.
    """
    if lower is not None and upper is not None:
        return lower, upper
    found = declared_range(term, table)
    if found is not None:
        return found[0] if lower is None else lower, found[1] if upper is None else upper
    absent = [f"`{name}`" for name, end in zip(names, (lower, upper), strict=True) if end is None]
    raise _check.refuse(
        f"{str(term)!r} must have {' and '.join(absent)}, or a declared range",
        "neither",
        "Bounds are public: give the range that values can have, known without looking at the "
        "data, or declare it once as the column's `range` in a dataset.",
    )


def ranges_or_declared(
    terms: Sequence[Term],
    table: Table,
    lower: Sequence[Exact] | None,
    upper: Sequence[Exact] | None,
    names: tuple[str, str],
) -> tuple[Sequence[Exact], Sequence[Exact]]:
    """The same for several terms: a list of ends that is given is given for all of them."""
    if lower is not None and upper is not None:
        return lower, upper
    ends = [
        range_or_declared(
            term, table, None if lower is None else 0, None if upper is None else 0, names
        )
        for term in terms
    ]
    return (
        [low for low, _ in ends] if lower is None else lower,
        [high for _, high in ends] if upper is None else upper,
    )


def most_or_declared(term: Term, table: Table, most: Exact | None, name: str) -> Exact:
    """The greatest value of a term that is not negative: what is given, else what is declared.

    Raises:
        InvalidParameter: neither.
    """
    return range_or_declared(term, table, 0, most, ("lower", name))[1]


def declared_range(term: Term, table: Table) -> tuple[Fraction, Fraction] | None:
    """The least and greatest value of a term by what is declared; None if nothing follows."""
    found = range_of(term, table)
    if found is None or not isinstance(found.lower, Fraction):
        return None
    assert isinstance(found.upper, Fraction)
    return found.lower, found.upper


def declared_keys(terms: Sequence[Term], table: Table) -> Keys | None:
    """All groups there are, by what is declared of each term; None if that is not enough.

    Raises:
        InvalidParameter: the declared values cannot be keys, or there are too many combinations.
    """
    values = {term.name: declared_values(term, table) for term in terms}
    listed = {name: each for name, each in values.items() if each is not None}
    return Keys.cross(listed) if listed and len(listed) == len(terms) else None


def declared_values(  # noqa: PLR0911 - one per kind
    term: Term, table: Table
) -> tuple[Key, ...] | None:
    """All values of a term, if they are declared or follow from its type."""
    match term:
        case DatePart():
            return _parts(term, table)
        case Indicator():
            return False, True
        case Case():
            return _values(term.values, table)
        case Called("coalesce"):
            return _values(term.arguments, table)
        case Called("date_trunc", [Constant(str() as period), day]):
            return period_values(period, dates_of(day, table))
        case Called(function) if function in CALENDAR:
            lower, upper = CALENDAR[function]
            return tuple(range(lower, upper + 1))
        case Constant():
            return (term.value,)  # type: ignore[return-value]
        case Column():
            return _column_values(term, table)
    return None


def _values(terms: Sequence[Term], table: Table) -> tuple[Key, ...] | None:
    """Of a term that is one of several, each value once."""
    found = [declared_values(each, table) for each in terms]
    known = [each for each in found if each is not None]
    return tuple(dict.fromkeys(chain(*known))) if len(known) == len(found) else None


def _column_values(term: Column, table: Table) -> tuple[Key, ...] | None:
    facts = table.fact(term.name)
    if facts.values is not None:
        return facts.values  # type: ignore[return-value]  # `Keys` refuses what cannot be a key
    kind = table.schema.type_of(term)
    if kind is ColumnType.DATE:
        return period_values("day", dates_of(term, table))
    return (False, True) if kind is ColumnType.TRUTH else None


def _parts(term: DatePart, table: Table) -> tuple[Key, ...] | None:
    if term.part in _CALENDAR:
        return tuple(_CALENDAR[term.part])
    facts = table.fact(term.column.name)
    if not isinstance(facts.lower, date) or not isinstance(facts.upper, date):
        return None
    years = range(facts.lower.year, facts.upper.year + 1)
    return tuple(years) if len(years) <= _MOST_YEARS else None
