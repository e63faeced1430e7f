"""Laplace noise in a norm: its special cases, its limits and its draws."""

import math
import tracemalloc
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, gamma

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.vectors.cube import Cube
from leastnoise.noise.vectors.norm import Norm
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.randomness.source import Source
from tests.noise.norm_reference import norms
from tests.time_limit import time_limit

FALSE_ALARM = 1e-6
DRAWS = 1 << 15
NORMS: tuple[Norm, ...] = ("l1", "linf")


def p_value(observed: NDArray[Any], chances: NDArray[np.float64]) -> float:
    """Pearson's test of counts against chances that add up to 1."""
    expected = observed.sum() * chances
    assert expected.min() > 20, "the approximation by chi-square needs fuller classes"
    return float(chi2.sf(((observed - expected) ** 2 / expected).sum(), len(expected) - 1))


def fit_of_norms(drawn: NDArray[Any], law: VectorLaw, norm: Norm) -> float:
    """Whether the norms of draws have the law's own distribution."""
    cuts = sorted({law.quantile(Fraction(i, 20)) for i in range(1, 20)})
    reached = [0.0, *(float(law.cdf(cut)) for cut in cuts), 1.0]
    chances = np.array([above - below for below, above in pairwise(reached)])
    places = np.searchsorted(cuts, norms(drawn, norm), side="left")
    return p_value(np.bincount(places, minlength=len(chances)), chances)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("scale", ["0.2", 1, "13/3", 10**6])
def test_one_dimension_is_the_discrete_laplace_law(norm: Norm, scale: Any) -> None:
    law, plain = NormLaplace(1, scale, norm), DiscreteLaplace(scale)
    for k in (-3, 0, 1, 7):
        assert float(law.pmf([k])) == pytest.approx(float(plain.pmf(k)), rel=1e-15)
    for distance in (1, 5):
        for epsilon in ("0", "0.1", "0.9"):
            assert law.delta(epsilon, distance) == plain.delta(epsilon, distance)
    assert law.quantile("0.9") == plain.quantile("0.9")
    assert float(law.moment(3)) == pytest.approx(float(plain.moment(3)), rel=1e-15)


def test_in_l1_the_coordinates_are_independent() -> None:
    law, plain = NormLaplace(3, "5/2", "l1"), DiscreteLaplace("5/2")
    together = math.prod(float(plain.pmf(k)) for k in (2, 0, -7))
    assert float(law.pmf([2, 0, -7])) == pytest.approx(together, rel=1e-14)
    assert float(law.delta("0.3", 2)) == float(plain.delta("0.3", 2))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dimension", [2, 10, 300])
def test_at_large_scale_the_norm_is_a_gamma_variable(norm: Norm, dimension: int) -> None:
    scale = 10**7
    law = NormLaplace(dimension, scale, norm)
    for level in (0.01, 0.5, 0.99):
        expected = scale * gamma.ppf(level, dimension)
        assert law.quantile(level) == pytest.approx(expected, rel=1e-4)
        wrong = scale * gamma.ppf(level, dimension + 1)
        assert law.quantile(level) != pytest.approx(wrong, rel=1e-4)
    assert float(law.moment(1)) == pytest.approx(dimension * scale, rel=1e-6)
    assert float(law.moment(2)) == pytest.approx(dimension * (dimension + 1) * scale**2, rel=1e-6)


@pytest.mark.parametrize("dimension", [2, 10, 50])
def test_tail_bound_holds_from_the_mean_on(dimension: int) -> None:
    law = NormLaplace(dimension, 10**5, "linf")
    for times in (1.0, 1.5, 2.0, 4.0):
        bound = (times * math.exp(1 - times)) ** dimension
        assert float(law.tail(math.ceil(times * dimension * 10**5))) <= bound * (1 + 1e-9)


def test_tail_bound_needs_its_condition() -> None:
    truth = float(NormLaplace(10, 10**5, "linf").tail(5 * 10**5))
    assert truth == pytest.approx(0.968, abs=1e-3)
    assert truth > (0.5 * math.exp(0.5)) ** 10


@pytest.mark.parametrize(("dimension", "truth"), [(2, 0.0916), (10, 0.0050)])
def test_twice_the_mean_is_exceeded_as_rarely_as_stated(dimension: int, truth: float) -> None:
    tail = float(NormLaplace(dimension, 10**6, "linf").tail(2 * dimension * 10**6))
    assert tail == pytest.approx(truth, abs=1e-4)
    assert (2 * math.e) ** -dimension < tail < (2 / math.e) ** dimension


@pytest.mark.spread(4)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(("dimension", "scale"), [(2, 3), (5, 40), (60, 1), (40, 10**6)])
def test_norms_of_draws_fit_and_other_scales_do_not(norm: Norm, dimension: int, scale: int) -> None:
    drawn = NormLaplace(dimension, scale, norm).sample(DRAWS)
    for factor, fits in ((1, True), (Fraction(9, 10), False), (Fraction(11, 10), False)):
        law = NormLaplace(dimension, scale * factor, norm)
        assert (fit_of_norms(drawn, law, norm) > FALSE_ALARM) is fits


@pytest.mark.parametrize("norm", NORMS)
def test_points_of_draws_fit(norm: Norm) -> None:
    law = NormLaplace(2, 1, norm)
    assert fit_of_points(law.sample(DRAWS), law) > FALSE_ALARM


def test_a_radius_with_the_weights_of_one_dimension_less_is_noticed() -> None:
    law = NormLaplace(2, 1, "linf")
    radii = np.abs(DiscreteLaplace(1).sample(DRAWS))
    assert fit_of_points(Cube(2).uniform(radii, Source()), law) < FALSE_ALARM


def fit_of_points(drawn: NDArray[Any], law: NormLaplace) -> float:
    inside = [(x, y) for x in range(-2, 3) for y in range(-2, 3)]
    chances = np.array([float(law.pmf(point)) for point in inside])
    codes = np.where(np.abs(drawn).max(axis=1) <= 2, (drawn[:, 0] + 2) * 5 + drawn[:, 1] + 2, 25)
    return p_value(np.bincount(codes, minlength=26), np.append(chances, 1 - chances.sum()))


def test_coordinates_are_dependent_in_linf_only() -> None:
    for norm in NORMS:
        drawn = NormLaplace(2, 50, norm).sample(DRAWS)
        magnitudes = np.abs(drawn).astype(np.float64)
        correlation = float(np.corrcoef(magnitudes[:, 0], magnitudes[:, 1])[0, 1])
        assert (abs(correlation) > 5 / math.sqrt(DRAWS)) is (norm == "linf")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("scale", [1, 1000])
def test_a_hundred_thousand_dimensions(norm: Norm, scale: int) -> None:
    law = NormLaplace(10**5, scale, norm)
    tracemalloc.start()
    with time_limit(20):
        drawn = law.sample()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held - drawn.nbytes < 64 * 2**20
    assert drawn.shape == (10**5,)
    mean, square = float(law.moment(1)), float(law.moment(2))
    deviation = math.sqrt(max(0.0, square - mean**2))
    assert abs(int(norms(drawn, norm)) - mean) < 6 * deviation


def test_values_beyond_64_bits_are_whole() -> None:
    law = NormLaplace(1000, 2**56, "linf")
    drawn = law.sample(2)
    assert drawn.dtype == np.object_
    assert drawn.shape == (2, 1000)
    values = drawn.ravel().tolist()
    assert all(type(value) is int for value in values)
    assert 2**64 < max(map(abs, values)) < 2**68


def test_a_scale_too_large_to_draw_is_refused_but_answers() -> None:
    law = NormLaplace(3, 10**25, "linf")
    assert law.quantile("0.5") == pytest.approx(10**25 * gamma.ppf(0.5, 3), rel=1e-9)
    with pytest.raises(UnsupportedQuery):
        law.sample()


@pytest.mark.parametrize(
    ("dimension", "scale", "norm"),
    [
        (0, 1, "l1"),
        (-1, 1, "linf"),
        (2.0, 1, "l1"),
        (True, 1, "l1"),
        (2, 0, "l1"),
        (2, -1, "linf"),
        (2, float("nan"), "l1"),
        (2, float("inf"), "l1"),
        (2, True, "l1"),
        (2, "1e-9", "linf"),
        (2, 1, "l3"),
        (2, 1, None),
        (2, 1, ["l1"]),
    ],
)
def test_bad_parameters(dimension: Any, scale: Any, norm: Any) -> None:
    with pytest.raises(InvalidParameter):
        NormLaplace(dimension, scale, norm)
