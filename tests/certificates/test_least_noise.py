"""The linear program: its optimum is met, by an exact law, and proved, by an exact dual point."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import OptimizeResult, linprog

from leastnoise.certificates.check_dual import dual_bound, dual_is_feasible
from leastnoise.certificates.check_law import law_cost, law_keeps_promise
from leastnoise.certificates.make_least_noise import least_noise
from leastnoise.certificates.problem import Problem
from leastnoise.errors import Undecided
from leastnoise.noise import Canonical, TableLaw, Uniform
from leastnoise.numeric.cost import Cost, Moment, OwnCost, TailProbability

GRID: list[tuple[int, str, str, Cost]] = [
    (width, epsilon, delta, Moment(order))
    for width, orders in ((1, (1, 2)), (2, (1, 2, 3)), (3, (1, 2)), (7, (1, 2)), (20, (1, 2)))
    for epsilon in ("0.1", "0.5", "2", "8")
    for delta in ("1e-9", "1e-3", "0.1")
    for order in orders
    if (width, epsilon) != (20, "0.1")
]
KINKED: list[tuple[int, str, str, Cost]] = [
    (3, "1", "1e-3", TailProbability(5)),
    (5, "0.5", "1e-6", TailProbability(12)),
    (3, "1", "0.3", TailProbability(0)),
    (5, "1", "1e-6", OwnCost(lambda error: error if error < 20 else 20, growth=1)),
    (5, "1", "1e-2", OwnCost(lambda error: error**2 if error < 4 else 8 * error - 16)),
    (4, "1", "1e-3", Moment("1.5")),
]


def problem(width: int, epsilon: str, delta: str, cost: Cost) -> Problem:
    return Problem(width, Fraction(epsilon), Fraction(delta), cost)


@pytest.mark.spread(45)
@pytest.mark.parametrize(("width", "epsilon", "delta", "cost"), GRID + KINKED)
def test_cost_meets_bound(width: int, epsilon: str, delta: str, cost: Cost) -> None:
    asked = problem(width, epsilon, delta, cost)
    found = least_noise(asked)
    assert law_keeps_promise(asked, found.law)
    assert dual_is_feasible(asked, found.dual)
    assert law_cost(asked, found.law) == found.cost
    assert dual_bound(asked, found.dual) == found.bound
    assert 0 <= found.gap <= Fraction(1, 10**8)


@pytest.mark.slow
@pytest.mark.parametrize("width", range(1, 21))
@pytest.mark.parametrize("epsilon", ["0.1", "0.3", "1", "3", "5", "8"])
def test_cost_meets_bound_on_a_fine_grid(width: int, epsilon: str) -> None:
    for delta in ("1e-9", "1e-7", "1e-5", "1e-3", "0.02", "0.1"):
        for order in (1, 2, 3):
            found = least_noise(problem(width, epsilon, delta, Moment(order)))
            assert 0 <= found.gap <= Fraction(1, 10**6), (delta, order)


def full_program(width: int, epsilon: float, delta: float, order: int, radius: int) -> float:
    """Every pair, every shift, both signs, no symmetry, no repetition: the textbook's program."""
    size = 2 * radius + 1
    shifts = [d for d in range(-width, width + 1) if d]
    leaks = len(shifts) * size
    rows, limits = [], []
    for n, shift in enumerate(shifts):
        budget = np.zeros(size + leaks)
        for k in range(size):
            row = np.zeros(size + leaks)
            row[k] = 1
            if 0 <= k + shift < size:
                row[k + shift] = -np.exp(epsilon)
            row[size + n * size + k] = -1
            budget[size + n * size + k] = 1
            rows.append(row)
            limits.append(0.0)
        rows.append(budget)
        limits.append(delta)
    price = np.concatenate([np.abs(np.arange(-radius, radius + 1.0)) ** order, np.zeros(leaks)])
    total = np.concatenate([np.ones(size), np.zeros(leaks)])[None, :]
    result = linprog(price, A_ub=np.array(rows), b_ub=limits, A_eq=total, b_eq=[1.0])
    return float(result.fun)


@pytest.mark.parametrize(
    ("width", "epsilon", "delta", "order"),
    [(2, "1", "0.1", 1), (2, "0.1", "0.1", 2), (3, "1", "0.05", 2), (3, "0", "0.25", 1)],
)
def test_agrees_with_the_textbook_program(width: int, epsilon: str, delta: str, order: int) -> None:
    found = least_noise(problem(width, epsilon, delta, Moment(order)))
    full = full_program(width, float(epsilon), float(delta), order, found.law.radius + width)
    assert float(found.cost) == pytest.approx(full, rel=1e-8)


def test_numbers_of_the_slides() -> None:
    # errata C3: (0, 1/4), Δ = 3: V* = 3 for |x|; Δ = 2: V* = 38/7 for x².
    assert float(least_noise(problem(3, "0", "0.25", Moment(1))).cost) == pytest.approx(
        3, rel=1e-12
    )
    squared = least_noise(problem(2, "0", "0.25", Moment(2)))
    assert float(squared.cost) == pytest.approx(38 / 7, rel=1e-12)
    assert squared.cost < Fraction(11, 2)  # uniform noise costs 5.5


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("0.1", "0.01"), ("4", "0.2")])
@pytest.mark.parametrize("order", [1, 2])
def test_canonical_noise_is_the_optimum_at_sensitivity_one(
    epsilon: str, delta: str, order: int
) -> None:
    found = least_noise(problem(1, epsilon, delta, Moment(order)))
    canonical = Canonical(epsilon=epsilon, delta=delta).moment(order)
    assert found.bound <= canonical.upper
    assert canonical.lower <= found.cost
    assert float(found.cost) == pytest.approx(float(canonical), rel=1e-12)


@pytest.mark.parametrize("half", [1, 2, 5])
@pytest.mark.parametrize("width", [2, 3, 5])
def test_uniform_noise_is_optimal_for_absolute_error(width: int, half: int) -> None:
    delta = Fraction(1, 2 * half)
    found = least_noise(Problem(width, Fraction(0), delta, Moment(1)))
    uniform = Uniform(sensitivity=width, delta=delta).moment(1)
    assert uniform.lower == width / (4 * delta)
    assert float(found.bound) == pytest.approx(float(uniform), rel=1e-12)


def test_the_table_law_verifies_by_itself() -> None:
    found = least_noise(problem(5, "0.5", "1e-6", Moment(2)))
    law = TableLaw(found.law.by_value())
    assert law.verify(sensitivity=5, epsilon="0.5", delta="1e-6")
    assert not law.verify(sensitivity=5, epsilon="0.5", delta="0.99999999e-6")
    assert not law.verify(sensitivity=6, epsilon="0.5", delta="1e-6")


def test_a_solver_that_fails_at_first_is_asked_in_other_ways(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, calls = problem(2, "1", "1e-3", Moment(1)), []

    def moody(*arguments: Any, method: str, **more: Any) -> Any:
        calls.append(method)
        found = linprog(*arguments, method=method, **more)
        if len(calls) == 1:
            found.status = 4
        return found

    monkeypatch.setattr("scipy.optimize.linprog", moody)
    assert least_noise(asked).gap <= Fraction(1, 10**9)
    assert len(calls) == 2


def test_a_solver_that_always_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        return OptimizeResult(status=4, message="numerical difficulties")

    monkeypatch.setattr("scipy.optimize.linprog", broken)
    with pytest.raises(Undecided, match="failed on all of them"):
        least_noise(problem(2, "1", "1e-3", Moment(1)))


def test_if_no_frame_is_good_enough_the_best_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = problem(2, "1", "1e-3", Moment(1))
    usual = least_noise(asked)
    monkeypatch.setattr("leastnoise.certificates.make_least_noise._GOOD", Fraction(-1))
    assert 0 <= least_noise(asked).gap <= usual.gap
