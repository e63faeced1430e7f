"""Column sums with shared noise: exact prices on tiny lattices, drawn covariances, bad input."""

import math
import pickle
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import Mechanism
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP
from leastnoise.tabulation.bit_table import column_sums
from leastnoise.tabulation.correlated_gaussian import CorrelatedGaussian
from tests.scripted import NoEntropy

SECRET = 987654321
HALF = ZCDP(rho="0.5")  # μ = 1
APPROX = ApproxDP(epsilon=1, delta="1e-6")


# Privacy of the law itself: shared noise on a coarse lattice, summed over all values


def released(variance: float, sums: tuple[int, int], reach: int) -> dict[tuple[int, int], float]:
    """The law of (2x_j + Z₀ + Z_j)_j for two columns, γ₀ = γ₁ = G = 1."""
    k = np.arange(-reach, reach + 1)
    weights = np.exp(-(k**2) / (2 * variance))
    p = weights / weights.sum()
    found: dict[tuple[int, int], float] = {}
    for shared, chance in zip(k, p, strict=True):
        for i, one in zip(k, p, strict=True):
            for j, other in zip(k, p, strict=True):
                place = (int(2 * sums[0] + shared + i), int(2 * sums[1] + shared + j))
                found[place] = found.get(place, 0.0) + chance * one * other
    return found


@pytest.mark.parametrize("row", [row for row in product([0, 1], repeat=2) if any(row)])
def test_the_exact_divergence_stays_below_the_price(row: tuple[int, int]) -> None:
    """Two columns, u = 1: the best c gives T_k + 3/4 at most, here 2 or 4 − 4/3 + 1/3 = 3."""
    variance, reach = 2.0, 14
    shape = CorrelatedGaussian(columns=2, guarantee=HALF).shape
    assert (shape.common, shape.own) == (1, 1)
    square = shape.squared_sensitivity(1)
    assert square == 3
    one, other = released(variance, (0, 0), reach), released(variance, row, reach)
    shared = [place for place in one if other.get(place, 0.0) > 1e-280 and one[place] > 1e-280]
    for order in (1.5, 2.0, 4.0):
        total = sum(one[x] ** order * other[x] ** (1 - order) for x in shared if one[x] > 1e-60)
        assert math.log(total) / (order - 1) <= order * square / (2 * variance)


def test_every_draw_is_counted() -> None:
    mechanism = CorrelatedGaussian(columns=7, guarantee=HALF)
    assert mechanism.noise.coordinates == 8
    assert mechanism.noise.squared_sensitivity == mechanism.shape.squared_sensitivity(
        mechanism.refinement
    )


def test_prices() -> None:
    mechanism = CorrelatedGaussian(columns=7, guarantee=ZCDP(rho="0.3"))
    assert mechanism.privacy().renyi(2).upper == Fraction("0.6")
    assert mechanism.privacy().renyi(2).lower > Fraction("0.599999")
    assert mechanism.privacy(3).renyi(1).upper == Fraction("2.7")
    mechanism = CorrelatedGaussian(columns=7, guarantee=APPROX)
    price = mechanism.privacy().delta(epsilon=1)
    assert Fraction(999, 10**9) < price.lower
    assert price.upper <= Fraction(1, 10**6)


# Noise


@pytest.mark.parametrize("columns", [1, 2, 3, 10, 100, 10**5])
@pytest.mark.parametrize(
    ("guarantee", "mu"),
    [
        (HALF, 1.0),
        (APPROX, 1 / 4.22467888932684),
        (ZCDP(rho="1e-4"), 0.02**0.5 / 10),
        (ZCDP(rho=8), 4),
    ],
)
def test_variance_meets_the_bound(columns: int, guarantee: Any, mu: float) -> None:
    mechanism = CorrelatedGaussian(columns=columns, guarantee=guarantee)
    assert mechanism.expected_cost() == mechanism.variance
    ratio = float(mechanism.variance) / float(mechanism.lower_bound())
    assert 1 - 1e-12 < ratio < 1 + 1e-6
    known = (math.sqrt(columns) + 1) ** 2 / (4 * mu * mu)
    assert float(mechanism.variance) <= known * (1 + 1e-6)


def test_half_the_deviation() -> None:
    """The figure of Lebeda2025 at d = 100: 5.5/μ instead of 10/μ."""
    mechanism = CorrelatedGaussian(columns=100, guarantee=HALF)
    assert math.sqrt(float(mechanism.variance)) == pytest.approx(5.5, rel=1e-8)


def test_drawn_covariance() -> None:
    columns, repeats = 9, 6000
    mechanism = CorrelatedGaussian(columns=columns, guarantee=HALF)
    sums = np.arange(columns) * 100
    errors = np.array([mechanism.release(sums).value - sums for _ in range(repeats)])
    own = float(Fraction(1, 4 * mechanism.own**2) * mechanism.noise.parameter)
    common = float(Fraction(1, 4 * mechanism.common**2) * mechanism.noise.parameter)
    assert own + common == pytest.approx(float(mechanism.variance))
    # Contrasts see the columns' own noise only; the sum sees mostly what is shared.
    contrast = np.array([1, 1, 1, 1, -4, 0, 0, 0, 0]) / math.sqrt(20)
    cases = [
        (errors[:, 3], own + common),
        (errors @ contrast, own),
        (errors.sum(axis=1), columns * own + columns**2 * common),
    ]
    for sample, variance in cases:
        assert abs(_score(sample, variance)) < 4.9  # P(|Z| > 4.9) < 1e-6
        assert abs(_score(sample, variance * 1.21)) > 4.9
        assert abs(_score(sample, variance * 0.81)) > 4.9
    inside = np.abs(errors[:, 0]) <= float(mechanism.error(confidence="0.9").upper)
    assert abs(inside.mean() - 0.9) < 4.9 * math.sqrt(0.09 / repeats)


def _score(sample: NDArray[np.float64], variance: float) -> float:
    """How many standard deviations Σx²/variance lies off, for normal x."""
    return float((sample @ sample / variance - len(sample)) / math.sqrt(2 * len(sample)))


def test_what_is_released_is_a_function_of_sums_plus_noise() -> None:
    """Shifting the noise like a row, and the sums back, must not change a single bit."""
    mechanism = CorrelatedGaussian(columns=3, guarantee=HALF)
    drawn = np.array([10**9 + 7, -12345, 6, 10**8], dtype=np.int64)
    row = np.array([1, 0, 1])
    for c in (0, 1, mechanism.refinement, 10**6):
        first = mechanism.shape.common * c
        rest = mechanism.shape.own * (2 * mechanism.refinement * row - c)
        moved = drawn + np.array([first, *rest])
        assert np.array_equal(
            mechanism._noisy(np.array([5, 5, 5]) + row, drawn),
            mechanism._noisy(np.array([5, 5, 5]), moved),
        )


def test_large_draws_do_not_wrap() -> None:
    mechanism = CorrelatedGaussian(columns=2, guarantee=HALF)
    drawn = np.array([2**60, -(2**61), 2**61 + 12345], dtype=np.int64)
    found = mechanism._noisy(np.array([3, 4]), drawn)
    for j, total in enumerate((3, 4)):
        first, second = (
            Fraction(int(drawn[0]), 2 * mechanism.common),
            Fraction(int(drawn[j + 1]), 2 * mechanism.own),
        )
        assert found[j] == pytest.approx(float(total + first + second), rel=1e-15)
    beyond = np.array([2**70, 2**71, -(2**70)], dtype=object)
    assert mechanism._noisy(np.array([3, 4]), beyond).dtype == np.float64


def test_errors() -> None:
    mechanism = CorrelatedGaussian(columns=100, guarantee=HALF)
    one = mechanism.error(confidence="0.95")
    assert one.lower < 5.5 * 1.959963985 < one.upper
    every = mechanism.error(confidence="0.95", every_column=True)
    assert every.upper == mechanism.error(confidence="0.9995").upper
    assert every.lower == one.lower


# The object


def test_it_is_a_mechanism() -> None:
    mechanism = CorrelatedGaussian(columns=4, guarantee=APPROX)
    assert isinstance(mechanism, Mechanism)
    release = mechanism.release([1, 2, 3, 4])
    assert release.guarantee == APPROX
    assert eval(release.mechanism) == mechanism
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    assert release.value.dtype == np.float64
    assert not release.value.flags.writeable


def test_counted_bits_serve_as_sums() -> None:
    mechanism = CorrelatedGaussian(columns=3, guarantee=HALF)
    sums = column_sums(np.array([[1, 0, 1], [1, 1, 0]]))
    noisy = mechanism.release(sums).value
    reach = float(mechanism.error(confidence="0.9999999999").upper)
    assert np.abs(noisy - [2, 1, 1]).max() < reach
    with pytest.raises(InvalidParameter, match="columns=3"):
        mechanism.release(column_sums(np.array([[1, 0]])), NoEntropy())


def test_a_million_columns() -> None:
    mechanism = CorrelatedGaussian(columns=10**6, guarantee=HALF)
    noisy = mechanism.release(np.full(10**6, 7)).value
    assert abs(float(noisy.std()) / 500 - 1) < 0.01  # the shared part is small: √(√d+1)/2 ≈ 16


@pytest.mark.parametrize(
    "arguments",
    [
        {"columns": 0, "guarantee": HALF},
        {"columns": 2.0, "guarantee": HALF},
        {"columns": True, "guarantee": HALF},
        {"columns": 3, "guarantee": PureDP(epsilon=1)},
        {"columns": 3, "guarantee": GDP(mu=1)},
        {"columns": 3, "guarantee": 1},
        {"columns": 3, "guarantee": ZCDP(rho=0)},
        {"columns": 3, "guarantee": ZCDP(rho="1e-400")},
        {"columns": 3, "guarantee": ZCDP(rho="1e400")},
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        CorrelatedGaussian(**arguments)


@pytest.mark.parametrize(
    "value",
    [
        [1, 2],
        [1, 2, 3, 4],
        [[1, 2, 3]],
        SECRET,
        [1, 2, -SECRET],
        [1.0, 2.0, 3.0],
        [1, 2, float("nan")],
        ["1", "2", str(SECRET)],
        [1, 2, 2**33],
        [1, 2, SECRET * 10**30],
        np.ma.masked_array([1, 2, 3]),
        None,
        {},
    ],
)
def test_bad_sums_are_refused_before_anything_is_drawn(value: Any) -> None:
    mechanism = CorrelatedGaussian(columns=3, guarantee=HALF)
    with pytest.raises(InvalidParameter) as refusal:
        mechanism.release(value, NoEntropy())
    assert str(SECRET) not in str(refusal.value)
