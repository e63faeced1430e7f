"""Ranges of expressions: the exact value lies in them, and is missing only where they allow it."""

import math
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.choices import Case, Indicator, when
from leastnoise.release.ask.column_facts import NOTHING_SAID, ColumnFacts
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.functions import FUNCTIONS
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.ranges import RULES, ValueRange, range_of
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.signatures import SIGNATURES
from leastnoise.release.ask.terms import (
    Arithmetic,
    Called,
    Column,
    Constant,
    Cut,
    Term,
    coalesce,
    col,
    greatest,
    least,
)

SCHEMA = Schema(
    [
        ("x", ColumnType.NUMBER),
        ("y", ColumnType.NUMBER),
        ("n", ColumnType.INTEGER),
        ("b", ColumnType.TRUTH),
        ("s", ColumnType.TEXT),
        ("d", ColumnType.DATE),
        ("at", ColumnType.MOMENT),
    ]
)


@dataclass(frozen=True)
class Facts:
    """A table of which only the declared facts are known."""

    facts: dict[str, ColumnFacts]
    schema: Schema = SCHEMA

    def fact(self, name: str) -> ColumnFacts:
        return self.facts.get(name, NOTHING_SAID)


X, Y, N, B, D = map(col, "xynbd")

ends = st.fractions(-20, 20, max_denominator=8)


@st.composite
def declared(draw: st.DrawFn) -> Facts:
    facts = {}
    for name in "xyn":
        low, high = sorted(draw(st.tuples(ends, ends)))
        if name == "n":
            low, high = Fraction(math.floor(low)), Fraction(math.ceil(high))
        facts[name] = ColumnFacts(lower=low, upper=high, never_null=draw(st.booleans()))
    return Facts(facts)


def inside(draw: st.DrawFn, table: Facts) -> dict[str, Any]:
    """A row as it is declared."""
    row: dict[str, Any] = {"b": draw(st.sampled_from([None, True, False]))}
    for name, facts in table.facts.items():
        assert isinstance(facts.lower, Fraction)
        assert isinstance(facts.upper, Fraction)
        values: st.SearchStrategy[Any] = st.fractions(facts.lower, facts.upper, max_denominator=64)
        if name == "n":
            values = st.integers(int(facts.lower), int(facts.upper))
        row[name] = draw(values if facts.never_null else st.one_of(st.none(), values))
    return row


leaves = st.sampled_from([X, Y, N, B, Constant(0), Constant(3), Constant(Fraction(-7, 2))])


def larger(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: p[0] + p[1]),
        pairs.map(lambda p: p[0] - p[1]),
        inner.filter(lambda e: not isinstance(e, Arithmetic)).map(lambda e: e * e),
        pairs.filter(lambda p: not any(isinstance(e, Arithmetic) for e in p)).map(
            lambda p: p[0] * p[1]
        ),
        pairs.map(lambda p: p[0] / p[1]),
        inner.map(lambda e: e.floor()),
        inner.map(lambda e: e.ceil()),
        inner.map(abs),
        st.tuples(inner, st.integers(-2, 2)).map(lambda p: p[0].round(p[1])),
        st.tuples(inner, st.integers(2, 9)).map(lambda p: p[0].floor().mod(p[1])),
        st.lists(inner, min_size=2, max_size=3).map(lambda es: least(*es)),
        st.lists(inner, min_size=2, max_size=3).map(lambda es: greatest(*es)),
        st.lists(inner, min_size=2, max_size=3).map(lambda es: coalesce(*es)),
        pairs.map(lambda p: p[0].nullif(p[1])),
        pairs.map(lambda p: when(p[0] > p[1], p[0]).otherwise(p[1])),
        pairs.map(lambda p: when(p[0] > 1, p[1])),
        inner.map(lambda e: Indicator(e > 1)),
        inner.map(lambda e: Cut(e, Fraction(-3), Fraction(5))),
    )


terms = st.recursive(leaves, larger, max_leaves=6)


def exact(term: Any, row: dict[str, Any]) -> Any:  # noqa: PLR0911 - one per kind
    """In fractions, without taming or rounding."""
    match term:
        case Column(name):
            value = row[name]
            return None if value is None else Fraction(value)
        case Constant(constant):
            return Fraction(constant)  # type: ignore[arg-type]
        case Arithmetic(operation, one, other):
            a, b = exact(one, row), exact(other, row)
            if a is None or b is None:
                return None
            return {"+": a + b, "-": a - b, "*": a * b}[operation.value]
        case Indicator(condition):
            tested: Any = condition
            found = exact(tested.column, row)
            return Fraction(found is not None and found > 1)
        case Cut(inner, low, high):
            value = exact(inner, row)
            return None if value is None else max(low, min(high, value))
        case Case(((test, one),), other):
            said: Any = test
            if hasattr(said, "other"):
                a, b = exact(said.one, row), exact(said.other, row)
            else:
                a, b = exact(said.column, row), Fraction(said.value)
            chosen = one if a is not None and b is not None and a > b else other
            return None if chosen is None else exact(chosen, row)
        case Called(name, arguments):
            return EXACT[name](*(exact(each, row) for each in arguments))
    raise AssertionError(term)


def strict(function: Any) -> Any:
    return lambda *values: None if None in values else function(*values)


EXACT: dict[str, Any] = {
    "abs": strict(abs),
    "divide": strict(lambda a, b: a / b if b else None),
    "floor": strict(lambda a: Fraction(math.floor(a))),
    "ceil": strict(lambda a: Fraction(math.ceil(a))),
    "round": strict(
        lambda a, k: (
            Fraction(math.floor(a * Fraction(10) ** int(k) + Fraction(1, 2)))
            / Fraction(10) ** int(k)
        )
    ),
    "mod": strict(lambda a, m: (1 if a >= 0 else -1) * (abs(a) % m)),
    "least": lambda *v: min((e for e in v if e is not None), default=None),
    "greatest": lambda *v: max((e for e in v if e is not None), default=None),
    "coalesce": lambda *v: next((e for e in v if e is not None), None),
    "nullif": lambda a, b: None if a == b else a,
}


@given(st.data())
def test_the_exact_value_lies_in_the_range(data: st.DataObject) -> None:
    table = data.draw(declared())
    term = data.draw(terms)
    found = range_of(term, table)
    for _ in range(4):
        value = exact(term, data.draw(st.composite(lambda draw: inside(draw, table))()))
        if found is None:
            continue
        assert found.may_be_null or value is not None
        if value is not None:
            assert found.lower <= value <= found.upper
            assert not found.whole or value.denominator == 1


TABLE = Facts(
    {
        "x": ColumnFacts(lower=-2, upper=5),
        "n": ColumnFacts(lower=1, upper=10, never_null=True),
        "d": ColumnFacts(lower=date(2020, 5, 1), upper=date(2024, 1, 31), never_null=True),
    }
)


@pytest.mark.parametrize(
    ("term", "wanted"),
    [
        (X, ValueRange(Fraction(-2), Fraction(5))),
        (N, ValueRange(Fraction(1), Fraction(10), whole=True, may_be_null=False)),
        (B, ValueRange(Fraction(0), Fraction(1), whole=True)),
        (X + N, ValueRange(Fraction(-1), Fraction(15))),
        (X - N, ValueRange(Fraction(-12), Fraction(4))),
        (X * N, ValueRange(Fraction(-20), Fraction(50))),
        (X * X, ValueRange(Fraction(0), Fraction(25))),
        (N * N, ValueRange(Fraction(1), Fraction(100), whole=True, may_be_null=False)),
        (N / 4, ValueRange(Fraction(1, 4), Fraction(5, 2), may_be_null=False)),
        (X / N, ValueRange(Fraction(-2), Fraction(5))),
        (N / X, None),
        (abs(X), ValueRange(Fraction(0), Fraction(5))),
        ((X / 4).floor(), ValueRange(Fraction(-1), Fraction(1), whole=True)),
        ((X / 4).ceil(), ValueRange(Fraction(0), Fraction(2), whole=True)),
        ((X / 4).round(), ValueRange(Fraction(0), Fraction(1), whole=True)),
        ((X / 4).round(1), ValueRange(Fraction(-1, 2), Fraction(13, 10))),
        (N.mod(4), ValueRange(Fraction(0), Fraction(3), whole=True, may_be_null=False)),
        (X.floor().mod(4), ValueRange(Fraction(-2), Fraction(3), whole=True)),
        (least(X, N), ValueRange(Fraction(-2), Fraction(10), may_be_null=False)),
        (greatest(X, N), ValueRange(Fraction(1), Fraction(10), may_be_null=False)),
        (Y, None),
        (least(greatest(Y, 0), 500), ValueRange(Fraction(0), Fraction(500), may_be_null=False)),
        (least(Y, X), None),
        (coalesce(X, 9), ValueRange(Fraction(-2), Fraction(9), may_be_null=False)),
        (coalesce(N, 99), ValueRange(Fraction(1), Fraction(10), whole=True, may_be_null=False)),
        (N.nullif(3), ValueRange(Fraction(1), Fraction(10), whole=True)),
        (
            when(Y > 0, 1).otherwise(0),
            ValueRange(Fraction(0), Fraction(1), whole=True, may_be_null=False),
        ),
        (when(Y > 0, N), ValueRange(Fraction(1), Fraction(10), whole=True)),
        (Indicator(Y > 0), ValueRange(Fraction(0), Fraction(1), whole=True, may_be_null=False)),
        (
            Bin(Y, Grid(lower=0, upper=8), 4),
            ValueRange(Fraction(0), Fraction(3), whole=True),
        ),
        (D.year(), ValueRange(Fraction(2020), Fraction(2024), whole=True, may_be_null=False)),
        (D.month(), ValueRange(Fraction(1), Fraction(12), whole=True, may_be_null=False)),
        (col("at").hour(), ValueRange(Fraction(0), Fraction(23), whole=True)),
        (col("at").year(), None),
        (D, ValueRange(date(2020, 5, 1), date(2024, 1, 31), may_be_null=False)),
        (
            coalesce(D, date(1999, 1, 1)),
            ValueRange(date(2020, 5, 1), date(2024, 1, 31), may_be_null=False),
        ),
        (
            when(Y > 0, D).otherwise(date(1999, 1, 1)),
            ValueRange(date(1999, 1, 1), date(2024, 1, 31), may_be_null=False),
        ),
        (D.nullif(date(2021, 1, 1)), ValueRange(date(2020, 5, 1), date(2024, 1, 31))),
        (coalesce(col("at"), datetime(2020, 1, 1)), None),
        (col("s").length(), None),
        (least(col("s").length(), 9), ValueRange(Fraction(0), Fraction(9), True, False)),
        (col("s").lower(), None),
    ],
    ids=str,
)
def test_rules(term: Term, wanted: ValueRange | None) -> None:
    assert range_of(term, TABLE) == wanted


def test_far_ends_are_tamed_as_values_are() -> None:
    table = Facts({"x": ColumnFacts(lower=Fraction(1, 2**300), upper=2**300)})
    found = range_of(X + 0, table)
    assert found is not None
    assert (found.lower, found.upper) == (Fraction(0), Fraction(2**200))


def test_declared_values_are_a_range() -> None:
    table = Facts({"n": ColumnFacts(values=[3, 1, 2]), "s": ColumnFacts(values=["a"])})
    assert range_of(N, table) == ValueRange(Fraction(1), Fraction(3), whole=True)
    assert range_of(col("s"), table) is None


def test_every_function_of_numbers_has_a_rule() -> None:
    numeric = {
        name
        for name, each in SIGNATURES.items()
        if each.result not in {ColumnType.TEXT, ColumnType.DATE, ColumnType.TRUTH}
    }
    assert numeric <= set(RULES) <= set(FUNCTIONS)


def test_unknown_columns_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="must be in the table"):
        range_of(col("nothing") + 1, TABLE)
