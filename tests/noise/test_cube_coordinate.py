"""`CubeCoordinate`: one coordinate of ℓ∞ noise, against sums over the whole law."""

from fractions import Fraction
from functools import lru_cache
from itertools import product

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from leastnoise.noise import NormLaplace, NormStaircase
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.noise.vectors.cube_coordinate import CubeCoordinate
from leastnoise.numeric.cost import Moment, OwnCost, TailProbability
from leastnoise.numeric.interval import Interval
from tests.noise.brute_force import number

LAWS = [
    NormLaplace(2, "3/2", "linf"),
    NormLaplace(3, "1/2", "linf"),
    NormStaircase(dimension=2, sensitivity=3, epsilon=2, width=1, norm="linf"),
    NormStaircase(dimension=2, sensitivity=2, epsilon=3, width=2, norm="linf"),
    NormStaircase(dimension=3, sensitivity=2, epsilon=6, width=1, norm="linf"),
]
each = pytest.mark.parametrize("law", LAWS, ids=repr)


@lru_cache
def marginal(law: NormLaplace | NormStaircase) -> dict[int, mpf]:
    """P(X₁ = k) by summing the weights of all vectors in a box that holds nearly all mass."""
    shape, reach = law.shape, law.quantile(1 - Fraction(1, 10**12))
    with mpmath.workdps(30):
        chances: dict[int, mpf] = {}
        for x in product(range(-reach, reach + 1), repeat=law.dimension):
            weight = mpmath.exp(-number(shape.rate) * shape.level(max(map(abs, x))))
            chances[x[0]] = chances.get(x[0], mpf(0)) + weight
        total = sum(chances.values())
        return {k: chance / total for k, chance in chances.items()}


def close(found: Interval, truth: mpf, slack: float = 1e-9) -> bool:
    return bool(
        abs(number(found.lower) - truth) < slack and abs(number(found.upper) - truth) < slack
    )


@each
def test_probabilities_are_sums(law: NormLaplace | NormStaircase) -> None:
    coordinate, chances = CubeCoordinate(law.shape), marginal(law)
    for k in (0, 1, -1, 2, 3, 5):
        assert close(coordinate.pmf(k), chances[k])
    for m in (0, 1, 2, 4):
        outside = sum(chance for k, chance in chances.items() if abs(k) > m)
        assert close(coordinate.outside(m).interval(), outside)


@each
def test_moments_and_costs_are_sums(law: NormLaplace | NormStaircase) -> None:
    coordinate, chances = CubeCoordinate(law.shape), marginal(law)
    for order in (1, 2, 3, 4):
        truth = sum(abs(k) ** order * chance for k, chance in chances.items())
        assert close(coordinate.moment(order), truth, 1e-5)
    assert coordinate.moment(0) == Interval.exactly(1)
    capped = OwnCost(lambda error: min(error, Fraction(3)), growth=1)
    truth = sum(min(abs(k), 3) * chance for k, chance in chances.items())
    assert close(expected_cost(coordinate, capped), truth, 1e-8)
    half = sum(abs(k) ** 1.5 * chance for k, chance in chances.items())
    assert close(expected_cost(coordinate, Moment("3/2")), half, 1e-6)
    tail = sum(chance for k, chance in chances.items() if abs(k) > 2)
    assert close(expected_cost(coordinate, TailProbability(2)), tail)


@each
@pytest.mark.parametrize("level", ["0", "0.5", "0.9", "0.999"])
def test_quantile_is_the_least_sufficient(law: NormLaplace | NormStaircase, level: str) -> None:
    coordinate = CubeCoordinate(law.shape)
    m = coordinate.quantile(level)
    assert coordinate.outside(m).compare(1 - Fraction(level)) <= 0
    assert m == 0 or coordinate.outside(m - 1).compare(1 - Fraction(level)) > 0


def test_wide_law_has_the_moments_of_the_density() -> None:
    """E|X₁| → (d+1)·s/2 and E X₁² → (d+1)(d+2)·s²/3 for a large scale s."""
    scale, dimension = 2**30, 100
    coordinate = CubeCoordinate(NormLaplace(dimension, scale, "linf").shape)
    assert float(coordinate.moment(1)) == pytest.approx((dimension + 1) * scale / 2, rel=1e-6)
    square = (dimension + 1) * (dimension + 2) * scale**2 / 3
    assert float(coordinate.moment(2)) == pytest.approx(square, rel=1e-6)


def test_samples_have_this_coordinate() -> None:
    """Mean magnitudes of 2^18 draws lie within five standard errors: false alarm below 1e-6."""
    law = NormLaplace(4, 3, "linf")
    drawn = np.abs(law.sample(1 << 18)[:, 2])
    coordinate = CubeCoordinate(law.shape)
    mean, square = float(coordinate.moment(1)), float(coordinate.moment(2))
    error = np.sqrt((square - mean**2) / drawn.size)
    assert abs(drawn.mean() - mean) < 5 * error
    assert abs(drawn.mean() - 1.1 * mean) > 5 * error
