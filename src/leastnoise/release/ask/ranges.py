r"""Where a term's values lie, found from the ranges that columns are declared to have.

Theorem: if every column lies in its declared range, and has a value where that is declared, then
the exact value of a term lies in `range_of` it, is whole if that says so, and is missing only where
that allows it. Proof: docs/proofs/sensitivity.md, section 4. Privacy rests on none of it: a range
is where values are cut to by default.
"""

from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from math import ceil, floor, inf
from typing import Protocol, TypeAlias, cast

from leastnoise._dataclass import dataclass
from leastnoise.release.ask import ends
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.choices import Case, Indicator
from leastnoise.release.ask.column_facts import ColumnFacts, End
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import Readable
from leastnoise.release.ask.date_functions import DATE_FUNCTIONS
from leastnoise.release.ask.date_ranges import number_ends, truncated_ends
from leastnoise.release.ask.day_number import DayNumber
from leastnoise.release.ask.ends import UNKNOWN, Ends
from leastnoise.release.ask.kinds import is_whole, kind_of
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.terms import (
    Arithmetic,
    Called,
    Column,
    Constant,
    Cut,
    DatePart,
    Operation,
    Part,
    Term,
)

_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True)
class ValueRange:
    """Between which ends all values of a term lie.

    Attributes:
        lower: the lower end: a number, or a date.
        upper: the upper end.
        whole: whether only whole numbers occur.
        may_be_null: whether a row may have no value.
    """

    lower: End
    upper: End
    whole: bool = False
    may_be_null: bool = True


class Declared(Protocol):
    """What ranges are found from: a table is such."""

    @property
    def schema(self) -> Schema:
        """The columns and their types."""

    def fact(self, name: str) -> ColumnFacts:
        """What is declared about a column."""


def range_of(term: Readable, table: Declared) -> ValueRange | None:
    """Where a term's values lie; None if nothing follows from what is declared.

    Raises:
        InvalidParameter: an unknown column, or one of a type that the term cannot be computed from.
    """
    kind = kind_of(term, table.schema)
    nullable = may_be_null(term, table)
    if kind.is_numeric:
        lower, upper = ends_of(term, table)
        if isinstance(lower, Fraction) and isinstance(upper, Fraction):
            return ValueRange(lower, upper, is_whole(term, table.schema), nullable)
    if kind in {ColumnType.DATE, ColumnType.MOMENT}:
        days = dates_of(term, table)
        return days and ValueRange(*days, may_be_null=nullable)
    return None


def may_be_null(term: Readable, table: Declared) -> bool:  # noqa: PLR0911 - one per kind
    """Whether a row may have no value of a term, by what is declared."""
    match term:
        case Column():
            return not table.fact(term.name).never_null
        case Constant() | Indicator():
            return False
        case DatePart():
            return dates_of(term.column, table) is None or may_be_null(term.column, table)
        case Case():
            certain = term.other is not None and all(value for _, value in _told(term))
            return not certain or any(may_be_null(each, table) for each in term.values)
        case Called(function) if function in _NULL_IF:
            return _NULL_IF[function](term, table)
        case Term():
            return not term.parts or any(may_be_null(each, table) for each in term.parts)
    return True


def _told(term: Case) -> list[tuple[object, bool]]:
    return [(test, value is not None) for test, value in term.branches]


def ends_of(term: Readable, table: Declared) -> Ends:  # noqa: PLR0911 - one per kind
    """Between which ends the numbers of a term lie; infinite where nothing follows."""
    match term:
        case Column():
            return _column(term, table)
        case Constant(int() | Fraction() as number):
            return ends.tame((Fraction(number), Fraction(number)))
        case Arithmetic():
            return _arithmetic(term, table)
        case Cut():
            lower, upper = ends_of(term.term, table)
            return min(max(lower, term.low), term.high), max(min(upper, term.high), term.low)
        case Indicator():
            return Fraction(0), Fraction(1)
        case Bin():
            return Fraction(0), Fraction(term.cells - 1)
        case DatePart():
            return _date_part(term, table)
        case Case():
            return ends.hull([leaf_ends(each, table) for each in term.values])
        case DayNumber():
            found = number_ends("days_between", [(_EPOCH, _EPOCH), dates_of(term.term, table)])
            return UNKNOWN if found is None else found
        case Called():
            rule = RULES.get(term.function)
            return UNKNOWN if rule is None else rule(term, table)
    return UNKNOWN


def leaf_ends(term: Readable, table: Declared) -> Ends:
    """Likewise, of what is computed from: results are tamed before they go on."""
    return ends.tame(ends_of(term, table))


def dates_of(  # noqa: PLR0911 - one per kind
    term: Readable, table: Declared
) -> tuple[date, date] | None:
    """Between which ends the dates or moments of a term lie; None where nothing follows."""
    match term:
        case Column():
            lower, upper = table.fact(term.name).lower, table.fact(term.name).upper
            return (lower, upper) if isinstance(lower, date) and isinstance(upper, date) else None
        case Constant(date() as day):
            return day, day
        case Case():
            return _days_hull(term.values, table)
        case Called("coalesce"):
            return _days_hull(_that_occur(term, table), table)
        case Called("nullif"):
            return dates_of(term.arguments[0], table)
        case Called("date_trunc", [Constant(str() as period), day]):
            return truncated_ends(period, dates_of(day, table))
    return None


def _days_hull(terms: Sequence[Term], table: Declared) -> tuple[date, date] | None:
    found = [dates_of(each, table) for each in terms]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _column(term: Column, table: Declared) -> Ends:
    if table.schema.type_of(term) is ColumnType.TRUTH:
        return Fraction(0), Fraction(1)
    facts = table.fact(term.name)
    if isinstance(facts.lower, Fraction) and isinstance(facts.upper, Fraction):
        return facts.lower, facts.upper
    values = facts.values or ("",)
    if all(isinstance(value, int | Fraction) for value in values):
        numbers = cast("tuple[int, ...]", values)
        return Fraction(min(numbers)), Fraction(max(numbers))
    return UNKNOWN


def _arithmetic(term: Arithmetic, table: Declared) -> Ends:
    one, other = (
        ends_of(each, table) if isinstance(each, Arithmetic) else leaf_ends(each, table)
        for each in term.parts
    )
    match term.operation:
        case Operation.PLUS:
            return ends.plus(one, other)
        case Operation.MINUS:
            return ends.minus(one, other)
        case Operation.TIMES if term.one == term.other:
            return ends.square(one)
        case Operation.TIMES:
            return ends.times(one, other)


def _date_part(term: DatePart, table: Declared) -> Ends:
    days = dates_of(term.column, table)
    if term.part is Part.YEAR:  # of 9999 years too few are meant
        return UNKNOWN if days is None else (Fraction(days[0].year), Fraction(days[1].year))
    lower, upper = _CALENDAR[term.part]
    return Fraction(lower), Fraction(upper)


_CALENDAR = {Part.MONTH: (1, 12), Part.DAY: (1, 31), Part.HOUR: (0, 23)}


def _that_occur(term: Called, table: Declared) -> list[Term]:
    """The arguments up to the first that is never missing."""
    found: list[Term] = []
    for each in term.arguments:
        found.append(each)
        if not may_be_null(each, table):
            break
    return found


def _first(term: Called, table: Declared) -> Ends:
    return leaf_ends(term.arguments[0], table)


def _constant(term: Called, place: int, other: int = 0) -> int:
    """The constant in a place, or another number if it was left out."""
    found = term.arguments[place] if place < len(term.arguments) else Constant(other)
    return cast("int", cast("Constant", found).value)


def _several(term: Called, table: Declared) -> tuple[list[Ends], list[bool]]:
    """Where the operands lie, and which are never missing."""
    terms = term.arguments
    return [leaf_ends(e, table) for e in terms], [not may_be_null(e, table) for e in terms]


def _of_dates(term: Called, table: Declared) -> Ends:
    found = number_ends(term.function, [dates_of(each, table) for each in term.arguments])
    return UNKNOWN if found is None else found


Rule: TypeAlias = Callable[[Called, Declared], Ends]
RULES: dict[str, Rule] = {
    "abs": lambda term, table: ends.absolute(_first(term, table)),
    "divide": lambda term, table: ends.quotient(*_several(term, table)[0]),
    "mod": lambda term, table: ends.remainder(_first(term, table), _constant(term, 1)),
    "floor": lambda term, table: ends.each_end(_first(term, table), lambda e: Fraction(floor(e))),
    "ceil": lambda term, table: ends.each_end(_first(term, table), lambda e: Fraction(ceil(e))),
    "round": lambda term, table: ends.rounded(_first(term, table), _constant(term, 1)),
    "least": lambda term, table: ends.least_of(*_several(term, table)),
    "greatest": lambda term, table: ends.greatest_of(*_several(term, table)),
    "length": lambda *_: (Fraction(0), inf),
    "coalesce": lambda term, table: ends.hull(
        [leaf_ends(each, table) for each in _that_occur(term, table)]
    ),
    "nullif": _first,
    **{each.name: _of_dates for each in DATE_FUNCTIONS if each.result is not ColumnType.DATE},
}
"""By the name of a function of numbers: where its results lie."""


def _no_quotient(term: Called, table: Declared) -> bool:
    lower, upper = leaf_ends(term.arguments[1], table)
    return lower <= 0 <= upper or any(may_be_null(each, table) for each in term.arguments)


def _no_remainder(term: Called, table: Declared) -> bool:
    """Computed integers are read as such below 2^53."""
    inside = kind_of(term.arguments[0], table.schema) is ColumnType.INTEGER
    lower, upper = leaf_ends(term.arguments[0], table)
    inside = inside or -(2**53) < lower <= upper < 2**53
    return not inside or may_be_null(term.arguments[0], table)


def _if_all_are(term: Called, table: Declared) -> bool:
    return all(may_be_null(each, table) for each in term.arguments)


def _if_one_is_no_date(term: Called, table: Declared) -> bool:
    """Dates outside the years 1..9999 have no value, if nothing says that there are none."""
    dates = [each for each in term.arguments if kind_of(each, table.schema).has_days]
    return any(dates_of(each, table) is None or may_be_null(each, table) for each in dates)


_NULL_IF: dict[str, Callable[[Called, Declared], bool]] = {
    "divide": _no_quotient,
    "mod": _no_remainder,
    "nullif": lambda *_: True,
    "coalesce": _if_all_are,
    "least": _if_all_are,
    "greatest": _if_all_are,
    **{each.name: _if_one_is_no_date for each in DATE_FUNCTIONS},
}
