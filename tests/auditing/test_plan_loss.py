"""A whole plan's noise, seen from outside on neighbouring tables."""

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.auditing import plans
from leastnoise.auditing.plans import audit_plan
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release import gate
from leastnoise.release.gate import Admitted
from leastnoise.release.plan import Plan
from leastnoise.release.step.step import Step

ROWS = pd.DataFrame({"who": [1, 1, 2, 3], "city": ["a", "b", "a", "b"], "x": [1.0, 9.0, 4.0, 0.0]})
BUDGETS = [PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6"), ZCDP(rho="0.1")]


def several(*, measure_cut: bool) -> Plan:
    start = ln.plan(ln.read(ROWS, unit="who"), max_groups=2, max_rows=1, measure_cut=measure_cut)
    return start.count(by="city", keys=["a", "b"]).count_units().sum("x", lower=0, upper=9)


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_honest_plans_tell_no_more_than_they_promise(budget: Guarantee) -> None:
    """Beside other Laplace noise that of a cut takes long to compose: it has a test of its own."""
    normal = isinstance(budget, ZCDP)
    found = audit_plan(several(measure_cut=normal), budget=budget, orders=1)
    assert found, str(found)
    assert found.leak is not None
    assert 0 <= found.leak.found.lower <= found.leak.allowed
    if isinstance(budget, ZCDP):  # not idle: a good part is used by real neighbours
        assert found.leak.found.lower > budget.rho / 10


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS[:2], ids=repr)
def test_a_measured_cut_tells_no_more_than_it_promises(budget: Guarantee) -> None:
    """Under ρ the test above has it; what its noise must be, tests/release/test_spread_gate.py."""
    found = audit_plan(several(measure_cut=True), budget=budget, orders=1)
    assert found, str(found)
    assert found.leak is not None
    assert 0 <= found.leak.found.lower <= found.leak.allowed


def quieter(admitted: Admitted, part: Fraction) -> Admitted:
    """What a gate that sleeps would let through."""
    quiet = tuple(_quieter(step, part) for step in admitted.steps)
    return replace(admitted, steps=quiet, seal=gate._SEAL)


def _quieter(step: Step, part: Fraction) -> Step:
    law = step.mechanism.law if isinstance(step.mechanism, CellNoise) else None
    if isinstance(law, DiscreteLaplace):
        return replace(step, mechanism=CellNoise(DiscreteLaplace(scale=law.scale * part)))
    if isinstance(law, DiscreteGaussian):
        return replace(step, mechanism=CellNoise(DiscreteGaussian(law.sigma_squared * part)))
    return step


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_half_the_noise_is_seen_without_the_gate(
    budget: Guarantee, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Plan.admitted
    monkeypatch.setattr(
        Plan, "admitted", lambda self, spent: quieter(honest(self, spent), Fraction(1, 4))
    )
    start = ln.plan(ln.read(ROWS, unit="who"), max_groups=2, max_rows=1, measure_cut=False)
    many = [f"{place}" for place in range(70)]  # so many cells get noise of their own
    asked = start.count(by="city", keys=["a", "b", *many])
    found = plans.audit_plan(asked, budget=budget, orders=1)
    assert found.violated
    assert "take at least" in str(found)


def test_private_groups_are_coins() -> None:
    start = ln.plan(ln.read(ROWS, unit="who"), max_groups=2, max_rows=1, measure_cut=False)
    asked = start.count(by="city", keys="private")
    budget = ApproxDP(epsilon=1, delta="1e-6")
    found = audit_plan(asked, budget=budget, orders=1)
    assert found
    assert found.leak is not None
    assert found.leak.found.lower > 0
