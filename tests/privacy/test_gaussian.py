"""Normal noise against 60-digit arithmetic, other people's code, and the published errata."""

import math
from fractions import Fraction
from time import process_time

import pytest
from dp_accounting.pld import privacy_loss_mechanism
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import erfc, exp, mp, mpf, sqrt
from scipy.stats import norm

from leastnoise import Interval, InvalidParameter
from leastnoise.numeric.real import Computable
from leastnoise.privacy.gaussian import (
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
    gaussian_tail,
    gaussian_tradeoff,
)

EPSILONS = ["0", "1e-9", "0.001", "0.1", "1", "3.7", "10", "100", "1000"]
DELTAS = ["1e-300", "1e-100", "1e-30", "1e-12", "1e-6", "0.01", "0.5", "0.9"]
MUS = ["1e-6", "0.03", "0.5", "1", "2.5", "20", "300"]


def number(value: Fraction | float | str) -> mpf:
    exact = Fraction(value)
    return mpf(exact.numerator) / exact.denominator


def normal_cdf(x: mpf) -> mpf:
    return erfc(-x / sqrt(2)) / 2


DIGITS = 400  # the difference of two probabilities loses as many as δ and μ have zeros


def true_delta(epsilon: Fraction | float | str, mu: Fraction | float | str) -> mpf:
    with mp.workdps(DIGITS):
        e, m = number(epsilon), number(mu)
        return normal_cdf(m / 2 - e / m) - exp(e) * normal_cdf(-m / 2 - e / m)


def exactly(value: Fraction | float | str) -> mpf:
    with mp.workdps(DIGITS):
        return number(value)


def relative_gap(interval: Interval, truth: mpf) -> float:
    with mp.workdps(DIGITS):
        ends = number(interval.lower), number(interval.upper)
        assert ends[0] <= truth * (1 + mpf(10) ** -55)
        assert truth <= ends[1] * (1 + mpf(10) ** -55)
        return float(max(abs(end - truth) for end in ends) / abs(truth))


@pytest.mark.spread(25)
@pytest.mark.parametrize("epsilon", [*EPSILONS, "-0.5", "-8"])
@pytest.mark.parametrize("mu", MUS)
def test_delta_is_the_closed_form_to_twenty_digits(epsilon: str, mu: str) -> None:
    truth = true_delta(epsilon, mu)
    answer = gaussian_delta(epsilon, mu).interval()
    if truth > mpf(10) ** -200000:
        assert relative_gap(answer, truth) < 1e-20
    else:
        assert -answer.upper <= answer.lower < answer.upper < Fraction(1, 10**200000)


@pytest.mark.spread(20)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_mu_and_epsilon_invert_delta(epsilon: str, delta: str) -> None:
    mu, target = gaussian_mu(epsilon, delta), exactly(delta)
    assert true_delta(epsilon, mu.lower) <= target <= true_delta(epsilon, mu.upper)
    assert mu.width <= mu.upper / 2**59
    if mu.lower < 50 and epsilon != "0":
        back = gaussian_epsilon(delta, mu.lower)
        assert true_delta(back.upper, mu.lower) <= target <= true_delta(back.lower, mu.lower)
        assert back.width <= back.upper / 2**59


def test_it_is_fast() -> None:
    start = process_time()
    for epsilon in EPSILONS:
        for delta in DELTAS:
            gaussian_mu(epsilon, delta)
            gaussian_epsilon(delta, "0.7")
    each = (process_time() - start) / (2 * len(EPSILONS) * len(DELTAS))
    assert each < 0.02  # about 0.5 ms; the slack is for slow machines


def test_published_errata() -> None:
    assert float(gaussian_delta(1, 1).interval()) == pytest.approx(0.12694, abs=5e-6)
    assert float(gaussian_tail(1, 1).interval()) == pytest.approx(0.30854, abs=5e-6)
    both_sides = float(gaussian_tail(1, 1).interval()) + norm.cdf(-1.5)
    assert both_sides == pytest.approx(0.37534, abs=5e-6)
    misprint = norm.cdf(-0.5) - math.exp(-1) * norm.cdf(-1.5)
    assert misprint == pytest.approx(0.28396, abs=5e-6)
    assert misprint > float(gaussian_delta(1, 1).interval())


@pytest.mark.parametrize("sigma", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_dp_accounting_agrees(sigma: float, epsilon: float) -> None:
    theirs = privacy_loss_mechanism.GaussianPrivacyLoss(sigma).get_delta_for_epsilon(epsilon)
    ours = gaussian_delta(epsilon, 1 / Fraction(sigma)).interval()
    assert float(ours) == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize("alpha", ["1e-300", "1e-9", "0.05", "0.5", "0.999", "0.999999999999"])
@pytest.mark.parametrize("mu", ["0.001", "1", "30"])
def test_tradeoff_curve(alpha: str, mu: str) -> None:
    answer = gaussian_tradeoff(alpha, mu)
    # f(α) = β is symmetric: testing the other way round, f(β) = α.
    back = gaussian_tradeoff(answer.lower, mu).upper, gaussian_tradeoff(answer.upper, mu).lower
    assert back[1] <= Fraction(alpha) <= back[0]
    if alpha != "1e-300":
        theirs = norm.cdf(norm.isf(float(alpha)) - float(mu))
        assert float(answer) == pytest.approx(theirs, rel=1e-8)


@settings(deadline=None)
@given(st.fractions(0, 5), st.fractions("1/20", 5), st.fractions("1/1000", "999/1000"))
def test_tradeoff_stays_above_every_supporting_line(
    epsilon: Fraction, mu: Fraction, alpha: Fraction
) -> None:
    missed = gaussian_tradeoff(alpha, mu).upper
    delta, factor = gaussian_delta(epsilon, mu).interval(), Fraction(math.exp(epsilon))
    assert missed + factor * alpha >= 1 - delta.upper - Fraction(1, 10**12)


@settings(deadline=None)
@given(st.fractions(-3, 3), st.fractions(-3, 3), st.fractions("1/10", 4), st.fractions("1/10", 4))
def test_delta_falls_in_epsilon_and_rises_in_mu(
    a: Fraction, b: Fraction, m: Fraction, n: Fraction
) -> None:
    flat = gaussian_delta(max(a, b), min(m, n)).interval()
    steep = gaussian_delta(min(a, b), max(m, n)).interval()
    assert flat.lower <= steep.upper
    assert flat.upper <= gaussian_tail(max(a, b), min(m, n)).interval().upper


def test_a_real_ratio_may_be_irrational() -> None:
    root = Computable(lambda: arb(2).sqrt())
    assert float(gaussian_epsilon("1e-6", root)) == pytest.approx(7.2860809664186, rel=1e-13)


def test_equal_laws_and_extremes() -> None:
    assert gaussian_delta(1, 0).interval() == Interval.exactly(0)
    assert float(gaussian_delta(-1, 0).interval()) == pytest.approx(1 - math.exp(-1))
    assert gaussian_tail(0, 0).interval() == Interval.exactly(0)
    assert gaussian_tail(-1, 0).interval() == Interval.exactly(1)
    assert gaussian_tradeoff("0.25", 0) == Interval.exactly(Fraction(3, 4))
    assert gaussian_tradeoff(0, 1) == Interval.exactly(1)
    assert gaussian_tradeoff(1, 1) == Interval.exactly(0)
    assert gaussian_epsilon(0, 1) == Interval(math.inf, math.inf)
    assert gaussian_epsilon("1e-6", 0) == Interval.exactly(0)
    assert gaussian_epsilon("0.5", "0.1") == Interval.exactly(0)
    assert gaussian_mu(1, 0) == Interval.exactly(0)
    assert gaussian_delta(10**400, 1).compare(Fraction(1, 10**4000)) < 0
    assert gaussian_delta(1, 10**400).compare(1 - Fraction(1, 10**9)) > 0
    assert float(gaussian_epsilon("1e-10", 10**6)) == pytest.approx(5e11, rel=1e-4)


def test_bad_input_is_refused() -> None:
    for bad in (math.nan, -1, "one", None):
        with pytest.raises(InvalidParameter, match="`mu` must"):
            gaussian_delta(1, bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="`delta` must lie in"):
        gaussian_mu(1, 1)
    with pytest.raises(InvalidParameter, match="`epsilon` must not be negative"):
        gaussian_mu(-1, "0.1")
    with pytest.raises(InvalidParameter, match="`false_alarm` must lie in"):
        gaussian_tradeoff("1.5", 1)
