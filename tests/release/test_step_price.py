"""Each step by itself: its claim is the least that the gate believes, on this side of a hair."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mpmath import mp

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.partitions.concentrated_step import ConcentratedStep
from leastnoise.mechanisms.partitions.keep_step import ApproximateStep, GaussianStep
from leastnoise.mechanisms.quantile.counted_quantiles import CountedQuantiles
from leastnoise.mechanisms.quantile.factored_quantiles import FactoredQuantiles
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.noise import DiscreteGaussian
from leastnoise.privacy.curves.concentrated_curve import ConcentratedCurve
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.draw.noisy_numbers import scaled
from leastnoise.release.gate import _on_the_line
from leastnoise.release.price.allocation import _schemes
from leastnoise.release.step.aggregate import DistanceBelow, mean_sensitivity, sensitivity
from leastnoise.release.step.demand import Demand, noise_demand
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.reach import cells_of, reach_of
from leastnoise.release.step.sensitivity import Sensitivity, clipped_sensitivity
from leastnoise.release.step.step import Step
from leastnoise.release.step.step_price import _quantiles, _shown, keeps_claim
from tests.release.test_gate import CASES, LESS, RELATIVE, ROWS, planned, steps_of

THIRD = Fraction(1, 3)
THREE, FOUR = Sensitivity(1, 3, 3, 3), Sensitivity(1, 4, 4, 4)


def cheaper(claim: Guarantee, by: Fraction = LESS) -> Any:
    match claim:
        case PureDP():
            return PureDP(epsilon=claim.epsilon * by)
        case ApproxDP():
            return ApproxDP(epsilon=claim.epsilon * by, delta=claim.delta)
        case ZCDP():
            return ZCDP(rho=claim.rho * by, delta=claim.delta)
        case _:
            raise AssertionError(claim)


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize(("name", "budget"), CASES, ids=str)
def test_a_step_keeps_its_claim_and_not_a_hundredth_less(
    name: str, budget: Guarantee, neighbours: str
) -> None:
    asked = planned(name, neighbours)
    for step in steps_of(asked, budget):
        assert keeps_claim(step, asked.table)
        if name not in {*RELATIVE, "most common"}:  # whose prices are rounded
            assert not keeps_claim(replace(step, claim=cheaper(step.claim)), asked.table)
        assert not keeps_claim(replace(step, claim=cheaper(step.claim, 2 * THIRD)), asked.table)


@pytest.mark.parametrize(
    "name", ["marginals", "quantiles", "a quantile of many parts", "many quantiles", "counts"]
)
def test_a_step_for_units_that_come_and_go_is_too_little_where_they_are_replaced(name: str) -> None:
    for budget in (PureDP(epsilon=1), ZCDP(rho="0.1")):
        first = steps_of(planned(name), budget)[0]
        assert not keeps_claim(first, planned(name, "replace").table)


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize("promise", [PureDP(epsilon=1), ZCDP(rho="0.1")], ids=repr)
def test_a_tree_of_counts_costs_twice_as_much_where_units_are_replaced(
    promise: PureDP | ZCDP, neighbours: str
) -> None:
    """Two leaves move, and with them two nodes of every level but the root's."""
    steps = steps_of(planned("many quantiles", neighbours), promise)
    step = next(each for each in steps if isinstance(each.mechanism, Quantiles))
    assert isinstance(step.mechanism, Quantiles)
    task = step.mechanism.way.task
    tree = CountedQuantiles(task, branching=2, height=(task.cells - 1).bit_length())
    alike = SimpleNamespace(way=tree)
    table = planned("many quantiles", neighbours).table
    assert _quantiles(alike, step, table)  # type: ignore[arg-type]
    assert not _quantiles(alike, replace(step, claim=cheaper(step.claim)), table)  # type: ignore[arg-type]


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_ranks_of_groups_cost_twice_as_much_where_units_are_replaced(neighbours: str) -> None:
    """Two columns of the factor move, each in a row of counts of its own."""
    asked = planned("many quantiles", neighbours)
    steps = steps_of(asked, ZCDP(rho="0.1"))
    step = next(each for each in steps if isinstance(each.mechanism, Quantiles))
    assert isinstance(step.mechanism, Quantiles)
    task = step.mechanism.way.task
    of_groups = QuantileTask(
        task.levels,
        cells=task.cells,
        contribution=task.contribution,
        promise=task.promise,
        replace=task.replace,
        grouped=True,
    )
    alike: Any = SimpleNamespace(way=FactoredQuantiles(of_groups))
    assert _quantiles(alike, step, asked.table)
    assert not _quantiles(alike, replace(step, claim=cheaper(step.claim)), asked.table)
    assert not _quantiles(alike, replace(step, claim=PureDP(epsilon=100)), asked.table)


def rule(step: Any) -> Any:
    return SimpleNamespace(step=step)


TINY = Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("step", "claim"),
    [
        (ApproximateStep(THIRD, TINY), ApproxDP(epsilon=1, delta="1e-6")),
        (GaussianStep(2 * THIRD, TINY), ZCDP(rho=1, delta="1e-6")),
        (ConcentratedStep(THIRD, TINY), ZCDP(rho=1, delta="1e-6")),
    ],
)
def test_groups_of_one_unit_add_up(step: Any, claim: Any) -> None:
    assert _shown(rule(step), THREE, claim)
    assert not _shown(rule(step), FOUR, claim)
    dear = replace(step, delta=Fraction(1, 10**6))
    assert not _shown(rule(dear), THREE, claim)
    assert not _shown(rule(step), THREE, PureDP(epsilon=100))


def test_gaussian_groups_of_one_unit_add_up_on_the_curve() -> None:
    step = GaussianStep(Fraction(1, 100), TINY)
    leak = _normal_delta(1, mp.sqrt(mp.mpf(3) / 100)) + 3e-9
    assert _shown(rule(step), THREE, ApproxDP(epsilon=1, delta=Fraction(float(leak)) * 2))
    assert not _shown(rule(step), FOUR, ApproxDP(epsilon=1, delta=Fraction(float(leak))))


def _normal_delta(epsilon: Any, mu: Any) -> Any:
    low, high = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    return mp.ncdf(low) - mp.exp(epsilon) * mp.ncdf(high)


def on_the_line(epsilon: Any, delta: Fraction) -> bool:
    """One number that moves by 1, and V = 3: there is room for s = 2 only, and μ = 1."""
    table = ln.read(ROWS, unit=None)
    (asked,) = ln.plan(table, max_rows=1).count()._priced(PureDP(epsilon=1)).steps[0]
    step = Step(asked.asked, CellNoise(DiscreteGaussian(3)), ZCDP(rho=1))
    return _on_the_line([step], table, ApproxDP(epsilon=epsilon, delta=delta))


def test_smoothing_takes_its_part_of_delta() -> None:
    """κ = 8·2^−28; far out it is all that leaks."""
    leak = Fraction(8, 2**28)
    assert on_the_line(8, leak * Fraction(21, 20))
    assert not on_the_line(8, leak * Fraction(19, 20))


def test_smoothing_takes_its_part_of_the_noise() -> None:
    """N(0, 1) against N(1, 1) at an ε where they leak as much as κ: neither may be forgotten."""
    leak = Fraction(8, 2**28)
    epsilon = Fraction(0)
    while _normal_delta(float(epsilon), mp.mpf(1)) > float(leak):
        epsilon += Fraction(1, 64)
    assert on_the_line(epsilon, leak * Fraction(41, 20))
    assert not on_the_line(epsilon, leak * Fraction(3, 2))


def test_numbers_of_one_step_move_together() -> None:
    table = ln.read(ROWS, unit="who")
    plain = ln.plan(table, max_groups=2, max_rows=3, measure_cut=False)
    asked = plain.variance("cost", lower=0, upper=100)
    bounds = Bounds(max_groups=1, max_rows=3)
    measured = [
        part
        for step in steps_of(asked, PureDP(epsilon=1))
        for part in step.asked.aggregates  # type: ignore[union-attr]
    ]
    whole = Measurement(tuple(measured), bounds, (), None, None)
    parts = [sensitivity(each, bounds, Neighbours.ADD_REMOVE, groups=1) for each in measured]
    assert len(parts) > 1
    reach = reach_of(whole, table)
    assert reach.square == sum(part.square for part in parts)
    assert reach.total == sum(part.total for part in parts)
    assert reach.cells == sum(part.cells for part in parts)


def test_cells_of_a_histogram_are_counted_if_they_are_public() -> None:
    step = steps_of(planned("histogram"), PureDP(epsilon=1))[0]
    assert isinstance(step.asked, Histograms)
    assert cells_of(step.asked) == sum(each.cells or 0 for each in step.asked.groupings) > 0
    assert reach_of(step.asked, planned("histogram").table).cells <= cells_of(step.asked)  # type: ignore[operator]


def test_a_replaced_unit_moves_two_sums_in_its_old_and_new_groups() -> None:
    plan = ln.plan(ln.read(ROWS, unit="who"), max_groups=2, max_rows=3)
    step = steps_of(plan.mean("cost", lower=60, upper=100), PureDP(epsilon=1))[0]
    assert isinstance(step.asked, Measurement)
    below = step.asked.aggregates[0]
    assert isinstance(below, DistanceBelow)
    grid = below.grid
    assert grid.least > 0
    few = Bounds(max_groups=3, max_rows=1)
    assert mean_sensitivity(grid, few, Neighbours.REPLACE).cells == 12
    assert mean_sensitivity(grid, few, Neighbours.ADD_REMOVE).cells == 6
    clip = Clip(max_norm=2)
    whole = clipped_sensitivity(0, grid.most - grid.least, clip, Neighbours.REPLACE, 3)
    assert mean_sensitivity(grid, clip, Neighbours.REPLACE, groups=3).total == whole.total


@pytest.mark.parametrize("bad", [0, 2**20 + 1])
def test_bounds_have_bounds(bad: int) -> None:
    with pytest.raises(InvalidParameter):
        Bounds(max_groups=bad, max_rows=1)
    with pytest.raises(InvalidParameter):
        Bounds(max_groups=1, max_rows=bad)


def test_every_scheme_keeps_the_budget_with_its_thresholds() -> None:
    """Not only the scheme that wins: the cheapest one may be another tomorrow."""
    budget = ApproxDP(epsilon=1, delta="1e-6")
    counts = noise_demand(Sensitivity(1, 2, 2, 2), Fraction(1))
    choice = Demand(counts.weight, counts.pure, counts.concentrated, threshold=True)
    for demands in ([counts, choice], [counts, choice, choice]):
        for scheme in _schemes(demands, budget):
            given = scheme.grants()
            delta = sum((one.delta for one in given), Fraction(0))
            assert 0 < delta <= budget.delta
            prices = [one.price for one in given]
            pure = [price.epsilon for price in prices if isinstance(price, PureDP)]
            if pure:
                assert sum(pure, Fraction(0)) <= 1
                continue
            rho = sum((price.rho for price in prices), Fraction(0))  # type: ignore[union-attr]
            whole = ConcentratedCurve(ZCDP(rho=rho, delta=delta))
            assert whole.delta(budget.epsilon).upper <= budget.delta


def test_numbers_in_steps_of_a_third_are_rounded_once() -> None:
    numbers = np.array([2**60 + 7 * i + 1 for i in range(50)])
    assert scaled(numbers, THIRD).tolist() == [float(int(n) * THIRD) for n in numbers]
    assert scaled(numbers, Fraction(1, 4)).tolist() == [float(int(n) / 4) for n in numbers]


def test_choices_add_up() -> None:
    (choice, *_) = steps_of(planned("most common"), PureDP(epsilon=1))
    assert isinstance(choice.mechanism, TopSelection)
    one = choice.mechanism.selection.epsilon
    table = planned("most common").table
    assert keeps_claim(replace(choice, claim=PureDP(epsilon=2 * one)), table)
    assert not keeps_claim(replace(choice, claim=PureDP(epsilon=2 * one * LESS)), table)
