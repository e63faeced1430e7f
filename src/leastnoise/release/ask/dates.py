"""Ranges of dates, cut into stretches of days."""

from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import SupportsIndex

from leastnoise import _check
from leastnoise.release.ask.bin import MOST_CELLS, Bin
from leastnoise.release.ask.day_number import DayNumber
from leastnoise.release.ask.days import checked_days, day_number, day_of
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.ranges import Declared, range_of
from leastnoise.release.ask.terms import Term

_MOST_DAYS = 2**20  # each is a place on a grid
_MOST_VALUES = 2**16  # that get a part each
_USUAL_PARTS = 2**14


def day_range(term: Term, table: Declared, lower: object, upper: object) -> tuple[date, date]:
    """The first and last day of a range: what is given, and for an end that is not, the declared.

    Raises:
        InvalidParameter: an end is no date, neither given nor declared, or before the other.
    """
    known = range_of(term, table)
    ends = (None, None) if known is None else (known.lower, known.upper)
    first, last = (declared if given is None else given
                   for given, declared in zip((lower, upper), ends, strict=True))  # fmt: skip
    if first is None or last is None:
        raise _check.refuse(
            f"{str(term)!r} must have `lower` and `upper`, or a declared range",
            "neither" if first is last else "one of them",
            'Write lower="2024-01-01", upper="2024-12-31": the range that dates can have, known '
            "without looking at the data.",
        )
    low, high = _days(first, "`lower`")[0], _days(last, "`upper`")[1]
    if low <= high:
        return low, high
    raise _check.refuse(
        "`lower` must not be after `upper`", f"lower={low}, upper={high}", "Exchange them."
    )


def _days(end: object, name: str) -> tuple[date, date]:
    """Of a moment, its date: ranges of time stamps are declared by moments."""
    return checked_days(end.date() if isinstance(end, datetime) else end, name)


def day_parts(term: Term, lower: date, upper: date, parts: SupportsIndex) -> Bin:
    """Stretches of days, as equal as whole days allow; `stretches` tells which they are.

    Raises:
        InvalidParameter: more parts than days.

    Example:
        >>> part = day_parts(Term(), date(2024, 1, 1), date(2024, 1, 10), 4)
        >>> [(first.day, last.day) for first, last in stretches(part)]
        [(1, 3), (4, 5), (6, 8), (9, 10)]
    """
    first, last = day_number(lower), day_number(upper)
    if last - first >= _MOST_DAYS:
        raise _check.refuse(
            f"a range of dates must have at most {_MOST_DAYS:,} days",
            f"{lower} … {upper}",
            "Take those that people lived on.",
        )
    count = _check.integer_between(parts, "parts", 1, MOST_CELLS)
    if count > last + 1 - first:
        raise _check.refuse(
            "`parts` must be at most the days of the range",
            f"{count} parts of {last + 1 - first} days",
            "Ask for fewer, or for a longer range.",
        )
    return Bin(DayNumber(term), Grid(lower=first, upper=last + 1), count)


def each_day(term: Term, lower: date, upper: date, parts: SupportsIndex | None) -> Bin:
    """The parts to look for quantiles in: a day each, if nothing is said and they are not many."""
    days = (upper - lower).days + 1
    usual = days if days < _MOST_VALUES else _USUAL_PARTS
    return day_parts(term, lower, upper, usual if parts is None else parts)


def is_dated(part: Bin) -> bool:
    """Whether the parts are of days."""
    return isinstance(part.column, DayNumber)


def stretches(part: Bin) -> list[tuple[date, date]]:
    """The first and last day of each part.

    Theorem: a day is in the part in whose stretch it is. Proof: with d days, c parts and the first
    day f, day n is in a part ⌊(n − f)·c/d⌋ ≥ i just if n ≥ f + ⌈i·d/c⌉. ∎
    """
    grid, count = part.grid, part.cells
    days = grid.upper - grid.lower
    firsts = [ceil(grid.lower + Fraction(days * i, count)) for i in range(count + 1)]
    return [(day_of(one), day_of(other - 1)) for one, other in pairwise(firsts)]


def words_of_range(part: Bin) -> str:
    """What is cut into parts, for people."""
    if is_dated(part):
        ends = stretches(part)
        return f"stretches of days from {ends[0][0]} to {ends[-1][1]}"
    return f"equal parts of {float(part.grid.lower):g} … {float(part.grid.upper):g}"
