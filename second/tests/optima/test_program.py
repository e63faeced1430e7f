"""The linear program: against one that is written down naively, and both sides exact."""

import itertools
from fractions import Fraction as F
from math import exp, floor

import pytest

from leastnoise.noise.laws import Staircase, TruncatedLaplace
from leastnoise.numbers.cost import ABSOLUTE, SQUARED, Cost, Moment, TailProbability
from leastnoise.optima.dual import Dual, Problem, Row, dual_bound, dual_slacks, leaks
from leastnoise.optima.program import solved
from tests.optima.programs import least_cost

SETTINGS = [
    (1, "1", "0.000001", SQUARED),
    (2, "0.5", "0.05", ABSOLUTE),
    (3, "1", "0.01", ABSOLUTE),
    (4, "2", "0.01", SQUARED),
    (3, "0", "0.1", SQUARED),
    (2, "0.001", "0.1", ABSOLUTE),
    (3, "1", "0.05", TailProbability(4)),
    (2, "1", "0.02", Moment("1.5")),
    (7, "1", "0.5", ABSOLUTE),
]


def problem(size: int, epsilon: str, delta: str, cost: Cost) -> Problem:
    return Problem(size, F(epsilon), F(delta), cost)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_both_sides_meet(setting: tuple[int, str, str, Cost]) -> None:
    asked = problem(*setting)
    found = solved(asked)
    assert found is not None
    assert max(leaks(asked, found.weights)) <= asked.delta
    bound = dual_bound(asked, found.dual)
    assert bound is not None
    achieved = F(found.law.expected(asked.cost).upper)
    assert bound <= achieved <= bound * (1 + F(1, 10**6))


@pytest.mark.parametrize("setting", [SETTINGS[1], SETTINGS[2], SETTINGS[4], SETTINGS[6], SETTINGS[8]], ids=str)  # fmt: skip
def test_it_is_the_program_over_all_events_and_shifts(
    setting: tuple[int, str, str, Cost],
) -> None:
    size, epsilon, delta, cost = setting
    found = solved(problem(*setting))
    assert found is not None
    last = len(found.weights) + size
    naive = least_cost(size, float(epsilon), float(delta), lambda k: float(cost.at(F(k))), last)
    assert float(found.law.expected(cost)) == pytest.approx(naive, rel=1e-6)


def test_at_sensitivity_1_its_optimum_is_canonical_noise() -> None:
    found, law = solved(problem(1, "1", "0.000001", SQUARED)), TruncatedLaplace(1, 1, "1e-6")
    assert found is not None
    ratio = float(found.law.expected("squared")) / float(law.expected("squared"))
    assert ratio == pytest.approx(1, abs=1e-9)
    for k in range(12):
        assert float(found.law.pmf(k)) == pytest.approx(float(law.pmf(k)), abs=1e-9)


def test_with_a_tiny_delta_its_bound_is_the_staircase() -> None:
    asked = problem(2, "1", "1e-60", SQUARED)
    found, law = solved(asked), Staircase(2, 1, 1)
    assert found is not None
    bound = dual_bound(asked, found.dual)
    assert bound is not None
    assert float(bound) == pytest.approx(float(law.expected("squared")), rel=1e-6)


def test_large_programs_are_left_alone() -> None:
    assert solved(problem(100, "0.5", "0.000001", SQUARED)) is None
    assert solved(problem(3, "100", "0.000001", SQUARED)) is None


# Both sides are judged exactly


@pytest.mark.parametrize("weights", [[5, 3, 1], [4, 4, 0, 1], [1, 2, 3], [7], [6, 5, 5, 2, 2, 1]])
@pytest.mark.parametrize("size", [1, 2, 4, 9])
def test_leaks_are_those_of_all_shifts(weights: list[int], size: int) -> None:
    asked = problem(size, "0.5", "0.1", ABSOLUTE)
    reach = len(weights) - 1
    law = {k: weights[abs(k)] for k in range(-reach, reach + 1)}
    total = sum(law.values())
    worst = max(
        sum(max(0.0, p - exp(0.5) * law.get(k + d, 0)) for k, p in law.items()) / total
        for d in range(1, size + 1)
    )
    found = max(leaks(asked, weights))
    assert float(found) == pytest.approx(worst, rel=1e-12)
    assert found >= F(worst) - F(1, 10**12)


def test_dual_inequalities_are_those_of_the_page() -> None:
    """Docs, linear_program.md, (D): every j by itself, with the endless rows written out."""
    asked = problem(3, "0.5", "0.1", SQUARED)
    dual = Dual(F(1, 3), 4, (Row(1, -2, (3, 0, 5), 1), Row(3, 1, (2,), 4)))
    far = dual.reach
    values = {
        (row.shift, k): row.values[k - row.first] if k < row.first + len(row.values) else row.beyond
        for row in dual.rows
        for k in range(row.first, far + 1)
    }
    growth = F(asked.factor.upper)
    for j, slack in enumerate(dual_slacks(asked, dual)):
        gives = sum(y for (_, k), y in values.items() if abs(k) == j)
        takes = sum(y for (d, k), y in values.items() if abs(k + d) == j)
        assert slack == (2 if j else 1) * (j**2 - F(1, 3)) + (gives - growth * takes) / 16


def test_every_feasible_dual_point_is_below_every_law() -> None:
    """All points of a small grid."""
    asked = problem(2, "0.5", "0.1", ABSOLUTE)
    optimum = solved(asked)
    assert optimum is not None
    least, best = F(optimum.law.expected("absolute").upper), F(0)
    grid = itertools.product(range(0, 60, 6), range(0, 9, 2), range(0, 9, 2), range(0, 9, 4))
    for level, one, two, beyond in grid:
        rows = (Row(1, 0, (one, two), 0), Row(2, 0, (two, one), beyond))
        bound = dual_bound(asked, Dual(F(level, 8), 2, rows))
        if bound is not None:
            assert bound <= least
            best = max(best, bound)
    assert best > floor(least * 10) / 40


@pytest.mark.parametrize(
    "dual",
    [
        Dual(F(0), 4, (Row(1, 0, (-1,), 0),)),
        Dual(F(0), 4, (Row(3, 0, (1,), 0),)),
        Dual(F(0), 4, (Row(0, 0, (1,), 0),)),
        Dual(F(0), 4, (Row(1, 0, (1,), 0), Row(1, 0, (1,), 0))),
        Dual(F(0), -1, ()),
        Dual(F(0), 4, (Row(1, -(10**40), (1,), 0),)),
        Dual(F(10), 4, ()),
        Dual(F(0), 4, (Row(1, 0, (0,), 10**6),)),
    ],
)
def test_what_is_no_dual_point_proves_nothing(dual: Dual) -> None:
    bound = dual_bound(problem(2, "0.5", "0.1", TailProbability(3)), dual)
    assert bound is None or bound <= 0
