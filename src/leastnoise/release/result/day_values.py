"""Answers that are dates: days since 1970-01-01, and parts of days, told as dates.

A number is in the day that begins at the whole number below it.
"""

import math
from collections.abc import Callable
from datetime import date

from leastnoise.people import UNKNOWN
from leastnoise.release.ask.days import day_number, day_of

_FIRST, _LAST = day_number(date.min), day_number(date.max)
_HAIR = 1e-6  # of a day: more than doubles are off, and less than anybody can mean
_WAYS: dict[str, Callable[[float], int]] = {
    "value": lambda number: math.floor(number + _HAIR),
    "lower": lambda number: math.floor(number + _HAIR),
    "upper": lambda number: math.ceil(number - _HAIR) - 1,  # the last day that ends by then
}
DATED = tuple(_WAYS)
"""Which measures of a table are dates then; a standard error is a number of days."""


def day_value(measure: str, number: float) -> date | None:
    """The date that a measure of an answer stands for; None if it is not known.

    Example:
        >>> [str(day_value(name, 2)) for name in ("lower", "upper")]
        ['1970-01-03', '1970-01-02']
    """
    if not math.isfinite(number):
        return None
    return day_of(min(max(_WAYS[measure](number), _FIRST), _LAST))


def shown_day(measure: str, number: float) -> str:
    """The same in words."""
    found = day_value(measure, number)
    return UNKNOWN if found is None else str(found)
