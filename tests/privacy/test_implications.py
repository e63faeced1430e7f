"""Every implication against 50-digit arithmetic, worst cases, and other people's code."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss
from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import cosh, exp, inf, log, mpf, tanh

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import monotone_inverse
from leastnoise.privacy.curves import concentrated_curve
from leastnoise.privacy.curves.curve import NEVER, price_text, sound_end
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.implications import (
    after_processing,
    approx_to_tail,
    approx_to_zcdp,
    gdp_to_zcdp,
    mu_of_pure,
    pure_to_gdp,
    pure_to_rdp,
    pure_to_zcdp,
    rho_of_pure,
    tail_condition_to_approx,
    zcdp_to_rdp,
)
from leastnoise.privacy.to_approx import (
    approx_to_approx,
    curve_of,
    gdp_to_approx,
    pure_to_approx,
    rdp_to_approx,
    zcdp_to_approx,
)
from tests.privacy import reference
from tests.privacy.reference import brackets, number, priced

LOSSES = ["1e-9", "0.01", "0.5", "1", "4", "30", "700"]
ORDERS = ["1.0001", "1.5", "2", "7", "100"]

losses = st.fractions(min_value=Fraction(1, 100), max_value=8, max_denominator=1000)
leaks = st.fractions(min_value=Fraction(1, 10**9), max_value=Fraction(9, 10))
weights = st.lists(st.integers(1, 50), min_size=2, max_size=6)


# ε-DP


@pytest.mark.parametrize("epsilon", LOSSES)
def test_pure_to_zcdp_formula(epsilon: str) -> None:
    truth = number(epsilon) * tanh(number(epsilon) / 2)
    assert brackets(rho_of_pure(epsilon), truth)
    assert priced(pure_to_zcdp(PureDP(epsilon=epsilon)).rho, truth)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "4", "30"])
def test_randomised_response_needs_exactly_that_rho(epsilon: str) -> None:
    rho, (p, q) = number(epsilon) * tanh(number(epsilon) / 2), reference.response(number(epsilon))
    scan = [1 + mpf(10) ** (k / mpf(4)) for k in range(-24, 16)]
    ratios = [reference.renyi(p[1:3], q[1:3], order) / order for order in scan]
    assert all(ratio < rho for ratio in ratios)
    assert ratios[0] > rho * (1 - mpf(10) ** -4)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "4", "30"])
@pytest.mark.parametrize("order", ORDERS)
def test_pure_to_rdp_is_randomised_response(epsilon: str, order: str) -> None:
    p, q = reference.response(number(epsilon))
    truth = reference.renyi(p[1:3], q[1:3], number(order))
    assert priced(pure_to_rdp(PureDP(epsilon=epsilon), order=order).epsilon, truth)
    closed = log(cosh((number(order) - mpf(1) / 2) * number(epsilon)) / cosh(number(epsilon) / 2))
    assert abs(closed / (number(order) - 1) - truth) < mpf(10) ** -40


def test_pure_to_rdp_at_the_ends() -> None:
    assert pure_to_rdp(PureDP(epsilon=2), order=math.inf) == RDP(order=math.inf, epsilon=2)
    assert pure_to_rdp(PureDP(epsilon=0), order=2) == RDP(order=2, epsilon=0)


@pytest.mark.parametrize("epsilon", [*LOSSES[1:], "0.3"])
def test_pure_to_gdp_meets_the_kink(epsilon: str) -> None:
    bracket = mu_of_pure(epsilon)
    kink = 1 / (1 + exp(number(epsilon)))
    below, above = (
        reference.normal_cdf(-number(end) / 2) for end in (bracket.upper, bracket.lower)
    )
    assert below <= kink <= above
    assert above - below < kink * mpf(10) ** -15
    assert pure_to_gdp(PureDP(epsilon=epsilon)).mu >= bracket.lower
    assert mu_of_pure(0) == Interval.exactly(0)


@given(losses, losses)
@settings(max_examples=30)
def test_pure_to_gdp_dominates_the_whole_curve(loss: Fraction, epsilon: Fraction) -> None:
    gaussian = curve_of(pure_to_gdp(PureDP(epsilon=loss))).delta(epsilon)
    assert gaussian.upper >= curve_of(PureDP(epsilon=loss)).delta(epsilon).lower


@given(losses, st.fractions(min_value=0, max_value=10, max_denominator=100), leaks)
@settings(max_examples=50)
def test_smaller_epsilon_is_randomised_response(
    loss: Fraction, epsilon: Fraction, leak: Fraction
) -> None:
    p, q = reference.response(number(loss), number(leak))
    truth = reference.hockey_stick(p, q, number(epsilon))
    curve = curve_of(ApproxDP(epsilon=loss, delta=leak))
    assert brackets(curve.delta(epsilon), truth)
    if epsilon < loss:
        back = curve.epsilon(curve.delta(epsilon).upper)
        assert abs(number(back.upper) - number(epsilon)) < mpf(10) ** -15
    assert approx_to_approx(ApproxDP(epsilon=loss, delta=leak), epsilon=loss).delta == leak


def test_pure_to_approx_knows_its_ends() -> None:
    one = PureDP(epsilon=1)
    assert pure_to_approx(one, epsilon=1) == pure_to_approx(one, delta=0)
    assert pure_to_approx(one, epsilon=7).delta == 0
    assert pure_to_approx(one, delta="0.9").epsilon == 0
    assert curve_of(ApproxDP(epsilon=1, delta="0.1")).epsilon("0.05") == NEVER


# zCDP and RDP


@pytest.mark.parametrize(
    ("rho", "epsilon"),
    [("0.1", 2.142), ("0.5", 5.222)],
)
def test_published_figures(rho: str, epsilon: float) -> None:
    """Source: digest of Canonne, Kamath and Steinke; old Bun–Steinke bounds are 2.451, 5.757."""
    assert float(zcdp_to_approx(ZCDP(rho=rho), delta="1e-6").epsilon) == pytest.approx(
        epsilon, abs=5e-4
    )


@pytest.mark.parametrize("rho", ["1e-6", "0.1", "50"])
@pytest.mark.parametrize("delta", ["1e-30", "0.01"])
def test_concentrated_epsilon_is_the_minimum(rho: str, delta: str) -> None:
    truth = max(reference.concentrated_epsilon(number(rho), number(delta)), mpf(0))
    bracket = curve_of(ZCDP(rho=rho)).epsilon(delta)
    assert number(bracket.lower) <= truth
    assert abs(number(bracket.upper) - truth) < mpf(10) ** -14 * (1 + truth)
    assert zcdp_to_approx(ZCDP(rho=rho), delta=delta).epsilon >= bracket.lower


@given(
    st.fractions(min_value=Fraction(1, 1000), max_value=5, max_denominator=1000),
    st.fractions(min_value=0, max_value=20, max_denominator=50),
    st.fractions(min_value=Fraction(101, 100), max_value=50, max_denominator=100),
)
@settings(max_examples=40)
def test_no_order_beats_the_best_order(rho: Fraction, epsilon: Fraction, order: Fraction) -> None:
    best, one = curve_of(ZCDP(rho=rho)), curve_of(zcdp_to_rdp(ZCDP(rho=rho), order=order))
    assert best.delta(epsilon).lower <= one.delta(epsilon).upper
    assert best.epsilon("1e-5").lower <= one.epsilon("1e-5").upper


@given(st.fractions(min_value=Fraction(1, 1000), max_value=5, max_denominator=1000), leaks)
@settings(max_examples=30)
def test_concentrated_curve_inverts_itself(rho: Fraction, delta: Fraction) -> None:
    curve = curve_of(ZCDP(rho=rho))
    epsilon = curve.epsilon(delta)
    assert curve.delta(epsilon.upper).lower <= delta
    if epsilon.lower > 0:
        assert curve.delta(epsilon.lower).upper >= delta


@pytest.mark.parametrize("rho", ["1e-12", "0.1", "50"])
@pytest.mark.parametrize("delta", ["1e-300", "1e-6", "0.5", "0.999999"])
def test_a_bad_guess_of_the_order_changes_nothing(
    rho: str, delta: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def looked(*arguments: Any, **more: Any) -> Interval:
        looks.append(arguments)
        return monotone_inverse(*arguments, **more)

    monkeypatch.setattr(concentrated_curve, "monotone_inverse", looked)
    guessed = curve_of(ZCDP(rho=rho)).epsilon(delta)
    assert len(looks) == 1, "the guess was good"
    monkeypatch.setattr(concentrated_curve, "_newton", lambda *_: Fraction(3, 10**9))
    searched = curve_of(ZCDP(rho=rho)).epsilon(delta)
    assert len(looks) == 3
    assert guessed.lower <= searched.upper
    assert searched.lower <= guessed.upper
    assert float(guessed.upper) == pytest.approx(float(searched.upper), rel=1e-17)


def test_approximate_zcdp_pays_its_delta_first() -> None:
    plain, spoiled = curve_of(ZCDP(rho="0.5")), curve_of(ZCDP(rho="0.5", delta="1e-7"))
    rest = (Fraction(1, 10**6) - Fraction(1, 10**7)) / (1 - Fraction(1, 10**7))
    assert spoiled.epsilon("1e-6") == plain.epsilon(rest)
    assert spoiled.epsilon("1e-7") == NEVER
    mixed = Fraction(1, 10**7) + (1 - Fraction(1, 10**7)) * Fraction(plain.delta(5).upper)
    assert float(spoiled.delta(5)) == pytest.approx(float(mixed), rel=1e-15)
    assert curve_of(ZCDP(rho=0, delta="0.1")).epsilon("0.1") == Interval.exactly(0)
    assert curve_of(ZCDP(rho=0, delta="0.1")).delta(0) == Interval.exactly(Fraction(1, 10))


@pytest.mark.parametrize("rho", ["0.01", "0.5", "2"])
def test_dp_accounting_agrees_on_zcdp(rho: str) -> None:
    orders = 1 + np.logspace(-3, 4, 20_000)
    theirs = float(compute_epsilon(orders, float(rho) * orders, 1e-6)[0])
    ours = float(curve_of(ZCDP(rho=rho)).epsilon("1e-6"))
    assert ours <= theirs * (1 + 1e-12)
    assert ours == pytest.approx(theirs, rel=1e-5)


@pytest.mark.parametrize("order", ORDERS)
def test_one_order(order: str) -> None:
    alpha, promise = number(order), RDP(order=order, epsilon="0.7")
    peak = (alpha - 1) * log(1 - 1 / alpha) - log(alpha)
    truth = mpf("0.7") + (log(mpf(10) ** 6) + peak) / (alpha - 1)
    assert priced(rdp_to_approx(promise, delta="1e-6").epsilon, truth)
    delta = exp((alpha - 1) * (mpf("0.7") - 3) + peak)
    assert priced(rdp_to_approx(promise, epsilon=3).delta, delta)


def test_one_order_at_the_ends() -> None:
    assert rdp_to_approx(RDP(order=math.inf, epsilon=1), delta=0).epsilon == 1
    assert rdp_to_approx(RDP(order=2, epsilon=0), delta=0).epsilon == 0
    assert curve_of(RDP(order=2, epsilon=1)).epsilon(0) == NEVER
    assert curve_of(RDP(order=9, epsilon=9)).delta(0) == Interval.exactly(1)
    with pytest.raises(UnsupportedQuery, match="a promise needs a delta below 1"):
        rdp_to_approx(RDP(order=9, epsilon=9), epsilon=0)


# GDP


@pytest.mark.parametrize("mu", ["0.1", "1", "5"])
@pytest.mark.parametrize("epsilon", ["0", "0.5", "1", "10"])
def test_gaussian_curve(mu: str, epsilon: str) -> None:
    m, e = number(mu), number(epsilon)
    cdf = reference.normal_cdf
    truth = cdf(m / 2 - e / m) - exp(e) * cdf(-m / 2 - e / m)
    promise = gdp_to_approx(GDP(mu=mu), epsilon=epsilon)
    assert priced(promise.delta, truth)
    back = curve_of(GDP(mu=mu)).epsilon(promise.delta)
    assert abs(number(back.upper) - e) < mpf(10) ** -12
    theirs = GaussianPrivacyLoss(1 / float(mu)).get_delta_for_epsilon(float(epsilon))
    assert float(promise.delta) == pytest.approx(theirs, rel=1e-6)


def test_gdp_at_the_ends() -> None:
    assert gdp_to_zcdp(GDP(mu=3)) == ZCDP(rho="4.5")
    assert gdp_to_approx(GDP(mu=0), delta=0) == ApproxDP(epsilon=0, delta=0)
    assert curve_of(GDP(mu=1)).epsilon(0) == NEVER


def test_gdp_is_cheaper_than_its_zcdp() -> None:
    """Source: digest, ρ = 0.5: exact Gaussian 4.887, zCDP conversion 5.222."""
    exact, through = (curve_of(kind).epsilon("1e-6") for kind in (GDP(mu=1), ZCDP(rho="0.5")))
    assert float(exact) == pytest.approx(4.887, abs=5e-4)
    assert exact.upper < through.lower


# Random mechanisms: two laws on a few outcomes


def laws(left: list[int], right: list[int]) -> tuple[list[mpf], list[mpf]]:
    size = min(len(left), len(right))
    p, q = left[:size], right[:size]
    return [mpf(w) / sum(p) for w in p], [mpf(w) / sum(q) for w in q]


@given(weights, weights, st.sampled_from(ORDERS))
@settings(max_examples=60)
def test_random_pairs_obey_every_implication(left: list[int], right: list[int], order: str) -> None:
    p, q = laws(left, right)
    loss = max(reference.renyi(p, q, inf), reference.renyi(q, p, inf))
    epsilon = Fraction(int(loss * 10**12) + 1, 10**12)
    alpha = number(order)
    assert reference.renyi(p, q, alpha) <= alpha * number(pure_to_zcdp(PureDP(epsilon=epsilon)).rho)
    assert reference.renyi(p, q, alpha) <= number(
        pure_to_rdp(PureDP(epsilon=epsilon), order=order).epsilon
    )
    renyi = RDP(order=order, epsilon=price_of(reference.renyi(p, q, alpha)))
    for part in (Fraction(0), epsilon / 3, epsilon / 2):
        truth = reference.hockey_stick(p, q, number(part))
        for promise in (PureDP(epsilon=epsilon), renyi, pure_to_gdp(PureDP(epsilon=epsilon))):
            assert truth <= number(curve_of(promise).delta(part).upper)


def price_of(value: mpf) -> Fraction:
    return Fraction(int(value * 10**40) + 1, 10**40)


@given(weights, weights, losses, losses)
@settings(max_examples=60)
def test_random_pairs_obey_the_tail_bounds(
    left: list[int], right: list[int], epsilon: Fraction, more: Fraction
) -> None:
    p, q = laws(left, right)

    def tail(threshold: Fraction) -> mpf:
        pairs = zip(p, q, strict=True)
        return sum((a for a, b in pairs if log(a / b) > number(threshold)), mpf(0))

    delta = reference.hockey_stick(p, q, number(epsilon))
    assert delta <= tail(epsilon)
    promise = ApproxDP(epsilon=epsilon, delta=price_of(delta))
    assert tail(epsilon + more) <= number(approx_to_tail(promise, epsilon=epsilon + more).upper)


def test_tail_condition_is_not_necessary() -> None:
    """Errata A1: σ = 1, ε = 1 has tail 0.30854 and two-sided tail 0.37534, but δ = 0.12694."""
    cdf = reference.normal_cdf
    one_sided, two_sided = cdf(mpf(-1) / 2), cdf(mpf(-1) / 2) + cdf(mpf(-3) / 2)
    assert float(one_sided) == pytest.approx(0.30854, abs=5e-6)
    assert float(two_sided) == pytest.approx(0.37534, abs=5e-6)
    assert float(gdp_to_approx(GDP(mu=1), epsilon=1).delta) == pytest.approx(0.12694, abs=5e-6)
    assert tail_condition_to_approx(epsilon=1, delta="0.30854") == ApproxDP(
        epsilon=1, delta="0.30854"
    )


def test_tail_of_approx_is_capped_and_asks_for_more() -> None:
    promise = ApproxDP(epsilon=1, delta="0.5")
    assert approx_to_tail(promise, epsilon="1.01") == Interval.exactly(1)
    with pytest.raises(InvalidParameter, match=r"^`epsilon` must exceed the promise's own; got"):
        approx_to_tail(promise, epsilon=1)


# The rest


@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_approx_to_zcdp_sets_delta_aside(epsilon: str) -> None:
    promise = approx_to_zcdp(ApproxDP(epsilon=epsilon, delta="1e-6"))
    assert promise.delta == Fraction(1, 10**6)
    assert promise.rho == pure_to_zcdp(PureDP(epsilon=epsilon)).rho


def test_zcdp_to_rdp_refuses_what_is_false() -> None:
    assert zcdp_to_rdp(ZCDP(rho="0.5"), order=8) == RDP(order=8, epsilon=4)
    for promise, order in ((ZCDP(rho=1, delta="0.1"), 2), (ZCDP(rho=1), math.inf)):
        with pytest.raises(UnsupportedQuery, match="only zCDP with delta=0"):
            zcdp_to_rdp(promise, order=order)


@pytest.mark.parametrize(
    "promise",
    [
        PureDP(epsilon=1),
        ApproxDP(epsilon=1, delta="0.1"),
        ZCDP(rho=1),
        RDP(order=2, epsilon=1),
        GDP(mu=1),
    ],
    ids=repr,
)
def test_curves_fall_and_meet_themselves(promise: Guarantee) -> None:
    assert after_processing(promise) is promise
    curve = curve_of(promise)
    values = [curve.delta(Fraction(step, 4)) for step in range(9)]
    assert all(after.upper <= before.upper for before, after in pairwise(values))
    leaks = ["0.11", "0.2", "0.4", "0.8"]
    losses = [curve.epsilon(leak) for leak in leaks]
    assert all(after.upper <= before.upper for before, after in pairwise(losses))


@pytest.mark.parametrize("both", [{}, {"epsilon": 1, "delta": "0.1"}])
def test_exactly_one_coordinate(both: dict[str, str]) -> None:
    with pytest.raises(
        InvalidParameter, match=r"^exactly one of `epsilon` and `delta` must be given"
    ):
        zcdp_to_approx(ZCDP(rho=1), **both)


def test_no_price_for_infinity() -> None:
    assert price_text(NEVER) == "inf"
    with pytest.raises(UnsupportedQuery, match="a price must be finite"):
        sound_end(NEVER)
    with pytest.raises(UnsupportedQuery, match="a price must be finite"):
        zcdp_to_approx(ZCDP(rho=1), delta=0)
