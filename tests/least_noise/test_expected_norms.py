"""E‖N‖₂ and E max of independent noise, against closed forms, quadrature and sums."""

import math
from fractions import Fraction

import pytest
from mpmath import cos, exp, gamma, mpf, pi, quad, sin, sqrt

from leastnoise.errors import InvalidParameter
from leastnoise.least_noise.vector.expected_norms import gaussian_norm, laplace_max, laplace_norm
from leastnoise.numeric.interval import Interval


@pytest.mark.parametrize("dimension", [1, 2, 7, 1000])
def test_gaussian_norm(dimension: int) -> None:
    found = gaussian_norm(dimension=dimension, sigma="2.5")
    half = mpf(dimension) / 2
    expected = mpf(5) / 2 * sqrt(mpf(2)) * gamma(half + mpf(1) / 2) / gamma(half)
    assert float(found) == pytest.approx(float(expected), rel=1e-14)
    assert found.width < 1e-18 * float(found)


def test_laplace_norm_of_two_is_an_integral_over_the_plane() -> None:
    """In polar coordinates ∫ r²·e^(−r(cos t + sin t)) dr = 2/(cos t + sin t)³."""
    inner = quad(lambda t: 2 / (cos(t) + sin(t)) ** 3, [0, pi / 2])
    found = laplace_norm(dimension=2)
    assert float(found) == pytest.approx(float(inner), rel=1e-14)
    assert found.width < 1e-20


def test_golden_laplace_norms() -> None:
    """d = 1: E|X| = 1; d = 2: by the integral above; many: √(2d)·(1 − 5/(8d)) and little more."""
    assert laplace_norm(dimension=1, scale="0.5") == Interval.exactly(Fraction(1, 2))
    assert float(laplace_norm(dimension=2)) == pytest.approx(1.62322524014023016, rel=1e-15)
    for d in (1000, 10**6):
        # E√S = √μ·(1 − v/8 + …), S the sum of d squares of mean 2 and variance 20: v = 5/d
        near = math.sqrt(2 * d) * (1 - 5 / (8 * d))
        assert float(laplace_norm(dimension=d)) == pytest.approx(near, rel=20 / d**2)


@pytest.mark.parametrize("dimension", [3, 30])
def test_laplace_norm_lies_between_what_is_known(dimension: int) -> None:
    """E‖N‖₁/√d ≤ E‖N‖₂ ≤ √(E‖N‖₂²)."""
    value = float(laplace_norm(dimension=dimension))
    assert math.sqrt(dimension) < value < math.sqrt(2 * dimension)


@pytest.mark.parametrize("dimension", [1, 2, 5, 40])
def test_laplace_max(dimension: int) -> None:
    largest = laplace_max(dimension=dimension, scale=3)
    harmonic = sum(Fraction(1, k) for k in range(1, dimension + 1))
    assert largest.lower <= 3 * harmonic <= largest.upper
    assert largest.width < 1e-20
    signed = laplace_max(dimension=dimension, absolute=False)
    above = quad(lambda x: 1 - (1 - exp(-x) / 2) ** dimension, [0, 1, 5, 20, 80])
    below = mpf(2) ** -dimension / dimension
    assert float(signed) == pytest.approx(float(above - below), abs=1e-13)


def test_largest_of_very_many() -> None:
    many, few = (laplace_max(dimension=d, absolute=False) for d in (257, 256))
    assert float(many.lower - few.upper) == pytest.approx(1 / 257, rel=1e-12)
    assert laplace_max(dimension=1, absolute=False) == Interval.exactly(0)


def test_bad_arguments() -> None:
    with pytest.raises(InvalidParameter, match="`dimension`"):
        laplace_norm(dimension=0)
    with pytest.raises(InvalidParameter, match="`scale` must be positive"):
        laplace_max(dimension=2, scale=0)
    with pytest.raises(InvalidParameter, match="`sigma` must be positive"):
        gaussian_norm(dimension=2, sigma=-1)
