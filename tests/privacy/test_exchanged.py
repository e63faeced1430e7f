"""A record exchanged, bounded by removing one and adding one."""

import math
from fractions import Fraction

import pytest

from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.exchanged_variable import ExchangedVariable
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.grid_cells import Twins
from leastnoise.privacy.variables.loss_variable import LossVariable, Order

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


class Wide(LossVariable):
    """A loss with brackets whose ends are far apart: which end is taken is seen."""

    spread, span = 0.5, 3.0
    infinite_mass = Interval.exactly(0)

    def __init__(self, rate: int) -> None:
        self._rate = rate

    def delta(self, epsilon: Fraction) -> Interval:
        most = Fraction(min(1.0, math.exp(-self._rate * (1 + float(epsilon)))))
        return Interval(most / 3, most)

    def renyi(self, order: Order) -> Interval:
        size = self._rate * (10 if order == math.inf else Fraction(order))
        return Interval(size, 5 * size)

    def tail(self, epsilon: Fraction) -> Interval:
        return self.delta(epsilon)

    def cells(self, step: float) -> Twins:
        raise NotImplementedError(step)


WIDE = ExchangedVariable(Wide(2), Wide(3))


def test_upper_ends_come_from_upper_ends() -> None:
    def bound(epsilon: float, s: float) -> float:
        first, second = WIDE.remove.delta(Fraction(s)), WIDE.add.delta(Fraction(epsilon - s))
        return float(first.upper) + math.exp(s) * float(second.upper)

    found = WIDE.delta(Fraction(2))
    best = min(bound(2, i / 1000) for i in range(-1000, 3001))
    assert best <= found.upper <= best * 1.0001
    assert float(found.lower) == pytest.approx(math.exp(-6) / 3)
    other = WIDE.delta(Fraction(-2))
    assert float(other.upper) == pytest.approx(1 - math.exp(-2) * (1 - float(found.upper)))
    assert float(other.lower) == pytest.approx(1 - math.exp(-2) * (1 - float(found.lower)))
    assert ExchangedVariable(Wide(0), Wide(0)).delta(Fraction(1)).upper == 1


def test_ends_of_epsilon_and_divergences() -> None:
    def least(way: LossVariable, delta: Fraction) -> Interval:
        size = Fraction(-math.log(delta)) * (1 if way is WIDE.remove else 2)
        return Interval(size / 7, size)

    found = WIDE.epsilon(Fraction(1, 100), least)
    shares = (1 / 2, 1 / 3, 2 / 3)
    # ε₁ = −log(sδ), then e^−ε₁ = sδ, and what is left for adding is (1 − s)·δ·sδ.
    sums = [-math.log(s / 100) - 2 * math.log((1 - s) * s / 10**4) for s in shares]
    assert float(found.upper) == pytest.approx(min(sums))
    assert float(found.lower) == pytest.approx(-2 * math.log(0.01) / 7)
    order = WIDE.renyi(Fraction(3))
    assert order == Interval(9, Fraction(5, 4) * 5 * 2 * 6 + 5 * 3 * 5)
    assert WIDE.renyi(Fraction(1, 2)).upper == WIDE.renyi(Fraction(3, 2)).upper
    assert WIDE.renyi(math.inf) == Interval(30, 250)
    assert (WIDE.spread, WIDE.span) == (1.0, 6.0)


def test_nothing_is_told_of_a_share_that_has_no_end() -> None:
    def never(_: LossVariable, __: Fraction) -> Interval:
        return Interval(math.inf, math.inf)

    assert WIDE.epsilon(Fraction(1, 100), never) == Interval(math.inf, math.inf)
