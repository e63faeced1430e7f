"""What no other test noticed when it was changed: `make mutants`."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    GeneralizedGaussian,
    Independent,
    TableLaw,
    TruncatedLaplace,
    TruncatedNormStaircase,
)
from leastnoise.noise.laws.expected_cost import power_cost
from leastnoise.noise.shapes.generalized_gaussian_shape import GeneralizedGaussianShape
from leastnoise.noise.shapes.lattice_gaussians import LatticeGaussians
from leastnoise.noise.shapes.shift_atoms import shift_atoms
from leastnoise.noise.shapes.shift_variable import ShiftVariable
from leastnoise.noise.vectors import laplace_sum
from leastnoise.noise.vectors.cube import Cube
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.proved_floats import EXP_ERROR
from leastnoise.randomness.source import Source


def test_moments_keep_their_ends() -> None:
    found = power_cost(lambda _: Interval(Fraction(1), Fraction(2)), 1, Fraction(3), Fraction(0))
    assert found == Interval(Fraction(3), Fraction(6))


def test_what_is_left_after_the_first_points_of_a_law() -> None:
    law = DiscreteLaplace(scale=2)
    places = [0, 1, -1, 2, -2, 3]
    for count in range(len(places) + 1):
        left = 1 - sum(float(law.pmf(place)) for place in places[:count])
        assert float(law.shape._survival(count).interval()) == pytest.approx(left)


def test_sums_of_many_magnitudes_are_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    few = [laplace_sum.laplace_sum_tail(5, Fraction(1, 3), m) for m in (1, 4, 20)]
    monkeypatch.setattr(laplace_sum, "_MANY", 0)
    many = [laplace_sum.laplace_sum_tail(5, Fraction(1, 3), m) for m in (1, 4, 20)]
    assert all(one.overlaps(other) for one, other in zip(few, many, strict=True))
    assert [float(one) for one in many] == pytest.approx([float(one) for one in few])


def test_coordinates_of_the_largest_cubes_do_not_wrap_around() -> None:
    radii = np.array([(1 << 63) - 1] * 20)
    drawn = Cube(2).uniform(radii, Source())
    assert drawn.shape == (20, 2)
    assert max(map(abs, drawn.ravel().tolist())) <= (1 << 63) - 1
    assert drawn.dtype == np.object_


def test_a_sensitivity_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidParameter):
        TruncatedNormStaircase(dimension=2, sensitivity=0, epsilon=1, width=1, radius=5, norm="l1")


def test_between_known_shifts_independent_noise_says_what_one_axis_leaks() -> None:
    law = Independent(TruncatedLaplace(sensitivity=3, epsilon="0.9", delta="0.1"), 2)
    found = law.delta("0.2", 2)
    assert found.lower == law.shape.divergence(Fraction(1, 5), 2).interval().lower
    assert found.upper == 1


def test_beyond_all_cells_no_mass_is_left() -> None:
    shape: Any = Independent(TruncatedLaplace(sensitivity=3, epsilon="0.9", delta="0.1"), 2).shape
    assert shape._above_up[-1].overlaps(0) or float(shape._above_up[-1]) == pytest.approx(0)


def test_any_law_is_priced_at_the_least_shift() -> None:
    odd = TableLaw({-1: "0.1", 0: "0.2", 1: "0.4", 2: "0.3"})
    assert float(odd.privacy(1).delta(0)) > 0


def test_scales_have_limits_and_reach_them() -> None:
    assert GeneralizedGaussian(scale=Fraction(1, 1000), power=2).scale == Fraction(1, 1000)
    assert DiscreteGaussian(2**80).sigma_squared == 2**80
    with pytest.raises(InvalidParameter):
        DiscreteGaussian(2**80 + 1)


def test_cells_from_exact_tails_hold_all_mass(monkeypatch: pytest.MonkeyPatch) -> None:
    law = DiscreteLaplace(scale=3)
    variable = ShiftVariable(law.shape, 2, lambda _: Interval.exactly(1), None, None)
    monkeypatch.setattr(ShiftVariable, "_is_wide", True)
    for step in (0.05, 0.3, 0.5):
        cells = variable._cells_by_edges(step)
        assert min(cells.mass) > -1e-30
        whole = float(cells.mass.sum() + cells.on_grid.sum()) + cells.infinite + cells.lost
        assert whole == pytest.approx(1)


def test_the_price_of_gaussians_on_a_vector_is_near_that_of_normal_ones() -> None:
    """Squares and the parameter cancel: N(0, 1) against N(1, 1), whose δ at 0 is 0.3829."""
    many = LatticeGaussians(Fraction(1 << 30), 64, 2)
    loss = many.loss(Fraction(1 << 30), Fraction(1 << 30), 1)
    assert float(loss.delta(0).upper) == pytest.approx(0.38292, abs=1e-4)
    assert float(loss.delta(0).lower) == pytest.approx(0.38292, abs=1e-4)


@pytest.mark.parametrize("window", [(-60, 0), (0, 60)])
@pytest.mark.parametrize("shift", [5, -5])
def test_listed_losses_err_by_what_the_farthest_weights_do(
    window: tuple[int, int], shift: int
) -> None:
    """The shifted law is read five places beyond the window, where its logarithms are largest."""
    shape = GeneralizedGaussianShape(Fraction(4), Fraction(3, 2))
    found = shift_atoms(shape, shift, window, outside=0.0)
    error = shape.log_pmf_error(window[0] - 5, window[1] + 5)
    assert error > shape.log_pmf_error(-60, 60)
    assert found.mass_error >= 2 * error + EXP_ERROR
    assert found.loss_error is not None
    assert found.loss_error >= 2 * error
