"""What a term is of a row, said in plain Python; shares no code with the engines' SQL."""

import math
import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

from leastnoise.release.ask.choices import Case, Indicator
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.conditions import (
    Both,
    Compared,
    ComparedTerms,
    Condition,
    Either,
    Match,
    Missing,
    Not,
    OneOf,
    Readable,
    TextTest,
)
from leastnoise.release.ask.date_functions import DATE_FUNCTIONS
from leastnoise.release.ask.days import Period
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.ask.terms import Arithmetic, Called, Column, Constant, DatePart
from tests.release.hostile_rows import SCHEMA
from tests.release.reference import RELATIONS, comparable, is_missing, tame

Row = dict[str, Any]
OF_DATES = {each.name for each in DATE_FUNCTIONS}
NUMERIC = {"abs", "divide", "floor", "ceil", "round", "least", "greatest"}


def number(term: Readable, row: Row) -> float | None:
    """A tame double."""
    value = evaluated(term, row)
    return None if value is None else tame(value) + 0.0


def evaluated(term: Readable, row: Row) -> Any:  # noqa: PLR0911 - one per kind
    """None where there is no value."""
    match term:
        case Column(name):
            return None if is_missing(row[name]) else row[name]
        case Constant(value):
            return value
        case Arithmetic(operation, one, other):
            a, b = (evaluated(e, row) if isinstance(e, Arithmetic) else number(e, row)
                    for e in (one, other))  # fmt: skip
            if a is None or b is None:
                return None
            return {"+": a + b, "-": a - b, "*": a * b}[operation.value]
        case Indicator(condition):
            return holds(condition, row)
        case DatePart(column, part):
            day = row[column.name]
            return None if day is None else getattr(day, part.value)
        case Case(branches, other):
            found = next((value for test, value in branches if holds(test, row)), other)
            return None if found is None else alike(term)(found, row)
        case Called(name, arguments):
            read = number if name in NUMERIC else evaluated if name in OF_DATES else alike(term)
            return FUNCTIONS[name](*(read(each, row) for each in arguments))
    raise AssertionError(term)


def alike(term: Readable) -> Callable[[Readable, Row], Any]:
    """How that is read which becomes a term's value: numbers of several types as doubles."""
    return number if kind_of(term, SCHEMA) is ColumnType.NUMBER else evaluated


def holds(condition: Condition, row: Row) -> bool:  # noqa: PLR0911 - one per kind
    match condition:
        case Compared(column, relation, value):
            return related(relation.value, evaluated(column, row), value)
        case ComparedTerms(one, relation, other):
            return related(relation.value, evaluated(one, row), evaluated(other, row))
        case OneOf(column, values):
            found = evaluated(column, row)
            return found is not None and found in values
        case Missing(column):
            return evaluated(column, row) is None
        case TextTest(column, match, pattern):
            text = evaluated(column, row)
            return text is not None and fits(text, match, pattern)
        case Not(inner):
            return not holds(inner, row)
        case Both(one, other):
            return holds(one, row) and holds(other, row)
        case Either(one, other):
            return holds(one, row) or holds(other, row)


def related(relation: str, one: Any, other: Any) -> bool:
    if one is None or other is None:
        return False
    if isinstance(one, float) or isinstance(other, float):
        one, other = float(one), float(other)  # engines compare integers with doubles as doubles
    if datetime in {type(one), type(other)}:
        one, other = (each if isinstance(each, datetime) else datetime.combine(each, time.min)
                      for each in (one, other))  # fmt: skip
    return RELATIONS[relation](comparable(one), comparable(other))


def fits(text: str, match: Match, pattern: str) -> bool:
    if match is Match.CONTAINS:
        return pattern in text
    if match is Match.STARTS:
        return text.startswith(pattern)
    parts = {"%": ".*", "_": "."}
    signs = re.findall("~?.", pattern, re.DOTALL) if match is Match.ESCAPED else pattern
    spelled = "".join(parts.get(sign, re.escape(sign[-1])) for sign in signs)
    return re.fullmatch(spelled, text, re.DOTALL) is not None


def strict(function: Callable[..., Any]) -> Callable[..., Any]:
    """Nothing of nothing."""
    return lambda *values: None if None in values else function(*values)


def remainder(value: Any, divisor: int) -> int:
    whole = int(value)
    return abs(whole) % divisor * (1 if whole >= 0 else -1)


def rounded(value: float, digits: int = 0) -> float:
    power = 10.0 ** abs(digits)
    scaled = value * power if digits >= 0 else value / power
    if abs(scaled) >= 2.0**52:
        return value
    below = float(math.floor(scaled + 0.5))
    return below / power if digits >= 0 else below * power


def present(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of those that are there."""
    return lambda *values: function((v for v in values if v is not None), default=None)


def as_day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def microseconds(start: date, end: date) -> float:
    one, other = (each if isinstance(each, datetime) else datetime.combine(each, time.min)
                  for each in (start, end))  # fmt: skip
    return float((other - one) // timedelta(microseconds=1))


def letters(first: str, last: str, step: int) -> Callable[[str], str]:
    return lambda text: "".join(chr(ord(c) + step) if first <= c <= last else c for c in text)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": strict(abs),
    "divide": strict(lambda x, y: x / y if y else None),
    "mod": strict(lambda x, m: None if isinstance(x, float) and abs(x) >= 2**53
                  else remainder(x, m)),
    "floor": strict(lambda x: float(math.floor(x))),
    "ceil": strict(lambda x: float(math.ceil(x))),
    "round": strict(rounded),
    "least": present(min),
    "greatest": present(max),
    "length": strict(len),
    "lower": strict(letters("A", "Z", 32)),
    "upper": strict(letters("a", "z", -32)),
    "trim": strict(lambda s: s.strip(" ")),
    "substring": strict(lambda s, start, count=None: s[start - 1 :][:count]),
    "coalesce": lambda *values: next((v for v in values if v is not None), None),
    "nullif": lambda x, y: None if x == y else x,
    "year": strict(lambda d: d.year),
    "quarter": strict(lambda d: (d.month + 2) // 3),
    "month": strict(lambda d: d.month),
    "day": strict(lambda d: d.day),
    "weekday": strict(lambda d: d.isoweekday()),
    "hour": strict(lambda d: d.hour),
    "date_trunc": strict(lambda period, d: Period(period).first(as_day(d))),
    "days_between": strict(lambda start, end: (as_day(end) - as_day(start)).days),
    "hours_between": strict(lambda start, end: microseconds(start, end) / 3.6e9),
    "seconds_between": strict(lambda start, end: microseconds(start, end) / 1e6),
    "age_in_years": strict(lambda born, on: on.year - born.year
                           - ((on.month, on.day) < (born.month, born.day))),
}  # fmt: skip
