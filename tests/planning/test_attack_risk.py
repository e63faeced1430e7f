"""Risk in percentages: sharp for worst-case mechanisms, sound for all."""

from fractions import Fraction
from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.numeric.interval import Interval
from leastnoise.planning.attack_risk import attack_risk, percent
from leastnoise.privacy.curves.tradeoff_curve import PiecewiseLinearTradeoff
from leastnoise.privacy.guarantee import Guarantee
from tests.examples import examples

epsilons = st.fractions(Fraction(1, 20), 8, max_denominator=50)
deltas = st.fractions(0, Fraction(1, 5), max_denominator=10**6)
alarms = st.fractions(0, 1, max_denominator=1000)


@settings(max_examples=40, deadline=None)
@given(epsilons, deltas, alarms)
def test_detections_of_the_worst_mechanism_are_met(
    epsilon: Fraction, delta: Fraction, alarm: Fraction
) -> None:
    """Sound and sharp: the worst (ε, δ)-DP pair is caught exactly so often."""
    bound = attack_risk(ln.ApproxDP(epsilon=epsilon, delta=delta)).caught(alarm)
    line = PiecewiseLinearTradeoff.of_approx(epsilon=epsilon, delta=delta)
    worst = line.missed_detection(alarm)
    assert float(bound.upper) == pytest.approx(1 - float(worst.lower), abs=1e-12)
    assert bound.upper >= 1 - worst.upper


@examples(20, 80)
@given(epsilons, deltas, st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=100))
def test_guesses_about_the_worst_mechanism(
    epsilon: Fraction, delta: Fraction, prior: Fraction
) -> None:
    """The best guess is found by trying every likelihood-ratio test of the worst pair."""
    e, d, p = exp(epsilon), float(delta), float(prior)
    # Outcomes: (chance if absent, chance if present); the two outer ones give the secret away.
    outcomes = [(d, 0.0), (0.0, d), ((1 - d) / (1 + e), (1 - d) * e / (1 + e))]
    outcomes.append(outcomes[-1][::-1])
    best = sum(max((1 - p) * absent, p * present) for absent, present in outcomes)
    bound = attack_risk(ln.ApproxDP(epsilon=epsilon, delta=delta)).right(prior)
    assert float(bound.upper) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("mu", ["0.1", 1, 3])
def test_gaussian_risk_is_near_the_truth_and_above(mu: str | int) -> None:
    risk, loss = attack_risk(ln.GDP(mu=mu)), ln.PrivacyLoss.gaussian(mu=mu)
    for alarm in ("0.001", "0.01", "0.1", "0.5", "0.9"):
        true = 1 - loss.tradeoff(alarm).upper
        assert true <= risk.caught(alarm).upper <= true + Fraction(1, 200)
    true = (1 + loss.delta(0).lower) / 2
    assert true <= risk.right().upper <= true + Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("promise", "weaker"),
    [
        (ln.GDP(mu=1), ln.ZCDP(rho="0.5")),
        (ln.PureDP(epsilon=1), ln.ApproxDP(epsilon=1, delta="1e-3")),
        (ln.PureDP(epsilon=1), ln.PureDP(epsilon=2)),
        (ln.ZCDP(rho="0.5"), ln.RDP(order=4, epsilon=2)),
    ],
)
def test_a_weaker_promise_is_a_greater_risk(promise: Guarantee, weaker: Guarantee) -> None:
    less, more = attack_risk(promise), attack_risk(weaker)
    assert less.right().upper <= more.right().upper
    for alarm in ("0.001", "0.01", "0.3"):
        assert less.caught(alarm).upper <= more.caught(alarm).upper


def test_posterior_is_bayes_rule() -> None:
    sure = attack_risk(ln.PureDP(epsilon=2)).sure("0.1")
    assert sure is not None
    assert float(sure.upper) == pytest.approx(0.1 * exp(2) / (0.9 + 0.1 * exp(2)))
    assert attack_risk(ln.ApproxDP(epsilon=2, delta=0)).sure() is not None
    assert attack_risk(ln.RDP(order=float("inf"), epsilon=2)).sure() is not None
    for promise in (ln.ApproxDP(epsilon=2, delta="1e-9"), ln.ZCDP(rho=1), ln.GDP(mu=1)):
        assert attack_risk(promise).sure() is None
    assert attack_risk(ln.RDP(order=2, epsilon=2)).sure() is None


def test_no_privacy_and_perfect_privacy() -> None:
    assert attack_risk(ln.PureDP(epsilon=0)).caught("0.01") == Interval.exactly(Fraction(1, 100))
    assert attack_risk(ln.PureDP(epsilon=0)).right() == Interval.exactly(Fraction(1, 2))
    vast = attack_risk(ln.PureDP(epsilon=10**4))
    assert vast.caught("0.5").upper == 1
    assert attack_risk(ln.PureDP(epsilon=1)).right(0) == Interval.exactly(1)
    assert "100 %" in str(vast)


def test_words() -> None:
    one, two = attack_risk(ln.ApproxDP(epsilon=1, delta="1e-6")).words(
        suspicion="a record is true", right="true records"
    )
    assert one.startswith("Someone who thinks it as likely as not that a record is true, and sees")
    assert one.endswith("guesses right with a probability of at most 73.2 %.")
    assert two.endswith("catches at most 2.72 % of true records.")
    assert repr(attack_risk(ln.PureDP(epsilon=1))) == "AttackRisk(PureDP(epsilon=1))"


@pytest.mark.parametrize(
    ("value", "text"),
    [("0", "0 %"), ("0.00012341", "0.0124 %"), ("0.9999", "99.99 %"), ("1", "100 %"),
     ("0.5", "50 %"), ("0.99999999999999999", "100 %")],
)  # fmt: skip
def test_percentages_are_rounded_up(value: str, text: str) -> None:
    assert percent(Interval.exactly(Fraction(value))) == text


def test_odd_input_is_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"`false_alarm` must lie in \[0, 1\]"):
        attack_risk(ln.PureDP(epsilon=1)).caught(1.5)
    with pytest.raises(InvalidParameter, match="must be a guarantee"):
        attack_risk(3)  # type: ignore[arg-type]
