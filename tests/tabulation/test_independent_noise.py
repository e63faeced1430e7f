import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from leastnoise.errors import InvalidParameter
from leastnoise.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    LatticeLaw,
    MedianOfUniforms,
    Staircase,
    TableLaw,
)
from leastnoise.tabulation import IndependentNoise
from leastnoise.tabulation.column_noise import Offset
from leastnoise.tabulation.error_laws import single_error, worst_error
from tests.tabulation.brute_force import hockey_stick, shifted


def masses(law: LatticeLaw, reach: int) -> np.ndarray:
    return np.array([float(law.pmf(k)) for k in range(-reach, reach + 1)])


@pytest.mark.spread(6)
@pytest.mark.parametrize(
    ("law", "columns"),
    [
        (DiscreteLaplace(2), 3),
        (DiscreteGaussian(5), 4),
        (MedianOfUniforms(2, 7), 6),
        (Staircase(sensitivity=3, epsilon=2, width=1), 2),
    ],
    ids=str,
)
@pytest.mark.parametrize("offset", [None, DiscreteLaplace(3), MedianOfUniforms(3, 5)], ids=str)
def test_errors_against_sums(law: LatticeLaw, columns: int, offset: Offset) -> None:
    noise, reach = IndependentNoise(law, columns), 80
    mass = masses(law, reach)
    values = np.arange(-reach, reach + 1)
    shifts = {0: 1.0}
    if offset is not None:
        far = offset.quantile("0.999999999999")
        shifts = {x: float(offset.pmf(x)) for x in range(-far, far + 1)}

    def inside(t: int, count: int) -> float:
        return sum(
            q * float(mass[np.abs(values + x) <= t].sum()) ** count for x, q in shifts.items()
        )

    for t in (0, 1, 3, 6, 10, 25):
        for found, exact in (
            (noise.worst_within(t, offset), inside(t, columns)),
            (noise.one_within(t, offset), inside(t, 1)),
        ):
            assert float(found.lower) <= exact + 1e-9
            assert float(found.upper) >= exact - 1e-9
            assert float(found.width) < 0.02
    worst, single = worst_error(noise, offset), single_error(noise, offset)
    for error, count in ((worst, columns), (single, 1)):
        assert error.unit == (1 if offset is None else Fraction(1, 2))
        exact = float(error.unit) * sum(1 - inside(t, count) for t in range(170))
        assert float(error.mean.lower) <= exact + 1e-6
        assert float(error.mean.upper) >= exact - 1e-6
        assert float(error.mean.width) <= 0.03 * float(error.mean.upper)


def test_gaussian_maximum_agrees_with_the_normal_one() -> None:
    noise = IndependentNoise(DiscreteGaussian(10**6), 5000)
    exact = norm.isf((1 - 0.95 ** (1 / 5000)) / 2) * 1000
    assert float(worst_error(noise, None).quantile("0.95")) == pytest.approx(exact, abs=1)


def test_tiny_probabilities_cost_nothing() -> None:
    noise = IndependentNoise(MedianOfUniforms(3, 5000), 10**6)
    assert noise.worst_within(0, None).upper < 2.0**-100
    assert noise.worst_within(4999, None).lower > 0
    assert worst_error(noise, None).mean.width <= worst_error(noise, None).mean.upper / 100


# Privacy: every shift by at most 1 in each coordinate, by summing over all points


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 4), st.integers(2, 9), st.sampled_from([0.05, 0.4, 1.0]))
def test_all_shifts_are_dominated_by_the_diagonal(order: int, radius: int, epsilon: float) -> None:
    law = MedianOfUniforms(order, radius)
    noise = IndependentNoise(law, 2)
    mass = masses(law, radius)
    joint: dict[tuple[int, ...], float] = {
        (a - radius, b - radius): float(mass[a] * mass[b])
        for a, b in product(range(2 * radius + 1), repeat=2)
    }
    for distance in (1, 2):
        stated = noise.privacy(distance).delta(epsilon)
        worst = max(
            hockey_stick(one, other, epsilon)
            for by in product(range(-distance, distance + 1), repeat=2)
            for one, other in ((joint, shifted(joint, by)), (shifted(joint, by), joint))
        )
        assert float(stated.upper) >= worst - 1e-12
        assert float(stated.lower) <= worst + 1e-12


def test_prices_of_the_known_kinds() -> None:
    assert IndependentNoise(DiscreteLaplace(20), 5).pure_epsilon == pytest.approx(0.25)
    assert IndependentNoise(DiscreteLaplace(20), 5).rho is None
    assert IndependentNoise(DiscreteGaussian(50), 5).rho == pytest.approx(0.05)
    assert IndependentNoise(DiscreteGaussian(50), 5).pure_epsilon is None
    assert IndependentNoise(MedianOfUniforms(2, 9), 5).bound == 9
    assert IndependentNoise(DiscreteGaussian(50), 5).bound is None


def test_samples_are_one_row() -> None:
    drawn = IndependentNoise(MedianOfUniforms(2, 9), 1000).sample()
    assert drawn.shape == (1000,)
    assert np.abs(drawn).max() <= 9
    assert len(set(drawn.tolist())) > 5


def test_laws_without_symmetry_are_refused() -> None:
    for law in (TableLaw({0: 1, 1: 2}), "law", None):
        with pytest.raises(InvalidParameter, match="symmetric"):
            IndependentNoise(law, 3)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="columns"):
        IndependentNoise(DiscreteLaplace(1), 0)
    assert math.isfinite(float(IndependentNoise(DiscreteLaplace(1), 1).variance))
