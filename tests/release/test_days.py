"""Days by number, periods of days, and dates as people write them."""

from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.days import (
    Period,
    checked_days,
    checked_period,
    day_number,
    day_of,
    written_day,
)
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.said_keys import keys_by_column, listed_keys
from leastnoise.release.step.groups import groups_of

DAYS = st.dates()
PERIODS = st.sampled_from(Period)


@given(DAYS)
def test_days_have_numbers(day: date) -> None:
    assert day_of(day_number(day)) == day
    assert day_number(day) == (day - date(1970, 1, 1)).days


@given(DAYS, PERIODS)
def test_every_day_is_in_one_period(day: date, period: Period) -> None:
    first, last = period.first(day), period.last(day)
    assert first <= day <= last
    assert period.first(first) == first == period.first(last)
    if first > date.min:
        assert period.first(first - timedelta(days=1)) < first
    if last < date.max:
        assert period.first(last + timedelta(days=1)) == last + timedelta(days=1)


@given(DAYS, st.integers(0, 5000), PERIODS)
def test_a_range_has_every_period_with_a_day_in_it(start: date, more: int, period: Period) -> None:
    end = start + timedelta(days=min(more, (date.max - start).days))
    days = (start + timedelta(days=n) for n in range((end - start).days + 1))
    assert list(period.between(start, end)) == list(dict.fromkeys(map(period.first, days)))


def test_periods_by_hand() -> None:
    day = date(2024, 2, 29)
    firsts = {each.value: each.first(day).isoformat() for each in Period}
    assert firsts == {"day": "2024-02-29", "week": "2024-02-26", "month": "2024-02-01",
                      "quarter": "2024-01-01", "year": "2024-01-01"}  # fmt: skip
    assert Period.QUARTER.last(day) == date(2024, 3, 31)
    assert Period.WEEK.first(date.min) == date.min  # a Monday
    assert [each.last(date.max) for each in Period] == [date.max] * 5
    assert len(list(Period.DAY.between(date.min, date(3, 1, 1)))) == 365 + 365 + 1
    assert len(list(Period.DAY.between(date(9998, 1, 1), date.max))) == 365 + 365
    assert len(list(Period.MONTH.between(date.min, date.max))) == 9999 * 12


@pytest.mark.slow
def test_every_day_there_is() -> None:
    assert len(list(Period.DAY.between(date.min, date.max))) == date.max.toordinal()


@given(DAYS)
def test_a_written_date_is_read_back(day: date) -> None:
    assert written_day(day.isoformat()) == day
    month = day.isoformat()[:7]
    assert checked_days(month, "x") == (Period.MONTH.first(day), Period.MONTH.last(day))
    assert written_day(month) is None


BAD = ["2024-02-30", "2024-13", "0000-01-01", "0000", "24-01-01", "2024-1-1", "20240101",
       "2024-W01", "2024-01-01T00:00", " 2024-01-01", "２０２４-01-01", "", "infinity", 2024, None,
       datetime(2024, 1, 1)]  # fmt: skip


@pytest.mark.parametrize("value", BAD, ids=repr)
def test_what_is_no_date(value: object) -> None:
    with pytest.raises(InvalidParameter, match=r"the end must be a date; .*2024-01-31"):
        checked_days(value, "the end")


def test_keys_of_dates() -> None:
    months = Keys.dates("day", "2024-01-15", date(2024, 3, 1), step="month")
    assert months.rows == ((date(2024, 1, 1),), (date(2024, 2, 1),), (date(2024, 3, 1),))
    assert len(Keys.dates("day", "2024", "2024").rows) == 366
    assert Keys.dates(col("at").year(), "2024", "2024", "year").columns == ("year of at",)
    with pytest.raises(InvalidParameter, match="must end where it begins"):
        Keys.dates("day", "2024-02", "2024-01")
    with pytest.raises(InvalidParameter, match="one of 'day', 'week'"):
        Keys.dates("day", "2024-01", "2024-02", "fortnight")
    with pytest.raises(InvalidParameter, match="must be of one type"):
        Keys.of("day", [date(2024, 1, 1), "2024-01-02"])
    with pytest.raises(InvalidParameter, match=r"take the dates: moment\.date"):
        Keys.of("day", [datetime(2024, 1, 1)])
    assert checked_period(Period.WEEK) is Period.WEEK


def test_texts_become_dates_where_dates_are() -> None:
    keys = Keys.cross(day=["2024-02-29"], city=["2024-02-29"])
    assert keys.with_dates({"day"}).rows == ((date(2024, 2, 29), "2024-02-29"),)
    dates = Keys.of("day", [date(2024, 1, 1)])
    assert dates.with_dates({"day"}) is dates
    assert keys.with_dates({"other"}) is keys
    with pytest.raises(InvalidParameter, match=r"must be dates; got '2024-02'. .*2024-01-31"):
        Keys.of("day", ["2024-02"]).with_dates({"day"})


RANGE = {"from": "2024-01", "to": "2024-02", "step": "month"}


def test_keys_by_column_mean_all_combinations() -> None:
    by = ["month", "late"]
    keys = groups_of(by, {"late": [True, False], "month": RANGE}, None).public_keys
    first, second = date(2024, 1, 1), date(2024, 2, 1)
    assert keys is not None
    assert keys.columns == ("month", "late")
    assert keys.rows == ((first, True), (first, False), (second, True), (second, False))
    assert groups_of("month", RANGE, None).public_keys == Keys.of("month", [first, second])
    assert listed_keys("n", np.array([1, 2])) == [1, 2]
    named = keys_by_column(["from", "to"], {"from": ["Oslo"], "to": ["Bergen", "Bodø"]})
    assert len(named.rows) == 2


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"city": ["Oslo"]}, r"must be of the columns in `by`; got keys of \['city'\]"),
        ({"month": "2024-01", "late": [True]}, "must be a list, or a range of dates"),
        ({"month": {"from": "2024"}, "late": [True]}, "must have `from` and `to`"),
        ({"month": RANGE | {"by": 2}, "late": [True]}, "may have `step`"),
        ({"month": RANGE | {"step": "hour"}, "late": [True]}, "one of 'day', 'week'"),
        (RANGE, "must be of one column"),
        ({"month": 3, "late": [True]}, "must be a list"),
    ],
)
def test_refused_keys_by_column(keys: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        groups_of(["month", "late"], keys, None)
