"""In which steps a unit counts: every engine against plain Python, and one unit against none."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.release.ask.expression import col
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.stream_step import Streamed
from tests.examples import examples
from tests.over_time.tables import GROUPS, Visit, arrow, reference, streamed

START = date(2026, 1, 1)
schedules = st.builds(
    lambda every, steps, most, apart: Schedule(
        every, start=START, steps=steps, contributes=min(most, steps), column="day", apart=apart
    ),
    st.sampled_from(["day", "week", "month"]),
    st.integers(2, 8),
    st.integers(1, 3),
    st.integers(1, 3),
)
# Most rows lie in the first days, so that units have more steps than may count.
days = st.one_of(st.integers(-1, 9), st.integers(-1, 9), st.integers(-40, 80)).map(
    lambda n: START + timedelta(days=n)
)
visits = st.lists(
    st.builds(
        Visit,
        st.one_of(st.integers(1, 3), st.none()),
        st.one_of(days, st.none()),
        st.sampled_from([*GROUPS, "elsewhere"]),
    ),
    min_size=4,
    max_size=25,
)


def found(table: Table, schedule: Schedule) -> list[list[int]]:
    """What the engine counts, step after step."""
    stream = streamed(schedule)
    asked = [stream.at(number) for number in range(1, schedule.steps + 1)]
    return [each.totals[0].tolist() for each in measure(table, asked)]


def wanted(rows: Sequence[Visit], schedule: Schedule) -> list[list[int]]:
    own = [each._replace(town=each.town) for each in rows]
    return [reference(own, schedule, number) for number in range(1, schedule.steps + 1)]


REGULARS = [
    Visit(person, START + timedelta(days=day), GROUPS[(person + day) % 2])
    for person in range(1, 8)
    for day in range(person % 3, 60, person)
]


@pytest.mark.parametrize("every", ["day", "week", "month"])
@pytest.mark.parametrize(("most", "apart"), [(1, 1), (2, 1), (2, 2), (2, 3), (1, 2)])
def test_people_who_come_again_and_again(every: str, most: int, apart: int) -> None:
    """Everybody has more steps than may count, and steps nearer than they may be."""
    schedule = Schedule(every, start=START, steps=2, contributes=most, column="day", apart=apart)
    if every != "month":
        schedule = Schedule(
            every, start=START, steps=7, contributes=most, column="day", apart=apart
        )
    assert found(read(arrow(REGULARS), unit="person"), schedule) == wanted(REGULARS, schedule)


def test_quarters_begin_with_the_schedule() -> None:
    """From February to April is one step, and who came in April is not counted in May again."""
    rows = [Visit(1, date(2026, 4, 1), "a"), Visit(1, date(2026, 5, 1), "a")]
    schedule = Schedule("quarter", start="2026-02-01", steps=2, contributes=1, column="day")
    assert found(read(arrow(rows), unit="person"), schedule) == [[1, 0], [0, 0]]
    assert wanted(rows, schedule) == [[1, 0], [0, 0]]


@examples(10, 30)
@given(visits, schedules, st.booleans())
def test_totals_are_those_of_the_reference(
    rows: list[Visit], schedule: Schedule, moments: bool
) -> None:
    held = rows
    if moments:
        held = [
            each._replace(
                day=each.day and datetime(each.day.year, each.day.month, each.day.day, 23, 59)
            )
            for each in rows
        ]
    table = read(arrow(held, moments=moments), unit="person")
    assert found(table, schedule) == wanted(held, schedule)


@examples(8, 25)
@given(visits, schedules)
def test_one_unit_moves_few_steps_far_apart(rows: list[Visit], schedule: Schedule) -> None:
    """With and without unit 1: the steps that change are at most m, at least g apart."""
    others = [each for each in rows if each.person != 1]
    both = [np.array(found(read(arrow(each), unit="person"), schedule)) for each in (rows, others)]
    moved = np.flatnonzero(np.abs(both[0] - both[1]).sum(axis=1))
    assert len(moved) <= schedule.contributes
    assert all(np.diff(moved) >= schedule.apart)
    assert np.abs(both[0] - both[1]).max(initial=0) <= 1


@examples(8, 25)
@given(visits, schedules, st.integers(0, 8))
def test_rows_to_come_change_no_closed_step(
    rows: list[Visit], schedule: Schedule, number: int
) -> None:
    closed = min(number, schedule.steps)
    edge = schedule.first_day(closed + 1)
    early = [each for each in rows if each.day is None or each.day < edge]
    one, other = (found(read(arrow(each), unit="person"), schedule) for each in (rows, early))
    assert one[:closed] == other[:closed]


def test_where_each_row_is_a_unit_all_count() -> None:
    rows = [Visit(1, START, "a")] * 3 + [Visit(1, START + timedelta(days=1), "a")] * 2
    schedule = Schedule("day", start=START, steps=2, contributes=1, column="day")
    assert found(read(arrow(rows), unit=None), schedule) == [[3, 0], [2, 0]]


def test_only_rows_that_matter_take_turns() -> None:
    """A condition of the question decides which steps of a unit are its first."""
    rows = [Visit(1, START, "b"), Visit(1, START + timedelta(days=1), "a")]
    schedule = Schedule("day", start=START, steps=2, contributes=1, column="day")
    plain = streamed(schedule).measurement
    only = Measurement(plain.aggregates, plain.bounds, plain.by, plain.keys, col("town") == "a")
    table = read(arrow(rows), unit="person")
    (second,) = measure(table, [Streamed(only, schedule).at(2)])
    assert second.totals[0].tolist() == [1, 0]
    (without,) = measure(table, [streamed(schedule).at(2)])
    assert without.totals[0].tolist() == [0, 0]


def test_columns_may_be_called_like_our_own() -> None:
    rows = arrow([Visit(1, START, "a"), Visit(1, START + timedelta(days=1), "a")])
    shadowed = rows.append_column("turn", rows["person"]).append_column("NEAR", rows["person"])
    schedule = Schedule("day", start=START, steps=2, contributes=1, column="day")
    assert found(read(shadowed, unit="person"), schedule) == [[1, 0], [0, 0]]


@pytest.fixture(scope="module")
def url(empty_postgres: str) -> str:
    with psycopg.connect(empty_postgres, autocommit=True) as connection:
        connection.execute("CREATE TABLE visits (person bigint, day date, town text)")
        connection.execute("CREATE TABLE moments (person bigint, day timestamp, town text)")
    return empty_postgres


@pytest.mark.parametrize("place", ["visits", "moments"])
def test_postgres_counts_the_same(url: str, place: str) -> None:
    @settings(max_examples=15, deadline=None)
    @given(visits, schedules)
    def agrees(rows: list[Visit], schedule: Schedule) -> None:
        refill(url, place, rows)
        assert found(read(url, unit="person", table=place), schedule) == wanted(rows, schedule)

    agrees()


def test_postgres_has_endless_dates(url: str) -> None:
    refill(url, "visits", [Visit(1, START, "a")])
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO visits VALUES (1, 'infinity', 'a'), (1, '-infinity', 'a')")
    schedule = Schedule("day", start=START, steps=2, contributes=1, column="day")
    assert found(read(url, unit="person", table="visits"), schedule) == [[1, 0], [0, 0]]


def refill(url: str, place: str, rows: Sequence[Visit]) -> None:
    with psycopg.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        text: Any = f"INSERT INTO {place} VALUES (%s, %s, %s)"
        cleared: Any = f"TRUNCATE {place}"
        cursor.execute(cleared)
        cursor.executemany(text, [tuple(each) for each in rows])
