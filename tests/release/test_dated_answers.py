"""Quantiles and medians of dates: answers that are dates, wherever they are told."""

import json
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.auditing import audit_plan
from leastnoise.errors import InvalidParameter
from leastnoise.release.read import read
from leastnoise.release.result.day_values import day_value
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.release_text import release_from_text
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.reports import report_html
from tests.release.dated_tables import GOOD

FIRST = date(2024, 1, 1)
DAYS = [FIRST + timedelta(days=n) for n in range(300) for _ in range(4)]
BUDGET = ln.PureDP(epsilon=1000)


@pytest.fixture(scope="module", params=[pa.date32(), pa.timestamp("us")])
def released(request: Any, tmp_path_factory: pytest.TempPathFactory) -> PlanRelease:
    days = pa.array(DAYS, pa.date32()).cast(request.param)
    data = pa.table(
        {"who": range(len(DAYS)), "day": days, "late": [n % 2 == 0 for n in range(1200)]}
    )
    ledger = ln.Ledger(
        tmp_path_factory.mktemp("ledger") / "budget.db", total=BUDGET, begin=True, unit="who"
    )
    plan = ln.plan(read(data, unit="who"), max_groups=1, max_rows=1, most_rows=1)
    plan = plan.median("day", lower="2023", upper="2024", by="late", name="median")
    plan = plan.quantiles("day", [0.25, 0.75], lower=FIRST, upper="2024-12", name="quartiles")
    plan = plan.median("day", lower="2024-01", upper="2024-12", parts=12, name="coarse")
    return plan.release(BUDGET, ledger=ledger)


def near(found: object, wanted: date, days: int) -> bool:
    return isinstance(found, date) and abs(found - wanted) <= timedelta(days=days)


def test_answers_are_dates(released: PlanRelease) -> None:
    for record in released["median"].records():
        assert near(record["value"], FIRST + timedelta(days=150), 3)
        assert record["lower"] <= record["value"] <= record["upper"]
        assert near(record["lower"], record["value"], 5)
    low, high = released["quartiles"].records()
    assert near(low["value"], FIRST + timedelta(days=75), 3)
    assert near(high["value"], FIRST + timedelta(days=225), 3)
    (coarse,) = released["coarse"].records()
    assert near(coarse["value"], FIRST + timedelta(days=150), 20)
    assert coarse["lower"] <= FIRST + timedelta(days=150) <= coarse["upper"]


def test_dates_are_told_everywhere(released: PlanRelease) -> None:
    table = released["median"]
    day = str(table.records()[0]["value"])
    assert day.startswith("2024-05-")
    assert f"  {day}  {table.records()[0]['lower']} to " in str(table)
    assert day in table.to_csv()
    assert json.loads(table.to_json())["answers"][0]["value"] == day
    arrow = table.to_arrow().schema
    assert [arrow.field(each).type for each in ("value", "lower", "upper")] == [pa.date32()] * 3
    assert arrow.field("standard_error").type == pa.float64()
    assert day in json.dumps(table.plot().spec)
    assert str(released["coarse"].records()[0]["value"]) in released["coarse"].plot().words
    assert day in report_html(released)
    assert not any(flag.words == "mostly noise" for flag in table.flags)


def test_a_stored_release_has_its_dates_again(released: PlanRelease) -> None:
    again = PlanRelease.from_json(released.to_json())
    assert [str(table) for table in again.tables] == [str(table) for table in released.tables]
    assert release_from_text(released.to_json())[0][0].dated


def test_the_words_say_dates() -> None:
    data = read(pa.table({"day": DAYS}), unit=None)
    asked = ln.plan(data).median("day", lower="2024", upper="2024")
    assert "in 366 stretches of days from 2024-01-01 to 2024-12-31" in asked.questions[0].words()


def test_days_of_numbers() -> None:
    assert [day_value(each, 0.0) for each in ("value", "lower", "upper")] == [
        date(1970, 1, 1), date(1970, 1, 1), date(1969, 12, 31)]  # fmt: skip
    assert day_value("value", -0.5) == date(1969, 12, 31)
    assert day_value("upper", 1e-9 + 1) == date(1970, 1, 1)
    assert day_value("lower", float("nan")) is None
    assert day_value("upper", 1e12) == date.max
    assert day_value("lower", -1e12) == date.min


def test_mistakes() -> None:
    plan = ln.plan(read(pa.table({"day": DAYS, "n": [1] * 1200}), unit=None))
    with pytest.raises(InvalidParameter, match="at most 1,048,576 days; got 0001-01-01 … 9999"):
        plan.median("day", lower="0001", upper="9999")
    with pytest.raises(InvalidParameter, match="of numbers must be numbers; got a date"):
        plan.median("n", lower=FIRST, upper=FIRST)
    with pytest.raises(InvalidParameter, match="`upper` must be a date"):
        plan.quantiles("day", [0.5], lower="2024", upper=datetime(2024, 1, 1).timestamp())


@pytest.mark.parametrize("kind", ["median", "histogram", "cumulative"])
def test_one_unit_moves_no_farther_than_claimed(kind: str) -> None:
    days = [day for _, day, _ in GOOD]
    table = read(pa.table({"who": [who for who, *_ in GOOD], "day": days}), unit="who")
    plan = ln.plan(table, max_groups=1, max_rows=2)
    ends: dict[str, Any] = {"lower": "1960", "upper": "2030", "parts": 8}
    found = audit_plan(getattr(plan, kind)("day", **ends), orders=1)
    assert not found.violated, str(found)


def test_the_picture_of_one_answer_without_an_interval() -> None:
    """Its words stay what they were."""
    table = ReleasedTable(
        name="n", columns=(), rows=((),), values=np.array([5.0]), standard_error=np.array([1.0]),
        lower=np.array([3.0]), upper=np.array([1234567.0]), mechanism="",
    )  # fmt: skip
    assert table.plot().words == "N: 0, with a 95 % interval of 0 to 1,240,000."
    unknown = replace(table, lower=np.array([np.nan]), upper=np.array([np.nan]))
    assert "interval of not known" in unknown.plot().words
