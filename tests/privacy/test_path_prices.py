"""Prices of Laplace noise and of noise in steps: docs/proofs/paths.md."""

import math
from fractions import Fraction
from itertools import pairwise, product

import pytest
from mpmath import cosh, erfc, exp, log, mpf, sinh, sqrt

from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.path_prices import (
    laplace_to_gdp,
    laplace_to_zcdp,
    mu_of_laplace,
    rho_of_laplace,
)

EPSILONS = ["0.01", "0.5", "1", "4", "30"]


def laplace_renyi(epsilon: mpf, order: mpf) -> mpf:
    s = order - mpf(1) / 2
    return log(exp(-epsilon / 2) * (cosh(s * epsilon) + sinh(s * epsilon) / (2 * s))) / (order - 1)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_laplace_needs_exactly_that_rho(epsilon: str) -> None:
    rho, scan = (
        mpf(epsilon) - 1 + exp(-mpf(epsilon)),
        [mpf(10) ** (k / mpf(4)) for k in range(-24, 16)],
    )
    ratios = [laplace_renyi(mpf(epsilon), 1 + x) / (1 + x) for x in scan]
    assert all(ratio < rho for ratio in ratios)
    assert ratios[0] > rho * (1 - mpf(10) ** -4)
    assert (
        rho
        <= mpf(laplace_to_zcdp(epsilon=epsilon).rho.numerator)
        / laplace_to_zcdp(epsilon=epsilon).rho.denominator
        <= rho * (1 + mpf(10) ** -13)
    )


@pytest.mark.parametrize(("epsilon", "rho"), [(1, "0.367879"), (2, "1.135335"), (4, "3.018316")])
def test_golden_values_of_rho(epsilon: int, rho: str) -> None:
    assert float(rho_of_laplace(epsilon)) == pytest.approx(float(rho), abs=1e-6)
    assert float(rho_of_laplace(epsilon)) == pytest.approx(
        float(PrivacyLoss.laplace(epsilon=epsilon).renyi(1)), rel=1e-14
    )


def gaussian_curve(alarm: mpf, mu: mpf) -> mpf:
    """Missed detections of the best test between N(0, 1) and N(mu, 1), by bisection."""
    low, high = mpf(-40), mpf(40)
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if erfc(middle / sqrt(2)) / 2 > alarm else (low, middle)
    return erfc((mu - low) / sqrt(2)) / 2


def laplace_curve(alarm: mpf, epsilon: mpf) -> mpf:
    if alarm < exp(-epsilon) / 2:
        return 1 - exp(epsilon) * alarm
    return exp(-epsilon) / (4 * alarm) if alarm < 0.5 else exp(-epsilon) * (1 - alarm)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_laplace_needs_exactly_that_mu(epsilon: str) -> None:
    mu, loss = laplace_to_gdp(epsilon=epsilon).mu, mpf(epsilon)
    exact = mpf(mu.numerator) / mu.denominator
    alarms = [exp(-loss / 2) * mpf(k) / 20 for k in range(1, 20)] + [
        mpf(k) / 20 for k in range(1, 20)
    ]
    for alarm in alarms:
        assert gaussian_curve(alarm, exact) <= laplace_curve(alarm, loss) * (1 + mpf(10) ** -12)
    kink = exp(-loss / 2) / 2
    assert gaussian_curve(kink, exact * mpf("0.9999")) > laplace_curve(kink, loss)


def test_golden_value_of_mu_and_zero() -> None:
    assert float(mu_of_laplace(1)) == pytest.approx(1.030064, abs=1e-6)
    assert laplace_to_gdp(epsilon=0).mu == 0
    assert laplace_to_zcdp(epsilon=0).rho == 0


# Steps


@pytest.mark.parametrize("steps", [1, 2, 3, 7])
@pytest.mark.parametrize("rate", ["0.1", "1.5"])
def test_steps_are_geometric_noise(rate: str, steps: int) -> None:
    """T of the proof, iterated, is the curve of the best tests of that noise."""
    loss, r = DiscreteLaplace(scale=1 / Fraction(rate)).privacy(steps), mpf(rate)

    def power(alarm: mpf) -> mpf:
        for _ in range(steps):
            alarm = min(exp(r) * alarm, 1 - exp(-r) * (1 - alarm))
        return alarm

    for k in range(1, 20):
        missed = 1 - power(mpf(k) / 20)
        answer = loss.tradeoff(Fraction(k, 20))
        assert float(answer.lower) <= missed * (1 + mpf(10) ** -12)
        assert float(answer.upper) >= missed * (1 - mpf(10) ** -12)
        assert float(answer) == pytest.approx(float(missed), rel=1e-6)


@pytest.mark.parametrize(("steps", "rate"), list(product([1, 2, 5], ["0.3", "2"])))
def test_geometric_noise_needs_no_more_than_its_kl(steps: int, rate: str) -> None:
    loss = DiscreteLaplace(scale=1 / Fraction(rate)).privacy(steps)
    rho = loss.renyi(1).upper
    orders = [Fraction(x) for x in ("1.001", "1.1", "2", "5", "40")]
    ratios = [loss.renyi(a).upper / a for a in orders]
    assert all(ratio <= rho for ratio in ratios)
    assert all(low >= high for low, high in pairwise(ratios))
    assert ratios[0] > rho * Fraction(99, 100)


# Where it fails: one step of a coarse lattice has nothing in between


def test_geometric_noise_at_distance_1_is_not_dominated_by_laplace() -> None:
    coarse, line = DiscreteLaplace(scale=1).privacy(1), PrivacyLoss.laplace(epsilon=1)
    assert coarse.delta(0).lower > line.delta(0).upper
    assert float(coarse.delta(0)) == pytest.approx(math.tanh(0.5))
    assert float(line.delta(0)) == pytest.approx(1 - math.exp(-0.5))
