"""Normal, Laplace and staircase laws: closed forms against quadrature, and published values."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from leastnoise import Interval, InvalidParameter, UnsupportedQuery
from leastnoise.privacy.divergence import hockey_stick, kl, renyi, total_variation
from leastnoise.privacy.laws.continuous_staircase import ContinuousStaircase
from leastnoise.privacy.laws.laplace import Laplace
from leastnoise.privacy.laws.normal import Normal

INFINITE = Interval(math.inf, math.inf)
ORDERS = ["0.25", "0.5", "0.9", "1", "1.5", "2"]

means = st.fractions(-3, 3, max_denominator=20)
spreads = st.fractions("1/4", 3, max_denominator=20)
epsilons = st.fractions(-2, 2, max_denominator=10)


def growing_count(x: int, r: str) -> Normal:
    """The law of errata E: noise whose spread grows with the count."""
    return Normal(x, (Fraction(r) * x) ** 2)


def test_published_errata() -> None:
    five, six = growing_count(5, "0.5"), growing_count(6, "0.5")
    assert float(renyi(five, six, 2)) == pytest.approx(0.13411, abs=5e-6)
    assert float(kl(five, six)) == pytest.approx(0.08510, abs=5e-6)
    limit = Fraction(36, 11)
    assert renyi(six, five, limit) == INFINITE
    assert renyi(six, five, limit + 1) == INFINITE
    assert renyi(six, five, math.inf) == INFINITE
    assert 1 < renyi(six, five, limit - Fraction(1, 10**9)).upper < math.inf
    assert renyi(five, six, 10**6).upper < math.inf
    reverse = renyi(growing_count(21, "0.1"), growing_count(20, "0.1"), 5)
    assert float(reverse) == pytest.approx(1.0765, abs=5e-5)


def log_normal_density(law: Normal) -> Callable[[float], float]:
    mean, variance = float(law.mean), float(law.variance)
    return lambda x: -((x - mean) ** 2) / (2 * variance) - math.log(2 * math.pi * variance) / 2


def log_laplace_density(law: Laplace) -> Callable[[float], float]:
    mean, scale = float(law.mean), float(law.scale)
    return lambda x: -abs(x - mean) / scale - math.log(2 * scale)


def integral(function: Callable[[float], float], breaks: list[float]) -> float:
    edges = sorted({-60.0, 60.0, *breaks})
    return float(sum(quad(function, a, b, limit=400, epsabs=1e-12)[0] for a, b in pairwise(edges)))


def check(
    p: Normal | Laplace,
    q: Normal | Laplace,
    densities: tuple[Callable[[float], float], Callable[[float], float]],
    order: str,
    epsilon: Fraction,
) -> None:
    first, second = densities
    breaks = [float(p.mean), float(q.mean), float(p.mean) - 8, float(p.mean) + 8]
    grid = np.linspace(-60, 60, 240001)
    leak = np.maximum(
        0,
        np.exp([first(x) for x in grid[::40]])
        - math.exp(epsilon) * np.exp([second(x) for x in grid[::40]]),
    )
    assert float(hockey_stick(p, q, epsilon)) == pytest.approx(leak.sum() * 0.02, abs=2e-3)
    answer, alpha = renyi(p, q, order), float(order)
    if answer == INFINITE:
        return
    if alpha == 1:
        truth = integral(lambda x: math.exp(first(x)) * (first(x) - second(x)), breaks)
    else:
        power = integral(lambda x: math.exp(alpha * first(x) + (1 - alpha) * second(x)), breaks)
        truth = math.log(power) / (alpha - 1)
    assert float(answer) == pytest.approx(truth, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("mean", "spread", "epsilon"), [(1, 1, "0.5"), (2, "0.7", "1"), (0, "1.4", "-0.5")]
)
def test_closed_forms_against_quadrature(order: str, mean: int, spread: str, epsilon: str) -> None:
    p, q = Normal(0, 1), Normal(mean, spread)
    check(p, q, (log_normal_density(p), log_normal_density(q)), order, Fraction(epsilon))
    r, s = Laplace(0, 1), Laplace(mean, spread)
    check(r, s, (log_laplace_density(r), log_laplace_density(s)), order, Fraction(epsilon))


@settings(deadline=None)
@given(means, spreads, spreads, epsilons)
def test_the_other_order_of_the_pair(
    mean: Fraction, a: Fraction, b: Fraction, epsilon: Fraction
) -> None:
    factor = math.exp(epsilon)
    for p, q in ((Normal(0, a), Normal(mean, b)), (Laplace(0, a), Laplace(mean, b))):
        there, back = hockey_stick(p, q, epsilon), hockey_stick(q, p, -epsilon)
        assert float(there) == pytest.approx(1 - factor + factor * float(back), abs=1e-12)
        assert total_variation(p, q).lower <= total_variation(q, p).upper
        assert max(0, 1 - factor) - 1e-12 <= float(there) <= 1


@settings(deadline=None)
@given(means, spreads, spreads, st.fractions("1/10", 4), st.fractions("1/10", 4))
def test_renyi_rises_with_the_order_and_is_skew_symmetric(
    mean: Fraction, a: Fraction, b: Fraction, low: Fraction, high: Fraction
) -> None:
    low, high = min(low, high), max(low, high)
    for p, q in ((Normal(0, a), Normal(mean, b)), (Laplace(0, a), Laplace(mean, b))):
        assert renyi(p, q, low).lower <= renyi(p, q, high).upper
        assert renyi(p, q, high).lower <= renyi(p, q, math.inf).upper
        if low < 1:
            there, back = renyi(p, q, low), renyi(q, p, 1 - low)
            assert there.lower * (1 - low) <= back.upper * low
            assert back.lower * low <= there.upper * (1 - low)


def test_exact_values() -> None:
    assert renyi(Normal(0, 4), Normal(3, 4), 5) == Interval.exactly(Fraction(45, 8))
    assert renyi(Laplace(0, 2), Laplace(3, 2), math.inf) == Interval.exactly(Fraction(3, 2))
    assert hockey_stick(Laplace(0, 2), Laplace(3, 2), "1.5") == Interval.exactly(0)
    assert renyi(Laplace(0, 2), Laplace(0, 1), 2) == INFINITE
    assert renyi(Laplace(0, 2), Laplace(0, 1), "1.9").upper < math.inf
    assert renyi(Laplace(0, 2), Laplace(0, 1), math.inf) == INFINITE
    assert float(renyi(Laplace(0, 1), Laplace(1, 2), math.inf)) == pytest.approx(math.log(2) + 0.5)
    narrow, wide = Normal(0, 1), Normal(1, 2)
    assert float(renyi(narrow, wide, math.inf)) == pytest.approx(math.log(2) / 2 + 0.5)
    peak = renyi(narrow, wide, math.inf)
    assert hockey_stick(narrow, wide, peak.upper).upper == 0
    assert 0 < hockey_stick(narrow, wide, Fraction(peak.lower) - Fraction(1, 10**9)).lower < 1e-12


# The staircase: all break points lie on a lattice, where sums are exact.


def staircase(law: ContinuousStaircase, x: np.ndarray) -> np.ndarray:
    period, gamma, rate = float(law.sensitivity), float(law.gamma), float(law.epsilon)
    steps = np.abs(x - float(law.mean)) / period
    whole = np.floor(steps)
    b = math.exp(-rate)
    height = (1 - b) / (2 * period * (gamma + b * (1 - gamma)))
    return np.asarray(height * b ** (whole + (steps - whole >= gamma)))


@pytest.mark.parametrize("gamma", ["0", "0.25", "0.7", "1"])
@pytest.mark.parametrize("distance", ["0.3", "1", "1.35", "4.5"])
def test_staircase_against_a_lattice_sum(gamma: str, distance: str) -> None:
    p, q = (ContinuousStaircase(mean, 1, "1.5", gamma) for mean in (0, distance))
    x = (np.arange(-800, 800) + 0.5) / 20
    first, second = staircase(p, x) / 20, staircase(q, x) / 20
    loss = np.log(first / second)
    for order in ORDERS:
        alpha = float(order)
        truth = (first * loss).sum()
        if alpha != 1:
            truth = math.log((first * np.exp((alpha - 1) * loss)).sum()) / (alpha - 1)
        assert float(renyi(p, q, order)) == pytest.approx(truth, rel=1e-9)
    for epsilon in ("-2", "-1.5", "0", "0.4", "1.5", "2", "7"):
        truth = np.maximum(0, first - math.exp(float(epsilon)) * second).sum()
        assert float(hockey_stick(p, q, epsilon)) == pytest.approx(truth, rel=1e-9, abs=1e-14)
    assert float(renyi(p, q, math.inf)) == pytest.approx(loss.max(), rel=1e-12)


def test_staircase_promises() -> None:
    law, neighbour = (ContinuousStaircase(mean, 2, 1, "0.3") for mean in (0, 2))
    assert renyi(law, neighbour, math.inf) == Interval.exactly(1)
    assert hockey_stick(law, neighbour, 1) == Interval.exactly(0)
    assert renyi(law, law, 2) == Interval.exactly(0)
    assert float(hockey_stick(law, law, -1)) == pytest.approx(1 - math.exp(-1))
    far = ContinuousStaircase(10**12, 2, 1, "0.3")
    assert float(kl(law, far)) == pytest.approx(5e11, rel=1e-9)
    with pytest.raises(UnsupportedQuery, match="differ in their mean alone"):
        kl(law, ContinuousStaircase(0, 2, 1, "0.4"))


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="`variance` must be positive"):
        Normal(0, 0)
    with pytest.raises(InvalidParameter, match="`scale` must be positive"):
        Laplace(0, -1)
    with pytest.raises(InvalidParameter, match="`gamma` must lie in"):
        ContinuousStaircase(0, 1, 1, 2)
    with pytest.raises(InvalidParameter, match="`mean` must be a finite number"):
        Normal(math.nan, 1)
