"""Dates as keys: the same groups on every engine, and dates in whatever shows them."""

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.auditing import audit_plan
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.table import Table
from leastnoise.release.file.plan_file import plan_file
from leastnoise.release.measure.measure import measure
from leastnoise.release.read import read
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.step.aggregate import CountRows, CountValues
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from tests.release.dated_tables import GOOD, duckdb_dates, postgres_dates, spark_dates

WIDE = Bounds(max_groups=100, max_rows=100)
DAY = col("day")
COUNTED = Counter(day for _, day, _ in GOOD if day is not None)
LISTED = Keys.of("day", [date(2024, 2, 29), date(2024, 2, 28), date.min, date.max])


@pytest.fixture(scope="module")
def on_postgres(empty_postgres: str) -> Table:
    return read(postgres_dates(empty_postgres), unit="who", table="dates")


def assert_keys(table: Table) -> None:
    """Private, public, among others, in histograms, and as values that differ."""
    count = (CountRows(),)
    asked: list[Asked] = [
        Measurement(count, WIDE, (DAY,)),
        Measurement(count, WIDE, (DAY,), LISTED),
        Measurement(count, WIDE, (DAY, DAY.year()), Keys(["day", "year of day"], [(date.min, 1)])),
        Measurement((CountValues(DAY),), WIDE),
        Histograms((Grouping((DAY,)), Grouping((DAY.month(),)), Grouping((DAY,), LISTED)), 100),
    ]
    private, public, pair, values, found, months, listed = measure(table, asked)
    by_day = dict(zip(private.rows, private.totals[0].tolist(), strict=True))
    assert by_day == {(day,): count for day, count in COUNTED.items()}
    assert all(type(day) is date for (day,) in private.rows)
    assert public.totals[0].tolist() == [2, 0, 1, 1]
    assert public.rows == LISTED.rows
    assert pair.totals[0].tolist() == [1]
    assert values.totals[0].tolist() == [len(COUNTED)]
    weight = 2**20
    assert dict(zip(found.rows, found.totals[0].tolist(), strict=True)) == {
        key: weight * count for key, count in by_day.items()
    }
    assert sum(months.totals[0].tolist()) == weight * sum(COUNTED.values())
    assert listed.totals[0].tolist() == [2 * weight, 0, weight, weight]


def test_on_duckdb(tmp_path: Path) -> None:
    assert_keys(read(duckdb_dates(tmp_path), unit="who", table="dates"))


def test_on_postgres(on_postgres: Table) -> None:
    assert_keys(on_postgres)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_on_spark(spark: Any) -> None:
    assert_keys(read(spark_dates(spark), unit="who"))


@pytest.mark.parametrize("keys", ["private", ["2024-02-29", "0001-01-01", "9999-12-31"]])
@pytest.mark.parametrize("groups", [1, 2])
def test_one_unit_moves_no_farther_than_claimed(keys: Any, groups: int) -> None:
    """Of neighbours in which a unit's dates are anything an engine can hold."""
    table = read(frame(), unit="who")
    plan = ln.plan(table, max_groups=groups, max_rows=2).count(by="day", keys=keys)
    plan = plan.count_units(by="day", keys=keys, name="units")
    if keys != "private":
        plan = plan.distinct("day").most_common("day", count=1, keys=keys)
    found = audit_plan(plan, orders=1)
    assert not found.violated, str(found)


def frame() -> pa.Table:
    """With days far beyond the year 9999, which are no keys."""
    days = [(day - date(1970, 1, 1)).days if day else None for _, day, _ in GOOD]
    numbers = pa.array([*days, 10**7, -(10**7)], pa.int32())
    return pa.table({"who": [*(who for who, *_ in GOOD), 1, 2], "day": numbers.cast(pa.date32())})


@pytest.fixture
def released(tmp_path: Path) -> PlanRelease:
    data = pa.table({"who": range(60), "day": [date(2024, 1 + n % 3, 1) for n in range(60)]})
    plan = ln.plan(read(data, unit="who"), max_groups=1, max_rows=1, most_rows=1)
    months = {"from": "2024-01", "to": "2024-04", "step": "month"}
    plan = plan.count(by="day", keys=months, name="listed").count(
        by="day", keys="private", name="found"
    )
    ledger = ln.Ledger(tmp_path / "budget.db", total=BUDGET, begin=True, unit="who")
    return plan.release(BUDGET, ledger=ledger)


BUDGET = ln.ApproxDP(epsilon=50, delta="1e-6")
MONTHS = tuple((date(2024, month, 1),) for month in (1, 2, 3, 4))


def test_dates_are_shown_as_dates(released: PlanRelease) -> None:
    listed, found = released["listed"], released["found"]
    assert listed.rows == MONTHS
    assert found.rows == MONTHS[:3]
    assert "2024-03-01  " in str(listed)
    assert listed.to_csv().splitlines()[1].startswith("2024-01-01,")
    assert json.loads(listed.to_json())["answers"][3]["day"] == "2024-04-01"
    assert listed.to_arrow().schema.field("day").type == pa.date32()
    assert "2024-04-01" in json.dumps(listed.plot().spec)


def test_a_stored_release_has_its_dates_again(released: PlanRelease) -> None:
    again = PlanRelease.from_json(released.to_json())
    assert [table.rows for table in again.tables] == [table.rows for table in released.tables]
    assert again.to_json() == released.to_json()
    broken = released.to_json().replace('"2024-02-01"', '"2024-02-31"', 1)
    with pytest.raises(InvalidParameter, match="a stored release must be text written by this"):
        PlanRelease.from_json(broken)


PLAN = """
[data]
path = "days.csv"
unit = "row"
types = {{day = "date"}}
[budget]
ledger = "budget.db"
spend = {{epsilon = 1}}
[[question]]
ask = "count"
{said}
"""
SAID = {
    'by = "day"\nkeys = {from = "2024-01", to = "2024-04", step = "month"}': MONTHS,
    'by = "day"\nkeys = {from = 2024-01-30, to = 2024-02-01}': (
        (date(2024, 1, 30),), (date(2024, 1, 31),), (date(2024, 2, 1),)),
    'by = "day"\nkeys = ["2024-01-30", "2024-02-29"]': (
        (date(2024, 1, 30),), (date(2024, 2, 29),)),
    'by = "day"\nkeys = [2024-01-30]': ((date(2024, 1, 30),),),
    'by = ["city", "day"]\nkeys = {day = {from = "2024", to = "2025", step = "year"}, '
    'city = ["Oslo"]}': (("Oslo", date(2024, 1, 1)), ("Oslo", date(2025, 1, 1))),
    'by = "day"\nkeys_file = "keys.csv"': ((date(2024, 5, 17),),),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "days.csv").write_text("day,city\n2024-01-30,Oslo\n", "utf-8")
    (tmp_path / "keys.csv").write_text("day\n2024-05-17\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize("said", SAID)
def test_in_a_plan_file(said: str, folder: Path) -> None:
    (question,) = plan_file(PLAN.format(said=said), folder).plan.questions
    assert question.groups.public_keys is not None
    assert question.groups.public_keys.rows == SAID[said]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ('by = "day"\nkeys = {from = "2024-01", stop = "2024-04"}', r":12:\d+: .*`stop`"),
        ('by = "day"\nkeys = {from = "2024-01"}', r":12:\d+: .* must have `from`, `to`; got no"),
        ('by = "day"\nkeys = {from = "2024-01", to = "2024-04", step = "moon"}', "Did you mean"),
        ('by = "day"\nkeys = {from = "2024-13", to = "2025"}', r":12:\d+: .*must be a date"),
        ('by = "day"\nkeys = {from = 2024, to = "2025"}', "must be text; got a whole number"),
        ('by = "day"\nkeys = ["2024-02"]', r":12:\d+: `keys` of a column of dates must be dates"),
        ('by = "city"\nkeys = [2024-02-01]', "must be of the column's type, 'text'"),
        ('by = ["city", "day"]\nkeys = {from = "2024", to = "2025"}', "must be of one column"),
        (
            'by = "day"\nkeys_file = "bad.csv"',
            "keys must be of their column's type, 'date'; got something else in record 2",
        ),
    ],
)
def test_mistakes_in_a_plan_file(said: str, words: str, folder: Path) -> None:
    (folder / "bad.csv").write_text("day\nyesterday\n", "utf-8")
    with pytest.raises(InvalidParameter, match=words):
        plan_file(PLAN.format(said=said), folder)


def test_a_row_as_the_unit() -> None:
    assert read(frame(), unit="row").unit is None
    with pytest.raises(InvalidParameter, match=r"is a column here\. Write unit=None"):
        read(pa.table({"Row": [1, 2]}), unit="row")
    assert read(pa.table({"row": [1, 2]}), unit=None).unit is None
