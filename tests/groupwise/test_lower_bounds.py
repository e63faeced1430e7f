"""What no mechanism can do: the floor at one size, and the least information over a range."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import eigh_tridiagonal
from scipy.optimize import minimize_scalar

from leastnoise.groupwise import LogGaussianCounts, RelativeCounts, SpacedCounts
from leastnoise.groupwise.least_budget import least_budget
from leastnoise.groupwise.least_information import is_below_spectrum, least_information

# J·(E|Z|)²/2 for the density ∝ Ai(|z| − 1.01879297…)², −1.01879… the first zero of Ai′; by mpmath.
SMALL_ERROR_LIMIT = 0.3133170606


def finite_differences(multiplier: float, left: float, right: float, points: int) -> float:
    """The least eigenvalue of −4ψ″ + λ|e^z − 1|ψ with ψ = 0 at both ends, by differences."""
    z = np.linspace(-left, right, points + 2)[1:-1]
    step = z[1] - z[0]
    diagonal = 8 / step**2 + multiplier * np.abs(np.expm1(z))
    beside = np.full(points - 1, -4 / step**2)
    return float(eigh_tridiagonal(diagonal, beside, True, "i", (0, 0))[0])


def best_by_differences(error: float, left: float, right: float) -> float:
    """Max over λ of μ(λ) − λr."""
    found = minimize_scalar(
        lambda log: math.exp(log) * error - finite_differences(math.exp(log), left, right, 3000),
        bounds=(math.log(0.5 / error**3), math.log(3 / error**3)),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return -float(found.fun)


@pytest.mark.parametrize(
    ("error", "left", "right"), [("0.01", 0.15, 0.1), ("0.1", 1.8, 0.95), ("0.5", 18, 5)]
)
def test_the_bound_is_close_to_what_differences_give(error: str, left: float, right: float) -> None:
    bound = float(least_information(Fraction(error)))
    approximate = best_by_differences(float(error), left, right)
    assert bound <= approximate * (1 + 1e-5)
    assert bound == pytest.approx(approximate, rel=1e-3)


@pytest.mark.parametrize(
    ("error", "information"),
    [("0.01", 6265.7), ("0.02", 1566.0), ("0.05", 250.0), ("0.1", 62.05), ("0.2", 15.06),
     ("0.3", 6.352), ("0.5", 1.893), ("0.7", 0.661)],
)  # fmt: skip
def test_golden_values(error: str, information: float) -> None:
    """An independent finite-difference computation, to the digits it was given with."""
    digits = len(f"{information}".split(".")[1])
    bound = float(least_information(Fraction(error)))
    assert bound == pytest.approx(information, abs=0.6 * 10**-digits + 1e-4 * information)


def test_small_errors_approach_the_airy_law() -> None:
    limit = float(least_information(Fraction(1, 1000))) / 2e6
    assert limit == pytest.approx(SMALL_ERROR_LIMIT, rel=2e-5)
    assert limit <= SMALL_ERROR_LIMIT * (1 + 1e-6)


def test_the_bound_never_passes_a_density_that_exists() -> None:
    """Normal noise with the optimal shift has error 2Φ(σ) − 1 and information 1/σ²."""
    for sigma in (0.01, 0.1, 0.5, 1.0, 2.0):
        error = Fraction(math.erf(sigma / math.sqrt(2)))
        assert least_information(error) < 1 / sigma**2


def test_the_bound_falls_as_more_error_is_allowed() -> None:
    bounds = [least_information(Fraction(percent, 100)) for percent in (5, 10, 20, 40, 80, 95)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] > 0


@pytest.mark.parametrize(("multiplier", "left", "right"), [(1253, 1.8, 0.95), (10, 18, 5)])
def test_the_eigenvalue_is_bracketed(multiplier: int, left: float, right: float) -> None:
    """Just below the eigenvalue the proof succeeds, just above it fails."""
    near = finite_differences(multiplier, left, right, 6000)
    below, above = (Fraction(near * (1 + shift)) for shift in (-1e-4, 1e-4))
    assert is_below_spectrum(below, Fraction(multiplier), (left, right))
    assert not is_below_spectrum(above, Fraction(multiplier), (left, right))


def test_a_level_above_the_walls_proves_nothing() -> None:
    assert not is_below_spectrum(Fraction(20), Fraction(10), (18.0, 5.0))
    assert not is_below_spectrum(Fraction(9), Fraction(10), (0.1, 5.0))


# The floor at one size.


def test_the_floor_of_neighbours_is_that_of_a_coin() -> None:
    """At r = 0.05, sizes 1 and 2: total variation 0.85 at least, so ρ ≥ 0.85·ln(1.85/0.15)."""
    floor = float(least_budget(Fraction(1, 20), Fraction(2)))
    assert floor == pytest.approx(0.85 * math.log(1.85 / 0.15), rel=1e-12)


def test_the_floor_is_the_best_over_all_distances() -> None:
    for error, size in ((0.05, 40), (0.1, 7), (0.01, 3), (0.3, 50)):

        def at(k: int, error: float = error, size: int = size) -> float:
            t = 1 - error * (2 * (size - 1) + k) / k
            return t * math.log((1 + t) / (1 - t)) / k**2 if t > 0 else 0.0

        best = max(at(k) for k in range(1, 2000))
        floor = float(least_budget(Fraction(str(error)), Fraction(size)))
        assert 0.99 * best <= floor <= best * (1 + 1e-9)


def test_the_floor_for_large_groups() -> None:
    floor = float(least_budget(Fraction(1, 1000), Fraction(10**6))) * 1e-6 * 1e12
    assert floor == pytest.approx(0.0343, abs=2e-4)


def test_nothing_can_be_said_where_the_error_swallows_everything() -> None:
    assert least_budget(Fraction(999, 1000), Fraction(2)) >= 0


@pytest.mark.parametrize("error", ["0.01", "0.05", "0.2", "0.6"])
def test_no_mechanism_of_ours_passes_the_floor(error: str) -> None:
    mechanisms: list[RelativeCounts | LogGaussianCounts] = [
        RelativeCounts(relative_error=error),
        LogGaussianCounts(relative_error=error),
        LogGaussianCounts(relative_error=error, unbiased=True),
    ]
    for mechanism in mechanisms:
        for size in (0, 1, 2, 3, 5, 10, 30, 100, 10**4, 10**6):
            assert mechanism.least_possible(size) <= mechanism.privacy(size)
    spaced = SpacedCounts(relative_error=error, largest=5)
    floor = RelativeCounts(relative_error=error).least_possible
    assert all(floor(size) <= spaced.privacy(size) for size in (2, 3, 4, 5))


def test_the_smallest_groups_are_close_to_the_floor() -> None:
    mechanism = RelativeCounts(relative_error="0.01")
    assert mechanism.privacy(2) / mechanism.least_possible(2) < 1.12


# Certificates.


@pytest.mark.parametrize(
    ("error", "ratio"), [("0.01", 1.017), ("0.05", 1.021), ("0.1", 1.029), ("0.2", 1.056)]
)
def test_large_groups_are_within_a_few_percent_of_the_best(error: str, ratio: float) -> None:
    certificate = RelativeCounts(relative_error=error).certificate()
    assert 1 < certificate.ratio < ratio
    assert certificate.ratio == certificate.value / certificate.bound


def test_the_value_bounds_the_mechanism_in_the_range() -> None:
    mechanism = RelativeCounts(relative_error="0.1", smallest=0, slack="1.5")
    certificate = mechanism.certificate()
    first, last = certificate.sizes
    for x in np.unique(np.geomspace(first + 1, last, 300).astype(np.int64)).tolist():
        value = (x + 1.5) ** 2 * math.expm1(2 * float(mechanism.privacy(x)))
        assert value <= float(certificate.value)
    # ... and not by much.
    assert float(certificate.value) <= 1.01 * value


def test_the_bound_is_the_information_less_that_of_the_prior() -> None:
    certificate = RelativeCounts(relative_error="0.1").certificate()
    first, last = certificate.sizes
    error = Fraction(1, 10) + Fraction(1, 2 * first)
    prior = (2 * math.pi / math.log(last / first)) ** 2
    assert float(certificate.bound) == pytest.approx(float(least_information(error)) - prior)


def test_a_certificate_says_what_it_is_about() -> None:
    certificate = LogGaussianCounts(relative_error="0.1").certificate()
    text = str(certificate)
    assert str(certificate.sizes[0]) in text
    assert "docs/proofs/relative_lower_bound.md" in text


def test_near_one_the_certificate_is_honest_and_weak() -> None:
    certificate = RelativeCounts(relative_error="0.98").certificate()
    assert certificate.ratio > 5
