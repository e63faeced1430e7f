"""Algorithm 1 of the note on larger groups, a noisy count times a noisy 1: what is true of it."""

import math
from fractions import Fraction as F
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.relative import ProductNoise
from leastnoise.relative.algorithms import ProductLaw
from tests.relative.laws import FALSE_ALARM, Floats, Law, noise, p_value, renyi
from tests.scripted import Scripted

SECRET = 987654321
NOTE = ProductNoise(rho="0.5", relative_error="0.1")
WIDE = ProductNoise(rho="0.5", relative_error="0.5")


def density(y: Any, x: float, s: float, r: float) -> Any:
    """By mpmath: the noisy count is v, and the factor y/v. X and Z are independent (errata E10)."""

    def integrand(v: Any) -> Any:
        return mpmath.exp(-(((v - x) / s) ** 2) / 2 - ((y / v - 1) / r) ** 2 / 2) / abs(v)

    near = [abs(y) * k for k in (0.2, 0.5, 0.8, 1, 1.25, 2)]
    cuts = sorted({0, 8 * s + x, *near, *(x + k * s for k in (-8, -4, -2, -1, 0, 1, 2, 4))})
    sides = [[mpmath.mpf(c) for c in cuts if c >= 0], [mpmath.mpf(-8 * s - x), *map(mpmath.mpf, sorted(-c for c in near)), 0]]  # fmt: skip
    return sum(mpmath.quad(integrand, sorted(side)) for side in sides) / (2 * mpmath.pi * s * r)


@pytest.mark.parametrize(
    ("x", "square", "r", "y"),
    [(5, 1, "1/2", "4"), (5, 1, "1/2", "-4"), (0, 2, "1", "0.3"), (2, "1/4", "1/2", "-0.01"),
     (3, 1, "1", "1e-6"), (7, 1, "1/4", "9.5")],
)  # fmt: skip
def test_the_density_by_quadrature_series_and_mpmath(x: int, square: Any, r: str, y: str) -> None:
    """Errata E11: the Bessel series is right, alternating for y < 0."""
    law = ProductLaw(x, F(square), F(r) ** 2)
    found = law.density(y)
    series = law.density(y, by="series")
    assert found.lower <= series.upper and series.lower <= found.upper
    assert found.upper - found.lower <= found.upper / 2**50
    reference = density(mpmath.mpf(y), x, math.sqrt(F(square)), float(F(r)))
    assert float(found) == pytest.approx(float(reference), rel=1e-6)


def test_the_density_has_the_moments_of_independent_factors() -> None:
    """Mean x and variance r^2*x^2 + s^2*(1 + r^2), errata E10; the logarithm at 0 costs digits."""
    law, step = WIDE.law(3), 0.4
    y = np.arange(-8 + step / 2, 20, step)
    masses = np.array([float(law.density(float(each))) for each in y]) * step
    mean = float(masses @ y)
    assert float(masses.sum()) == pytest.approx(1, abs=2e-3)
    assert mean == pytest.approx(3, abs=2e-3)
    assert float(masses @ (y - mean) ** 2) == pytest.approx(9 / 4 + 5 / 4, rel=5e-3)


def test_the_expected_error_by_simple_sums() -> None:
    for noise_, x in ((NOTE, 13), (WIDE, 0), (WIDE, 2)):
        r = float(noise_.relative_error)
        z = 1 + r * np.linspace(-9, 9, 20_001)
        shift, scale = x * (z - 1), np.abs(z)
        ratio = shift / np.maximum(scale, 1e-300)
        folded = scale * np.sqrt(2 / np.pi) * np.exp(-(ratio**2) / 2) + shift * (
            2 * ndtr(ratio) - 1
        )
        weights = np.exp(-(((z - 1) / r) ** 2) / 2)
        exact = float(folded @ weights / weights.sum())
        assert float(noise_.expected_error(x)) == pytest.approx(exact, rel=1e-6)


def test_small_groups_miss_the_error() -> None:
    """Errata E8: E|Y - x| < r*x only from about 1.32*s/r on, below r*x + s*sqrt(1 + r^2) always."""
    assert [NOTE.keeps_error(x) for x in (0, 1, 13, 14, 1000)] == [False] * 3 + [True] * 2
    assert float(NOTE.expected_error(13)) == pytest.approx(1.3103, abs=5e-5)
    assert float(NOTE.expected_error(14)) == pytest.approx(1.3743, abs=5e-5)
    threshold = 100 / math.sqrt(math.pi / 2 - 1)
    percent = ProductNoise(rho="0.5", relative_error="0.01")
    assert not percent.keeps_error(math.floor(0.99 * threshold))
    assert percent.keeps_error(math.ceil(1.01 * threshold))
    for x in (0, 13, 200):
        assert float(NOTE.expected_error(x)) < 0.1 * x + math.sqrt(1.01)


# Divergences


def brute_renyi(x: int, other: int, r: float, order: float) -> float:
    """On a plain grid of y > 0; the noisy counts are integrated one by one."""
    means = np.array([x, other])
    top = max(x, other) * (1 + 0.6 * math.sqrt(order)) + 40
    y, v = np.linspace(0.5, top, 601), np.linspace(0.02, max(x, other) + 35, 801)
    logs = np.empty((2, y.size))
    for i, place in enumerate(y):
        factor = -(((place / v - 1) / r) ** 2) / 2 - np.log(v)
        logs[:, i] = np.logaddexp.reduce(factor - (v[None, :] - means[:, None]) ** 2 / 2, axis=1)
    logs += math.log(v[1] - v[0]) - math.log(2 * math.pi * r)
    total = np.logaddexp.reduce(order * logs[0] + (1 - order) * logs[1]) + math.log(y[1] - y[0])
    return float(total) / (order - 1)


@pytest.mark.parametrize(("x", "other"), [(101, 100), (60, 62)])
@pytest.mark.parametrize("order", [2, 10])
def test_divergences_by_a_plain_grid(x: int, other: int, order: int) -> None:
    found = NOTE.renyi(x, other, order=order)
    assert found == pytest.approx(brute_renyi(x, other, 0.1, order), rel=1e-7)


@pytest.mark.parametrize(
    ("x", "order", "share"), [(100, 2, 0.005140), (100, 10, 0.006096), (10**6, 2, 5.1e-11)]
)
def test_divergences_of_bounded_order_fall(x: int, order: int, share: float) -> None:
    """Errata E7: like a*(1/r^2 + 2)/(2*x^2) only while the order is small."""
    found = NOTE.renyi(x + 1, x, order=order) / order
    assert found == pytest.approx(share, abs=1e-6, rel=1e-4)
    assert NOTE.renyi(x + 1, x, order=1) < order * found < order * 0.5


def closed(x: int, order: float) -> float:
    """The lower bound on D_a(x+1 || x) of the proof page, for rho = 1/2 and r = 0.1."""
    a, other, b = x + 1, x, 10
    c = (order * a + (1 - order) * other + b) / 2
    squares = (order * a**2 + (1 - order) * other**2 + b**2) / 2
    total = c**2 - squares - (order - 1) * (other - b) ** 2 / 4
    return (total - order * math.log(2 * math.sqrt(math.pi))) / (order - 1)


def test_no_v_below_the_floor_is_valid() -> None:
    """Errata E7: D_a/a tends to rho/2 for every size, so v cannot fall below it."""
    assert NOTE.floor == F(1, 4)
    for x in (0, 3, 100, 10**4):
        assert closed(x, 1e12) / 1e12 == pytest.approx(0.25, abs=1e-3)
    for x in (8, 12):
        assert 0 < closed(x, 30) <= NOTE.renyi(x + 1, x, order=30) <= 15


@pytest.mark.parametrize(("x", "sup"), [(2, 0.4953), (4, 0.4956), (6, 0.4958), (8, 0.4961)])
def test_the_v_of_small_groups_is_nearly_rho_and_grows(x: int, sup: float) -> None:
    """Errata E7: the greatest D_a(x || x+1)/a is at about a = x + 1."""
    shares = [NOTE.renyi(x, x + 1, order=x + k) / (x + k) for k in (0.25, 1.25, 2.25)]
    assert max(shares) == shares[1] == pytest.approx(sup, abs=1e-4)


def test_divergences_of_equal_sizes_and_of_all_kinds() -> None:
    assert NOTE.renyi(5, 5, order=3) == NOTE.renyi(0, 0, order=1) == 0
    for pair in ((1, 0), (0, 1), (3, 2)):
        found = [NOTE.renyi(*pair, order=a) for a in (1, F(1000001, 10**6), 2)]
        assert found == sorted(found) and found[1] == pytest.approx(found[0], rel=1e-4)
        assert all(d <= a * 0.5 for d, a in zip(found, (1, 1.000001, 2), strict=True))
    sharp = ProductNoise(rho="0.5", relative_error="0.000001")  # nothing but the noisy count
    for order in (5, 40):
        assert sharp.renyi(3, 2, order=order) == pytest.approx(order / 2, rel=1e-6)


def test_conditioning_bounds_divergences() -> None:
    """Errata E12: exp((a-1)*D_a) is an f-divergence, so any coupling of what came before bounds it."""
    random, order = np.random.default_rng(5), 3.5
    weights = random.dirichlet(np.ones(6))
    p, q = (random.dirichlet(np.ones(4), size=6) for _ in range(2))

    def power(one: Floats, other: Floats) -> float:
        return float((one**order * other ** (1 - order)).sum())

    bound = sum(w * power(a, b) for w, a, b in zip(weights, p, q, strict=True))
    assert power(weights @ p, weights @ q) <= bound
    one, other = (dict(enumerate((weights @ each).tolist())) for each in (p, q))
    assert math.exp((order - 1) * renyi(one, other, order)) <= bound


# The attempt with Kullback-Leibler divergences


@pytest.mark.parametrize(
    ("noise_", "x", "y", "printed", "true"),
    [(WIDE, 5, 6, -0.489, 0.0647), (NOTE, 100, 101, -24.7, 0.00495), (WIDE, 1, 0, -math.inf, None)],
)
def test_the_attempt_is_not_a_bound(
    noise_: ProductNoise, x: int, y: int, printed: float, true: float | None
) -> None:
    """Errata E5: finite parts of infinite expectations bound nothing."""
    attempt = noise_.attempt(x, y)
    assert float(attempt.printed.lower) == pytest.approx(printed, rel=2e-3)
    assert attempt.divergence > 0 > attempt.printed.upper
    assert true is None or attempt.divergence == pytest.approx(true, rel=2e-3)


def test_the_expectation_behind_the_attempt_is_infinite() -> None:
    """Errata E5: E|X'/X| over |X| > e grows like ln(1/e), for X has density at 0."""

    def part(e: float) -> float:
        law = mpmath.npdf
        return float(mpmath.quad(lambda v: (law(v, 2) + law(-v, 2)) / v, [e, 1e-3, 0.1, 1, 4, 12]))

    growth = part(1e-9) - part(1e-6)
    assert growth == pytest.approx(2 * float(mpmath.npdf(2)) * math.log(1000), rel=1e-6)


@pytest.mark.parametrize("mean", [1, 3])
def test_finite_parts_by_hadamard(mean: int) -> None:
    """Errata E6: for mean 3, deviation 1 it is 0.179501; the note's formula gives half of it."""
    law = mpmath.npdf
    cuts = [0, 0.5, 1, 2, 4, 9, 20, 100]
    with mpmath.workdps(40):
        odd = mpmath.quad(lambda t: (law(t, mean) - law(-t, mean)) / t, cuts)
        even = mpmath.quad(lambda t: (law(t, mean) + law(-t, mean) - 2 * law(mean)) / t**2, cuts)
    even -= 2 * law(mean) / 100  # beyond the last cut
    attempt = NOTE.attempt(1, mean)
    assert float(attempt.principal_value) == pytest.approx(float(odd), rel=1e-8)
    assert float(attempt.finite_part) == pytest.approx(float(even), rel=1e-6)
    if mean == 3:
        assert float(attempt.finite_part) == pytest.approx(0.179501, abs=5e-7)
        dawson = float(
            mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-4.5) * mpmath.erfi(3 / mpmath.sqrt(2))
        )
        assert (math.sqrt(2) * 3 * dawson - 1) / 2 == pytest.approx(0.089750, abs=5e-7)


# What is drawn


def products(x: int, g: int, h: int, r: float) -> tuple[Law, Law]:
    """The law of (g*x + G)(h + H) for rho = 1/2, and that of its rounded quotient by g*h."""
    (k, p), (j, q) = noise(g), noise(round(h * r))
    near = [np.abs(each) <= 9 * each.max() / 38 for each in (k, j)]
    values = ((g * x + k[near[0]])[:, None] * (h + j[near[1]])[None, :]).ravel()
    weights = (p[near[0]][:, None] * q[near[1]][None, :]).ravel()
    laws: list[Law] = []
    for each in (values, (2 * values + g * h) // (2 * g * h)):
        places, where = np.unique(each, return_inverse=True)
        masses = np.bincount(where, weights)
        laws.append(dict(zip(places.tolist(), masses.tolist(), strict=True)))
    return laws[0], laws[1]


def test_an_unrounded_product_can_be_factored() -> None:
    """It would cost nearly rho at every size; the rounded one costs what the law on the line does."""
    (sharp, rounded), (sharp_less, rounded_less) = (products(x, 17, 160, 0.1) for x in (101, 100))
    assert renyi(sharp, sharp_less, 2) / 2 > 0.4
    on_the_line = NOTE.renyi(101, 100, order=2)
    assert renyi(rounded, rounded_less, 2) == pytest.approx(on_the_line, rel=5e-3)


@pytest.mark.parametrize("wrong", [1, 1.1])
def test_draws_fit_the_law_and_no_other(wrong: float) -> None:
    draws = ProductNoise(rho="0.5", relative_error="0.2").sample(10, 100_000)
    law = products(10, 17, 85, 0.2 * wrong)[1]
    assert (p_value(draws.astype(np.int64), law) > FALSE_ALARM) == (wrong == 1)


def test_the_guarantee_is_that_of_the_noisy_count() -> None:
    assert NOTE.guarantee == ZCDP(rho="0.5") == NOTE.release(5).guarantee
    assert 3.99 < float(NOTE.privacy().renyi(F(8)).upper) <= 4.0000001
    assert float(NOTE.privacy(2).renyi(F(2)).upper) == pytest.approx(4)


def test_shapes() -> None:
    assert type(NOTE.release(7).value) is int and NOTE.release(
        np.zeros((2, 3), int)
    ).value.shape == (2, 3)
    released = np.asarray(NOTE.release([10**12, 0]).value)
    assert abs(int(released[0]) - 10**12) < 10**12 and abs(int(released[1])) < 20


def test_all_side_by_side() -> None:
    """Of all noise of this mean error at 10, only that of relative counts is private for large groups."""
    shown = repr(NOTE.compare([10, 1000])).splitlines()
    assert len(shown) == 9 and shown[0].split() == ["mechanism", "people", "v", "error", "orders"]
    v: dict[Any, Any] = {row[:2]: row[2] for row in NOTE.compare([10, 1000]).rows}
    assert v["Algorithm 1", 1000] == v["Algorithm 1", 10] == F(1, 2)
    assert v["constant Gaussian", 1000] == v["constant Gaussian", 10] > F(30, 100)
    assert v["relative counts", 1000] < F(33, 10**6) < v["Algorithm 2", 1000]
    assert NOTE.compare([]).rows == ()


@pytest.mark.parametrize("bad", [0, -1, math.nan, "1e-40", math.inf, None, True])
def test_bad_parameters_are_refused(bad: Any) -> None:
    with pytest.raises(InvalidInput):
        ProductNoise(rho=bad, relative_error="0.1")
    with pytest.raises(InvalidInput):
        ProductNoise(rho=1, relative_error=bad)


@pytest.mark.parametrize("bad", [-1, 1.5, "x", None, 2**63])
def test_bad_questions_are_refused(bad: Any) -> None:
    for question in (
        NOTE.expected_error,
        NOTE.law,
        lambda x: NOTE.attempt(x, 3),
        lambda x: NOTE.sample(x, 1),
    ):
        with pytest.raises(InvalidInput):
            question(bad)
    for order in (0, math.nan, None, 10**10, 10**5):
        with pytest.raises(InvalidInput):
            NOTE.renyi(3, 2, order=order)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="infinite"):
        NOTE.law(3).density(0)
    with pytest.raises(InvalidInput, match="series"):
        NOTE.law(3).density(1, by="sum")  # type: ignore[arg-type]


@pytest.mark.parametrize("counts", [-SECRET, [1.5, SECRET], [SECRET, None], 2**50 + SECRET])
def test_bad_counts_are_refused_and_never_shown(counts: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        NOTE.release(counts, Scripted())
    assert str(SECRET) not in str(caught.value)


def test_the_series_ends_where_its_terms_cancel() -> None:
    """At the first precision the sum is a ball around 0, beside which no term is small."""
    law = ProductNoise(rho=1, relative_error="0.3").law(3)
    assert float(law.density(12, by="series")) == pytest.approx(float(law.density(12)), rel=1e-12)
