"""Groups found privately: what one unit can do, by enumeration; golden thresholds; what is shown."""

from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import Any

import mpmath
import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.noise.source import Source
from leastnoise.release import group_selection
from leastnoise.release.group_selection import is_safe, shown
from leastnoise.release.measurement import Selection
from leastnoise.tables.profile import STEPS

Rows = list[dict[str, Any]]


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


def test_a_threshold_that_one_unit_reaches_by_itself_is_never_safe() -> None:
    """Whatever the chance that is allowed."""
    for threshold in (STEPS - 1, STEPS, STEPS + 1):
        selection = Selection(1, threshold, Fraction(1))
        assert is_safe(selection, one_row_each=True) is (threshold > STEPS)


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
