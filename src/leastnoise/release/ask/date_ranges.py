"""Where the results of functions of dates lie, and which ones there are, from the dates' ranges."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import TypeAlias

from leastnoise.release.ask.days import Period

Days: TypeAlias = tuple[date, date]
"""The first and the last; a plain date last means all of its day."""
_MICROSECOND = timedelta(microseconds=1)
_MOST_VALUES = 40_000  # more than a century of days is a slip, and each would be a group

CALENDAR: dict[str, tuple[int, int]] = {
    "quarter": (1, 4),
    "month": (1, 12),
    "day": (1, 31),
    "weekday": (1, 7),
    "hour": (0, 23),
}
"""By the name of a part of a date: its least and greatest value."""


def number_ends(function: str, days: list[Days | None]) -> tuple[Fraction, Fraction] | None:
    """Between which numbers a function of dates lies; None if nothing follows.

    Theorem: if each date lies in its range, the result lies between these. Proof: parts lie in
    their calendar's range; the others never fall in their last argument nor rise in their first.
    """
    if function in CALENDAR:
        lower, upper = CALENDAR[function]
        return Fraction(lower), Fraction(upper)
    known = [each for each in days if each is not None]
    if len(known) < len(days):
        return None
    return _RULES[function](known)


def truncated_ends(period: str, days: Days | None) -> Days | None:
    """The range of the first days of periods."""
    if days is None:
        return None
    first, last = (Period(period).first(_day(each)) for each in days)
    return first, last


def period_values(period: str, days: Days | None) -> tuple[date, ...] | None:
    """The first days of all periods in a range; None if it is not known, or they are many."""
    if days is None:
        return None
    first, last = map(_day, days)
    if (last - first) > _LENGTHS[Period(period)] * _MOST_VALUES:
        return None
    return tuple(Period(period).between(first, last))


_LENGTHS = {Period.DAY: timedelta(1), Period.WEEK: timedelta(7)} | dict.fromkeys(
    (Period.MONTH, Period.QUARTER, Period.YEAR), timedelta(28)
)


def _day(end: date) -> date:
    return end.date() if isinstance(end, datetime) else end


def _years(days: list[Days]) -> tuple[Fraction, Fraction]:
    ((first, last),) = days
    return Fraction(first.year), Fraction(last.year)


def _days_between(days: list[Days]) -> tuple[Fraction, Fraction]:
    (start, until), (first, last) = [tuple(map(_day, each)) for each in days]
    return Fraction((first - until).days), Fraction((last - start).days)


def _time_between(unit: timedelta) -> "Rule":
    def rule(days: list[Days]) -> tuple[Fraction, Fraction]:
        (start, until), (first, last) = [(_begin(low), _end(high)) for low, high in days]
        return _over(first - until, unit), _over(last - start, unit)

    return rule


def _over(passed: timedelta, unit: timedelta) -> Fraction:
    return Fraction(passed // _MICROSECOND, unit // _MICROSECOND)


def _begin(end: date) -> datetime:
    return end if isinstance(end, datetime) else datetime.combine(end, time.min)


def _end(end: date) -> datetime:
    return end if isinstance(end, datetime) else datetime.combine(end, time.max)


def _ages(days: list[Days]) -> tuple[Fraction, Fraction]:
    (born, until), (first, last) = days
    return Fraction(_age(until, first)), Fraction(_age(born, last))


def _age(born: date, on: date) -> int:
    return on.year - born.year - ((on.month, on.day) < (born.month, born.day))


Rule: TypeAlias = Callable[[list[Days]], tuple[Fraction, Fraction]]
_RULES: dict[str, Rule] = {
    "year": _years,
    "days_between": _days_between,
    "hours_between": _time_between(timedelta(hours=1)),
    "seconds_between": _time_between(timedelta(seconds=1)),
    "age_in_years": _ages,
}
