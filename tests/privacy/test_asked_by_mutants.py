"""What no other test noticed when it was changed: `make mutants`."""

import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

from leastnoise.errors import InvalidParameter
from leastnoise.privacy.curves.budget_curve import ConstantBudget, StepBudget, sum_of_curves
from leastnoise.privacy.curves.response_curve import ResponseCurve
from leastnoise.privacy.group import ApproxGroupCurve
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.variables.finite_variable import FiniteVariable
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.grid_cells import cells_of_atoms
from leastnoise.privacy.variables.lattice_gaussian_variable import LatticeGaussianVariable

QUARTER = Fraction(1, 4)


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "0.5", "0.69", "0.9"])
@pytest.mark.parametrize("leak", ["0", "0.01"])
def test_what_a_response_curve_says_of_delta_it_says_of_epsilon(epsilon: str, leak: str) -> None:
    curve = ResponseCurve(ApproxDP(epsilon=1, delta=leak))
    delta = curve.delta(epsilon)
    assert curve.epsilon(Fraction(delta.upper)).lower <= Fraction(epsilon)
    assert float(curve.epsilon(Fraction(delta.upper)).upper) == pytest.approx(float(epsilon))


def test_a_sum_of_curves_is_repeated_with_its_constants() -> None:
    curve = sum_of_curves([ConstantBudget(2), StepBudget({0: 1, 10: "0.5"})], times=3)
    assert curve == ConstantBudget(6) + 3 * StepBudget({0: 1, 10: "0.5"})


def test_a_finite_loss_has_a_finite_renyi_divergence_unless_it_may_be_endless() -> None:
    even = FiniteVariable(((QUARTER, 1 - QUARTER), (1 - QUARTER, QUARTER)))
    p = mp.mpf(1) / 4
    for order in (1.5, 2.0, 3.0):
        exact = mp.log(p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order))
        assert float(even.renyi(order)) == pytest.approx(float(exact / (order - 1)))
    assert float(even.renyi(math.inf)) == pytest.approx(math.log(3))
    leaky = FiniteVariable(((QUARTER, Fraction(0)), (1 - QUARTER, Fraction(1))))
    assert leaky.renyi(2).lower == math.inf


def test_the_cells_of_a_wide_gaussian_loss_hold_all_of_it() -> None:
    """With μ = 30 the loss is centred 450 away from 0, far beyond 20 deviations."""
    cells = GaussianVariable(Fraction(900)).cells(1.0)
    assert float(cells.mass.sum()) == pytest.approx(1, abs=1e-9)


def test_tiny_numbers_are_written_exactly() -> None:
    tiny = PureDP(epsilon="1e-900")
    assert eval(repr(tiny)) == tiny


def test_gaussian_noise_on_integers_is_within_its_leak() -> None:
    """Both ends of δ and the upper end of Rényi's divergence, by their formulas."""
    leak, normal = Fraction(1, 100), GaussianVariable(Fraction(1))
    variable = LatticeGaussianVariable(Fraction(3), Fraction(1), Fraction(1), leak)
    found, plain = variable.delta(Fraction(0)), normal.delta(Fraction(0))
    assert float(found.lower) == pytest.approx(float(plain.lower) - 0.02, abs=1e-12)
    assert float(found.upper) == pytest.approx(0.99 * float(plain.upper) + 0.01, abs=1e-12)
    assert variable.renyi(Fraction(2)).upper == 3


def test_a_group_has_somebody_in_it() -> None:
    with pytest.raises(InvalidParameter):
        ApproxGroupCurve(ApproxDP(epsilon=1, delta="1e-6"), 0)


def test_losses_within_the_grid_are_kept() -> None:
    """A grid of 2^20 cells of width 2 reaches to 2^21."""
    cells = cells_of_atoms(np.array([1.5 * 2**20]), np.ones(1), 2.0)
    assert cells.lost == 0
    assert cells.on_grid.sum() + cells.mass.sum() == pytest.approx(1)
