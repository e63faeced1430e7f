"""Functions of dates and time stamps: what they take and give.

Dates outside the years 1..9999, and infinite ones, have no value in any of them.
"""

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.days import Period
from leastnoise.release.ask.signature import Parameter, Signature, Wants

_DAY = Parameter("d", Wants.DAY)
_ENDS = Parameter("start", Wants.DAY), Parameter("end", Wants.DAY)
_PERIODS = tuple(each.value for each in Period)
_PERIOD = Parameter(
    "period", Wants.TEXT, lambda value: value in _PERIODS, f"one of {', '.join(_PERIODS)}, as text"
)

DATE_FUNCTIONS = (
    Signature("year", "the year of d, 1..9999", (_DAY,), ColumnType.INTEGER),
    Signature("quarter", "the quarter of d, 1..4", (_DAY,), ColumnType.INTEGER),
    Signature("month", "the month of d, 1..12", (_DAY,), ColumnType.INTEGER),
    Signature("day", "the day of the month of d, 1..31", (_DAY,), ColumnType.INTEGER),
    Signature("weekday", "the day of the week of d, 1 for Monday", (_DAY,), ColumnType.INTEGER),
    Signature("hour", "the hour of d, 0..23", (Parameter("d", Wants.MOMENT),), ColumnType.INTEGER),
    Signature(
        "date_trunc",
        "the first day of the day, week (from Monday), month, quarter or year that d is in",
        (_PERIOD, _DAY),
        ColumnType.DATE,
    ),
    Signature(
        "days_between",
        "how many days of the calendar after start end is, less than 0 if before",
        _ENDS,
        ColumnType.INTEGER,
    ),
    Signature(
        "hours_between",
        "the hours from start to end, with decimals; a date is its midnight",
        _ENDS,
        ColumnType.NUMBER,
    ),
    Signature(
        "seconds_between",
        "the seconds from start to end, with decimals; a date is its midnight",
        _ENDS,
        ColumnType.NUMBER,
    ),
    Signature(
        "age_in_years",
        "the age in whole years on a day; born on 29 February, it grows on 1 March in other years",
        (Parameter("born", Wants.DAY), Parameter("on", Wants.DAY)),
        ColumnType.INTEGER,
    ),
)
