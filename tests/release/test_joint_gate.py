"""The gate believes a part of a joint draw only if it holds all that one unit adds."""

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.errors import NotAdmitted
from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.joint_part import JointDraw, JointPart
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.part import Box, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.release.gate import _gaussian, _on_the_line, admit
from leastnoise.release.plan import Plan
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.contribution import contribution_of
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.step import Step
from leastnoise.release.step.step_price import keeps_claim
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner

ROWS = pa.table({"who": [1, 2, 3], "city": ["Oslo", "Oslo", "Bergen"], "pay": [1, 2, 3]})
CITIES = ["Oslo", "Bergen", "Bodø", "Tromsø"]
ONE, APPROX = PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6")


def start(neighbours: str = "add_remove") -> Plan:
    return ln.plan(ln.read(ROWS, unit="who", neighbours=neighbours), max_groups=2, max_rows=3)


def measured(asked: Plan) -> Asked:
    """What the plan's one question needs noise for."""
    (question,) = asked.questions
    (demand,) = question.demands(asked.bounded)
    assert demand.asked is not None
    return demand.asked


def two(part: Part) -> JointDraw:
    return TwoCounterNoise(1, [part])


def one(part: Part) -> JointDraw:
    return OneCounterNoise(1, [part])


def centred(part: Part) -> CentredGaussian:
    fine = Precision(own=9, centre=1, scale=2, residual=5 if isinstance(part, Simplex) else 0)
    return CentredGaussian(parts=[part], precisions=[fine], common=9, steps=1, parameter=2**40)


def is_believed(asked: Plan, whole: JointDraw) -> bool:
    price = whole.guarantee
    assert isinstance(price, PureDP | ZCDP)
    return keeps_claim(Step(measured(asked), JointPart(whole, 0), price), asked.table)


@pytest.mark.parametrize("draw", [two, centred])
def test_a_box_holds_both_ends_and_all_cells(draw: Callable[[Part], JointDraw]) -> None:
    asked = start().sum("pay", lower=-2, upper=1)
    adds = contribution_of(measured(asked), asked.table)
    assert adds.low < 0 < adds.high < -adds.low
    assert is_believed(asked, draw(Box(adds.low, adds.high)))
    assert not is_believed(asked, draw(Box(adds.low + 1, adds.high)))
    assert not is_believed(asked, draw(Box(adds.low, adds.high - 1)))
    assert not is_believed(asked, draw(Box(adds.low, adds.high, cells=2)))
    grouped = start().count(by="city", keys=CITIES)
    assert is_believed(grouped, draw(Box(0, 3, cells=4)))
    assert not is_believed(grouped, draw(Box(0, 3, cells=3)))


def test_a_simplex_holds_all_groups_of_a_unit() -> None:
    """Two groups with three rows each."""
    asked = start().count(by="city", keys=CITIES)
    for draw in (two, centred):
        assert is_believed(asked, draw(Simplex(4, 6)))
        assert not is_believed(asked, draw(Simplex(4, 5)))
        assert not is_believed(asked, draw(Simplex(5, 6)))
    assert is_believed(asked, centred(Simplex(4, 6, cell=3)))
    assert not is_believed(asked, centred(Simplex(4, 6, cell=2)))
    assert not is_believed(start().sum("pay", lower=-2, upper=1), two(Simplex(1, 2**40)))


def test_only_the_number_of_all_units_is_everyone() -> None:
    assert is_believed(start().count_units(), two(Everyone()))
    assert not is_believed(start().count_units(where=ln.col("pay") > 1), two(Everyone()))
    assert not is_believed(start().count(), two(Everyone()))  # rows
    assert not is_believed(start().count_units(by="city", keys=["Oslo"]), two(Everyone()))


def test_replaced_units_move_a_number_by_both_ends_together() -> None:
    asked = start("replace").sum("pay", lower=-2, upper=1)
    adds = contribution_of(measured(asked), asked.table)
    width = adds.high - adds.low
    assert is_believed(asked, one(Box(-width, width)))
    assert not is_believed(asked, one(Box(1 - width, width - 1)))
    assert not is_believed(asked, one(Box(adds.low, -adds.low)))
    assert not is_believed(asked, two(Box(-width, width)))
    assert not is_believed(asked, centred(Box(-width, width)))
    grouped = start("replace").count(by="city", keys=CITIES)
    assert is_believed(grouped, one(Simplex(4, 6)))
    assert not is_believed(grouped, one(Simplex(4, 5)))
    assert not is_believed(grouped, two(Simplex(4, 6)))


def test_a_draw_costs_what_it_costs() -> None:
    asked = start().count(where=ln.col("pay") > 1)
    for whole in (two(Box(0, 3)), one(Box(-3, 3)), centred(Box(0, 3))):
        price = whole.guarantee
        assert isinstance(price, PureDP | ZCDP)
        step = Step(measured(asked), JointPart(whole, 0), price)
        assert keeps_claim(step, asked.table)
        assert not keeps_claim(replace(step, claim=_less(price)), asked.table)
        assert not keeps_claim(replace(step, mechanism=JointPart(whole, 1)), asked.table)
        assert not keeps_claim(replace(step, mechanism=JointPart(whole, -1)), asked.table)
        assert not keeps_claim(replace(step, among=step), asked.table)  # noise is for all groups


def _less(price: PureDP | ZCDP) -> PureDP | ZCDP:
    if isinstance(price, ZCDP):
        return ZCDP(rho=price.rho * 99 / 100)
    return PureDP(epsilon=price.epsilon * 99 / 100)


def test_all_parts_of_a_draw_claim_its_price() -> None:
    asked = start().count(where=ln.col("pay") > 1)
    whole = TwoCounterNoise(1, [Box(0, 3), Box(0, 3)])
    first, second = (Step(measured(asked), JointPart(whole, place), ONE) for place in (0, 1))
    assert admit(asked.table, [first, second], ONE).costs == (ONE,)
    dearer = replace(second, claim=PureDP(epsilon=2))
    with pytest.raises(NotAdmitted, match="parts of one draw must claim one price"):
        admit(asked.table, [first, dearer], ONE)
    with pytest.raises(NotAdmitted, match="noise must be used once"):
        admit(asked.table, [first, replace(first)], ONE)
    another = replace(second, mechanism=JointPart(TwoCounterNoise(1, [Box(0, 3)]), 0))
    with pytest.raises(NotAdmitted, match="the steps together must keep"):
        admit(asked.table, [first, another], ONE)


def beside_marginals(number: int) -> Plan:
    kinds = {"age": [30], **{name: [True] for name in ("a", "b", "c")}}
    asked = ln.plan(ln.read(pa.table(kinds), unit=None))
    for age in range(number):
        asked = asked.count(where=ln.col("age") > age, name=f"over {age}")
    return asked.marginals(["a", "b", "c"], ways=2)


def test_shared_gaussian_noise_is_priced_on_the_line() -> None:
    """A hundredth less of ε and it is not admitted, beside marginals too."""
    asked = beside_marginals(70)
    steps = asked._priced(APPROX).drawn_steps
    kinds = {type(getattr(step.mechanism, "whole", step.mechanism)) for step in steps}
    assert kinds == {CentredGaussian, ResidualPlanner}
    assert admit(asked.table, steps, APPROX).costs[0] == APPROX
    less = ApproxDP(epsilon="0.99", delta="1e-6")
    assert not _on_the_line(steps, asked.table, less)
    with pytest.raises(NotAdmitted, match="the steps together must keep"):
        admit(asked.table, steps, less)


def test_marginals_are_priced_on_the_line_as_far_as_a_unit_moves_them() -> None:
    """Their noise has no room to spare: 2·ρ·V is what a unit moves them by, in squares."""
    for neighbours in ("add_remove", "replace"):
        table = ln.read(
            pa.table({name: [True] for name in "abc"}), unit=None, neighbours=neighbours
        )
        asked = ln.plan(table).marginals(["a", "b", "c"], ways=2)
        (step,) = asked._priced(ZCDP(rho="0.1")).drawn_steps
        assert isinstance(step.mechanism, ResidualPlanner)
        found = _gaussian(step, asked.table)
        assert found is not None
        assert isinstance(step.claim, ZCDP)
        assert float(found[0]) == pytest.approx(2 * float(step.claim.rho * found[1]), rel=1e-3)


def test_shared_noise_beside_marginals_adds_up_in_rho() -> None:
    """What the draw costs and what the marginals cost is all there is; the draw takes no more."""
    asked, budget = beside_marginals(5), ZCDP(rho="0.1")
    admitted = asked.admitted(budget)
    kinds = {type(getattr(step.mechanism, "whole", step.mechanism)) for step in admitted.steps}
    assert kinds == {CentredGaussian, ResidualPlanner}
    with pytest.raises(NotAdmitted, match="the steps together must keep"):
        admit(asked.table, admitted.steps, ZCDP(rho="0.099"))


def test_a_unit_adds_to_every_table_of_a_measurement() -> None:
    asked = beside_marginals(1)
    tables = next(
        step.asked for step in asked.admitted(ONE).steps if isinstance(step.asked, Histograms)
    )
    assert len(tables.groupings) == 3
    adds = contribution_of(tables, asked.table)
    assert (adds.low, adds.high, adds.total) == (0, 1, 3)
