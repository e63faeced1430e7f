"""Groups found privately: what one unit can do, by enumeration; golden thresholds; what is shown."""

from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import Any

import mpmath
import pyarrow as pa
import pytest
from hypothesis import given, settings

import leastnoise as ln
from leastnoise.noise.source import Source
from leastnoise.release import group_selection
from leastnoise.release.group_selection import shown
from leastnoise.release.measurement import Measurement, Selection
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.groups import Unlisted
from leastnoise.tables.profile import STEPS, candidates_sql
from tests import reference
from tests.tables.tables import EXAMPLES, SCHEMA, keyed, rows

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


@pytest.fixture
def chosen(tmp_path: Path) -> dict[bool, Selection]:
    """What a release at epsilon 1 of (6, 10^-6) uses, for units with many rows and with one."""
    found = {}
    for alone in (False, True):
        unit = "row" if alone else "u"
        ledger = ln.Ledger.create(tmp_path / unit, privacy_unit=unit, epsilon=6, delta="1e-6")
        table = pa.table({"u": ["p"], "g": ["a"]})
        data = ln.read(table, privacy_unit=ln.ROW if alone else "u").group_by("g", groups="auto")
        limit: Any = {} if alone else {"max_contributions": 5}
        preview: Any = data.agg(n=ln.count(), **limit).preview(ledger, epsilon=1)
        selection = preview.choice.proposal.parts[0].selection
        assert selection is not None
        found[alone] = selection
    return found


def test_golden_thresholds(chosen: dict[bool, Selection]) -> None:
    deviation = chosen[False].variance ** 0.5
    assert deviation / STEPS == pytest.approx(6.005, abs=0.001)
    assert float(chosen[False].delta) == pytest.approx(3.9e-9, rel=0.01)
    assert chosen[False].threshold / STEPS == pytest.approx(41.1, abs=0.05)
    assert chosen[True].threshold / STEPS == pytest.approx(35.7, abs=0.05)
    shown_from = (chosen[False].threshold + 1.6449 * deviation) / STEPS
    assert shown_from == pytest.approx(51, abs=0.05)


@pytest.mark.parametrize("alone", [False, True])
def test_a_group_of_one_unit_is_shown_with_the_chance_delta_at_most(
    alone: bool, chosen: dict[bool, Selection]
) -> None:
    """For every number m of groups of its own, by mpmath; and it is nearly reached."""
    selection, worst = chosen[alone], mpmath.mpf(0)
    for m in range(1, 2 if alone else STEPS + 1):
        above = selection.threshold - isqrt(STEPS**2 // m) - mpmath.mpf("0.5")
        one = mpmath.ncdf(-above / mpmath.sqrt(selection.variance))
        any_of_them = -mpmath.expm1(m * mpmath.log1p(-one))
        assert any_of_them <= selection.delta
        worst = max(worst, any_of_them)
    assert worst > 0.99 * selection.delta


def test_shown_are_the_groups_that_reach_the_threshold_sorted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked_for = []

    def noise(variance: Fraction, count: int, source: Source) -> list[int]:
        asked_for.append((variance, count))
        return [0, 0, -1, 5]

    monkeypatch.setattr(group_selection, "rounded_gaussian", noise)
    selection = Selection(7, 100, Fraction(1, 2))
    keys = [("z", 1, 100), ("y", None, 99), ("b", 3, 100), ("a", 2, 95)]
    assert shown(selection, keys, Source()) == [("a", 2), ("z", 1)]
    assert asked_for == [(Fraction(7), 4)]


def test_a_release_without_large_groups_shows_none(tmp_path: Path) -> None:
    ledger = ln.Ledger.create(tmp_path / "l", privacy_unit="u", epsilon=6, delta="1e-6")
    table = pa.table({"u": ["p"] * 50, "g": [f"g{i}" for i in range(50)]})
    query = ln.read(table, privacy_unit="u").group_by("g", groups="auto").agg(n=ln.count())
    assert query.release(ledger, epsilon=1).rows == []
