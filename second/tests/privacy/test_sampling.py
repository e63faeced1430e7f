"""Golden values: 30-digit arithmetic of an independent implementation, twelve digits."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.loss import PrivacyLoss


def gaussian(sigma: str) -> PrivacyLoss:
    return PrivacyLoss.gaussian(mu=1 / Fraction(sigma))


def removed(loss: PrivacyLoss) -> PrivacyLoss:
    return PrivacyLoss(loss.forward)


def added(loss: PrivacyLoss) -> PrivacyLoss:
    assert loss.backward is not None
    return PrivacyLoss(loss.backward)


def sampled(sigma: str, rate: str) -> PrivacyLoss:
    return gaussian(sigma).poisson_sampled(rate)


LAPLACE = PrivacyLoss.laplace(epsilon=1).poisson_sampled("0.1")


@pytest.mark.parametrize(
    ("loss", "epsilon", "truth"),
    [
        (removed(sampled("1", "0.01")), "0.1", 7.29003769576e-5),
        (removed(sampled("1", "0.01")), "0.005", 2.63515084590e-3),
        (added(sampled("1", "0.01")), "0.005", 9.63144335305e-4),
        (removed(sampled("0.5", "0.5")), "1", 0.210495594285),
        (added(sampled("0.5", "0.5")), "0.5", 0.0721700401512),
        (removed(LAPLACE), "0.1", 0.0131218308858),
        (added(LAPLACE), "0.05", 0.00821794835085),
        (gaussian("1").poisson_sampled("0.1", neighbours="replace"), "0.5", 0.00334197179101),
        (gaussian("1").poisson_sampled("0.01", neighbours="replace"), "0.1", 9.33184568273e-5),
        (PrivacyLoss.gaussian(mu=2).sampled_without_replacement(1, 10), "0.5", 0.0329682368541),
        (PrivacyLoss.gaussian(mu=2).sampled_without_replacement(1, 100), "0.1", 0.00260803322603),
    ],
)
def test_one_step(loss: PrivacyLoss, epsilon: str, truth: float) -> None:
    assert float(loss.delta(epsilon)) == pytest.approx(truth, rel=2e-11)


@pytest.mark.parametrize(
    ("loss", "epsilon", "truth"),
    [
        (removed(sampled("1", "0.01")), "0.1", 1.54518564155e-4),
        (added(sampled("1", "0.01")), "0.01", 1.00352959225e-3),
        (removed(sampled("1", "0.5")), "0.5", 0.147920133411),
        (added(sampled("1", "0.5")), "0.5", 0.0853238599601),
    ],
)
def test_two_steps(loss: PrivacyLoss, epsilon: str, truth: float) -> None:
    found = loss.self_compose(2).delta(epsilon, within="1e-4")
    assert found.lower <= truth * (1 + 1e-11) and truth * (1 - 1e-11) <= found.upper
    assert found.width <= found.lower / 10**4


@pytest.mark.parametrize(
    ("sigma", "steps", "epsilon", "remove", "add"),
    [
        ("1", 2, "0.5", 0.149177523136, 0.142686965824),
        ("0.5", 2, "1", 0.404577500378, 0.380339194397),
        ("1", 10, "0.5", 0.026850355, 0.019064110),
    ],
)
def test_one_of_several_steps(
    sigma: str, steps: int, epsilon: str, remove: float, add: float
) -> None:
    loss = gaussian(sigma).allocated(steps)
    for one, truth in ((removed(loss), remove), (added(loss), add)):
        found = one.delta(epsilon)
        assert float(found.lower) <= truth * (1 + 2e-7) and truth * (1 - 2e-7) <= found.upper
        assert float(found.width) < 1e-6 * truth


def test_neither_direction_is_always_the_worse() -> None:
    """Randomized response, rate 1/2, two steps: remove .157911, add .216151."""
    loss = PrivacyLoss.randomized_response(epsilon=1).poisson_sampled("0.5").self_compose(2)
    assert float(removed(loss).delta("0.2415213")) == pytest.approx(0.157911, abs=2e-6)
    assert float(added(loss).delta("0.2415213")) == pytest.approx(0.216151, abs=2e-6)
    assert float(loss.delta("0.2415213").upper) >= 0.216150


def test_a_sample_without_replacement_is_worse_than_either_direction_composed() -> None:
    """Randomized response 1, one of four, 20 steps at 0.5: .291754, .281063, glued .354176."""
    response = PrivacyLoss.randomized_response(epsilon=1)
    poisson = response.poisson_sampled("0.25").self_compose(20)
    glued = response.sampled_without_replacement(1, 4).self_compose(20)
    for loss, truth in (
        (removed(poisson), 0.291754),
        (added(poisson), 0.281063),
        (glued, 0.354176),
    ):
        found = loss.delta("0.5")
        assert float(found.lower) - 1e-6 <= truth <= float(found.upper) + 1e-6


def test_sampling_agrees_with_a_sum_over_the_mixture() -> None:
    """((1-q)Q + qP, Q) of randomized response, written out."""
    p, q = exp(1) / (1 + exp(1)), 0.3
    mixed = [(1 - q) * (1 - p) + q * p, (1 - q) * p + q * (1 - p)]
    truth = sum(np.maximum(0, np.array(mixed) - exp(0.1) * np.array([1 - p, p])))
    loss = PrivacyLoss.randomized_response(epsilon=1).poisson_sampled("0.3")
    assert float(removed(loss).delta("0.1")) == pytest.approx(truth, rel=1e-12)


def test_rates_at_the_ends() -> None:
    loss = gaussian("1")
    assert loss.poisson_sampled(1) == loss
    assert float(loss.poisson_sampled(0).epsilon(0).upper) == 0
    assert loss.sampled_without_replacement(5, 5) == loss
    assert loss.allocated(1) == loss


def test_what_cannot_be_sampled_is_refused_in_one_sentence() -> None:
    two = gaussian("1").compose(PrivacyLoss.laplace(epsilon=1))
    with pytest.raises(InvalidInput, match="Only one step can be sampled"):
        two.poisson_sampled("0.1")
    with pytest.raises(InvalidInput, match="A sample is no larger"):
        gaussian("1").sampled_without_replacement(6, 5)
    with pytest.raises(InvalidInput, match="Gaussian noise only"):
        PrivacyLoss.randomized_response(epsilon=1).poisson_sampled("0.1", neighbours="replace")


@pytest.mark.parametrize(
    ("order", "known"), [(2, 8.675468285e-4), (5, 2.180756562e-3), (50, 2.384603754e-2)]
)
def test_whole_orders_of_sampled_gaussian_noise_are_exact(order: int, known: float) -> None:
    """50 steps of rate .01, sigma 2.5, next to quadrature of the two densities in 30 digits."""
    loss = PrivacyLoss.gaussian(mu="0.4").poisson_sampled("0.01").self_compose(50)
    found = loss.renyi(order)
    assert float(found) == pytest.approx(known, rel=1e-9)
    assert found.width < 1e-12
