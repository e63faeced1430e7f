"""Gaussians on a lattice against sums over the lattice, and against the line."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from leastnoise.errors import InvalidParameter
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace
from leastnoise.numeric import ball as balls
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.lattice_gaussian_variable import LatticeGaussianVariable
from leastnoise.tabulation.correlated_gaussian import CorrelatedGaussian
from leastnoise.tabulation.residuals.residual_noise import ResidualNoise

EPSILONS = [Fraction(e) for e in ("-1.5", "-0.2", "0", "0.1", "0.7", "2", "4")]


def variable(v: int, s: int, square: int, coordinates: int) -> LatticeGaussianVariable:
    leak = coordinates * Fraction(2) ** (3 - 14 * s)
    return LatticeGaussianVariable(
        Fraction(square, v), Fraction(square, v + s), Fraction(square, v - s), leak
    )


def log_laws(v: int, shift: tuple[int, int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Logarithms of the two laws on a square of the lattice that holds all that matters."""
    reach = math.ceil(10 * math.sqrt(v)) + 8 * max(map(abs, shift))
    k = np.arange(-reach, reach + 1)
    total = math.log(np.exp(-(k**2) / (2 * v)).sum())
    first, second = (-((k - centre) ** 2) / (2 * v) - total for centre in shift)
    here = -(k**2) / (2 * v) - total
    return here[:, None] + here, first[:, None] + second


# Theorems 4 to 6 at parameters small enough to sum over: a coarse lattice shows most.


@pytest.mark.parametrize(("v", "s"), [(3, 1), (3, 2), (20, 2), (90, 3)])
@pytest.mark.parametrize("shift", [(1, 0), (2, -3), (5, 5)])
def test_the_bracket_holds_the_sum_over_the_lattice(v: int, s: int, shift: tuple[int, int]) -> None:
    log_p, log_q = log_laws(v, shift)
    p, loss = np.exp(log_p), log_p - log_q
    here = variable(v, s, shift[0] ** 2 + shift[1] ** 2, 2)
    for epsilon in EPSILONS:
        delta = float(np.maximum(p - math.exp(epsilon) * np.exp(log_q), 0).sum())
        bracket = here.delta(epsilon)
        assert bracket.lower - 1e-13 <= delta <= bracket.upper + 1e-13
        tail = float(p[loss > float(epsilon) + 1e-12].sum())
        assert here.tail(epsilon).lower - 1e-12 <= tail <= here.tail(epsilon).upper + 1e-12
    assert float((p * loss).sum()) == pytest.approx(float(here.square) / 2, rel=1e-9)
    for order in (0.5, 1.0, 1.5, 2.0, 7.0):
        if order == 1:
            divergence = float((p * loss).sum())
        else:
            total = float(np.exp(order * log_p + (1 - order) * log_q).sum())
            divergence = math.log(total) / (order - 1)
        bracket = here.renyi(Fraction(order))
        assert bracket.lower - 1e-9 <= divergence <= bracket.upper + 1e-9


def test_the_brackets_are_as_narrow_as_claimed() -> None:
    here, line = variable(10**8, 64, 10**8, 2), GaussianVariable(Fraction(1))
    for epsilon in (Fraction(0), Fraction(1), Fraction(5)):
        bracket = here.delta(epsilon)
        assert float(line.delta(epsilon)) == pytest.approx(float(bracket), rel=1e-4)
        assert bracket.upper - bracket.lower < bracket.upper / 10**4
        tail = here.tail(epsilon)
        assert float(line.tail(epsilon)) == pytest.approx(float(tail), rel=2e-2)
    assert here.renyi(Fraction(2)).upper == 1
    assert here.renyi(math.inf).lower == math.inf
    assert here.infinite_mass.upper == 0


def test_the_leak_is_counted() -> None:
    leak, line = Fraction(1, 100), GaussianVariable(Fraction(1))
    leaky = LatticeGaussianVariable(Fraction(1), Fraction(1), Fraction(1), leak)
    for epsilon in EPSILONS:
        exact, bracket = line.delta(epsilon), leaky.delta(epsilon)
        assert bracket.upper == min(Fraction(1), exact.upper * (1 - leak) + leak)
        assert bracket.lower == max(Fraction(0), exact.lower - 2 * leak)
    assert leaky.cells(0.01).pessimistic().infinite >= 0.01
    assert leaky.cells(0.01).optimistic().infinite == 0


@pytest.mark.spread(2)
@pytest.mark.parametrize("count", [1, 4])
def test_sums_agree_with_the_exact_loss(count: int) -> None:
    """The composition with something else goes through a grid, with the two twins."""
    v, s = 200, 3
    other = DiscreteLaplace(scale=2).privacy(1)
    mine = PrivacyLoss(variable(v, s, 16, 1)).self_compose(count).compose(other)
    exact = DiscreteGaussian(v).privacy(4).self_compose(count).compose(other)
    for epsilon in ("0.3", "1"):
        a, b = mine.delta(epsilon), exact.delta(epsilon)
        assert a.lower <= b.upper
        assert b.lower <= a.upper
        assert float(a) == pytest.approx(float(b), rel=0.1)


def test_sums_in_closed_form() -> None:
    one = PrivacyLoss(variable(10**6, 64, 10**6, 3))
    many = one.self_compose(4)
    assert many.forward == variable(10**6, 64, 4 * 10**6, 12)
    assert one.compose(one, one, one).forward == many.forward
    assert one.forward.joined(one.forward, 3) == many.forward
    with_line = one.compose(PrivacyLoss.gaussian(mu=1)).forward
    assert isinstance(with_line, LatticeGaussianVariable)
    assert with_line.square == 2
    assert isinstance(PrivacyLoss.gaussian(mu=1).compose(one).delta(1).upper, Fraction)


# Calibration


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "8"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-15", "1e-300", "1e-900"])
def test_approximate_guarantees_are_met_without_loss(epsilon: str, delta: str) -> None:
    noise = ResidualNoise(ApproxDP(epsilon=epsilon, delta=delta), 10**15, 10**6)
    price = noise.loss(1).delta(epsilon)
    assert Fraction(delta) * Fraction(999, 1000) < price.lower
    assert price.upper <= Fraction(delta)


def test_the_noise_is_that_of_the_line() -> None:
    noise = ResidualNoise(ApproxDP(epsilon=1, delta="1e-6"), 10**16, 100)
    assert float(noise.parameter) == pytest.approx(4.22467888932684**2 * 1e16, rel=1e-12)
    assert noise.law.sigma_squared == noise.parameter


def test_zcdp_is_exact() -> None:
    noise = ResidualNoise(ZCDP(rho="1/3"), 10**10, 7)
    assert noise.parameter == Fraction(3 * 10**10, 2)
    loss = noise.loss(1)
    assert [loss.renyi(order).upper for order in (1, 2, 9)] == [Fraction(n, 3) for n in (1, 2, 9)]
    assert noise.loss(3).renyi(1).upper == 3
    assert loss.for_group(3).renyi(1).upper == 3
    assert loss.renyi(1).lower > Fraction(1, 3) - Fraction(1, 10**7)


@pytest.mark.parametrize(
    "guarantee",
    [
        PureDP(epsilon=1),
        GDP(mu=1),
        RDP(order=2, epsilon=1),
        ZCDP(rho=1, delta="1e-6"),
        ZCDP(rho=0),
        ApproxDP(epsilon=1, delta=0),
        ZCDP(rho=10**9),
        ZCDP(rho="1e-400"),
        "ZCDP",
        None,
    ],
)
def test_other_guarantees_are_refused(guarantee: Any) -> None:
    with pytest.raises(InvalidParameter, match="guarantee"):
        ResidualNoise(guarantee, 10**10, 7)


# Errors


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from([2**24, 2**30, 10**20]),
    st.sampled_from([Fraction(r) for r in ("1e-12", "1e-4", "0.05", "1/3", "0.9")]),
)
def test_quantiles_of_one_coordinate(parameter: int, risk: Fraction) -> None:
    """Against the exact distribution function of the law itself."""
    noise = ResidualNoise(ZCDP(rho="0.5"), parameter, 1)
    bracket = noise.quantile(lambda: balls.ball(1), risk)
    exact = noise.law.quantile(1 - risk)
    assert bracket.lower <= exact
    assert exact - 1 <= bracket.upper
    assert bracket.upper - bracket.lower <= math.isqrt(parameter) / 20


def test_quantiles_scale_and_are_normal() -> None:
    noise = ResidualNoise(ZCDP(rho="0.5"), 10**16, 50)
    found = noise.quantile(lambda: balls.ball(Fraction(4, 10**16)), Fraction(1, 20))
    expected = 2 * float(mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf("0.95")))
    assert found.lower < expected < found.upper
    assert float(found) == pytest.approx(expected, rel=1e-6)
    assert float(noise.variance(lambda: balls.ball(Fraction(1, 10**8)))) == pytest.approx(1e8)


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, "nan", float("inf"), None, "95%"])
def test_bad_confidence_is_refused(confidence: Any) -> None:
    with pytest.raises(InvalidParameter, match="confidence"):
        CorrelatedGaussian(columns=2, guarantee=ZCDP(rho=1)).error(confidence=confidence)
