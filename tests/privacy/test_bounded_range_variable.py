"""The worst loss with a bounded range: closed forms against quadrature and against all pairs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, inf, log, mp, mpf, quad

from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.bounded_range_variable import BoundedRangeVariable

WIDTHS = [Fraction(1, 1000), Fraction(1, 2), Fraction(3), Fraction(12)]
widths = pytest.mark.parametrize("width", WIDTHS, ids=str)


def density(width: Fraction, loss: mpf) -> mpf:
    w = mpf(width.numerator) / width.denominator
    return exp((loss - w) / 2) / (2 * (1 - exp(-w)))


@widths
@pytest.mark.parametrize("share", [-1, -0.5, 0, 0.3, 0.9, 1])
def test_delta_and_tail_by_quadrature(width: Fraction, share: float) -> None:
    epsilon = width * Fraction(share)
    loss, w = BoundedRangeVariable(width), mpf(width.numerator) / width.denominator
    start = mpf(epsilon.numerator) / epsilon.denominator
    tail = quad(lambda x: density(width, x), [start, w])
    delta = quad(lambda x: (1 - exp(start - x)) * density(width, x), [start, w])
    assert float(loss.tail(epsilon)) == pytest.approx(float(tail), rel=1e-14, abs=1e-300)
    assert float(loss.delta(epsilon)) == pytest.approx(float(delta), rel=1e-14, abs=1e-300)


def two_points(width: float, top: float) -> tuple[np.ndarray, np.ndarray]:
    """The pair with losses `top` and `top − width`: P and Q of both."""
    chance = (math.exp(width) - math.exp(top)) / math.expm1(width)
    p = np.array([chance, 1 - chance])
    return p, p * np.exp([-top, width - top])


@pytest.mark.parametrize("width", [0.2, 1.0, 4.0])
def test_no_pair_leaks_more_and_some_pair_as_much(width: float) -> None:
    loss = BoundedRangeVariable(Fraction(width))
    tops = np.linspace(0, width, 2001)
    for epsilon in np.linspace(-width, width, 9):
        leaks = []
        for top in tops:
            p, q = two_points(width, float(top))
            leaks.append(np.maximum(p - math.exp(epsilon) * q, 0).sum())
        stated = float(loss.delta(Fraction(float(epsilon))).upper)
        assert max(leaks) <= stated * (1 + 1e-12) + 1e-15
        assert max(leaks) >= stated * (1 - 1e-4) - 1e-6


@pytest.mark.spread(10)
@pytest.mark.parametrize("width", [0.2, 1.0, 4.0, 10.0])
@pytest.mark.parametrize("order", [0.5, 0.9, 1.0, 1.5, 2.0, 7.0, 60.0])
def test_no_pair_diverges_more_and_some_pair_as_much(width: float, order: float) -> None:
    best = 0.0
    for top in np.linspace(0, width, 4001)[1:-1]:
        p, q = two_points(width, float(top))
        if order == 1:
            best = max(best, float(p @ np.log(p / q)))
        else:
            terms = order * np.log(p) + (1 - order) * np.log(q)
            best = max(best, float(np.logaddexp(*terms)) / (order - 1))
    stated = float(BoundedRangeVariable(Fraction(width)).renyi(Fraction(order)).upper)
    assert best <= stated * (1 + 1e-11)
    assert best >= stated * (1 - 1e-4)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=6),
    st.lists(st.floats(0.01, 1), min_size=6, max_size=6),
    st.floats(0.1, 5),
)
def test_any_pair_with_that_range_is_dominated(
    shares: list[float], weights: list[float], width: float
) -> None:
    """Random laws on several losses in [t − w, t], with t fixed by the total mass."""
    q = np.array(weights[: len(shares)])
    q /= q.sum()
    ratio = np.exp(width * np.array(shares))
    p = q * ratio / (q @ ratio)
    loss = BoundedRangeVariable(Fraction(width))
    for share in (-0.9, -0.2, 0.0, 0.4, 0.8):
        epsilon = share * width
        leak = np.maximum(p - math.exp(epsilon) * q, 0).sum()
        assert leak <= float(loss.delta(Fraction(epsilon)).upper) + 1e-12
    for order in (1.3, 2.0, 9.0):
        divergence = math.log(float((p**order) @ (q ** (1 - order)))) / (order - 1)
        assert divergence <= float(loss.renyi(Fraction(order)).upper) + 1e-12


@widths
def test_rho_serves_every_order_and_is_below_an_eighth_of_the_square(width: Fraction) -> None:
    loss = BoundedRangeVariable(width)
    rho = loss.renyi(1)
    assert rho.upper < width**2 / 8
    for order in ("1.001", "1.1", 2, 5, 100, 10**6):
        assert loss.renyi(Fraction(order)).lower <= rho.upper * Fraction(order)
    near = loss.renyi(1 + Fraction(1, 10**9))
    assert float(near) == pytest.approx(float(rho), rel=1e-7)
    assert loss.renyi(math.inf).upper == width
    with mp.workdps(40):
        w = mpf(width.numerator) / width.denominator
        expected = log((exp(w) - 1) / w) - 1 + w / (exp(w) - 1)
    assert float(rho) == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("count", [2, 7])
def test_sums_by_convolution(count: int) -> None:
    """The δ of a few of them against a fine convolution of the density."""
    width, step = 0.5, 1 / 2000
    loss = PrivacyLoss(BoundedRangeVariable(Fraction(1, 2))).self_compose(count)
    middles = np.arange(-width + step / 2, width, step)
    mass = np.exp((middles - width) / 2)
    mass /= mass.sum()
    total = mass.copy()
    for _ in range(count - 1):
        total = np.convolve(total, mass)
    losses = np.arange(len(total)) * step + count * middles[0]
    for epsilon in ("0", "0.3", "0.9"):
        leak = float(np.maximum(0, -np.expm1(float(epsilon) - losses)) @ total)
        found = loss.delta(epsilon)
        assert float(found.lower) * 0.9995 <= leak <= float(found.upper) * 1.0005


def test_laws_of_losses() -> None:
    loss = PrivacyLoss(BoundedRangeVariable(Fraction(4, 5)))
    assert loss.epsilon(0).upper == Fraction(4, 5)
    leak = loss.delta("0.3")
    assert loss.epsilon(leak.upper).lower <= Fraction("0.3")
    assert loss.tail("0.3").upper >= leak.lower
    assert loss.delta(1).upper == 0
    assert loss.self_compose(3).renyi(2).upper == 3 * loss.renyi(2).upper
    assert loss.self_compose(1).delta("0.5") == loss.delta("0.5")
    mixed = loss.compose(PrivacyLoss.laplace(epsilon="0.3"), PrivacyLoss.gaussian(mu="0.2"))
    assert float(mixed.delta("0.4").width) <= 2e-3 * float(mixed.delta("0.4").upper)
    missed = loss.tradeoff("0.2")
    assert missed.width <= Fraction(1, 100)
    assert inf > missed.lower > 0
