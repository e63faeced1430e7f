"""A record exchanged, bounded by removing one and adding one."""

import math
from fractions import Fraction

import pytest

from leastnoise.errors import UnsupportedQuery
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.exchanged_variable import ExchangedVariable
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable

RESPONSE = PrivacyLoss.randomized_response(epsilon=1)


def exchanged(mu: str, count: int = 1) -> PrivacyLoss:
    """Gaussian noise, of which the truth is known: twice the distance."""
    one = GaussianVariable(Fraction(mu) ** 2)
    return PrivacyLoss(ExchangedVariable(one, one)).self_compose(count)


def test_the_truth_of_gaussian_noise_lies_in_between() -> None:
    for mu, count, epsilon in (("0.5", 1, "1"), ("0.5", 4, "3"), ("1", 1, "0"), ("0.3", 1, "-0.5")):
        loss = exchanged(mu, count)
        truth = PrivacyLoss.gaussian(mu=2 * Fraction(mu)).self_compose(count)
        found = loss.forward.delta(Fraction(epsilon))
        exact = truth.forward.delta(Fraction(epsilon))
        assert found.lower <= exact.lower <= exact.upper <= found.upper < 1
    loss, truth = exchanged("0.5"), PrivacyLoss.gaussian(mu=1)
    assert loss.epsilon("1e-5").lower <= truth.epsilon("1e-5").lower
    assert truth.epsilon("1e-5").upper <= loss.epsilon("1e-5").upper
    for order in ("0.5", "1", "2", "7.5"):
        assert truth.renyi(order).upper <= loss.renyi(order).upper < 40
    assert truth.tail(1).upper <= loss.tail(1).upper


def test_the_split_is_the_best_that_two_curves_give() -> None:
    """A record that is there with odds e against e^-1: all tests of three laws, by hand."""
    loss = PrivacyLoss(ExchangedVariable(RESPONSE.forward, RESPONSE.forward))
    keep = math.e / (1 + math.e)
    # The pair of densities φ', ψ' on [0, 1]: e^±1 up to 1 − keep, e^∓1 from keep on, else alike.
    for epsilon in (0.0, 0.4, 1.0, 1.7):
        rises = keep - math.exp(epsilon) * (1 - keep) / math.e
        least = max(0.0, rises, 1 - math.exp(epsilon))
        assert float(loss.delta(epsilon).upper) == pytest.approx(least, abs=2e-2)
        assert float(loss.delta(epsilon).upper) >= least - 1e-12


def test_allocated_records_may_be_exchanged() -> None:
    step = PrivacyLoss.gaussian(mu=1)
    moved, replaced = step.randomly_allocated(10), step.randomly_allocated(10, neighbours="replace")
    assert replaced.backward is None
    least, found = moved.epsilon("1e-3"), replaced.epsilon("1e-3")
    assert found.lower == least.lower
    told = PrivacyLoss.gaussian(mu=2).epsilon("1e-3").lower
    assert 1.5 * least.lower < found.upper < told / 2
    always = step.randomly_allocated(1, neighbours="replace")
    assert always.forward == GaussianVariable(Fraction(4))
    assert always.backward is None
    # ε and δ are split in different ways, and both ways are sound.
    response = RESPONSE.randomly_allocated(2, neighbours="replace")
    assert response.delta(response.epsilon("0.1").upper).upper <= Fraction("0.101")


def test_epochs_are_removed_first_and_then_added() -> None:
    one = RESPONSE.randomly_allocated(2, neighbours="replace")
    both = one.self_compose(3)
    assert isinstance(both.forward, ExchangedVariable)
    rounds = RESPONSE.randomly_allocated(2).self_compose(3)
    assert rounds.backward is not None
    assert both.forward == ExchangedVariable(rounds.forward, rounds.backward)
    assert one.compose(one, one).delta(1).upper == pytest.approx(both.delta(1).upper)
    with pytest.raises(UnsupportedQuery, match="composed with its like"):
        one.compose(PrivacyLoss.laplace(epsilon=1)).delta(1)


def test_poisson_samples_of_any_kind_may_be_exchanged() -> None:
    gaussian = PrivacyLoss.gaussian(mu=1)
    sampled = gaussian.poisson_sampled("0.1")
    assert sampled.backward is not None
    bound = PrivacyLoss(ExchangedVariable(sampled.forward, sampled.backward)).delta("0.5")
    truth = gaussian.poisson_sampled("0.1", "replace").delta("0.5")
    assert bound.lower <= truth.lower <= truth.upper <= bound.upper < 3 * truth.upper
    response = RESPONSE.poisson_sampled("0.1", "replace")
    # Odds of the two answers lie between 1 + 0.1·(e − 1) and 1 + 0.1·(1/e − 1).
    most = math.log1p(0.1 * math.expm1(1)) - math.log1p(0.1 * math.expm1(-1))
    assert 0 < response.epsilon(0).upper <= 1.001 * most
    assert response.renyi(math.inf).upper == pytest.approx(most)
    leaky = PrivacyLoss.worst_case(epsilon=1, delta="0.1").poisson_sampled("0.5", "replace")
    assert leaky.forward.infinite_mass.upper == 1
    assert response.forward.infinite_mass.upper == 0
