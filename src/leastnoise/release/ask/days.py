"""Days by number, periods of days, and dates as people write them."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from enum import Enum

from leastnoise import _check
from leastnoise.release.ask.values import Value

_WRITTEN = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_FIRST = date(1970, 1, 1).toordinal()
_QUARTER = 3  # months
_MONTHS = 12


class Period(Enum):
    """A stretch of days that can be told by its first one."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"

    def first(self, day: date) -> date:
        """The first day of the period that a day is in; weeks begin on Monday.

        Example:
            >>> Period.WEEK.first(date(2024, 3, 3)).isoformat()
            '2024-02-26'
        """
        match self:
            case Period.DAY:
                return day
            case Period.WEEK:  # the first day of year 1 is a Monday, so that none begins before it
                return day - timedelta(days=day.weekday())
            case Period.MONTH:
                return day.replace(day=1)
            case Period.QUARTER:
                return date(day.year, day.month - (day.month - 1) % _QUARTER, 1)
            case Period.YEAR:
                return date(day.year, 1, 1)

    def last(self, day: date) -> date:
        """The last day of the period that a day is in, or of all days there are."""
        after = self._after(self.first(day))
        return date.max if after is None else after - timedelta(days=1)

    def _after(self, first: date) -> date | None:
        """The first day of the next one; None after the last there is."""
        months = {Period.MONTH: 1, Period.QUARTER: _QUARTER, Period.YEAR: _MONTHS}.get(self)
        try:
            if months is None:
                return first + timedelta(days=7 if self is Period.WEEK else 1)
            years, month = divmod(first.month - 1 + months, _MONTHS)
            return date(first.year + years, month + 1, 1)
        except (OverflowError, ValueError):
            return None

    def between(self, start: date, end: date) -> Iterator[date]:
        """The first days of all periods that have a day in start..end."""
        found: date | None = self.first(start)
        while found is not None and found <= end:
            yield found
            found = self._after(found)


def day_number(day: date) -> int:
    """How many days after 1970-01-01 a day is: what engines carry.

    Example:
        >>> day_number(date(1970, 1, 2)), day_of(-1).isoformat()
        (1, '1969-12-31')
    """
    return day.toordinal() - _FIRST


def day_of(number: int) -> date:
    """The day with a number."""
    return date.fromordinal(number + _FIRST)


def is_day(value: object) -> bool:
    """Whether a value is a date without a time of day; pandas has others, and no date at all."""
    return type(value) is date


def written_day(text: str) -> date | None:
    """The date that a text such as "2024-01-31" stands for, if any."""
    found = written_days(text)
    return found[0] if found is not None and len(text) == len("2024-01-31") else None


def as_day(value: Value) -> Value:
    """The date that a text stands for; anything else as it is."""
    found = written_day(value) if isinstance(value, str) else None
    return value if found is None else found


def written_days(text: str) -> tuple[date, date] | None:
    """The first and last day of what "2024-01-31", "2024-01" or "2024" stands for, if anything."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return None
    year, month, day = (None if each is None else int(each) for each in match.groups())
    try:
        first = date(year or 0, month or 1, day or 1)
    except ValueError:
        return None
    if day is not None:
        return first, first
    return first, (Period.YEAR if month is None else Period.MONTH).last(first)


def checked_period(value: object) -> Period:
    """A period by its name.

    Raises:
        InvalidParameter: no such one.
    """
    if isinstance(value, Period):
        return value
    known = [each.value for each in Period]
    if isinstance(value, str) and value in known:
        return Period(value)
    raise _check.refuse(
        f"a period must be one of {', '.join(map(repr, known))}",
        _check.shown(value),
        "Weeks begin on Monday, quarters in January, April, July and October.",
    )


def checked_days(value: object, name: str) -> tuple[date, date]:
    """The first and last day of a date, or of a text that stands for one, a month or a year.

    Raises:
        InvalidParameter: anything else.
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return value, value
    found = written_days(value) if isinstance(value, str) else None
    if found is not None:
        return found
    raise _check.refuse(
        f"{name} must be a date",
        _check.shown(value),
        'Write it as "2024-01-31", or "2024-01" for a whole month; years go from 1 to 9999.',
    )
