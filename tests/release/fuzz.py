"""Strategies: small odd tables, and measurements of them."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Column, Condition, Relation, Term, col
from leastnoise.release.ask.expression import Compared as _Compared
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.schema import Schema
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountPresent,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOf,
    SumOfSquares,
)
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import Spread, UnitSpread
from tests.release.reference import Row

TYPES = {
    "who": pa.string(),
    "city": pa.string(),
    "year": pa.int64(),
    "smoker": pa.bool_(),
    "cost": pa.float64(),
    "visits": pa.int64(),
}
SCHEMA = Schema(
    [
        ("who", ColumnType.TEXT),
        ("city", ColumnType.TEXT),
        ("year", ColumnType.INTEGER),
        ("smoker", ColumnType.TRUTH),
        ("cost", ColumnType.NUMBER),
        ("visits", ColumnType.INTEGER),
    ]
)
CITIES = ["Oslo", "Ås", "A\u030as", "", "oslo", "' OR 1=1 --", 'a"b', "x" * 1001, "🦊"]
FLOATS = [0.0, -0.0, 0.5, 0.49999999999999994, -0.5, 1e308, -1e308, 5e-324, 2.0**53 + 2, 1 / 3]


def optional(values: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.none() | values


def rows_of(units: SearchStrategy[Any]) -> SearchStrategy[list[Row]]:
    row = st.fixed_dictionaries(
        {
            "who": units,
            "city": optional(st.sampled_from(CITIES)),
            "year": optional(st.sampled_from([2023, 2024, -(2**63), 2**63 - 1])),
            "smoker": optional(st.booleans()),
            "cost": optional(st.sampled_from(FLOATS) | st.floats()),
            "visits": optional(st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)),
        }
    )
    return st.lists(row, max_size=25)


UNITS = st.sampled_from(["ann", "bob", "Ann", "eve", ""])
NEAR = st.sampled_from([-7, -1, 0, 1, 2, 5, 2**20])
FAR = st.sampled_from([-(2**63), -1, 0, 3, 2**63 - 1])


def arrow(rows: list[Row]) -> pa.Table:
    columns = {name: [row[name] for row in rows] for name in TYPES}
    return pa.table({n: pa.array(values, TYPES[n]) for n, values in columns.items()})


def numbered(rows: list[Row]) -> pa.Table:
    """Rows whose units are integers."""
    kinds = {**TYPES, "who": pa.int64()}
    return pa.table({n: pa.array([row[n] for row in rows], kinds[n]) for n in kinds})


@st.composite
def grids(draw: Any) -> Grid:
    low = draw(st.fractions(-100, 100, max_denominator=8))
    width = draw(st.fractions(Fraction(1, 8), 200, max_denominator=8))
    return Grid(lower=low, upper=low + width, bits=draw(st.none() | st.integers(-3, 10)))


NUMBERS: SearchStrategy[Term] = st.sampled_from([col("cost"), col("visits"), col("smoker")])


def terms() -> SearchStrategy[Term]:
    """Columns of numbers, and what can be computed from them."""
    constants = st.sampled_from([2, -1, Fraction(1, 3), 10**90, Fraction(1, 10**90), 0])
    kinds = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b]

    def longer(inner: SearchStrategy[Term]) -> SearchStrategy[Term]:
        return st.builds(
            lambda kind, a, b, turned: kind(b, a) if turned else kind(a, b),
            st.sampled_from(kinds), inner, inner | constants, st.booleans(),
        )  # fmt: skip

    return NUMBERS | st.recursive(NUMBERS, longer, max_leaves=3)


@st.composite
def aggregates(draw: Any) -> tuple[Aggregate, ...]:
    column = terms()
    kinds = st.sampled_from(
        [SumOf, DistanceBelow, DistanceAbove, CountPresent, SumFromCentre, SumOfSquares]
    )
    summed = st.builds(lambda kind, c, grid: kind(c, grid), kinds, column, grids())
    counted = st.sampled_from([CountRows(), CountUnits()])
    found: list[Aggregate] = draw(st.lists(counted | summed, min_size=1, max_size=3))
    if draw(st.booleans()):
        both, grid = draw(column), draw(grids())
        found += [DistanceBelow(both, grid), DistanceAbove(both, grid)]
    return tuple(found)


ORDERS = [each for each in Relation if each not in {Relation.EQUAL, Relation.UNEQUAL}]
VALUES: dict[str, SearchStrategy[Any]] = {
    "city": st.sampled_from([city for city in CITIES if len(city) <= 1000]),
    "year": st.sampled_from([2023, 2024, Fraction(4047, 2), 10**40, -(10**40)]),
    "cost": st.sampled_from([0, 1, -1, Fraction(1, 2), 10**400]),
    "visits": st.integers(-9, 9) | st.just(Fraction(1, 3)),
}


@st.composite
def tests_of_one_column(draw: Any) -> Condition:
    name = draw(st.sampled_from(sorted(VALUES)))
    column = Column(name)
    match draw(st.integers(0, 4)):
        case 4:
            return _Compared(draw(terms()) + 0, draw(st.sampled_from(ORDERS)), draw(VALUES["cost"]))
        case 0:
            return column.is_null()
        case 1:
            return column.isin(draw(st.lists(VALUES[name], max_size=3)))
        case 2:
            return _Compared(col("smoker"), Relation.UNEQUAL, draw(st.booleans()))
        case _:
            relation = draw(st.sampled_from(Relation))
            return _Compared(column, relation, draw(VALUES[name]))


def conditions() -> SearchStrategy[Condition]:
    return st.recursive(
        tests_of_one_column(),
        lambda inner: (
            st.builds(lambda a, b: a & b, inner, inner)
            | st.builds(lambda a, b: a | b, inner, inner)
            | st.builds(lambda a: ~a, inner)
        ),
        max_leaves=4,
    )


KEYS: dict[tuple[str, ...], SearchStrategy[Keys]] = {
    ("city",): st.just(Keys.of("city", ["Oslo", "Ås", "", "nowhere", "' OR 1=1 --"])),
    ("year",): st.just(Keys.of("year", [2024, 1900, -(2**63) + 1])),
    ("smoker", "city"): st.just(Keys.cross(smoker=[True, False], city=["Oslo", "🦊"])),
}


BOUNDS: SearchStrategy[Bounds] = st.builds(
    lambda groups, rows: Bounds(max_groups=groups, max_rows=rows),
    st.integers(1, 3),
    st.integers(1, 4),
)
CLIPS: SearchStrategy[Clip] = st.integers(1, 5).map(
    lambda rows: Clip(max_total=rows)
) | st.integers(1, 5).map(lambda rows: Clip(max_norm=rows))


@st.composite
def measurements(draw: Any, limits: SearchStrategy[Bounds | Clip] = BOUNDS) -> Measurement:
    by = draw(st.sampled_from([(), *KEYS]))
    keys = draw(st.none() | KEYS[by]) if by else None
    bounds = draw(limits)
    where = draw(st.none() | conditions())
    return Measurement(draw(aggregates()), bounds, tuple(map(col, by)), keys, where)


@st.composite
def bins(draw: Any) -> Bin:
    grid = draw(grids().filter(lambda grid: grid.most > grid.least))
    column = draw(terms())
    return Bin(column, grid, draw(st.integers(1, min(5, grid.most - grid.least))))


@st.composite
def groupings(draw: Any) -> Grouping:
    by = draw(st.sampled_from([(), *KEYS]))
    keys = draw(st.none() | KEYS[by]) if by else None
    cut = tuple(draw(st.lists(bins(), max_size=2, unique=True)))
    mixed = draw(st.booleans())
    columns = tuple(map(col, by))
    return Grouping((*cut, *columns) if mixed else (*columns, *cut), keys)


@st.composite
def histograms(draw: Any) -> Histograms:
    found = draw(st.lists(groupings(), min_size=1, max_size=4))
    return Histograms(tuple(found), draw(st.integers(1, 4)), draw(st.none() | conditions()))


@st.composite
def spreads(draw: Any) -> list[UnitSpread]:
    """Several of one measurement, and one of values."""
    asked = draw(measurements(BOUNDS | CLIPS))
    kinds = [each for each in Spread if each is not Spread.VALUES]
    found = [
        UnitSpread(draw(st.sampled_from(kinds)), draw(knots(0)), draw(counted(asked)))
        for _ in range(draw(st.integers(1, 4)))
    ]
    summed = replace(asked, aggregates=(SumOf(draw(terms()), draw(grids())),))
    return [*found, UnitSpread(Spread.VALUES, draw(knots(-(2**40))), summed)]


def counted(asked: Measurement) -> SearchStrategy[Measurement]:
    return st.sampled_from([asked, replace(asked, aggregates=(CountUnits(),))])


def knots(least: int) -> SearchStrategy[list[int]]:
    near = st.integers(max(least, -12), 12)
    far = st.sampled_from([least, 2**40, 2**40 - 1, 1000, 7919])
    return st.lists(near | near | far, min_size=2, max_size=9, unique=True).map(sorted)
