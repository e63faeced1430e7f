"""The trade-off between false alarms and misses, and tails of the loss."""

from math import exp

import pytest

from leastnoise.numbers.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss


def test_the_region_of_an_epsilon_delta_promise() -> None:
    """Wasserman and Zhou 2010: max(0, 1 - delta - e^eps*a, e^-eps*(1 - delta - a))."""
    loss = PrivacyLoss.worst_case(epsilon=1, delta="0.1")
    for alarm in (0.0, 0.05, 0.2, 0.5, 0.9, 1.0):
        truth = max(0.0, 0.9 - exp(1) * alarm, exp(-1) * (0.9 - alarm))
        found = loss.tradeoff(alarm)
        assert float(found) == pytest.approx(truth, abs=1e-12)


def test_epsilon_0_is_allowed() -> None:
    loss = PrivacyLoss.worst_case(epsilon=0, delta="0.1")
    assert float(loss.tradeoff("0.5")) == pytest.approx(0.4, abs=1e-12)


def test_nothing_tells_nothing() -> None:
    assert float(PrivacyLoss(()).tradeoff("0.3")) == 0.7


def test_composed_gaussians_keep_their_curve() -> None:
    """A sum of different parts, seen through the twins, next to the closed form."""
    gaussian = PrivacyLoss.gaussian(mu=1)
    nearly = gaussian.compose(PrivacyLoss.laplace(epsilon="1e-6"))
    for alarm in ("0.01", "0.1", "0.5"):
        one, other = gaussian.tradeoff(alarm), nearly.tradeoff(alarm)
        assert (
            float(other.lower) <= float(one.upper) and float(one.lower) <= float(other.upper) + 1e-5
        )
        assert other.width <= other.lower / 500


def test_the_worse_direction_counts() -> None:
    loss = PrivacyLoss.gaussian(mu=1).poisson_sampled("0.3")
    assert loss.backward is not None
    both = [PrivacyLoss(parts).tradeoff("0.1") for parts in (loss.forward, loss.backward)]
    assert loss.tradeoff("0.1") == Interval(
        min(each.lower for each in both), min(each.upper for each in both)
    )


def test_tails_of_randomized_response() -> None:
    loss, truth = PrivacyLoss.randomized_response(epsilon=1), exp(1) / (1 + exp(1))
    assert float(loss.tail("0.5")) == pytest.approx(truth, rel=1e-12)
    assert loss.tail(1) == Interval.exactly(0)
    assert float(loss.tail("0.5", two_sided=True)) == pytest.approx(1, rel=1e-12)


def test_tails_of_laplace_noise() -> None:
    """P(loss > e) = 1 - e^((e-1)/2)/2 and P(loss < -e) = e^(-(1+e)/2)/2 for scale 1, distance 1."""
    loss = PrivacyLoss.laplace(epsilon=1)
    above, below = 1 - exp((0.3 - 1) / 2) / 2, exp(-(1 + 0.3) / 2) / 2
    assert float(loss.tail("0.3")) == pytest.approx(above, rel=1e-12)
    assert float(loss.tail("0.3", two_sided=True)) == pytest.approx(above + below, rel=1e-12)


def test_tails_of_a_sum_are_bracketed() -> None:
    """A Gaussian step, with a step beside it that moves nothing that is seen."""
    from scipy.stats import norm

    loss = PrivacyLoss.gaussian(mu="0.6").compose(PrivacyLoss.laplace(epsilon="1e-6"))
    truth = norm.sf(0.5 / 0.6 - 0.3)
    found = loss.tail("0.5")
    assert found.lower <= truth <= found.upper and found.width < 0.05
    truth += norm.cdf(-0.5 / 0.6 - 0.3)
    found = loss.tail("0.5", two_sided=True)
    assert found.lower <= truth <= found.upper and found.width < 0.05


def test_who_gives_the_secret_away_is_never_missed() -> None:
    nothing = PrivacyLoss.worst_case(epsilon=2, delta=1)
    assert nothing.tradeoff("0.1") == nothing.self_compose(2).tradeoff(0) == Interval.exactly(0)
    assert nothing.delta(5) == nothing.self_compose(3).delta(1) == Interval.exactly(1)
