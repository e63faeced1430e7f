r"""Dates in SQL: whatever engines store beside the years 1..9999 has no value.

Engines disagree on years before 1, some have infinite dates, and functions of those fail. So every
function here is asked inside a CASE whose test compares with constants and nothing else.
"""

from datetime import date, datetime

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill


def dated(read: Fragment, kind: ColumnType, dialect: Dialect, found: Fragment) -> Fragment:
    """What was found of a date or a moment without a zone, if it is in the years 1..9999."""
    return fill("CASE WHEN {} THEN {} END", in_years(read, kind, dialect), found)


def in_years(read: Fragment, kind: ColumnType, dialect: Dialect) -> Fragment:
    """Whether a date or moment is in the years 1..9999; unknown if there is none."""
    is_date = kind is ColumnType.DATE
    word = dialect.date if is_date else dialect.moment
    first, last = (date.min, date.max) if is_date else (datetime.min, datetime.max)
    return fill(
        "{} >= {} AND {} <= {}",
        read,
        dialect.value(first, word),
        read,
        dialect.value(last, word),
    )


def day_number_of(read: Fragment, dialect: Dialect) -> Fragment:
    """A date's number of days since 1970-01-01, by which it is grouped, summed and told."""
    return dated(read, ColumnType.DATE, dialect, fill(dialect.days, read))
