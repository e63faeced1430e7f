"""Functions of dates: total, and of one meaning on every engine, on hostile dates too."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.days import Period
from leastnoise.release.ask.expression import Term, col
from leastnoise.release.ask.functions import FUNCTIONS
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.table import Table
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.step.aggregate import CountPresent, CountRows, SumOf
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.measurement import Measurement
from tests.release.dated_tables import GOOD, duckdb_dates, postgres_dates, spark_dates
from tests.release.reference import place

WIDE = Bounds(max_groups=100, max_rows=100)
DAY, AT = col("day"), col("at")
FIXED = date(2024, 2, 29)


def day_of(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def moment_of(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def age(born: date, on: date) -> int:
    return on.year - born.year - ((on.month, on.day) < (born.month, born.day))


def passed(start: date, end: date) -> int:
    return (moment_of(end) - moment_of(start)) // timedelta(microseconds=1)


OF_ONE: dict[str, Callable[[date], Any]] = {
    "year": lambda d: d.year,
    "quarter": lambda d: (d.month + 2) // 3,
    "month": lambda d: d.month,
    "day": lambda d: d.day,
    "weekday": lambda d: d.isoweekday(),
}
KEYS: list[tuple[Term, Callable[[date, datetime], Any]]] = [
    *((FUNCTIONS[name].make(DAY), lambda day, _, f=f: f(day)) for name, f in OF_ONE.items()),
    *((FUNCTIONS[name].make(AT), lambda _, at, f=f: f(at)) for name, f in OF_ONE.items()),
    *((DAY.date_trunc(p.value), lambda day, _, p=p: p.first(day)) for p in Period),
    *((AT.date_trunc(p.value), lambda _, at, p=p: p.first(at.date())) for p in Period),
    (FUNCTIONS["hour"].make(AT), lambda _, at: at.hour),
    (FUNCTIONS["month"].make(DAY.date_trunc("quarter")), lambda d, _: (d.month - 1) // 3 * 3 + 1),
    (AT.days_since(DAY), lambda day, at: (at.date() - day).days),
    (DAY.days_since("2024-02-29"), lambda day, _: (day - FIXED).days),
    (DAY.age_in_years("2024-02-28"), lambda day, _: age(day, date(2024, 2, 28))),
    (DAY.age_in_years(AT), lambda day, at: age(day, at.date())),
    (FUNCTIONS["age_in_years"].make(AT, date(2023, 3, 1)), lambda _, at: age(at, date(2023, 3, 1))),
]
NUMBERS: list[tuple[Term, Callable[[date, datetime], float]]] = [
    (AT.hours_since(DAY), lambda day, at: float(passed(day, at)) / 3.6e9),
    (AT.seconds_since(DAY), lambda day, at: float(passed(day, at)) / 1e6),
    (DAY.seconds_since(AT), lambda day, at: float(passed(at, day)) / 1e6),
    (AT.hours_since(FIXED) / 24, lambda _, at: float(passed(FIXED, at)) / 3.6e9 / 24),
]
GRIDS = [Grid(lower=-(10**6), upper=10**6), Grid(lower=-3 * 10**11, upper=3 * 10**11)]


def rows() -> list[tuple[date, datetime]]:
    return [(day, at) for _, day, at in GOOD if day is not None and at is not None]


def assert_functions(table: Table) -> None:
    count = (CountRows(),)
    asked: list[Asked] = [Measurement(count, WIDE, (term,)) for term, _ in KEYS]
    for found, (term, told) in zip(measure(table, asked), KEYS, strict=True):
        by_key = dict(zip(found.rows, found.totals[0].tolist(), strict=True))
        assert by_key == Counter((told(*row),) for row in rows()), term
    for grid in GRIDS:
        sums: list[Asked] = [
            Measurement((SumOf(term, grid), CountPresent(term, grid)), WIDE) for term, _ in NUMBERS
        ]
        for found, (term, told) in zip(measure(table, sums), NUMBERS, strict=True):
            total, present = (each.tolist()[0] for each in found.totals)
            assert total == sum(place(told(*row), grid) for row in rows()), term
            assert present == len(rows())


@pytest.fixture(scope="module")
def on_postgres() -> Iterator[Table]:
    with postgres_dates() as url:
        if url is None:
            pytest.skip("this machine has no PostgreSQL to start")
        yield read(url, unit="who", table="dates")


def test_on_duckdb(tmp_path: Path) -> None:
    assert_functions(read(duckdb_dates(tmp_path), unit="who", table="dates"))


def test_on_postgres(on_postgres: Table) -> None:
    assert_functions(on_postgres)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_on_spark(spark: Any) -> None:
    assert_functions(read(spark_dates(spark), unit="who"))
