"""The note's Algorithm 1: what is released, what it promises, what it does not."""

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from leastnoise.errors import InvalidParameter
from leastnoise.noise import DiscreteGaussian
from leastnoise.privacy.groupwise import GroupwiseZCDP
from leastnoise.privacy.guarantee import ZCDP
from leastnoise.research.product_noise import ProductNoise, _rounded_product
from tests.scripted import NoEntropy
from tests.statistical.goodness_of_fit import FALSE_ALARM

SECRET = 987654321
NOTE = ProductNoise(rho="0.5", relative_error="0.1")

Masses = dict[int, float]


def gaussian(variance: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    reach = int(9 * variance**0.5)
    k = np.arange(-reach, reach + 1)
    weights = np.exp(-(k**2) / (2 * variance))
    return k, weights / weights.sum()


def masses(outcomes: NDArray[np.int64], weights: NDArray[np.float64]) -> Masses:
    values, places = np.unique(outcomes, return_inverse=True)
    return dict(zip(values.tolist(), np.bincount(places, weights).tolist(), strict=True))


def laws(x: int, rho: float, r: float, g: int, h: int) -> tuple[Masses, Masses]:
    """The law of (g·x + G)(h + H), and that of the rounded quotient by gh."""
    (k, p), (j, q) = gaussian(g * g / (2 * rho)), gaussian(h * h * r * r)
    product = ((g * x + k)[:, None] * (h + j)[None, :]).ravel()
    weights = (p[:, None] * q[None, :]).ravel()
    return masses(product, weights), masses((2 * product + g * h) // (2 * g * h), weights)


def renyi_two(p: Masses, q: Masses) -> float:
    return math.log(sum(mass * mass / q[k] for k, mass in p.items() if k in q))


# Promises.


def test_what_is_promised() -> None:
    assert NOTE.guarantee == ZCDP(rho="0.5")
    assert NOTE.groupwise == GroupwiseZCDP(v="0.5")
    assert NOTE.groupwise.at(10**9) == NOTE.guarantee
    assert NOTE.floor == Fraction(1, 4)


def test_the_price_is_that_of_the_noisy_count() -> None:
    """g steps of a discrete Gaussian with parameter g²/(2ρ): ρ-zCDP."""
    loss = NOTE.privacy()
    assert 3.99 < float(loss.renyi(8)) <= 4
    same = DiscreteGaussian(variance=289).privacy(17)
    assert loss.delta(1) == same.delta(1)


def test_an_unrounded_product_can_be_factored() -> None:
    """It would cost nearly ρ at every size; the rounded one costs what the line does."""
    sharp, rounded = zip(*(laws(x, 0.5, 0.1, 17, 161) for x in (101, 100)), strict=True)
    assert renyi_two(*sharp) / 2 == pytest.approx(0.4754, abs=5e-5)
    assert renyi_two(*rounded) / 2 == pytest.approx(0.005153, abs=5e-7)


def test_the_improvement_is_limited_to_an_order() -> None:
    promise = NOTE.at_order(100, order=2)
    shape = 2 * (100 + 2) / (2 * 100**2)
    assert float(promise.epsilon) == pytest.approx(shape, rel=0.04)
    assert promise.order == 2


def test_the_lower_bound_is_one() -> None:
    order = 10
    noise = ProductNoise(rho=2, relative_error=1)
    least, truth = noise.renyi_at_least(0, order=order), noise.renyi(1, 0, order=order)
    assert 0 < least.lower <= truth.upper
    assert least.upper == 2 * order
    assert float(least.lower) > 0.4 * float(truth)


def test_the_lower_bound_tends_to_the_floor() -> None:
    for size in (0, 3, 1000):
        for r in ("0.01", "1"):
            noise = ProductNoise(rho="0.5", relative_error=r)
            share = Fraction(noise.renyi_at_least(size, order=10**12).lower) / 10**12
            assert abs(share - noise.floor) < Fraction(1, 10**5)
            # It says nothing at low orders.
            assert noise.renyi_at_least(size, order="1.01").lower == 0


# The error.


def test_small_groups_miss_the_error() -> None:
    kept = [NOTE.keeps_relative_error(x) for x in (0, 1, 13, 14, 1000)]
    assert kept == [False, False, False, True, True]


@pytest.mark.parametrize("r", ["0.01", "0.001"])
def test_the_threshold_for_small_errors(r: str) -> None:
    noise = ProductNoise(rho="0.5", relative_error=r)
    threshold = 1 / (float(r) * math.sqrt(math.pi / 2 - 1))
    assert not noise.keeps_relative_error(math.floor(0.99 * threshold))
    assert noise.keeps_relative_error(math.ceil(1.01 * threshold))


def test_errors_against_the_lattice() -> None:
    """What is released errs as much as the line does, up to the rounding."""
    for x in (3, 40):
        released = laws(x, 0.5, 0.1, 17, 161)[1]
        error = sum(mass * abs(k - x) for k, mass in released.items())
        assert error == pytest.approx(float(NOTE.expected_error(x)), abs=0.1)


# Releases.


def p_value(draws: NDArray[np.int64], law: Masses) -> float:
    expected = {k: mass * len(draws) for k, mass in law.items() if mass * len(draws) > 50}
    rest = len(draws) - sum(expected.values())
    counts = {k: int((draws == k).sum()) for k in expected}
    statistic = sum((counts[k] - e) ** 2 / e for k, e in expected.items())
    other = len(draws) - sum(counts.values())
    statistic += (other - rest) ** 2 / rest
    return float(chi2.sf(statistic, df=len(expected)))


@pytest.mark.parametrize("wrong", [None, (0.9, 1), (1.1, 1), (1, 0.9), (1, 1.1)])
def test_releases_fit_the_stated_law(wrong: tuple[float, float] | None) -> None:
    """And the test rejects either standard deviation off by a tenth."""
    x, draws = 10, 1 << 20
    first, second = wrong or (1, 1)
    noise = ProductNoise(rho=0.5 / first**2, relative_error=0.25 * second)
    released = noise.release(np.full(draws, x)).value
    right = p_value(released, laws(x, 0.5, 0.25, 17, 65)[1]) >= FALSE_ALARM
    assert right == (wrong is None)


@pytest.mark.parametrize("size", [5, 10**6, 2**50])
def test_products_are_exact_at_every_size(size: int) -> None:
    counts, noise = np.array([size, 0]), np.array([-7, 3])
    factor = np.array([5, -200])
    found = _rounded_product(counts, 1 << 12, noise, 1 << 20, factor)
    for k, value in enumerate(found.tolist()):
        exact = Fraction(int((1 << 12) * counts[k] + noise[k]), 1 << 12)
        exact *= Fraction(int((1 << 20) + factor[k]), 1 << 20)
        assert value == math.floor(exact + Fraction(1, 2))


def test_shapes() -> None:
    assert isinstance(NOTE.release(7).value, int)
    assert NOTE.release(np.zeros((2, 3), dtype=np.uint8)).value.shape == (2, 3)
    assert NOTE.release([]).value.shape == (0,)
    named = NOTE.release({"a": 1, "b": 10**6})
    assert set(named.value) == {"a", "b"}
    assert abs(named.value["b"] - 10**6) < 10**6
    assert named.guarantee == NOTE.guarantee
    assert named.mechanism == repr(NOTE)


def test_a_million_groups() -> None:
    counts = np.arange(10**6) % 1000
    released = NOTE.release(counts).value
    assert released.dtype == np.int64
    assert abs(float((released - counts).mean())) < 6 * 50 / 1000


def test_it_is_a_value() -> None:
    assert repr(NOTE) == "ProductNoise(rho=0.5, relative_error='0.1')"
    assert NOTE == pickle.loads(pickle.dumps(NOTE)) == eval(repr(NOTE))
    assert NOTE.parameters == {"rho": Fraction(1, 2), "relative_error": Fraction(1, 10)}


# Refusals.


@pytest.mark.parametrize(
    "arguments",
    [
        {"rho": 0, "relative_error": "0.1"},
        {"rho": -1, "relative_error": "0.1"},
        {"rho": math.nan, "relative_error": "0.1"},
        {"rho": "1e-40", "relative_error": "0.1"},
        {"rho": 1, "relative_error": 0},
        {"rho": 1, "relative_error": "1e-10"},
        {"rho": 1, "relative_error": "1.01"},
        {"rho": 1, "relative_error": math.inf},
        {"rho": 1, "relative_error": None},
    ],
)
def test_bad_parameters(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        ProductNoise(**arguments)


@pytest.mark.parametrize(
    "counts",
    [
        -SECRET,
        [1, -SECRET],
        [1.5, SECRET],
        [SECRET, None],
        "987654321",
        2**50 + SECRET,
        [True, SECRET],
    ],
)
def test_bad_counts_are_refused_and_never_shown(counts: object) -> None:
    with pytest.raises(InvalidParameter) as caught:
        NOTE.release(counts, NoEntropy())  # type: ignore[arg-type]
    assert str(SECRET) not in str(caught.value)


@pytest.mark.parametrize("size", [-1, 1.5, "3", None])
def test_bad_sizes(size: object) -> None:
    with pytest.raises(InvalidParameter):
        NOTE.expected_error(size)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter):
        NOTE.renyi(size, 3, order=2)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter):
        NOTE.renyi_at_least(size, order=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [1, 0, math.nan, None])
def test_bad_orders(order: object) -> None:
    with pytest.raises(InvalidParameter):
        NOTE.renyi_at_least(3, order=order)  # type: ignore[arg-type]
