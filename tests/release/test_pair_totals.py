"""What pairs add up to in arrays: what a statement finds of them, or nothing."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.measure.backends.duckdb import DuckDBSession
from leastnoise.release.measure.backends.opened import opened
from leastnoise.release.measure.measure import pass_query
from leastnoise.release.measure.one_pass import fused, sought
from leastnoise.release.measure.pair_totals import totals_of_pairs
from leastnoise.release.measure.sql.bounded_query import BoundedQuery
from leastnoise.release.measure.sql.fragment import fill
from leastnoise.release.step.aggregate import (
    CountPresent,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumFromCentre,
    SumOf,
    SumOfSquares,
)
from leastnoise.release.step.measurement import Measurement

DATA = pa.table({"who": [1], "g": [0], "x": [1.5]})
GROUPS = 3
SMALL = Grid(lower=-5, upper=100)
WIDE = Grid(lower=-(2**20), upper=2**21, bits=10)
SQUARED = Grid(lower=-7, upper=50, bits=3)
MOST = [1, 7, 2**20]


@pytest.fixture
def session() -> Iterator[DuckDBSession]:
    with opened(ln.read(DATA, unit="who").location) as found:
        assert isinstance(found, DuckDBSession)
        yield found


def query_of(session: Any, most: int, *, several: bool) -> BoundedQuery:
    """All kinds of totals, under one condition or two."""
    x = col("x")
    kinds = (
        CountRows(),
        CountUnits(),
        *(kind(x, WIDE) for kind in (SumOf, DistanceBelow, DistanceAbove, CountPresent)),
        SumFromCentre(x, WIDE),
        SumOf(x, SMALL),
        SumOfSquares(x, SQUARED),
    )
    keys = Keys.of("g", range(GROUPS))
    one = Measurement(kinds, Bounds(max_groups=GROUPS, max_rows=most), (col("g"),), keys)
    asked = [one, replace(one, where=x > 1)] if several else [one]
    (joint,), _ = fused([each for one in asked for each in sought(one)], by_unit=True)
    table = ln.read(DATA, unit="who")
    return pass_query(table, joint, 5, session)


def drawn(query: BoundedQuery, data: st.DataObject, pairs: int, top: int) -> dict[str, Any]:
    """Sums that so many rows of a pair can have."""
    columns: dict[str, list[int]] = {"k0": []}
    for _ in range(pairs):
        columns["k0"].append(data.draw(st.integers(0, GROUPS - 1)))
        rows = data.draw(st.integers(1, top) | st.just(top))
        counts = []
        for number in query.asked.conditions.values():
            counts.append(data.draw(st.integers(0, rows)) if number else rows)
            columns.setdefault(f"n{number}", []).append(counts[-1])
        for (_, grid), slot, _, _ in query.slots:
            here = counts[query.slot_conditions[slot]]
            present = data.draw(st.integers(0, here) | st.just(here))
            least, most = grid.least * present, grid.most * present
            ends = st.sampled_from([least, most]) | st.integers(least, most)
            columns.setdefault(f"s{slot}", []).append(data.draw(ends))
            columns.setdefault(f"c{slot}", []).append(present)
            square = (grid.most - grid.least) ** 2 * present
            squares = st.integers(0, square) | st.just(square)
            columns.setdefault(f"z{slot}", []).append(data.draw(squares) if grid == SQUARED else 0)
    return {name: np.array(column, np.int64) for name, column in columns.items()}


@pytest.mark.spread(3)
@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
@pytest.mark.parametrize("most", MOST)
def test_totals_are_those_of_a_statement_or_there_are_none(
    most: int, several: bool, session: DuckDBSession
) -> None:
    """Rows of a pair up to where sums leave 62 bits; arrays are not refused where they are few."""
    query, refused = query_of(session, most, several=several), []
    count = len(query.asked.totals)

    @settings(max_examples=40, deadline=None)
    @given(st.integers(1, 6), st.sampled_from([3, 2**10, 2**20, 2**26, 2**30]), st.data())
    def check(pairs: int, top: int, data: st.DataObject) -> None:
        columns = drawn(query, data, pairs, top)
        found = totals_of_pairs(query, columns)
        refused.append((top, found is None))
        if found is None:
            return
        with session.showing(columns) as shown:
            added = query.added_up(fill("SELECT * FROM {}", shown))
            wanted = session.fetch(added, len(query.cells.keys), count)
        assert rows(found) == rows(wanted)

    check()
    assert (3, True) not in refused


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
@pytest.mark.parametrize("most", MOST[1:])
def test_sums_that_might_leave_their_bits_are_left_to_a_statement(
    most: int, several: bool, session: DuckDBSession
) -> None:
    query = query_of(session, most, several=several)
    names = [f"{letter}{i}" for letter in "scz" for _, i, _, _ in query.slots]
    columns = {name: np.zeros(1, np.int64) for name in ["k0", *names]}
    for rows, fits in ((2**10, True), (2**30, False)):
        numbers = query.asked.conditions.values()
        counts = {f"n{number}": np.array([rows], np.int64) for number in numbers}
        assert (totals_of_pairs(query, columns | counts) is not None) is fits


def rows(found: Any) -> list[tuple[int, ...]]:
    totals = [each.tolist() for each in found.totals]
    return sorted(zip(found.keys[0], *totals, strict=True))


def test_of_a_pair_with_too_many_rows_a_share_counts_rounded_toward_zero(
    session: DuckDBSession,
) -> None:
    keys, x = Keys.of("g", range(GROUPS)), col("x")
    kinds = (CountRows(), CountUnits(), SumOf(x, SMALL))
    one = Measurement(kinds, Bounds(max_groups=GROUPS, max_rows=2), (col("g"),), keys)
    (asked,), _ = fused(sought(one), by_unit=True)
    query = pass_query(ln.read(DATA, unit="who"), asked, 5, session)
    columns = {"k0": [0, 1, 1], "n0": [5, 1, 3], "s0": [-7, -7, 8]}
    found = totals_of_pairs(
        query, {name: np.array(column, np.int64) for name, column in columns.items()}
    )
    assert found is not None
    assert [total.tolist() for total in found.totals] == [[2, 3], [1, 2], [-2, -7 + 5]]
