"""Draws that several questions share, seen from outside on neighbouring tables."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.auditing.plan_audit import PlanAudit
from leastnoise.auditing.plans import audit_plan
from leastnoise.auditing.shared_draws import SharedDraw, _squares
from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.joint_part import JointDraw, JointPart
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release import gate
from leastnoise.release.gate import Admitted
from leastnoise.release.plan import Plan

ROWS = pd.DataFrame(
    {
        "who": ["1", "1", "2", "3", None],
        "city": ["a", "b", "a", "b", "a"],
        "x": [1.0, 9.0, 4.0, None, 2.0],
    }
)
PURE, CONCENTRATED = PureDP(epsilon=1), ZCDP(rho="0.1")


def several(neighbours: str = "add_remove") -> Plan:
    """No cut is measured: its noise is shared with nothing, and takes long to compose."""
    table = ln.read(ROWS, unit="who", neighbours=neighbours)
    start = ln.plan(table, max_groups=2, max_rows=2, measure_cut=False)
    for least in range(3):
        start = start.count(where=ln.col("x") > least, name=f"above {least}")
    start = start.count(by="city", keys=["a", "b", "c"]).count_units()
    return start.sum("x", lower=-3, upper=9).mean("x", lower=0, upper=9)


@pytest.mark.spread(3)
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize(
    "budget", [PURE, ApproxDP(epsilon=1, delta="1e-6"), CONCENTRATED], ids=repr
)
def test_honest_draws_are_not_suspected(budget: Guarantee, neighbours: str) -> None:
    found = audit_plan(several(neighbours), budget=budget, orders=1)
    assert found, str(found)
    assert found.leak is not None
    assert found.leak.found.lower <= found.leak.allowed
    if isinstance(budget, ZCDP):  # not idle
        assert found.leak.found.lower > budget.rho / 10


def audited(
    budget: Guarantee, monkeypatch: pytest.MonkeyPatch, changed: Callable[[JointDraw], JointDraw]
) -> PlanAudit:
    """With other draws than the gate admitted."""
    honest = Plan.admitted

    def careless(self: Plan, spent: Guarantee) -> Admitted:
        admitted = honest(self, spent)
        wholes: dict[int, JointDraw] = {}
        steps = []
        for step in admitted.steps:
            if isinstance(step.mechanism, JointPart):
                whole = step.mechanism.whole
                other = wholes.setdefault(id(whole), changed(whole))
                steps.append(replace(step, mechanism=JointPart(other, step.mechanism.place)))
            else:
                steps.append(step)
        return replace(admitted, steps=tuple(steps), seal=gate._SEAL)

    monkeypatch.setattr(Plan, "admitted", careless)
    return audit_plan(several(), budget=budget, orders=1)


def test_a_draw_at_half_its_price_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def louder(whole: JointDraw) -> JointDraw:
        assert isinstance(whole, TwoCounterNoise)
        return TwoCounterNoise(2 * whole.epsilon, whole.parts)

    found = audited(PURE, monkeypatch, louder)
    assert found.violated
    assert "take at least" in str(found)


def test_a_tenth_of_gaussian_noise_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def quieter(whole: JointDraw) -> JointDraw:
        assert isinstance(whole, CentredGaussian)
        return CentredGaussian(**{**whole.parameters, "parameter": whole.parameter / 10})

    found = audited(CONCENTRATED, monkeypatch, quieter)
    assert found.violated
    assert "take at least" in str(found)


def test_parts_that_are_too_narrow_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def narrower(whole: JointDraw) -> JointDraw:
        assert isinstance(whole, TwoCounterNoise)
        return TwoCounterNoise(whole.epsilon, [_narrow(part) for part in whole.parts])

    found = audited(PURE, monkeypatch, narrower)
    assert found.violated
    assert "not made for" in str(found)


def _narrow(part: Part) -> Part:
    return replace(part, high=part.low) if isinstance(part, Box) else part


ADDED: list[Part] = [Box(0, 2), Simplex(2, 2), Everyone()]


@pytest.mark.parametrize(
    ("moved", "fits"),
    [
        ([[2], [1, 1], [1]], True),
        ([[-2], [-1, -1], [-1]], True),
        ([[2], [-1, -1], [1]], False),  # one added and one taken away
        ([[3], [0, 0], [1]], False),
        ([[0], [2, 1], [1]], False),
        ([[0], [-1, 2], [1]], False),
        ([[0], [0, 0], [0]], False),  # everyone counts
        ([[0], [0, 0], [2]], False),
    ],
)
def test_one_unit_is_added_to_all_parts_or_taken_from_all(
    moved: list[list[int]], fits: bool
) -> None:
    assert SharedDraw(TwoCounterNoise(1, ADDED), dict(enumerate(moved))).fits is fits


@pytest.mark.parametrize(
    ("moved", "fits"),
    [
        ([[-2], [2, -2]], True),
        ([[2], [1, 1]], True),
        ([[3], [0, 0]], False),
        ([[0], [2, 1]], False),
        ([[0], [0, -3]], False),
    ],
)
def test_one_unit_in_the_place_of_another(moved: list[list[int]], fits: bool) -> None:
    whole = OneCounterNoise(1, [Box(-2, 2), Simplex(2, 2)])
    assert SharedDraw(whole, dict(enumerate(moved))).fits is fits


def test_a_diamond_allows_nothing_here() -> None:
    whole = OneCounterNoise(1, [Diamond(2, 2)])
    assert not SharedDraw(whole, {0: [0, 0]}).fits


def centred(*parts: Part) -> CentredGaussian:
    fine = {Box: Precision(3, 1, 2), Simplex: Precision(2, 1, 1, residual=5)}
    return CentredGaussian(
        parts=parts,
        precisions=[fine.get(type(part), Precision(1, 0, 1)) for part in parts],
        common=4,
        steps=1,
        parameter=2**30,
    )


@pytest.mark.parametrize("counted", [True, False])
def test_no_unit_moves_gaussian_measurements_farther_than_their_price(counted: bool) -> None:
    whole, squares = centred(*(ADDED if counted else ADDED[:2])), []
    for a, b, c in product(range(3), repeat=3):
        if b + c <= 2:
            moved = {0: [a], 1: [b, c]} | ({2: [1]} if counted else {})
            most, least = _squares(whole, moved, counted)
            assert least <= most
            squares.append(most)
    assert max(squares) <= whole.squared_reach
    assert not counted or max(squares) == whole.squared_reach
