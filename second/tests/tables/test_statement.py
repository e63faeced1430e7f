"""The limiting statement against the plain-Python reference, and neighbours by enumeration."""

from fractions import Fraction
from math import isqrt
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given

import leastnoise as ln
from leastnoise.ledger.meters import Family
from leastnoise.numbers.errors import InvalidInput
from leastnoise.release.measurement import Limit, Measurement
from leastnoise.tables.contributions import FULL, MOST_ROWS, ONE, PART, Norm
from leastnoise.tables.dialect import Fragment
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.expressions import Column
from leastnoise.tables.groups import Groups
from leastnoise.tables.schema import Type
from leastnoise.tables.totals import Squared
from tests import reference
from tests.tables.tables import EXAMPLES, check_sensitivity, difference, measure, nonzero, queries

FAMILY: dict[Norm, Family] = {"l1": "laplace", "l2": "gaussian"}
NORMS: list[Norm] = ["l1", "l2"]


def table_of(measurement: Measurement) -> Any:
    return next(measurement.relation.tables)


@pytest.mark.parametrize("norm", NORMS)
@EXAMPLES
@given(queries())
def test_the_statement_gives_what_the_reference_gives(
    engine: DuckDB, norm: Norm, asked: tuple[Any, list[Any]]
) -> None:
    query, rows = asked
    measurement = query.measurements(FAMILY[norm], over_limit=True)[0][0]
    expected = reference.totals(measurement, norm, {table_of(measurement): rows})
    assert nonzero(measure(measurement, norm, engine=engine)) == nonzero(expected)


@EXAMPLES
@given(queries(unit=ln.ROW))
def test_where_every_row_is_a_unit_too(engine: DuckDB, asked: tuple[Any, list[Any]]) -> None:
    query, rows = asked
    measurement = query.measurements("gaussian", over_limit=False)[0][0]
    expected = reference.totals(measurement, "l2", {table_of(measurement): rows})
    assert nonzero(measure(measurement, "l2", engine=engine)) == nonzero(expected)


@pytest.mark.parametrize("norm", NORMS)
@EXAMPLES
@given(queries())
def test_no_unit_moves_the_reference_further_than_the_sensitivity(
    norm: Norm, asked: tuple[Any, list[Any]]
) -> None:
    query, rows = asked
    measurement = query.measurements(FAMILY[norm], over_limit=True)[0][0]
    table = table_of(measurement)
    everybody = reference.totals(measurement, norm, {table: rows})
    for unit in {row["u"] for row in rows}:
        others = [row for row in rows if row["u"] != unit]
        moved = difference(everybody, reference.totals(measurement, norm, {table: others}))
        check_sensitivity(measurement, norm, moved)


def units_with(rows: list[int]) -> Any:
    """A query over units with so many rows each, all in one group."""
    table = pa.table({"u": [f"u{i}" for i, count in enumerate(rows) for _ in range(count)]})
    return ln.read(table, privacy_unit="u")


def test_a_thousand_units_with_13_rows_under_12_give_12_000_up_to_rounding() -> None:
    measurement = (
        units_with([13] * 1000)
        .agg(max_contributions=12, n=ln.count())
        .measurements("gaussian", over_limit=True)[0][0]
    )
    for norm in NORMS:
        found = measure(measurement, norm)
        assert 11_999.99 <= found[0][0] / ONE <= 12_000
        assert (found.get(FULL, [0]), found[PART]) == ([0], [1000 * ONE])


def test_a_unit_within_both_limits_counts_in_full_under_either_norm() -> None:
    table = pa.table({"u": ["p"] * 6, "g": ["a", "a", "b", "b", "c", "c"]})
    data = ln.read(table, privacy_unit="u").group_by("g", groups=["a", "b", "c"])
    measurement = data.agg(max_contributions=6, max_per_group=2, n=ln.count()).measurements(
        "gaussian", over_limit=True
    )[0][0]
    for norm in NORMS:
        expected = {0: [2 * ONE], 1: [2 * ONE], 2: [2 * ONE], FULL: [ONE]}
        assert nonzero(measure(measurement, norm)) == expected


@pytest.mark.parametrize("norm", NORMS)
def test_the_weight_is_the_greatest_one_allowed(norm: Norm) -> None:
    """Perfect squares and their neighbours included, many limits; the guess never goes wrong."""
    sizes = sorted({*range(1, 200), *(k * k + d for k in range(15, 180, 5) for d in (-1, 0, 1))})
    for limit in (1, 2, 3, 7, 12, 100, 10_000):
        measurement = _per_unit(sizes, limit)
        found = measure(measurement, norm)
        for code, size in enumerate(sizes):
            squared = limit**2
            expected = reference.weight(norm, squared, [size])
            assert found[code][0] == expected * size, (size, limit)
            assert expected * size <= isqrt(squared * ONE**2)


def _per_unit(sizes: list[int], limit: int) -> Measurement:
    """One unit and one group for every size."""
    names = [i for i, size in enumerate(sizes) for _ in range(size)]
    data = ln.read(pa.table({"u": names, "g": names}), privacy_unit="u")
    query = data.group_by("g", groups=list(range(len(sizes)))).agg(
        max_contributions=limit, n=ln.count()
    )
    return query.measurements("gaussian", over_limit=False)[0][0]


def test_a_count_of_units_has_the_limit_of_its_own_weight() -> None:
    query = units_with([50] * 4).agg(max_contributions=12, people=ln.count_units(), n=ln.count())
    measurement = query.measurements("gaussian", over_limit=False)[0][0]
    people, rows = measurement.totals
    assert measurement.sensitivity(people, "l1") == ONE**2
    assert measurement.sensitivity(rows, "l1") == (12 * ONE) ** 2
    assert measure(measurement, "l1")[0][0] == 4 * ONE


def test_rows_that_no_total_uses_do_not_use_up_the_limit() -> None:
    table = pa.table({"u": ["p"] * 10, "x": [1.0, 2.0] + [None] * 8})
    query = ln.read(table, privacy_unit="u").agg(
        max_contributions=2, s=ln.sum("x", lower=0, upper=4)
    )
    measurement = query.measurements("gaussian", over_limit=True)[0][0]
    found = measure(measurement, "l2")
    assert found[FULL] == [ONE, 0, 0]


def test_totals_stay_below_2_to_126() -> None:
    """The widest grid, the greatest limit and 2^40 units; a sum of the engine may be so wide."""
    squared = Squared(None, Column("x", Type.NUMBER), Fraction(0), Fraction(10**6))
    assert squared.bound * MOST_ROWS * ONE * 2**40 == 2**120
    data = ln.read(pa.table({"u": ["p"] * 9, "x": [1e6] * 9}), privacy_unit="u")
    relation = data.agg(n=ln.count()).relation
    measurement = Measurement(relation, Groups(), (squared,), Limit(MOST_ROWS))
    for norm in NORMS:
        assert measure(measurement, norm) == {0: [9 * 2**40 * ONE]}
    with DuckDB([]) as engine:
        wide = f"SELECT SUM(x) FROM (SELECT {2**119}::HUGEINT AS x FROM range(64))"
        assert engine.integers(Fragment(wide)) == [(2**125,)]


def test_missing_values_are_a_group_if_they_are_listed() -> None:
    table = pa.table({"g": ["a", None, None, "b"], " u": [1, 2, 3, 4]})
    with pytest.raises(InvalidInput, match="names begin with a letter"):
        ln.read(table, privacy_unit=ln.ROW)
    data = ln.read(table.select(["g"]), privacy_unit=ln.ROW)
    for keys, expected in (
        (["a", None], {0: [ONE], 1: [2 * ONE]}),
        (["a", "b"], {0: [ONE], 1: [ONE]}),
    ):
        query = data.group_by("g", groups=keys).agg(n=ln.count())
        assert measure(query.measurements("laplace", over_limit=False)[0][0], "l1") == expected


@pytest.mark.slow
def test_a_million_groups() -> None:
    data = ln.read(pa.table({"u": ["p", "p"], "g": [7, 999_999]}), privacy_unit="u")
    for size in (10**6, 10**6 + 1):
        asked = data.group_by("g", groups=list(range(size)))
        if size > 10**6:
            with pytest.raises(InvalidInput, match="are the most"):
                asked.agg(n=ln.count())
        else:
            query = asked.agg(n=ln.count(), max_contributions=2)
            measurement = query.measurements("laplace", over_limit=False)[0][0]
            assert measure(measurement, "l1") == {7: [ONE], 999_999: [ONE]}
