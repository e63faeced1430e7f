"""`Schedule`: numbers that are published again and again, and in which steps one unit may be."""

from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any, SupportsIndex

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.days import written_days
from leastnoise.release.ask.expression import Column, Condition, col

_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
EVERY = (*_DAYS, *_MONTHS)
"""How long a step may be."""
OBJECTIVES = ("worst", "mean square", "last")
TO_DATE = "to date"
Matters = str | Mapping[Any, Any]
_MOST_STEPS = 4096
_MOST_APART = 4096
_LAST_YEAR = 9999


@dataclass(frozen=True, init=False)
class Schedule:
    """Steps of equal length, one after another, each published once and never revised.

    A row belongs to the step in which its own date lies; rows dated before the first step or after
    the last one do not count. A unit counts in the first steps that it has rows in, so that the
    dates of its rows decide, and not when somebody looks.

    Args:
        every: "day", "week" (seven days from the start on), "month", "quarter" or "year".
        start: the first day of the first step; for months and longer the first of a month.
        steps: how many there are, up to 4096.
        contributes: in how many steps one unit counts.
        column: which column holds the rows' own dates.
        apart: at least how many steps after one of them the next may be.
        matters: which errors are made small: "worst" for the largest one of a running total, "mean
            square" for all of them alike, "last" for the last total above all; or a weight for each
            length of time: `every` for single steps, a longer word for calendar weeks, months, …, a
            number of steps for windows that slide, "to date" for running totals.

    Example:
        >>> year = Schedule("day", start="2026-01-01", steps=365, contributes=1, column="day")
        >>> year.number("2026-03-07"), str(year.first_day(66)), year.label(66)
        (66, '2026-03-07', '2026-03-07')
    """

    every: str
    start: date
    steps: int
    contributes: int
    column: str
    apart: int
    matters: str | tuple[tuple[str | int, Fraction], ...]

    def __init__(  # noqa: PLR0913 - each is a part of the promise
        self,
        every: str,
        *,
        start: date | str,
        steps: SupportsIndex,
        contributes: SupportsIndex,
        column: str,
        apart: SupportsIndex = 1,
        matters: Matters = "worst",
    ) -> None:
        if every not in EVERY:
            raise _check.refuse(
                f"`every` must be one of {', '.join(EVERY)}", _check.shown(every), "Choose one."
            )
        count = _check.integer_between(steps, "steps", 1, _MOST_STEPS)
        most = _check.integer_between(contributes, "contributes", 1, count)
        far = _check.integer_between(apart, "apart", 1, _MOST_APART)
        object.__setattr__(self, "every", every)
        object.__setattr__(self, "start", _first(every, checked_day(start, "start")))
        object.__setattr__(self, "steps", count)
        object.__setattr__(self, "contributes", most)
        object.__setattr__(self, "column", col(column).name)
        object.__setattr__(self, "apart", far)
        object.__setattr__(self, "matters", self._matters(matters))
        _refuse_endless(self)

    def _matters(self, given: Matters) -> str | tuple[tuple[str | int, Fraction], ...]:
        if isinstance(given, str) and given in OBJECTIVES:
            return given
        if not isinstance(given, Mapping) or not given:
            raise _check.refuse(
                f"`matters` must be one of {', '.join(OBJECTIVES)}, or weights of lengths of time",
                _check.shown(given),
                f'Write matters={{"{self.every}": 1, "to date": 1}}.',
            )
        found = tuple(
            (int(length) if isinstance(length, str) and length.isdecimal() else length, weight)
            for length, weight in given.items()
        )
        return tuple((length, self._weight(length, weight)) for length, weight in found)

    def _weight(self, length: str | int, weight: Any) -> Fraction:
        """The weight of a length of which there is at least one."""
        if not self.sums(length):
            raise _check.refuse(
                "a length of time that matters must fit into the schedule",
                _check.shown(length),
                "Take a shorter one.",
            )
        return _check.positive(weight, "matters")

    def sums(self, length: int | str) -> list[tuple[int, int]]:
        """First and last step of every sum of a length that may matter, in the whole schedule."""
        if length == TO_DATE:
            return [(1, number) for number in range(1, self.steps + 1)]
        return self.spans(1 if length == self.every else length, self.steps)

    @property
    def days(self) -> int | None:
        """How many days a step has; None if it has months."""
        return _DAYS.get(self.every)

    @property
    def months(self) -> int:
        """How many months a step has."""
        return _MONTHS.get(self.every, 0)

    @property
    def end(self) -> date:
        """The first day after the last step."""
        return self.first_day(self.steps + 1)

    def first_day(self, number: int) -> date:
        """Of a step, or of the one after the last."""
        if self.days is not None:
            return self.start + timedelta(days=self.days * (number - 1))
        year, month = divmod(12 * self.start.year + self.start.month - 1, 12)
        year, month = divmod(12 * year + month + self.months * (number - 1), 12)
        return date(year, month + 1, 1)

    def label(self, number: int) -> str:
        """What a step is called: its first day."""
        return self.first_day(number).isoformat()

    def number(self, step: date | str) -> int:
        """The number of the step in which a day lies; the first one is 1.

        A month or a year may stand for its days, as "2026-03" does, if they lie in one step.

        Raises:
            InvalidParameter: not a day of the schedule.
        """
        day = self._day(step)
        if not self.start <= day < self.end:
            last = (self.end - timedelta(days=1)).isoformat()
            raise _check.refuse(
                f"`step` must be a day of the schedule, {self.start.isoformat()} … {last}",
                day.isoformat(),
                "A longer schedule is another one, at its own price.",
            )
        if self.days is not None:
            return (day - self.start).days // self.days + 1
        return self._steps_before(day) + 1

    def _day(self, step: date | str) -> date:
        first, last = (isinstance(step, str) and written_days(step)) or (None, None)
        if first is None or last is None or self.days is not None:
            return checked_day(step, "step")
        same = self._steps_before(first) == self._steps_before(last)
        return first if same else checked_day(step, "step")

    def _steps_before(self, day: date) -> int:
        """Of a schedule by months."""
        passed = 12 * (day.year - self.start.year) + day.month - self.start.month
        return passed // self.months

    def spans(self, length: int | str, last: int) -> list[tuple[int, int]]:
        """First and last step of every whole window, up to a step.

        Args:
            length: so many steps, ending at every step; or "week", "month", "quarter" or "year",
                one after another, as the calendar has them (weeks from the start on).
            last: the last step that may be in one.

        Raises:
            InvalidParameter: no such length, or one that steps do not fill.
        """
        if not isinstance(length, str):
            count = _check.integer_between(length, "window", 1, self.steps)
            return [(number - count + 1, number) for number in range(count, last + 1)]
        if length not in EVERY or EVERY.index(length) <= EVERY.index(self.every):
            raise _check.refuse(
                f"`window` must be a number of steps, or longer than a {self.every}",
                _check.shown(length),
                f"One of: {', '.join(EVERY[EVERY.index(self.every) + 1 :]) or 'none'}.",
            )
        if self.every == "week":
            raise _check.refuse(
                "weeks do not fill a month", f"window={length!r}", "Give a number of steps."
            )
        starts = [n for n in range(1, last + 2) if self._begins(length, self.first_day(n))]
        return [(one, other - 1) for one, other in pairwise(starts)]

    def _begins(self, length: str, day: date) -> bool:
        if length == "week":
            return (day - self.start).days % _DAYS[length] == 0
        return day.day == 1 and (day.month - 1) % _MONTHS[length] == 0

    def within(self, first: int, last: int) -> Condition:
        """Whether a row's own date lies in one of these steps."""
        dated = Column(self.column)
        return (dated >= self.first_day(first)) & (dated < self.first_day(last + 1))

    def __str__(self) -> str:
        gap = f", at least {self.apart} steps apart" if self.apart > 1 else ""
        times = "1 step" if self.contributes == 1 else f"at most {self.contributes} steps"
        return (
            f"every {self.every}, {self.steps} times from {self.start.isoformat()} on, by "
            f"{self.column}; a unit counts in {times}{gap}"
        )


@dataclass(frozen=True)
class Turns:
    """Which steps of a unit count: the first `contributes` in which it has rows that matter.

    Attributes:
        schedule: the steps.
        where: which rows matter; None for all.
    """

    schedule: Schedule
    where: Condition | None = None


def checked_day(value: object, name: str) -> date:
    """A day, or its text.

    Raises:
        InvalidParameter: another thing.
    """
    if type(value) is date:
        return value
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise _check.refuse(f"`{name}` must be a day", _check.shown(value), "Write 2026-01-01.")


def _first(every: str, start: date) -> date:
    if every in _DAYS or start.day == 1:
        return start
    raise _check.refuse(
        f"a schedule of every {every} must start with a month",
        f"start={start.isoformat()}",
        f"Write {start.replace(day=1).isoformat()}.",
    )


def _refuse_endless(schedule: Schedule) -> None:
    try:
        fits = schedule.end.year <= _LAST_YEAR
    except (OverflowError, ValueError):
        fits = False
    if not fits:
        raise _check.refuse(
            "a schedule must end before the year 10000", f"{schedule.steps} steps", "Take fewer."
        )
