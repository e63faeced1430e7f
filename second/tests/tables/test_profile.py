"""Statements about units, against the plain-Python reference: candidates, and units above limits."""

from dataclasses import replace
from math import isqrt
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

import leastnoise as ln
from leastnoise.release.measurement import LEVELS, Measurement
from leastnoise.tables.contributions import Norm
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.groups import Unlisted
from leastnoise.tables.profile import STEPS, above_sql, candidates_sql
from tests import reference
from tests.tables.tables import EXAMPLES, SCHEMA, keyed, rows
from tests.tables.test_contributions import GROUPS, ROWS, measurements

Rows = list[dict[str, Any]]


def asked(
    found: Any, named: dict[str, str], where: str | None, columns: Any = None, **options: Any
) -> Measurement:
    """Rows by keys that are to be found, but for those with known values."""
    data = ln.read(found, privacy_unit=options.pop("unit", "u"), columns=columns)
    keys: Any = named
    query = data.group_by(groups="auto", **keys).agg(rows=ln.count(where), **options)
    measured: Measurement = query.measurements("gaussian", over_limit=False)[0][0]
    return measured


def candidates(measured: Measurement, min_units: int = 1) -> dict[Any, int]:
    assert isinstance(measured.groups, Unlisted)
    with DuckDB(measured.relation.tables) as engine:
        statement = candidates_sql(measured.relation, measured.groups, measured.totals, min_units,
                                   engine.scan, engine.dialect)  # fmt: skip
        engine.prepare(statement)
        rows_: list[Any] = engine.candidates(statement)
        return {tuple(keys): steps for *keys, steps in rows_}


QUERIES: list[tuple[dict[str, str], Any]] = [
    ({"g": "g", "n": "n"}, None),
    ({"d": "d"}, None),
    ({"t": "t", "ok": "ok"}, None),
    ({"g": "upper(g)", "n": "n"}, {"n": {"type": "integer", "values": [1, 2]}}),
    ({"case": "CASE WHEN x > 1 THEN 'high' END", "g": "g"}, None),
]


@pytest.mark.parametrize(("named", "columns"), QUERIES)
@pytest.mark.parametrize("min_units", [1, 3])
@settings(EXAMPLES, max_examples=8)
@given(found=rows)
def test_candidates_are_those_of_the_reference_and_one_unit_moves_them_by_its_length(
    named: dict[str, str], columns: Any, min_units: int, found: Rows
) -> None:
    rows_ = pa.Table.from_pylist(found, schema=SCHEMA)
    measured = asked(rows_, named, "x IS NULL OR x < 50", columns)
    (table,) = measured.relation.tables
    everybody = reference.candidates(measured, {table: found}, min_units)
    assert keyed(candidates(measured, min_units)) == keyed(everybody)
    for unit in {row["u"] for row in found} - {None}:
        rest = [row for row in found if row["u"] != unit]
        others = reference.candidates(measured, {table: rest}, min_units)
        common = everybody.keys() & others.keys()
        assert sum((everybody[key] - others[key]) ** 2 for key in common) <= STEPS**2
        own = everybody.keys() - others.keys()
        assert not others.keys() - everybody.keys()
        assert all(0 < everybody[key] <= isqrt(STEPS**2 // len(own)) for key in own)


def test_rows_that_are_units_count_one_each() -> None:
    table = pa.table({"g": ["a", "a", "b", None, "c", "c", "c"], "x": [1, 2, 3, 4, 5, 6, 7]})
    measured = asked(table, {"g": "g"}, "x <= 6", unit=ln.ROW)
    assert candidates(measured) == {("a",): 2 * STEPS, ("b",): STEPS, ("c",): 2 * STEPS}
    assert candidates(measured, 2) == {("a",): STEPS, ("c",): STEPS}
    (table_,) = measured.relation.tables
    assert candidates(measured) == reference.candidates(measured, {table_: table.to_pylist()}, 1)


def test_missing_values_of_known_keys_are_known_if_they_are_listed() -> None:
    data = [
        {"u": f"u{i}", "g": "ab"[i % 2], "n": n} for i, n in enumerate([1, 1, None, None, 2, 2])
    ]
    table = pa.Table.from_pylist(data)
    measured = asked(table, {"g": "g", "n": "n"}, None)
    for known, units in (((1,), 1), ((None,), 1), ((1, None), 2), ((1, 2, None), 3)):
        some = replace(measured, groups=Unlisted(measured.groups.by, (None, known)))
        assert candidates(some) == {("a",): units * STEPS, ("b",): units * STEPS}


def test_a_group_that_goes_beyond_by_one_step_is_a_candidate() -> None:
    """724 steps of a unit in 2 groups, 197 in 27, 104 in 96: one more than those of one unit."""
    spread = {"x": 2, "y": 27, "z": 96}
    assert sum(isqrt(STEPS**2 // m) for m in spread.values()) == STEPS + 1
    found = [{"u": u, "g": f"{u}{i}" if i else "all"} for u, m in spread.items() for i in range(m)]
    measured = asked(pa.Table.from_pylist(found), {"g": "g"}, None, max_contributions=100)
    assert candidates(measured, 2) == {("all",): 1}


def test_a_unit_in_more_than_1024_groups_makes_no_candidates() -> None:
    table = pa.table(
        {"u": ["a"] * 1024 + ["b"] * 10_000 + ["c"], "g": [*range(1024), *range(5000, 15_000), 0]}
    )
    found = candidates(asked(table, {"g": "g"}, None))
    assert len(found) == 1024
    assert found[0,] == STEPS + 32
    assert {*found.values()} == {STEPS + 32, 32}


def test_a_group_of_fewer_units_is_never_a_candidate() -> None:
    """n - 1 units in one group each, with many rows, and n of them."""
    for n in (2, 3, 10):
        units = [(f"u{i}", "less") for i in range(n - 1)] + [(f"v{i}", "enough") for i in range(n)]
        table = pa.table({"u": [u for u, _ in units] * 5, "g": [g for _, g in units] * 5})
        measured = asked(table, {"g": "g"}, None, max_contributions=10)
        assert candidates(measured, n) == {("enough",): STEPS}


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_units_above_each_limit_are_those_of_the_reference(norm: Norm) -> None:
    crowd = [row | {"u": f"{row['u']}{i}"} for i in range(3) for row in ROWS if row["u"]]
    heavy = [ROWS[0] | {"u": "heavy", "g": g} for g in "abbcccc" for _ in range(40)]
    data = [*ROWS, *crowd, *heavy]
    with DuckDB([]) as engine:
        for measured in (each for groups in GROUPS for each in measurements(groups, rows=data)):
            (table,) = measured.relation.tables
            statement = above_sql(measured.relation, measured.groups, measured.totals, norm, LEVELS,  # type: ignore[arg-type]
                                  engine.scan, engine.dialect)  # fmt: skip
            sizes = reference.sizes(measured, norm, {table: data})
            expected = tuple(sum(size > 1 << level for size in sizes) for level in range(LEVELS))
            assert engine.integers(statement) == [expected]
