"""Declared ranges of dates: where functions of them lie, and which groups are public by them."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.day_number import DayNumber
from leastnoise.release.ask.expression import Term, col
from leastnoise.release.ask.functions import FUNCTIONS
from leastnoise.release.ask.location import Frame
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.ranges import ValueRange, range_of
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from tests.release.evaluated import evaluated

D, E, AT = col("d"), col("e"), col("at")
SCHEMA = Schema([("d", ColumnType.DATE), ("e", ColumnType.DATE), ("at", ColumnType.MOMENT)])


def table(**facts: ColumnFacts) -> Table:
    data = pa.table({"d": pa.array([], pa.date32()), "e": pa.array([], pa.date32()),
                     "at": pa.array([], pa.timestamp("us"))})  # fmt: skip
    return Table(
        schema=SCHEMA,
        unit=None,
        neighbours=Neighbours.ADD_REMOVE,
        location=Frame(data),
        facts=tuple(facts.items()),
    )


TERMS: list[Term] = [
    D.year(),
    FUNCTIONS["year"].make(D.date_trunc("week")),
    D.quarter(),
    AT.weekday(),
    FUNCTIONS["hour"].make(AT),
    D.date_trunc("week"),
    AT.date_trunc("year"),
    E.days_since(D),
    AT.days_since(D),
    AT.hours_since(D),
    AT.seconds_since(AT),
    D.seconds_since(AT),
    D.age_in_years(AT),
    D.age_in_years("2024-02-29"),
    AT.date_trunc("month").days_since(D) / 7,
]
DAYS = st.dates()


@st.composite
def declared(draw: st.DrawFn) -> tuple[dict[str, Any], Table]:
    """A row, and ranges that it lies in."""
    row: dict[str, Any] = {}
    facts = {}
    for name in ("d", "e", "at"):
        low, value, high = sorted(draw(st.tuples(DAYS, DAYS, DAYS)))
        row[name] = datetime.combine(value, draw(st.times())) if name == "at" else value
        whole = name == "at" and draw(st.booleans())
        ends = (datetime.combine(low, time.min), datetime.combine(high, time.max))
        facts[name] = ColumnFacts(lower=ends[0] if whole else low, upper=ends[1] if whole else high,
                                  never_null=True)  # fmt: skip
    return row, table(**facts)


@given(declared())
def test_values_lie_in_the_range(known: tuple[dict[str, Any], Table]) -> None:
    row, declared_in = known
    for term in TERMS:
        found, value = range_of(term, declared_in), evaluated(term, row)
        assert found is not None, term
        assert not found.may_be_null
        slack = 0 if isinstance(value, date) else abs(value) * 1e-12  # of a rounded quotient
        low, high = (found.lower, found.upper)
        assert low - slack <= value <= high + slack if slack else low <= value <= high, term  # type: ignore[operator]


def test_what_is_not_declared_may_have_no_value() -> None:
    unknown = table(d=ColumnFacts(never_null=True))
    weekdays = range_of(D.weekday(), unknown)
    assert weekdays == ValueRange(Fraction(1), Fraction(7), whole=True, may_be_null=True)
    for term in (D.year(), D.date_trunc("month"), D.days_since("2024-01-01"), DayNumber(D)):
        assert range_of(term, unknown) is None
    missing = table(d=ColumnFacts(lower=date(2024, 1, 1), upper=date(2024, 1, 2)))
    found = range_of(D.days_since("2024-01-01"), missing)
    assert found == ValueRange(Fraction(0), Fraction(1), whole=True, may_be_null=True)
    number = range_of(DayNumber(D), missing)
    assert number is not None
    assert number.upper - number.lower == 1  # type: ignore[operator]


YEAR = ColumnFacts(lower=date(2023, 11, 15), upper=date(2024, 2, 10))
KEYS: list[tuple[Term, Callable[[], list[Any]]]] = [
    (D, lambda: [date(2023, 11, 15) + timedelta(n) for n in range(88)]),
    (D.date_trunc("month"), lambda: [date(2023, 11, 1), date(2023, 12, 1), date(2024, 1, 1),
                                     date(2024, 2, 1)]),
    (D.date_trunc("quarter"), lambda: [date(2023, 10, 1), date(2024, 1, 1)]),
    (D.weekday(), lambda: list(range(1, 8))),
    (D.quarter(), lambda: [1, 2, 3, 4]),
]  # fmt: skip


@pytest.mark.parametrize(("term", "keys"), KEYS, ids=[str(term) for term, _ in KEYS])
def test_a_declared_range_makes_keys_public(term: Term, keys: Callable[[], list[Any]]) -> None:
    plan = ln.plan(table(d=YEAR)).count(by=term)
    assert [key for (key,) in plan.questions[0].groups.public_keys.rows] == keys()  # type: ignore[union-attr]


def test_days_of_a_long_time_are_not_all_groups() -> None:
    ever = table(d=ColumnFacts(lower=date(1, 1, 1), upper=date(9999, 12, 31)))
    with pytest.raises(InvalidParameter, match="must be given with `by`"):
        ln.plan(ever).count(by="d")
    with pytest.raises(InvalidParameter, match="must be given with `by`"):
        ln.plan(table()).count(by=D.date_trunc("month"))


def test_a_declared_range_bounds_a_histogram() -> None:
    asked = ln.plan(table(d=YEAR)).histogram("d", parts=2)
    assert "from 2023-11-15 to 2024-02-10" in asked.questions[0].words()
    moments = ColumnFacts(lower=datetime(2024, 1, 1, 8), upper=datetime(2024, 1, 3, 20))
    asked = ln.plan(table(at=moments)).histogram("at", parts=3)
    assert "from 2024-01-01 to 2024-01-03" in asked.questions[0].words()
