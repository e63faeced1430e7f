"""What no other test noticed when it was changed: `make mutants`."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from leastnoise.errors import InvalidParameter
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.budget_curve import ConstantBudget, StepBudget, sum_of_curves
from leastnoise.privacy.curves.response_curve import ResponseCurve
from leastnoise.privacy.group import ApproxGroupCurve
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.privacy.variables.bounded_range_variable import BoundedRangeVariable
from leastnoise.privacy.variables.exchanged_variable import ExchangedVariable
from leastnoise.privacy.variables.finite_variable import FiniteVariable
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.grid_cells import RELATIVE_ERROR, Twins, cells_of_atoms
from leastnoise.privacy.variables.laplace_variable import LaplaceVariable
from leastnoise.privacy.variables.lattice_gaussian_variable import LatticeGaussianVariable
from leastnoise.privacy.variables.loss_variable import LossVariable, Order
from leastnoise.privacy.variables.replaced_laplace_variable import ReplacedLaplaceVariable
from leastnoise.privacy.variables.sampled_variable import SampledVariable, listed_atoms
from leastnoise.privacy.variables.sum_laws import SumLaw, _pool_coarser
from leastnoise.privacy.variables.uneven_cells import CutPair

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


class Half(LossVariable):
    """A loss of which δ is told to be a half at every epsilon."""

    spread, span = 1.0, 1.0
    infinite_mass = Interval.exactly(0)

    def delta(self, epsilon: Fraction) -> Interval:
        del epsilon
        return Interval.exactly(Fraction(1, 2))

    def renyi(self, order: Order) -> Interval:
        raise NotImplementedError(order)

    def tail(self, epsilon: Fraction) -> Interval:
        raise NotImplementedError(epsilon)

    def cells(self, step: float) -> Twins:
        raise NotImplementedError(step)


@pytest.mark.parametrize("epsilon", ["-0.1", "-0.3", "-1", "-2.5"])
def test_the_reversed_pair_of_exchanged_records_is_rounded_outward(epsilon: str) -> None:
    """By the last digit of an exponential: 1 − e^ε·(1 − δ) for both ends of δ(−ε)."""
    variable = ExchangedVariable(Half(), Half())
    other, found = variable.delta(-Fraction(epsilon)), variable.delta(Fraction(epsilon))
    assert other.upper < 1  # so that the exponential's own ends are seen
    with mp.workdps(60):
        factor = mp.exp(mp.mpf(epsilon))
        ends = [1 - factor * (1 - mp.mpf(end.numerator) / end.denominator) for end in exact(other)]
        low, high = (mp.mpf(end.numerator) / end.denominator for end in exact(found))
        assert low <= ends[0]
        assert ends[1] <= high


def exact(interval: Interval) -> tuple[Fraction, Fraction]:
    return Fraction(interval.lower), Fraction(interval.upper)


def test_a_loss_that_is_a_rounding_away_from_the_grid_is_put_onto_it() -> None:
    """Edges are products that are rounded, also where losses themselves are exact."""
    step, loss = 0.1, 0.3
    assert loss != 3 * step
    cells = cells_of_atoms(np.array([loss]), np.ones(1), step, loss_error=0.0)
    assert cells.on_grid.sum() == 1
    assert cells.shift >= abs(Fraction(loss) - 3 * Fraction(step))
    usual = cells_of_atoms(np.array([loss]), np.ones(1), step)
    assert usual.shift > 2 * RELATIVE_ERROR * loss


def put(law: SumLaw, strike: int) -> int:
    """A mean of (K − S)₊, in units of mass and steps of level 0."""
    places = (law.first + i for i in range(len(law.mass)))
    return sum(m * max(0, strike - (n << law.level)) for n, m in zip(places, law.mass, strict=True))


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("mass", [[0, 4], [1, 3, 0, 4, 7, 2], [0, 11, 0, 5, 0, 900, 0, 3]])
def test_a_coarser_grid_tells_by_how_much_it_moved_masses(mass: list[int], level: int) -> None:
    """Few units are put onto a point of the grid, and parts of a pool are rounded."""
    for first in (0, 1):
        law = SumLaw(20, 1, level, first, mass, 0, 0, 0)
        coarse = _pool_coarser(law, lifted=True)
        more = [put(coarse, k) - put(law, k) for k in range((first + len(mass) + 2) << level)]
        assert coarse.level == level + 1
        assert max(more) <= coarse.moved
        assert sum(coarse.mass) <= sum(mass)


def test_what_was_given_up_is_lost_under_its_own_law() -> None:
    pair = CutPair(
        1.0,
        np.array([0, 1]),
        np.array([0.25]),
        np.array([0.25]),
        np.array([0.25]),
        np.array([0.125]),
        given_up=(0.125, 0.0625),
        outside=(0.0, 0.375, 0.03125, 0.5),
    )
    assert pair.forward().lost == 0.375 + 0.125
    assert pair.forward(infinite=0.25).lost == 0.125 + 0.125
    assert pair.backward().lost == 0.03125 + 0.0625


@pytest.mark.parametrize("bound", ["0.5", "1.5", "2.5"])
@pytest.mark.parametrize("kind", [LaplaceVariable, BoundedRangeVariable])
def test_cells_between_two_bounds_hold_all_of_the_law(kind: Any, bound: str) -> None:
    """With one, two and three cells on each side of 0, the outermost ones cut off."""
    cells = kind(Fraction(bound)).cells(1.0)
    assert float(cells.mass.sum()) == pytest.approx(1, abs=1e-12)
    assert cells.lost < 1e-12


def test_a_removed_record_of_a_sample_has_the_atoms_of_the_mixture() -> None:
    """A response with odds of 3 against 1, seen in one of four samples."""
    response = FiniteVariable(((1 - QUARTER, QUARTER), (QUARTER, 1 - QUARTER)))
    atoms = listed_atoms(SampledVariable(response, response, QUARTER, removing=True))
    # P = (3/4, 1/4) and Q = (1/4, 3/4): the mixture is (3/8, 5/8).
    pairs = sorted(zip(atoms.losses.tolist(), atoms.masses.tolist(), strict=True))
    assert pairs == [
        (pytest.approx(math.log(5 / 6)), pytest.approx(5 / 8)),
        (pytest.approx(math.log(3 / 2)), pytest.approx(3 / 8)),
    ]


@pytest.mark.parametrize("epsilon", ["-0.2", "0", "0.1", "0.3", "2"])
def test_a_replaced_record_under_laplace_noise_by_a_plain_sum(epsilon: str) -> None:
    rate, ratio = Fraction(1, 3), Fraction(1)
    found = ReplacedLaplaceVariable(rate, ratio)
    points = (np.arange(-200_000, 200_000) + 0.5) / 10_000  # up to 20 deviations
    near = [np.exp(-np.abs(points - centre)) / 2 for centre in (0.0, 1.0, -1.0)]
    one, other = ((2 * near[0] + each) / 3 for each in near[1:])
    rise = math.exp(float(epsilon))
    leak = np.maximum(one - rise * other, 0).sum() / 10_000
    assert float(found.delta(Fraction(epsilon))) == pytest.approx(leak, abs=1e-7)
    tail = one[one > rise * other].sum() / 10_000
    assert float(found.tail(Fraction(epsilon))) == pytest.approx(tail, abs=2e-4)
