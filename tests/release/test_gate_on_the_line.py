"""Many questions at once get Gaussian noise that the gate prices as noise on the line."""

from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.errors import NotAdmitted
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace
from leastnoise.privacy import ZCDP, ApproxDP, PureDP
from leastnoise.release.gate import _on_the_line, added_up, admit, implies
from leastnoise.release.plan import Plan
from leastnoise.release.price.gaussian_shares import adding_squares, line_prices
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.step import Step

BUDGET = ApproxDP(epsilon=1, delta="1e-7")
ROWS = pa.table({"who": [1, 2, 3], "city": ["Oslo", "Oslo", "Bergen"]})


def thirteen() -> Plan:
    asked = ln.plan(ln.read(ROWS, unit="who"), max_groups=2, max_rows=3)
    for number in range(13):
        asked = asked.count(by="city", keys=["Oslo", "Bergen"], name=f"count {number}")
    return asked


def steps_of(asked: Plan) -> list[Step]:
    """Gaussian noise for each question of its own, at the first price as on the line."""
    table = asked.bounded
    demands = [each for question in asked.questions for each in question.demands(table)]
    grants = adding_squares(demands, line_prices(demands, BUDGET)[0])
    pairs = zip(asked.questions, grants, strict=True)
    return [question.steps(Allotment(table, (given,)), None)[0] for question, given in pairs]


def searched(asked: Plan) -> list[Step]:
    return list(asked._priced(BUDGET).admitted(BUDGET).steps)


def quieter(step: Step, part: Fraction) -> Step:
    """With so much of the variance, and a claim that says so."""
    assert isinstance(step.mechanism, CellNoise)
    assert isinstance(step.mechanism.law, DiscreteGaussian)
    assert isinstance(step.claim, ZCDP)
    law = DiscreteGaussian(step.mechanism.law.sigma_squared * part)
    return replace(step, mechanism=CellNoise(law), claim=ZCDP(rho=step.claim.rho / part))


def test_what_adds_up_to_more_is_admitted_on_the_line() -> None:
    asked, steps = thirteen(), steps_of(thirteen())
    assert not implies(added_up([step.claim for step in steps]), BUDGET)
    assert admit(asked.table, steps, BUDGET).costs[0] == BUDGET


@pytest.mark.parametrize("part", ["1/2", "0.9", "0.99"])
def test_less_noise_is_not(part: str) -> None:
    asked, steps = thirteen(), steps_of(thirteen())
    with pytest.raises(NotAdmitted, match="together"):
        admit(asked.table, [quieter(step, Fraction(part)) for step in steps], BUDGET)


def test_too_little_noise_or_delta_for_any_smoothing_is_not() -> None:
    asked, steps = thirteen(), steps_of(thirteen())
    tiny = [quieter(step, Fraction(1, 10**6)) for step in steps]
    with pytest.raises(NotAdmitted, match="together"):
        admit(asked.table, tiny, BUDGET)
    with pytest.raises(NotAdmitted, match="together"):
        admit(asked.table, steps, ApproxDP(epsilon=1, delta="1e-300"))


def test_every_number_that_a_unit_moves_leaks_on_the_line() -> None:
    """26 of them leak 26·8·2^(−14·64) at the greatest smoothing: a δ below that is never kept."""
    asked, steps = thirteen(), steps_of(thirteen())
    rho = Fraction("0.0287") ** 2 / 2
    whole = sum(step.claim.rho for step in steps if isinstance(step.claim, ZCDP))
    louder = [quieter(step, whole / rho) for step in steps]
    for parts, kept in ((26 * 8 - 8, False), (26 * 8 + 50, True)):
        budget = ApproxDP(epsilon=1, delta=Fraction(parts, 1 << 14 * 64))
        assert not implies(added_up([step.claim for step in louder]), budget)
        assert _on_the_line(louder, asked.table, budget) is kept


def test_one_step_that_is_not_gaussian_is_enough_to_leave_the_line() -> None:
    asked, steps = thirteen(), steps_of(thirteen())
    other = replace(steps[0], mechanism=CellNoise(DiscreteLaplace(scale=10**9)))
    assert _on_the_line(steps[1:], asked.table, BUDGET)
    assert not _on_the_line([*steps[1:], other], asked.table, BUDGET)


def test_a_budget_of_another_kind_is_not_kept() -> None:
    asked, steps = thirteen(), steps_of(thirteen())
    with pytest.raises(NotAdmitted, match="together"):
        admit(asked.table, steps, PureDP(epsilon=100))


def test_what_is_no_choice_chooses_no_groups() -> None:
    asked, steps = thirteen(), steps_of(thirteen())
    with pytest.raises(NotAdmitted, match="choice of their groups"):
        admit(asked.table, [steps[0], replace(steps[1], among=steps[0])], BUDGET)


def test_a_choice_of_groups_chooses_no_cells_of_a_histogram() -> None:
    start = ln.plan(ln.read(ROWS, unit="who"), max_groups=2, max_rows=3, measure_cut=False)
    choice, _ = searched(start.count(by="city", keys="private"))
    (cells,) = searched(start.histogram("who", lower=0, upper=9, parts=3))
    with pytest.raises(NotAdmitted, match="choice of their groups"):
        admit(start.table, [choice, replace(cells, among=choice)], BUDGET)


def test_prices_of_two_kinds_are_notadded_up() -> None:
    with pytest.raises(NotAdmitted, match="of one kind"):
        added_up([ZCDP(rho="0.1"), PureDP(epsilon=1)])
