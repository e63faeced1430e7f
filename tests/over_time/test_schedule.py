"""Steps of a schedule: which day lies in which, and what is no schedule."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.schedule import EVERY, Schedule


def schedule(every: str = "day", **changes: object) -> Schedule:
    parts: dict[str, object] = {
        "start": "2026-01-01", "steps": 30, "contributes": 1, "column": "day",
    }  # fmt: skip
    return Schedule(every, **(parts | changes))  # type: ignore[arg-type]


@given(st.sampled_from(EVERY), st.integers(1, 60), st.integers(0, 100))
def test_every_day_lies_in_one_step(every: str, steps: int, month: int) -> None:
    start = date(2020 + month // 12, month % 12 + 1, 1)
    made = schedule(every, start=start, steps=steps)
    for number in range(1, steps + 1):
        first, after = made.first_day(number), made.first_day(number + 1)
        assert first < after
        assert made.number(first) == made.number(after - timedelta(days=1)) == number
        assert made.number(made.label(number)) == number
    assert made.end == made.first_day(steps + 1)


def test_lengths() -> None:
    assert schedule("week").first_day(3) == date(2026, 1, 15)
    assert schedule("month").first_day(14) == date(2027, 2, 1)
    assert schedule("quarter").first_day(2) == date(2026, 4, 1)
    assert schedule("year").first_day(2) == date(2027, 1, 1)


@pytest.mark.parametrize("day", ["2025-12-31", "2026-01-31", "soon", None, 5, "2026-02-30"])
def test_days_outside(day: object) -> None:
    with pytest.raises(InvalidParameter):
        schedule().number(day)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"every": "hour"},
        {"every": "month", "start": "2026-01-02"},
        {"start": "tomorrow"},
        {"steps": 0},
        {"steps": 4097},
        {"contributes": 0},
        {"contributes": 31},
        {"apart": 0},
        {"column": ""},
        {"every": "year", "start": "9990-01-01"},
        {"start": "9999-12-20"},
    ],
)
def test_what_is_no_schedule(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        schedule(**wrong)  # type: ignore[arg-type]


def test_words() -> None:
    assert str(schedule(contributes=3, apart=7)) == (
        "every day, 30 times from 2026-01-01 on, by day; a unit counts in at most 3 steps, at "
        "least 7 steps apart"
    )


def test_a_month_stands_for_a_step_that_holds_it() -> None:
    def made(every: str, start: str) -> Schedule:
        return schedule(every, start=start, steps=8)

    assert made("month", "2026-01-01").number("2026-03") == 3
    assert made("quarter", "2026-01-01").number("2026-05") == 2
    assert made("year", "2026-01-01").number("2027") == 2
    for every, start, wrong in (
        ("day", "2026-01-01", "2026-01"),
        ("month", "2026-01-01", "2026"),
        ("year", "2026-04-01", "2027"),  # it has days in two of them
    ):
        with pytest.raises(InvalidParameter, match="must be a day"):
            made(every, start).number(wrong)
