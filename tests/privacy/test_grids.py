"""Sums of losses on grids: both twins bracket the truth, at any scale and down to δ = 1e-30."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.privacy.least_epsilon import least_epsilon
from leastnoise.privacy.variables.finite_variable import FiniteVariable
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.grid_cells import GridMasses, cells_of_atoms
from leastnoise.privacy.variables.laplace_variable import LaplaceVariable
from leastnoise.privacy.variables.product_variable import ProductVariable

EPSILONS = [Fraction(n, 8) for n in (0, 1, 3, 8, 20)]


def leak(masses: GridMasses, epsilon: float) -> float:
    losses = (masses.first + np.arange(len(masses.mass))) * masses.step
    return float(masses.mass @ np.maximum(0.0, -np.expm1(epsilon - losses))) + masses.infinite


@pytest.mark.spread(7)
@pytest.mark.parametrize("step", [0.003, 0.05, 0.4])
@pytest.mark.parametrize(
    "variable",
    [
        GaussianVariable(Fraction(1, 4)),
        GaussianVariable(Fraction(9)),
        LaplaceVariable(Fraction(1)),
        LaplaceVariable(Fraction(1, 7)),
        FiniteVariable(((Fraction(1, 3), Fraction(1, 2)), (Fraction(2, 3), Fraction(1, 3)))),
    ],
)
def test_twins_bracket_a_single_loss_at_every_epsilon(
    variable: GaussianVariable | LaplaceVariable | FiniteVariable, step: float
) -> None:
    cells = variable.cells(step)
    high, low = cells.pessimistic(), cells.optimistic()
    for epsilon in np.linspace(-2, 4, 61):
        truth = float(variable.delta(Fraction(float(epsilon))))
        assert leak(low, float(epsilon)) <= truth + 1e-11
        assert leak(high, float(epsilon)) >= truth - 1e-11


def test_twins_close_like_the_square_of_the_step() -> None:
    variable = GaussianVariable(Fraction(1))
    gaps = []
    for step in (0.1, 0.05):
        cells = variable.cells(step)
        gaps.append(leak(cells.pessimistic(), 0.513) - leak(cells.optimistic(), 0.513))
    assert gaps[1] < 0.35 * gaps[0]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=2, max_size=5),
    st.sampled_from([0.01, 0.1, 0.37]),
)
def test_twins_of_atoms_bracket(pairs: list[tuple[int, int]], step: float) -> None:
    variable = _finite(pairs)
    cells = variable.cells(step)
    for epsilon in (-0.5, 0.0, 0.2, 1.0):
        truth = float(variable.delta(Fraction(epsilon)))
        assert leak(cells.optimistic(), epsilon) <= truth + 1e-10
        assert leak(cells.pessimistic(), epsilon) >= truth - 1e-10


def _finite(pairs: list[tuple[int, int]]) -> FiniteVariable:
    p_total, q_total = sum(p for p, _ in pairs), sum(q for _, q in pairs)
    return FiniteVariable(tuple((Fraction(p, p_total), Fraction(q, q_total)) for p, q in pairs))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=2, max_size=3).filter(
        lambda pairs: any(q for _, q in pairs)
    ),
    st.integers(2, 4),
)
def test_small_products_against_all_outcomes(pairs: list[tuple[int, int]], count: int) -> None:
    """Brute force over every sequence of outcomes, in rationals up to one exponential."""
    single = _finite(pairs)
    found = ProductVariable(((single, count),))
    for epsilon in (Fraction(0), Fraction(1, 3), Fraction(2)):
        factor, truth = math.exp(epsilon), 0.0
        for sequence in product(single.outcomes, repeat=count):
            p = math.prod(float(a) for a, _ in sequence)
            q = math.prod(float(b) for _, b in sequence)
            truth += max(0.0, p - factor * q)
        bracket = found.delta(epsilon)
        assert float(bracket.lower) <= truth + 1e-9
        assert float(bracket.upper) >= truth - 1e-9


@pytest.mark.spread(10)
@pytest.mark.parametrize("count", [1, 30, 1000])
@pytest.mark.parametrize("mu", ["0.001", "0.05", "1"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-18", "1e-30"])
def test_sums_of_gaussians_bracket_the_closed_form(count: int, mu: str, delta: str) -> None:
    """The target of the calculus: a bracket of 1e-4 whose upper end is never below the truth."""
    square, leaked = Fraction(mu) ** 2, Fraction(delta)
    found = ProductVariable(((GaussianVariable(square), count),)).epsilon(leaked)
    truth = least_epsilon(GaussianVariable(square * count), leaked)
    assert found.lower <= truth.upper
    assert found.upper >= truth.lower
    assert found.width <= Fraction(1, 10**4) * found.upper


def test_tiny_and_huge_losses_stay_within_memory_and_bracket() -> None:
    for mu in (Fraction(1, 10**6), Fraction(30)):
        found = ProductVariable(((GaussianVariable(mu**2), 20),)).epsilon(Fraction(1, 10**6))
        truth = least_epsilon(GaussianVariable(20 * mu**2), Fraction(1, 10**6))
        assert found.lower <= truth.upper
        assert truth.lower <= found.upper
        assert found.width <= found.upper / 5000


def test_one_hundred_laplace_releases() -> None:
    """100 × 0.1 at δ = 1e-6: between 4.68 and 4.70, where basic composition says 10."""
    found = ProductVariable(((LaplaceVariable(Fraction(1, 10)), 100),)).epsilon(Fraction(1, 10**6))
    assert found.lower >= Fraction("4.68")
    assert found.upper <= Fraction("4.70")


@pytest.mark.spread(3)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_tail_bracket_holds_the_closed_form(epsilon: Fraction) -> None:
    found = ProductVariable(((GaussianVariable(Fraction(1, 100)), 50),)).tail(epsilon)
    truth = GaussianVariable(Fraction(1, 2)).tail(epsilon)
    assert found.lower <= truth.upper
    assert found.upper >= truth.lower
    assert float(found.width) <= 0.02 * float(truth) + 1e-12


def test_infinite_losses_multiply_exactly() -> None:
    atom = FiniteVariable(((Fraction(1, 10), Fraction(0)), (Fraction(9, 10), Fraction(1))))
    found = ProductVariable(((atom, 3),))
    assert found.infinite_mass.lower == found.infinite_mass.upper == 1 - Fraction(9, 10) ** 3
    assert found.epsilon(Fraction(1, 4)).lower == math.inf
    assert float(found.delta(Fraction(5)).upper) == pytest.approx(0.271, rel=1e-9)


def test_atoms_on_the_grid_stay_there() -> None:
    cells = cells_of_atoms(np.array([-0.2, 0.0, 0.2]), np.array([0.25, 0.5, 0.25]), 0.1)
    low, high = cells.optimistic().mass, cells.pessimistic().mass
    assert low.tolist() == pytest.approx([0.25, 0.0, 0.5, 0.0, 0.25, 0.0], rel=1e-13)
    assert np.all(low <= high)
    assert high.tolist() == pytest.approx(low.tolist(), rel=1e-13)
    assert cells.mass.sum() == 0.0
