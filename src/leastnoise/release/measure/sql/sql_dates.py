r"""Dates in SQL: whatever engines store beside the years 1..9999 has no value.

Engines disagree on years before 1, some have infinite dates, and functions of those fail. So every
function here is asked inside a CASE whose test compares with constants and nothing else.
"""

from collections.abc import Callable
from datetime import date, datetime

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.terms import Called, Constant, Term
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined
from leastnoise.release.measure.sql.reader import Reader, Spelling, Spellings

_DAYS_BEFORE = 719_162  # 1970-01-01 is so many days after 0001-01-01, a Monday


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


def local_time(read: Fragment, zone: str, dialect: Dialect) -> Fragment:
    """A moment with a zone as local time of another; beyond the years 2..9998 there is none."""
    first, last = (dialect.value(each, dialect.instant) for each in _INSTANTS)
    # Nanoseconds would be compared with ends that they cannot hold.
    moment = dialect.cast(read, dialect.instant)
    found = fill(dialect.local, moment, dialect.value(zone, dialect.text))
    return fill("CASE WHEN {} >= {} AND {} <= {} THEN {} END", moment, first, moment, last, found)


# Engines fail at the ends of their calendars, to which a zone can shift a moment.
_INSTANTS = ("0002-01-01 00:00:00+00:00", "9998-12-31 00:00:00+00:00")


def day_number_of(read: Fragment, dialect: Dialect) -> Fragment:
    """A date's number of days since 1970-01-01, by which it is grouped, summed and told."""
    return dated(read, ColumnType.DATE, dialect, fill(dialect.days, read))


Made = Callable[[list[Fragment], Reader], Fragment]


def _of_days(make: Made) -> Spelling:
    """A function of dates, made of those in the years 1..9999; moments go as their dates."""

    def spelled(term: Called, reader: Reader) -> Fragment:
        dates = [each for each in term.arguments if not _is_text(each)]
        return _if_dated(dates, make([_day(each, reader) for each in dates], reader), reader)

    return spelled


def _of_moments(make: Made) -> Spelling:
    """A function of moments; dates go as their midnights."""

    def spelled(term: Called, reader: Reader) -> Fragment:
        found = make([_moment(each, reader) for each in term.arguments], reader)
        return _if_dated(term.arguments, found, reader)

    return spelled


def _is_text(term: Term) -> bool:
    return isinstance(term, Constant) and isinstance(term.value, str)


def _if_dated(terms: "list[Term] | tuple[Term, ...]", found: Fragment, reader: Reader) -> Fragment:
    tests = (in_years(reader.read(each), reader.kind(each), reader.dialect) for each in terms)
    return fill("CASE WHEN {} THEN {} END", joined(" AND ", tests), found)


def _day(term: Term, reader: Reader) -> Fragment:
    read, dialect = reader.read(term), reader.dialect
    return read if reader.kind(term) is ColumnType.DATE else dialect.cast(read, dialect.date)


def _moment(term: Term, reader: Reader) -> Fragment:
    read, dialect = reader.read(term), reader.dialect
    return read if reader.kind(term) is ColumnType.MOMENT else dialect.cast(read, dialect.moment)


def _part(word: str, of: Callable[[Made], Spelling] = _of_days) -> Spelling:
    def made(dates: list[Fragment], reader: Reader) -> Fragment:
        found = fill("EXTRACT(" + word + " FROM {})", *dates)
        return reader.dialect.cast(found, reader.dialect.integer)

    return of(made)


def _weekday(dates: list[Fragment], reader: Reader) -> Fragment:
    number = fill(reader.dialect.days, *dates)
    return fill(f"(({{}} + {_DAYS_BEFORE}) % 7 + 1)".replace("%", reader.dialect.percent), number)


def _truncated(term: Called, reader: Reader) -> Fragment:
    period = term.arguments[0]
    assert isinstance(period, Constant)
    assert isinstance(period.value, str)

    def made(dates: list[Fragment], reader: Reader) -> Fragment:
        if period.value == "day":
            return dates[0]
        # A word of our own, which `date_functions` has in its list.
        return fill(reader.dialect.truncated.replace("PERIOD", str(period.value)), *dates)

    return _of_days(made)(term, reader)


def day_number(term: Term, reader: Reader) -> Fragment:
    """The number of days since 1970-01-01 of a date, or of a moment's date."""
    return _if_dated([term], fill(reader.dialect.days, _day(term, reader)), reader)


def _days_between(dates: list[Fragment], reader: Reader) -> Fragment:
    start, end = (fill(reader.dialect.days, each) for each in dates)
    return fill("({} - {})", end, start)


def _time_between(microseconds: float) -> Made:
    """Exact integers up to the quotient, which is rounded once."""

    def made(moments: list[Fragment], reader: Reader) -> Fragment:
        dialect = reader.dialect
        start, end = (fill(dialect.microseconds, each) for each in moments)
        passed = dialect.cast(fill("({} - {})", end, start), dialect.number)
        return fill("({} / {})", passed, dialect.value(microseconds, dialect.number))

    return made


def _age(dates: list[Fragment], reader: Reader) -> Fragment:
    """Years passed, less one before the birthday of the last."""
    born, on = ([_number(word, each, reader) for word in ("YEAR", "MONTH", "DAY")]
                for each in dates)  # fmt: skip
    before = fill("{} * 100 + {} < {} * 100 + {}", *on[1:], *born[1:])
    return fill("({} - {} - CASE WHEN {} THEN 1 ELSE 0 END)", on[0], born[0], before)


def _number(word: str, day: Fragment, reader: Reader) -> Fragment:
    return reader.dialect.cast(fill("EXTRACT(" + word + " FROM {})", day), reader.dialect.integer)


DATES: Spellings = {
    "year": _part("YEAR"),
    "quarter": _part("QUARTER"),
    "month": _part("MONTH"),
    "day": _part("DAY"),
    "weekday": _of_days(_weekday),
    "hour": _part("HOUR", _of_moments),
    "date_trunc": _truncated,
    "days_between": _of_days(_days_between),
    "hours_between": _of_moments(_time_between(3.6e9)),
    "seconds_between": _of_moments(_time_between(1e6)),
    "age_in_years": _of_days(_age),
}
