"""What no other test noticed when it was changed: `make mutants`."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from mpmath import mp

from leastnoise.accounting import shuffling, training_calibration
from leastnoise.accounting.calibration import calibrate
from leastnoise.accounting.composition import compare
from leastnoise.accounting.filters import PrivacyFilter
from leastnoise.accounting.gaussian_calibration import gaussian_noise_delta, gaussian_noise_epsilon
from leastnoise.accounting.odometer import ZCDPOdometer
from leastnoise.accounting.plan import Plan
from leastnoise.accounting.pricing import _root
from leastnoise.errors import BudgetExceeded, InvalidParameter
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss


def test_lines_of_an_odometer_are_rounded_up() -> None:
    odometer = ZCDPOdometer(delta="1e-6", first="0.01").record(ZCDP(rho="0.3"))
    for j in range(6):
        slope = mp.mpf(odometer._slope(j).numerator) / odometer._slope(j).denominator
        exact = slope * mp.mpf(3) / 10 + mp.log((j + 1) * (j + 2) * 10**6) / (slope - 1)
        line = odometer._line(j)
        assert mp.mpf(line.numerator) / line.denominator > exact


@pytest.mark.parametrize("square", [Fraction(2), Fraction(2, 10**200), Fraction(3 * 10**90, 7)])
def test_roots_of_tiny_squares_keep_their_digits(square: Fraction) -> None:
    low, high = _root(square, up=False), _root(square, up=True)
    assert 0 < low**2 < square < high**2
    assert high - low < low / 2**100


def test_both_ends_of_a_calibration_are_near() -> None:
    found = calibrate(
        lambda sigma: PrivacyLoss.gaussian(mu=1 / sigma), epsilon=1, delta="1e-3", relative="1e-4"
    )
    low, high = Fraction(found.parameter.lower), Fraction(found.parameter.upper)
    assert high - low <= high / 4000
    assert PrivacyLoss.gaussian(mu=1 / low).delta(1).lower > Fraction(1, 1000)


def test_a_plan_that_may_leak_does_not_keep_a_pure_limit() -> None:
    plan = Plan([PrivacyLoss.worst_case(epsilon="0.5")])
    assert plan.within(PureDP(epsilon="0.5"))
    unsure: Any = SimpleNamespace(delta=lambda _: Interval(Fraction(0), Fraction(1, 10)))
    plan.__dict__["loss"] = unsure
    assert not plan.within(PureDP(epsilon=1))
    assert not plan.within(ApproxDP(epsilon=1, delta="0.09"))


def test_a_plan_is_made_of_losses_only() -> None:
    odd: Any = "a loss"
    with pytest.raises(InvalidParameter):
        Plan([PrivacyLoss.worst_case(epsilon=1), odd])


def test_gaussian_noise_is_priced_by_its_scale() -> None:
    half = PrivacyLoss.gaussian(mu="0.5")
    delta = gaussian_noise_delta(epsilon=1, sigma=6, sensitivity=3)
    assert float(delta) == pytest.approx(float(half.delta(1)))
    epsilon = gaussian_noise_epsilon(delta="1e-3", sigma=6, sensitivity=3)
    assert float(epsilon) == pytest.approx(float(half.epsilon("1e-3")))


def test_theorems_are_compared_for_one_mechanism_or_more() -> None:
    with pytest.raises(InvalidParameter):
        compare(epsilon=1, delta=0, count=0, target_delta="1e-3")
    whole = compare(epsilon=1, delta="0.5", count=2, target_delta="0.9")
    assert len(whole.rows) >= 3


def test_requests_that_were_granted_at_once_are_held_to_the_limit() -> None:
    whole = PrivacyFilter(PureDP(epsilon=1))
    assert whole.after([PureDP(epsilon="0.5")] * 2).spent == PureDP(epsilon=1)
    with pytest.raises(BudgetExceeded):
        whole.after([PureDP(epsilon="0.5")] * 3)


def test_a_plan_is_held_to_a_promise_of_epsilon_and_delta_only() -> None:
    asked = Plan([PrivacyLoss.worst_case(epsilon=1)])
    assert asked.within(PureDP(epsilon=1))
    with pytest.raises(InvalidParameter, match="limit"):
        asked.within(ZCDP(rho=1))  # type: ignore[arg-type]


@pytest.mark.parametrize("needed", [Fraction("3.3333"), Fraction("0.7001"), Fraction("0.2")])
def test_the_least_noise_is_found_to_a_thousandth(
    monkeypatch: pytest.MonkeyPatch, needed: Fraction
) -> None:
    """Of a run that keeps its promise from some noise on; what was tried is counted."""
    tried: list[Fraction] = []

    class Run:
        """Leaks nothing with as much noise as is needed, and everything with less."""

        def __init__(self, noise: Fraction, *_: object) -> None:
            tried.append(noise)
            self._noise = noise

        def delta(self, _: object) -> Interval:
            assert len(tried) < 100
            return Interval.exactly(0 if self._noise >= needed else 1)

    monkeypatch.setattr(training_calibration, "Training", Run)
    found = training_calibration.least_noise(rate="0.1", steps=10, epsilon=1, delta="1e-6")
    assert found - Fraction(1, 1000) < needed <= found


def test_a_delta_that_shuffling_leaks_has_an_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is reached at epsilon = 0 and no longer at 1; a few thresholds are enough here."""
    monkeypatch.setattr(shuffling, "_TRIALS", 20)
    run = shuffling.ShuffledBatches("0.5", 20)
    middle = (Fraction(run.delta(0).lower) + Fraction(run.delta(1).lower)) / 2
    found = run.epsilon(middle).lower
    assert 0 < found < 1
    assert float(run.delta(found).lower) == pytest.approx(float(middle), rel=1e-3)
