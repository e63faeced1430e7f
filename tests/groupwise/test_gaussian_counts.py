"""Log-Gaussian and spaced counts: errors, bias, privacy, releases."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import ndtr, ndtri

from leastnoise.errors import InvalidParameter
from leastnoise.groupwise import LogGaussianCounts, SpacedCounts
from leastnoise.groupwise.even_gaps import bent_gaps, even_gaps
from leastnoise.groupwise.log_error import LogError
from leastnoise.numeric import ball as balls

# Real-valued estimates.


@pytest.mark.parametrize("error", ["0.001", "0.05", "0.3", "0.9", "0.999"])
@pytest.mark.parametrize("unbiased", [False, True])
def test_the_promised_error_is_used_up(error: str, unbiased: bool) -> None:
    mechanism = LogGaussianCounts(relative_error=error, unbiased=unbiased)
    for size in (1, 7, 10**6, 10**15):
        bracket = mechanism.expected_error(size)
        promised = Fraction(error) * size
        assert promised * (1 - Fraction(1, 2**15)) <= bracket.lower <= bracket.upper <= promised


def test_sigma_solves_the_equation_of_the_error() -> None:
    for error in (0.01, 0.1, 0.5, 0.9):
        median = LogGaussianCounts(relative_error=error)
        sigma = float(median.channel.squared_sigma) ** 0.5
        assert sigma == pytest.approx(ndtri((1 + error) / 2), rel=2e-4)
        unbiased = LogGaussianCounts(relative_error=error, unbiased=True)
        sigma = float(unbiased.channel.squared_sigma) ** 0.5
        assert sigma == pytest.approx(2 * ndtri(0.5 + error / 4), rel=2e-4)


def test_the_shift_of_least_error_is_the_variance() -> None:
    channel = LogGaussianCounts(relative_error="0.4").channel
    square = channel.squared_sigma

    def error(share: str) -> float:
        with balls.precision(128):
            return float(LogError(channel, Fraction(share) * square).relative(1))

    assert error("1") < error("0.99")
    assert error("1") < error("1.01")


def test_tails_and_integrals_agree_with_quadrature() -> None:
    """E(X − t)⁺ and E(t − X)⁺ for X = n·exp(σZ − s), by the integral of the normal density."""
    channel = LogGaussianCounts(relative_error="0.3").channel
    log = LogError(channel, channel.squared_sigma)
    sigma, size = float(channel.squared_sigma) ** 0.5, 50
    z = np.linspace(-12, 12, 400_001)
    weights = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    values = size * np.exp(sigma * z - sigma**2)
    with balls.precision(128):
        position = log.position(size)
        for t in (20, 50, 77):
            excess = float((weights * np.maximum(values - t, 0)).sum())
            missing = float((weights * np.maximum(t - values, 0)).sum())
            assert float(log.excess(position, t, 1)) == pytest.approx(excess, rel=1e-8)
            assert float(log.shortfall(position, t, 1)) == pytest.approx(missing, rel=1e-8)
            below = float(weights[values < t].sum())
            border = log.border(Fraction(t))
            assert float(log.below(position, border, 1)) == pytest.approx(below, abs=1e-4)
            assert float(log.above(position, border, 1)) == pytest.approx(1 - below, abs=1e-4)


def test_upper_bounds_are_above_lower_ones() -> None:
    channel = LogGaussianCounts(relative_error="0.3").channel
    log = LogError(channel, channel.squared_sigma)
    with balls.precision(128):
        position = log.position(50)
        border = log.border(Fraction(60))
        assert log.above(position, border, -1) < log.above(position, border, 1)
        assert log.below(position, border, -1) < log.below(position, border, 1)
        assert log.excess(position, 60, -1) < log.excess(position, 60, 1)
        assert log.shortfall(position, 60, -1) < log.shortfall(position, 60, 1)


@pytest.mark.parametrize("error", ["0.0001", "0.05", "0.999"])
def test_floats_decode_to_well_within_a_step(error: str) -> None:
    """exp(K/M − σ²) by floats and by mpmath: 2**−46 of it at most, a sixty-fourth of a step."""
    channel = LogGaussianCounts(relative_error=error).channel
    top = channel.map.place(2**62) + 10 * math.isqrt(channel.variance)
    places = np.random.default_rng(4).integers(-top // 8, top, 300)
    shift = channel.squared_sigma
    for place, found in zip(places.tolist(), channel.estimates(places, shift), strict=True):
        exact = mp.exp(mpf(place) / 2**channel.bits - mpf(shift.numerator) / shift.denominator)
        assert abs(mpf(float(found)) / exact - 1) < mpf(2) ** -46


def test_unbiased_estimates_have_the_right_mean() -> None:
    mechanism = LogGaussianCounts(relative_error="0.3", unbiased=True, smallest=0, slack=5)
    assert 0 in mechanism.bias(1000)
    assert mechanism.bias(1000).width < Fraction(1, 10**7)
    drawn = mechanism.release(np.full(300_000, 100)).value
    assert abs(drawn.mean() - 100) < 6 * drawn.std() / math.sqrt(drawn.size)
    biased = LogGaussianCounts(relative_error="0.3")
    assert float(biased.bias(1000)) == pytest.approx(
        1000 * math.expm1(-float(biased.channel.squared_sigma) / 2), rel=1e-6
    )


@pytest.mark.parametrize("unbiased", [False, True])
def test_releases_have_the_stated_error(unbiased: bool) -> None:
    mechanism = LogGaussianCounts(relative_error="0.2", unbiased=unbiased)
    for size in (1, 30, 10**9):
        errors = np.abs(mechanism.release(np.full(200_000, size)).value - size)
        stated, deviation = float(mechanism.expected_error(size)), errors.std() / math.sqrt(200_000)
        assert abs(errors.mean() - stated) < 6 * deviation
        assert abs(errors.mean() - 1.1 * stated) > 6 * deviation
        assert abs(errors.mean() - 0.9 * stated) > 6 * deviation


def test_errors_below_the_smallest_are_bounded() -> None:
    mechanism = LogGaussianCounts(relative_error="0.1", smallest=10)
    errors = np.abs(mechanism.release(np.full(100_000, 3)).value - 3)
    assert float(mechanism.expected_error(3).lower) <= errors.mean()
    assert errors.mean() <= float(mechanism.expected_error(3).upper)


def test_a_lower_limit_is_right_as_often_as_it_says() -> None:
    mechanism = LogGaussianCounts(relative_error="0.2", unbiased=True)
    drawn = mechanism.release(np.full(400, 500)).value
    limits = [mechanism.lower_limit(float(y), confidence="0.9") for y in drawn]
    wrong = sum(limit > 500 for limit in limits)
    assert wrong <= 40 + 6 * 6  # the mean, and six deviations
    assert mechanism.lower_limit("-3", confidence="0.9") == 0


@pytest.mark.parametrize("size", [1, 2, 3, 10, 1000])
def test_v_is_that_of_the_lattice(size: int) -> None:
    mechanism = LogGaussianCounts(relative_error="0.1", smallest=1, slack=0)
    channel, pair = mechanism.channel, max(size, 2)
    gap = math.ceil(math.log(pair / (pair - 1)) * 2**channel.bits)
    assert mechanism.privacy(size) == Fraction(gap**2, 2 * channel.variance)


def test_slack_gives_an_empty_group_a_price() -> None:
    """v(0) = ln²(1 + 1/a)/(2σ²)."""
    mechanism = LogGaussianCounts(relative_error="0.1", smallest=0, slack=2)
    exact = math.log(1.5) ** 2 / (2 * float(mechanism.channel.squared_sigma))
    assert float(mechanism.privacy(0)) == pytest.approx(exact, rel=1e-9)


# Spaced counts.


def test_even_gaps_invert_the_error_of_an_even_line() -> None:
    gaps = even_gaps(np.array([0.001, 0.05, 0.5, 2.0, 8.0]))
    for gap, error in zip(gaps, [0.001, 0.05, 0.5, 2.0, 8.0], strict=True):
        middles = np.arange(0.5, 200) * gap
        assert 2 * ndtr(-middles).sum() == pytest.approx(error, rel=1e-12)
    assert even_gaps(np.empty(0)).size == 0


def test_bent_gaps_are_never_wider_than_those_of_logarithms() -> None:
    counts = np.arange(2.0, 3000.0)
    gaps = bent_gaps(0.01, counts, ndtri(0.505))
    logs = np.log(counts / (counts - 1)) / ndtri(0.505)
    assert np.all(gaps <= logs)
    assert np.any(gaps < 0.97 * logs)
    assert gaps[-1] == logs[-1]


def spaced_error(mechanism: SpacedCounts, x: int) -> float:
    """In floats, as if noise were continuous: the steps of the lattice are 2**-32 deviations."""
    line = mechanism.line
    borders = np.array(line.borders) / 2**32
    place = line.places[x - line.first] / 2**32
    above = ndtr(place - borders[x - line.first :]).sum()
    return float(above + ndtr(borders[: x - line.first] - place).sum())


@pytest.mark.parametrize(("error", "largest"), [("0.05", 160), ("0.1", 60), ("0.7", 11)])
def test_spaced_errors_are_as_promised(error: str, largest: int) -> None:
    mechanism = SpacedCounts(relative_error=error, largest=largest)
    for x in {1, 2, 3, largest // 2, largest - 1, largest}:
        bracket = mechanism.expected_error(x)
        assert float(bracket) == pytest.approx(spaced_error(mechanism, x), rel=1e-7)
        assert bracket.upper <= Fraction(error) * x


def test_spaced_gaps_never_grow() -> None:
    mechanism = SpacedCounts(relative_error="0.05", smallest=3, largest=100)
    budgets = [mechanism.privacy(x) for x in range(200)]
    assert budgets == sorted(budgets, reverse=True)
    assert budgets[0] == mechanism.privacy(4)


def test_spaced_releases() -> None:
    mechanism = SpacedCounts(relative_error="0.1", smallest=2, largest=30)
    for x in (2, 3, 10, 30):
        drawn = mechanism.release(np.full(200_000, x)).value
        errors = np.abs(drawn - x)
        stated = float(mechanism.expected_error(x))
        assert abs(errors.mean() - stated) < 6 * errors.std() / math.sqrt(200_000)
    outside = mechanism.release([0, 10**9]).value
    assert outside.min() >= 2
    assert outside.max() <= 30


@pytest.mark.parametrize("x", [3, 10, 29])
def test_spaced_neighbours_are_gaussians_a_gap_apart(x: int) -> None:
    mechanism = SpacedCounts(relative_error="0.1", smallest=2, largest=30)
    v = float(mechanism.privacy(x))
    for order in ("1.5", 4, 32):
        divergence = float(mechanism.loss(x).renyi(order).upper)
        assert divergence == pytest.approx(float(order) * v, rel=1e-9)


@pytest.mark.parametrize(
    "parameters",
    [{"largest": 1}, {"largest": 81}, {"largest": 2.5}, {"smallest": 0, "largest": 5}, {}],
)
def test_bad_ranges_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises((InvalidParameter, TypeError)):
        SpacedCounts(relative_error="0.1", **parameters)


def test_sizes_outside_the_range_have_no_stated_error() -> None:
    with pytest.raises(InvalidParameter):
        SpacedCounts(relative_error="0.1", largest=10).expected_error(11)
