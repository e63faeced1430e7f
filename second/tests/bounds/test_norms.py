"""Laws of norms against scipy, mpmath and sums by hand; the published bound and where it is none."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import ctx
from mpmath import mp, mpf
from scipy import stats

from leastnoise.bounds import cube_tail, norm_of
from leastnoise.bounds.upper import CubeNorm, falling_powers
from leastnoise.noise import (
    DiscreteLaplace,
    Laplace,
    Normal,
    NormStaircase,
    RoundedGaussian,
    TruncatedLaplace,
    Uniform,
)
from leastnoise.noise.distribution import Distribution
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.interval import Interval


def test_the_greatest_of_a_hundred_laplace_draws() -> None:
    """The row "independent Laplace" of the example: 2*758/0.1 = 15,160. With 757 it is 0.94997."""
    with mp.workdps(40):
        b = mp.e ** (-mpf("0.01"))
        within = {m: (1 - 2 * b ** (m + 1) / (1 + b)) ** 100 for m in (757, 758)}
    assert within[757] < mpf("0.95") < within[758]
    law = norm_of(DiscreteLaplace("0.01"), 100)
    assert law.quantile("0.95") == Interval.exactly(758)
    assert float(law.tail(758)) == pytest.approx(float(1 - within[757]), rel=1e-13)


LAWS: list[Distribution] = [
    DiscreteLaplace("0.7"), RoundedGaussian(3), TruncatedLaplace(1, 1, "0.01"), Uniform(1, "0.15"),
]  # fmt: skip


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("count", [1, 3])
def test_independent_noise_point_by_point(law: Distribution, count: int) -> None:
    chances = {k: float(law.pmf(k)) for k in range(-80, 81)}

    def within(m: int) -> float:
        return sum(chances[k] for k in range(-m, m + 1)) ** count

    norm = norm_of(law, count)
    for m in (1, 2, 4):
        assert float(norm.tail(m)) == pytest.approx(1 - within(m - 1), abs=1e-12)
    for order in (1, 2):
        mean = sum((1 - within(k - 1)) * (k**order - (k - 1) ** order) for k in range(1, 60))
        assert float(norm.moment(order)) == pytest.approx(mean, rel=1e-9)
    for level in (0.3, 0.9, 0.999):
        assert norm.quantile(level).lower == next(m for m in range(80) if within(m) >= level)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_norms_on_the_line_are_gamma_laws(count: int) -> None:
    length, total = (
        norm_of(Normal(0, 4), count, norm="l2"),
        norm_of(Laplace(0, 3), count, norm="l1"),
    )
    chi, gamma = stats.chi(count, scale=2), stats.gamma(count, scale=3)
    for found, known in ((length, chi), (total, gamma)):
        assert float(found.tail(5)) == pytest.approx(known.sf(5), rel=1e-11)
        assert float(found.quantile("0.9")) == pytest.approx(known.ppf(0.9), rel=1e-11)
        assert [float(found.moment(n)) for n in (1, 2, 3)] == pytest.approx(
            [known.moment(n) for n in (1, 2, 3)], rel=1e-9
        )


@pytest.mark.parametrize(("dimension", "rate"), [(1, "0.3"), (2, "1"), (3, "2.5"), (2, "9")])
def test_cube_noise_point_by_point(dimension: int, rate: str) -> None:
    reach = 14 if float(rate) > 0.5 else 120
    points = np.array(list(product(range(-reach, reach + 1), repeat=dimension)))
    norms = np.abs(points).max(axis=1)
    weights = np.exp(-float(rate) * norms)
    weights /= weights.sum()
    cube = CubeNorm(dimension, Fraction(rate))
    assert [float(cube.tail(k)) for k in (1, 2, 5)] == pytest.approx(
        [weights[norms >= k].sum() for k in (1, 2, 5)], rel=1e-3, abs=1e-12
    )
    one = np.abs(points[:, 0])
    for order in (1, 2):
        assert float(cube.moment(order)) == pytest.approx(weights @ norms**order, rel=1e-3)
        assert float(cube.part(order)) == pytest.approx(weights @ one**order, rel=1e-3)


@pytest.mark.parametrize("rate", ["0.001", "0.3", "4"])
def test_cube_noise_is_the_staircase_of_period_one(rate: str) -> None:
    """Two computations: by Euler and Maclaurin, and by differences of polynomials."""
    law = NormStaircase(dimension=20, period=1, rate=rate, width=1, norm="linf")
    cube = norm_of(law, norm="linf")
    assert isinstance(cube, CubeNorm)
    level = Fraction(95, 100)
    place = law.quantile(level)
    assert cube.quantile(level).lower == place
    assert float(cube.tail(place + 1)) == pytest.approx(float(law.tail(place + 1)), rel=1e-14)
    assert float(cube.moment(2)) == pytest.approx(float(law.moment(2)), rel=1e-14)


def test_cube_noise_of_a_million_columns() -> None:
    """As wide noise: the norm is about Gamma(d)/epsilon, and one number half of it on average."""
    cube = CubeNorm(10**6, Fraction(1))
    assert float(cube.quantile("0.95").lower) == pytest.approx(stats.gamma.ppf(0.95, 10**6), abs=2)
    assert float(cube.part(1)) == pytest.approx(5e5, rel=1e-5)


@pytest.mark.parametrize(
    ("power", "rate", "start"),
    [(0, "2", "1/2"), (7, "0.2", "5/2"), (40, "1.4", "1/2"), (3, "6", "7/2")],
)
def test_sums_of_falling_powers(power: int, rate: str, start: str) -> None:
    with mp.workdps(60):
        a, y = (mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (rate, start))
        known = mp.fsum((y + k) ** power * mp.exp(-a * (y + k)) for k in range(2500))
        with balls.precision(128):
            found = balls.interval(falling_powers(power, Fraction(rate), Fraction(start), ctx.prec))
        low, high = (
            mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (found.lower, found.upper)
        )
        assert low <= known <= high < low * (1 + mpf("1e-30"))


def test_a_moment_holds_what_was_not_added_up() -> None:
    """E max of 2 is the sum over k >= 1 of 1 - (1 - p)^2, p = 2*b^k/(1 + b), in closed form."""
    found = norm_of(DiscreteLaplace("0.7"), 2).moment(1)
    with mp.workdps(50):
        b = mp.exp(-mpf("0.7"))
        known = 4 / (1 + b) * b / (1 - b) - 4 / (1 + b) ** 2 * b**2 / (1 - b**2)
        low, high = (
            mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (found.lower, found.upper)
        )
        assert low < known < high < low * (1 + mpf("1e-11"))


# The published bound


def test_the_published_bound_and_the_truth() -> None:
    """Errata B3 and B4: (2/e)^d at twice d/epsilon; the guess (2e)^-d is below the truth."""
    for columns, truth in ((2, 0.0916), (10, 0.0050)):
        bound = float(cube_tail(columns=columns, epsilon=1, error=2 * columns))
        gamma = stats.gamma.sf(2 * columns, columns)
        assert bound == pytest.approx((2 / math.e) ** columns)
        assert (2 * math.e) ** -columns < gamma == pytest.approx(truth, abs=6e-5)
        assert gamma < bound
    assert cube_tail(columns=3, epsilon=2, error="1.5") == Interval.exactly(1)


@pytest.mark.parametrize("columns", [1, 4, 30])
@pytest.mark.parametrize("times", ["1", "1.3", "4"])
def test_the_published_bound_is_above_the_law_of_the_norm(columns: int, times: str) -> None:
    error = Fraction(times) * columns / 2
    law = norm_of(Laplace(0, Fraction(1, 2)), columns, norm="l1")  # the same gamma law
    assert law.tail(error).upper <= cube_tail(columns=columns, epsilon=2, error=error).upper


def test_below_its_range_the_formula_is_no_bound() -> None:
    """Errata B3: at d = 10 and half of d/epsilon the formula says 0.145, the truth is 0.968."""
    formula = 0.5**10 * math.exp(10 - 5)
    assert formula == pytest.approx(0.145, abs=5e-4)
    assert stats.gamma.sf(5, 10) == pytest.approx(0.968, abs=5e-4)
    with pytest.raises(InvalidInput, match="where the formula is no bound"):
        cube_tail(columns=10, epsilon=1, error=5)


def test_the_radius_is_another_law_than_the_norm() -> None:
    """Errata B2: the norm has mean d; a uniform cube of radius Gamma(d) would have d^2/(d + 1)."""
    wide = CubeNorm(10, Fraction(1, 1000)).moment(1)
    assert float(wide) / 1000 == pytest.approx(10, rel=1e-3) != pytest.approx(100 / 11, rel=1e-2)


def test_what_is_not_known_is_refused() -> None:
    for law, norm in (
        (Normal(1, 1), "l2"),
        (Normal(0, 1), "linf"),
        (DiscreteLaplace(1), "l3"),
        (7, "l1"),
    ):
        with pytest.raises(InvalidInput, match="not known here"):
            norm_of(law, 2, norm=norm)
    with pytest.raises(InvalidInput, match="not known here"):
        norm_of(NormStaircase(2, 3, 1, 1), norm="l1")
    with pytest.raises(Undecided, match="too wide"):
        norm_of(DiscreteLaplace("1e-6"), 2).moment(1)
    for wrong in ("1", "0", "nan", "2"):
        with pytest.raises(InvalidInput, match="level"):
            norm_of(DiscreteLaplace(1), 2).quantile(wrong)
    with pytest.raises(InvalidInput, match="size"):
        norm_of(DiscreteLaplace(1), 2).tail(-1)
    with pytest.raises(InvalidInput, match="order"):
        norm_of(NormStaircase(2, 1, 1, 1, "linf")).moment("1.5")  # type: ignore[arg-type]
