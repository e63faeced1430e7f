"""Small tables with dates, and what a schedule counts in them, in plain Python."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

import pyarrow as pa

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.stream_step import Streamed

GROUPS = ("a", "b")


class Visit(NamedTuple):
    """One row."""

    person: int | None
    day: date | datetime | None
    town: str


def arrow(visits: Sequence[Visit], *, moments: bool = False) -> pa.Table:
    """The rows as columns."""
    kind = pa.timestamp("us") if moments else pa.date32()
    return pa.table(
        {
            "person": pa.array([each.person for each in visits], pa.int64()),
            "day": pa.array([each.day for each in visits], kind),
            "town": pa.array([each.town for each in visits], pa.string()),
        }
    )


def steps_that_count(days: Sequence[int], most: int, apart: int) -> set[int]:
    """Of the steps in which one unit has rows, those in which it counts."""
    steps = sorted(set(days))
    return {
        step
        for place, step in enumerate(steps)
        if place < most and not any(step - apart < other < step for other in steps)
    }


def reference(visits: Sequence[Visit], schedule: Schedule, number: int) -> list[int]:
    """How many rows of each group count in a step, one row of each unit at most in each group."""
    dated = [
        (each, schedule.number(_date(each.day)))
        for each in visits
        if each.person is not None
        and each.day is not None
        and schedule.start <= _date(each.day) < schedule.end
    ]
    own: dict[int, list[int]] = defaultdict(list)
    for each, step in dated:
        own[each.person or 0].append(step)
    counting = {
        person: steps_that_count(steps, schedule.contributes, schedule.apart)
        for person, steps in own.items()
    }
    seen = {
        (each.person, each.town)
        for each, step in dated
        if step == number and step in counting[each.person or 0]
    }
    return [sum(town == group for _, town in seen) for group in GROUPS]


def _date(day: date | datetime | None) -> date:
    assert day is not None
    return day.date() if isinstance(day, datetime) else day


def streamed(schedule: Schedule) -> Streamed:
    """Rows of each group, one of a unit in each."""
    bounds = Bounds(max_groups=2, max_rows=1)
    keys = Keys.of("town", GROUPS)
    return Streamed(Measurement((CountRows(),), bounds, (col("town"),), keys), schedule)
