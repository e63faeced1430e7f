"""Functions of dates: total, and of one meaning on every engine, on hostile dates too."""

from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter
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
def on_postgres(empty_postgres: str) -> Table:
    return read(postgres_dates(empty_postgres), unit="who", table="dates")


def test_on_duckdb(tmp_path: Path) -> None:
    assert_functions(read(duckdb_dates(tmp_path), unit="who", table="dates"))


def test_on_postgres(on_postgres: Table) -> None:
    assert_functions(on_postgres)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_on_spark(spark: Any) -> None:
    assert_functions(read(spark_dates(spark), unit="who"))


REFUSED = [
    (lambda: DAY.date_trunc("fortnight"), "must be one of day, week, month, quarter, year"),
    (lambda: FUNCTIONS["date_trunc"].make(col("word"), DAY), "must be one of day, week"),
    (FUNCTIONS["weekday"].make, r"must have the arguments weekday\(d\)"),
    (lambda: DAY.age_in_years("29.2.2024"), "must hold dates or time stamps; got '29.2.2024'"),
    (lambda: col("n").weekday(), "must hold dates or time stamps; got n"),
    (lambda: FUNCTIONS["hour"].make(DAY.date_trunc("day")), "must hold time stamps"),
]


@pytest.mark.parametrize(("made", "words"), REFUSED)
def test_refused(made: Callable[[], Term], words: str) -> None:
    data = pa.table({"day": [FIXED], "n": [1], "word": ["day"]})
    with pytest.raises(InvalidParameter, match=words):
        measure(read(data, unit=None), [Measurement((CountRows(),), WIDE, (made(),))])


def test_parts_of_columns_keep_their_names() -> None:
    assert FUNCTIONS["year"].make(DAY) == DAY.year()
    assert FUNCTIONS["year"].make(DAY).name == "year of day"
    assert DAY.date_trunc("month").name == "date_trunc('month', day)"
    assert DAY.age_in_years("2024-02-29") == DAY.age_in_years(date(2024, 2, 29))


def test_questions_are_named_by_dates_and_numbers_as_people_write_them() -> None:
    """A name is published: no word of Python's belongs there."""
    day = (DAY >= FIXED) & AT.isin([datetime(2024, 2, 29, 8)]) & (col("cost") > 0.5)
    told = "((day >= 2024-02-29 and at in (2024-02-29 08:00:00)) and cost > 0.5)"
    assert str(day) == told
    assert str(col("cost") > Fraction(1, 3)) == "cost > 1/3"
    assert str(col("cost") > Decimal("-12.05")) == "cost > -12.05"


def counted(where: Any) -> int:
    days = [date(2024, 1, 30), FIXED, None]
    dates = pa.array(days, pa.date32())
    data = pa.table({"day": dates, "at": dates.cast(pa.timestamp("us")), "word": ["2024"] * 3})
    (found,) = measure(read(data, unit=None), [Measurement((CountRows(),), WIDE, where=where)])
    return int(found.totals[0][0])


def test_texts_stand_for_dates_in_conditions() -> None:
    assert counted(DAY >= "2024-02-29") == counted(AT >= "2024-02-29") == 1
    assert counted(DAY < "2024-02-29") == 1
    assert counted(DAY.isin(["2024-02-29", "2024-01-30"])) == 2
    assert counted(DAY.date_trunc("month") == "2024-01-01") == 1
    assert counted(col("word") == "2024") == 3
    with pytest.raises(InvalidParameter, match=r"must be compared with such; .*2024-01-31"):
        counted(DAY >= "2024-02")
    with pytest.raises(InvalidParameter, match="must be compared with such"):
        counted(AT.isin(["2024-02-29", "noon"]))


def day_table(days: list[date | None], kind: pa.DataType) -> Table:
    dates = pa.array(days, pa.date32()).cast(kind)
    return read(pa.table({"who": range(len(days)), "day": dates}), unit="who")


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("us")])
@pytest.mark.parametrize("parts", [1, 3, 7, 12, 60])
def test_a_histogram_of_days(kind: pa.DataType, parts: int, tmp_path: Path) -> None:
    first, last = date(2024, 1, 1), date(2024, 2, 29)
    days = [first + timedelta(days=n) for n in range(60)]
    spread = [day for n, day in enumerate(days) for _ in range(n % 4)]
    outside = [date(1, 1, 1), date(2023, 12, 31), date(2024, 3, 1), date(9999, 12, 31), None]
    plan = ln.plan(day_table([*spread, *outside], kind), max_groups=1, max_rows=1, most_rows=1)
    plan = plan.histogram("day", lower=first, upper="2024-02", parts=parts)
    plan = plan.cumulative("day", lower="2024", upper=last, parts=max(parts, 2))
    assert "from 2024-01-01 to 2024-02-29" in plan.questions[0].words()
    assert "from 2024-01-01 to 2024-02-29" in plan.questions[1].words()
    budget = ln.PureDP(epsilon=10**6)  # so that there is no noise
    ledger = ln.Ledger(tmp_path / "budget.db", total=budget, begin=True, unit="who")
    counts, shares = plan.release(budget, ledger=ledger).tables
    assert counts.columns == ("day_from", "day_to")
    assert counts.rows[0][0] == first
    assert counts.rows[-1][1] == last
    stretches: list[Any] = list(counts.rows)
    inside = [sum(low <= day <= high for day in spread) for low, high in stretches]
    inside[0] += 2
    inside[-1] += 2
    assert [round(value) for value in counts.values] == inside
    sizes = [high - low for low, high in stretches]
    assert max(sizes) - min(sizes) <= timedelta(days=1)
    ends: list[Any] = [end for (end,) in shares.rows]
    below = [2 + sum(day < end for day in spread) for end in ends]
    assert shares.values == pytest.approx([n / (len(spread) + 4) for n in below], abs=1e-4)


def test_mistakes_in_ranges_of_days() -> None:
    plan = ln.plan(day_table([FIXED], pa.date32()), max_groups=1, max_rows=1)
    ask = plan.histogram
    with pytest.raises(InvalidParameter, match="at most the days of the range; got 3 parts of 2"):
        ask("day", lower="2024-01-01", upper="2024-01-02", parts=3)
    with pytest.raises(InvalidParameter, match="must not be after `upper`"):
        ask("day", lower="2024-02", upper="2024-01", parts=3)
    with pytest.raises(InvalidParameter, match="`lower` must be a date; got 0"):
        ask("day", lower=0, upper="2024-01", parts=3)
    with pytest.raises(InvalidParameter, match=r"must have `lower` and `upper`.*one of them"):
        ask("day", upper="2024-01", parts=3)
    with pytest.raises(InvalidParameter, match="of numbers must be numbers; got a date"):
        ask("who", lower=FIXED, upper=FIXED, parts=3)
