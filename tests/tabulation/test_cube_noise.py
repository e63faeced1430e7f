import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy.stats import binom, gamma

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.numeric import ball as balls
from leastnoise.tabulation import CubeNoise
from leastnoise.tabulation.column_noise import Offset
from leastnoise.tabulation.error_laws import single_error, worst_error
from leastnoise.tabulation.radius_sum import RadiusSum
from tests.tabulation.brute_force import cube_law, laplace_law

FALSE_ALARM = 1e-6


@pytest.mark.parametrize(("columns", "scale"), [(1, 2.0), (2, 1.5), (3, 0.7)])
@pytest.mark.parametrize("offset_scale", [None, 2.5, 4.0])
def test_closed_forms_against_sums_over_all_points(
    columns: int, scale: float, offset_scale: float | None
) -> None:
    noise = CubeNoise(columns, scale)
    law = cube_law(columns, scale, {1: 60, 2: 45, 3: 18}[columns])
    offset: Offset = None if offset_scale is None else DiscreteLaplace(offset_scale)
    offsets = {0: 1.0} if offset_scale is None else laplace_law(offset_scale, 90)
    points, chances = np.array(list(law)), np.array(list(law.values()))
    worst, single = np.zeros(200), np.zeros(200)
    for x, q in offsets.items():
        away = np.abs(points + x)
        worst += np.bincount(away.max(axis=1), chances * q, minlength=200)
        single += np.bincount(away[:, 0], chances * q, minlength=200)
    for t in (0, 1, 2, 4, 7, 12):
        assert float(noise.worst_within(t, offset)) == pytest.approx(worst[: t + 1].sum(), abs=1e-8)
        assert float(noise.one_within(t, offset)) == pytest.approx(single[: t + 1].sum(), abs=1e-8)
    mean = float(worst @ np.arange(200))
    assert float(noise.worst_mean(offset)) == pytest.approx(mean, rel=1e-6)
    if offset is None:
        assert float(noise.absolute_mean) == pytest.approx(single @ np.arange(200), rel=1e-6)
        assert float(noise.variance) == pytest.approx(single @ np.arange(200) ** 2, rel=1e-5)


@pytest.mark.spread(4)
@pytest.mark.parametrize("columns", [2, 10, 1000, 10**5])
@pytest.mark.parametrize("epsilon", ["0.01", "1"])
def test_closed_form_of_the_mean_lies_in_the_generic_bracket(columns: int, epsilon: str) -> None:
    """Two different proofs of the same number."""
    noise = CubeNoise(columns, 1 / Fraction(epsilon))
    offset = DiscreteLaplace(noise.scale * (1 + Fraction(math.isqrt(columns)) / 2))
    for shift in (None, offset):
        law = worst_error(noise, shift)
        exact = noise.worst_mean(shift)
        assert law.mean.lower <= exact.upper * law.unit
        assert exact.lower * law.unit <= law.mean.upper
        assert law.mean.width <= law.mean.upper / 20


@pytest.mark.parametrize("columns", [1, 7, 300])
def test_single_column_mean_by_two_ways(columns: int) -> None:
    noise = CubeNoise(columns, 3)
    law = single_error(noise, None)
    assert law.mean.lower <= noise.absolute_mean.upper
    assert noise.absolute_mean.lower <= law.mean.upper


def test_the_norm_has_the_law_of_the_vector_law() -> None:
    noise, law = CubeNoise(50, "7/3"), NormLaplace(50, "7/3", "linf")
    for t in (0, 60, 100, 117, 150, 400):
        assert float(noise.worst_within(t, None)) == pytest.approx(float(law.cdf(t)), abs=1e-15)
    assert worst_error(noise, None).quantile("0.95").upper == law.quantile("0.95")


def test_at_large_scale_the_norm_is_gamma() -> None:
    noise = CubeNoise(100, 10**6)
    for level in ("0.05", "0.5", "0.95", "0.999999"):
        exact = gamma.ppf(float(level), 100) * 10**6
        assert float(worst_error(noise, None).quantile(level)) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("columns", [1, 2, 5, 40])
def test_one_column_law_is_consistent_with_all(columns: int) -> None:
    noise, offset = CubeNoise(columns, 2), DiscreteLaplace(9)
    for t in range(0, 60, 7):
        for shift in (None, offset):
            one, worst = noise.one_within(t, shift), noise.worst_within(t, shift)
            assert worst.lower <= one.upper
            if columns == 1:
                assert float(one) == pytest.approx(float(worst), abs=1e-15)


def test_probabilities_far_from_the_bulk_are_quick_and_sound() -> None:
    noise, offset = CubeNoise(10**6, 1), DiscreteLaplace(1000)
    for t in (0, 1, 1000, 500_000, 900_000):
        assert noise.worst_within(t, offset).upper < Fraction(1, 10**30)
        assert float(noise.one_within(t, offset)) == pytest.approx(t / 10**6, abs=2e-3)
    assert noise.worst_within(2 * 10**6, offset).lower > 1 - Fraction(1, 10**30)


def test_partial_sums_below_what_matters_are_balls_around_zero() -> None:
    terms = RadiusSum(power=50, rate=Fraction(1), extra=1)
    exact = sum(math.exp(-k) * (2 * k + 1) ** 50 for k in range(4))
    with balls.precision(256):
        assert float(terms.up_to(3, arb(0))) == pytest.approx(exact, rel=1e-9)
        rough = terms.up_to(3, arb(10) ** 60)
    assert float(rough.rad()) >= exact
    assert float(rough.mid()) == 0


def test_beside_other_offsets_the_errors_are_not_known() -> None:
    for offset in (DiscreteGaussian(10), DiscreteLaplace(1)):
        with pytest.raises(UnsupportedQuery, match="greater scale"):
            CubeNoise(10, 2).worst_within(3, offset)


@pytest.mark.parametrize("bad", [(0, 1), (3, 0), (3, -1), (2.5, 1), (3, "1/5000")])
def test_bad_parameters_are_refused(bad: tuple[int, float]) -> None:
    with pytest.raises(InvalidParameter):
        CubeNoise(*bad)


# The sampler: how often draws stay within the quantile that the law states


def within(noise: CubeNoise, limit: int, draws: int) -> int:
    return sum(int(np.abs(noise.sample()).max()) <= limit for _ in range(draws))


def p_value(hits: int, draws: int, chance: float) -> float:
    below = float(binom.cdf(hits, draws, chance))
    above = float(binom.sf(hits - 1, draws, chance))
    return 2 * min(below, above, 0.5)


@pytest.mark.parametrize("columns", [3, 200])
def test_samples_keep_the_stated_error(columns: int) -> None:
    noise, draws = CubeNoise(columns, 20), 3000
    limit = int(worst_error(noise, None).quantile("0.5").upper)
    chance = float(noise.worst_within(limit, None))
    assert p_value(within(noise, limit, draws), draws, chance) >= FALSE_ALARM


@pytest.mark.parametrize("factor", ["0.9", "1.1"])
def test_a_scale_off_by_a_tenth_is_noticed(factor: str) -> None:
    noise, draws = CubeNoise(200, 20), 3000
    limit = int(worst_error(noise, None).quantile("0.5").upper)
    off = CubeNoise(200, 20 * Fraction(factor))
    chance = float(noise.worst_within(limit, None))
    assert p_value(within(off, limit, draws), draws, chance) < FALSE_ALARM
