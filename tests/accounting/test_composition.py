"""Composition theorems: brute force over all outcomes, published figures, other people's code."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import from_randomized_response
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, log, mpf, sqrt

from leastnoise.accounting.composition import (
    AdvancedComposition,
    BasicComposition,
    OptimalComposition,
    advanced,
    basic,
    compare,
    optimal,
)
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import NEVER
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.to_approx import curve_of
from tests.privacy import reference
from tests.privacy.reference import brackets, number, priced

losses = st.fractions(min_value=0, max_value=2, max_denominator=50)
leaks = st.fractions(min_value=0, max_value=Fraction(1, 5), max_denominator=10**6)


# Optimal


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("0.3", "0"), ("1", "0.01"), ("2", "0.2"), ("0", "0.1")]
)
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_optimal_is_brute_force_over_all_outcomes(epsilon: str, delta: str, count: int) -> None:
    p, q = reference.response(number(epsilon), number(delta))
    many_p, many_q = reference.product([p] * count), reference.product([q] * count)
    composed = optimal(epsilon=epsilon, delta=delta, count=count)
    for share in ("0", "0.2", "0.5", "0.95", "1", "1.5"):
        at = Fraction(share) * Fraction(epsilon) * count
        truth = reference.hockey_stick(many_p, many_q, number(at))
        assert brackets(composed.delta(at), truth)


def test_optimal_at_the_lattice_is_the_printed_theorem() -> None:
    epsilon, delta, count = mpf("0.4"), mpf("0.01"), 9
    composed = optimal(epsilon="0.4", delta="0.01", count=count)
    for i in range(count // 2 + 1):
        inner = sum(
            math.comb(count, lies)
            * (exp((count - lies) * epsilon) - exp((count - 2 * i + lies) * epsilon))
            for lies in range(i)
        )
        truth = 1 - (1 - delta) ** count * (1 - inner / (1 + exp(epsilon)) ** count)
        assert brackets(composed.delta(Fraction(2, 5) * (count - 2 * i)), truth)


@pytest.mark.parametrize(
    ("epsilon", "count", "expected"), [("0.1", 100, 4.7746), ("0.01", 5000, 3.306)]
)
def test_published_figures(epsilon: str, count: int, expected: float) -> None:
    """Source: errata A10 and the digest, both at δ = 1e-6; basic gives 10 and 50."""
    found = optimal(epsilon=epsilon, delta=0, count=count).epsilon("1e-6")
    assert float(found) == pytest.approx(expected, abs=5e-4)


@given(losses, leaks, st.integers(1, 40), st.fractions(min_value=Fraction(1, 10**9), max_value=1))
@settings(max_examples=80)
def test_optimal_inverts_itself(
    epsilon: Fraction, delta: Fraction, count: int, target: Fraction
) -> None:
    composed = OptimalComposition(ApproxDP(epsilon=epsilon, delta=delta), count)
    target = target * Fraction(999, 1000)
    found = composed.epsilon(target)
    if found == NEVER:
        assert composed.delta(count * epsilon).upper > target
        return
    assert composed.delta(Fraction(found.upper)).lower <= target
    if found.lower > 0:
        assert composed.delta(Fraction(found.lower)).upper >= target


def test_optimal_knows_its_ends() -> None:
    composed = optimal(epsilon="0.1", delta="0.1", count=2)
    assert composed.delta(1) == Interval.exactly(Fraction(19, 100))
    assert composed.epsilon("0.19") == Interval.exactly(Fraction(1, 5))
    assert composed.epsilon("0.1899999999") == NEVER
    assert optimal(epsilon=0, delta=0, count=9).epsilon(0) == Interval.exactly(0)
    assert optimal(epsilon=1, delta=0, count=3).epsilon(0) == Interval.exactly(3)
    assert optimal(epsilon="0.1", delta=0, count=3).epsilon("0.5").upper == 0


@pytest.mark.parametrize("delta", ["1e-18", "1e-30", "1e-200"])
def test_tiny_deltas(delta: str) -> None:
    composed = optimal(epsilon="0.5", delta=0, count=1000)
    epsilon = composed.epsilon(delta)
    assert float(composed.delta(epsilon.upper).upper / Fraction(delta)) == pytest.approx(
        1, rel=1e-12
    )


def test_a_thousand_fold_takes_about_a_second_at_most() -> None:
    start = time.process_time()
    optimal(epsilon="0.1", delta="1e-9", count=1000).epsilon("1e-6")
    assert time.process_time() - start < 5  # crowded caches make processors slower


def test_dp_accounting_agrees() -> None:
    """Their grid rounds each loss up by at most its step, so that ε is off by at most 50 steps."""
    step, count = 1e-5, 50
    one = from_randomized_response(2 / (1 + np.exp(0.1)), 2, value_discretization_interval=step)
    theirs = one.self_compose(count)
    ours = optimal(epsilon="0.1", delta=0, count=count)
    for epsilon in (0.5, 1.7, 3.0):
        expected = theirs.get_delta_for_epsilon(epsilon)
        assert float(ours.delta(epsilon)) <= expected * (1 + 1e-9)
        assert float(ours.delta(epsilon - count * step)) >= expected * (1 - 1e-9)


# Advanced


@pytest.mark.parametrize(("epsilon", "delta", "count"), [("0.1", "0", 100), ("0.01", "1e-9", 5000)])
def test_advanced_formula(epsilon: str, delta: str, count: int) -> None:
    e, slack = number(epsilon), mpf("1e-6")
    truth = e * sqrt(2 * count * log(1 / slack)) + count * e * (exp(e) - 1)
    found = advanced(epsilon=epsilon, delta=delta, count=count, slack="1e-6")
    assert priced(found.epsilon, truth)
    assert found.delta == count * Fraction(delta) + Fraction(1, 10**6)
    back = AdvancedComposition(ApproxDP(epsilon=epsilon, delta=delta), count).delta(found.epsilon)
    assert float(back) == pytest.approx(float(found.delta), rel=1e-9)


def test_advanced_at_the_ends() -> None:
    composed = AdvancedComposition(ApproxDP(epsilon=1, delta="0.01"), 10)
    assert composed.epsilon("0.1") == NEVER
    assert composed.delta(1) == Interval.exactly(1)
    nothing = AdvancedComposition(ApproxDP(epsilon=0, delta="0.01"), 10)
    assert nothing.epsilon("0.1") == Interval.exactly(0)
    assert nothing.delta(0) == Interval.exactly(Fraction(1, 10))
    assert nothing.epsilon("0.09") == NEVER


@given(losses, leaks, st.integers(1, 30), st.fractions(min_value=0, max_value=Fraction(99, 100)))
@settings(max_examples=60)
def test_optimal_is_never_beaten(
    epsilon: Fraction, delta: Fraction, count: int, at: Fraction
) -> None:
    rows = compare(epsilon=epsilon, delta=delta, count=count, target_delta=at).rows
    assert all(rows[-1].epsilon.lower <= row.epsilon.upper for row in rows)


def test_comparison_reads_well() -> None:
    """Source: digest, 100 × ε = 0.1 at δ = 1e-6."""
    table = compare(epsilon="0.1", delta=0, count=100, target_delta="1e-6")
    assert [row.name for row in table.rows] == ["basic", "advanced", "concentrated", "optimal"]
    values = [float(row.epsilon.upper) for row in table.rows]
    assert values == pytest.approx([10, 6.308, 5.219, 4.7746], abs=5e-4)
    assert str(table).count("\n") == 4
    assert "inf" in str(compare(epsilon=1, delta="0.5", count=3, target_delta="0.1"))


# Basic


@pytest.mark.parametrize(
    ("parts", "together"),
    [
        ([PureDP(epsilon="0.1")] * 100, PureDP(epsilon=10)),
        ([PureDP(epsilon=1), ApproxDP(epsilon=2, delta="0.1")], ApproxDP(epsilon=3, delta="0.1")),
        ([ZCDP(rho=1), ZCDP(rho="0.5", delta="0.1")], ZCDP(rho="1.5", delta="0.1")),
        ([RDP(order=4, epsilon=1)] * 3, RDP(order=4, epsilon=3)),
        ([GDP(mu=3), GDP(mu=4)], GDP(mu=5)),
        ([GDP(mu="0.3"), GDP(mu="0.4")], GDP(mu="0.5")),
        ([GDP(mu=0)], GDP(mu=0)),
    ],
)
def test_basic(parts: list[Guarantee], together: Guarantee) -> None:
    assert basic(parts) == together


def test_basic_rounds_a_root_up() -> None:
    together = basic([GDP(mu=1), GDP(mu=1)])
    assert isinstance(together, GDP)
    assert together.mu**2 > 2
    assert priced(together.mu, sqrt(mpf(2)))


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [GDP(mu=1), PureDP(epsilon=1)],
        [RDP(order=2, epsilon=1), RDP(order=3, epsilon=1)],
        [ApproxDP(epsilon=1, delta="0.5")] * 2,
        [ZCDP(rho=1, delta="0.5")] * 2,
    ],
    ids=str,
)
def test_basic_refuses(parts: list[Guarantee]) -> None:
    with pytest.raises(UnsupportedQuery, match=r"; got .*\. "):
        basic(parts)


def test_basic_is_one_point() -> None:
    composed = BasicComposition(ApproxDP(epsilon=1, delta="0.01"), 10)
    assert composed.epsilon("0.1") == Interval.exactly(10)
    assert composed.epsilon("0.09") == NEVER
    assert [composed.delta(at).upper for at in (10, 9)] == [Fraction(1, 10), 1]


def test_adding_up_is_not_optimal_for_pure_promises_either() -> None:
    """Errata A10: it is, if the answer must be pure again; a δ beats it."""
    parts = [PureDP(epsilon="0.1")] * 100
    assert basic(parts) == PureDP(epsilon=10)
    assert optimal(epsilon="0.1", delta=0, count=100).epsilon(0) == Interval.exactly(10)
    assert optimal(epsilon="0.1", delta=0, count=100).epsilon("1e-6").upper < 5
    assert curve_of(PureDP(epsilon=10)).epsilon("1e-6").lower > 9


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"count": 0}, "`count` must be an integer at least 1; got count=0"),
        ({"delta": -1}, r"`delta` must lie in \[0, 1\); got delta=-1"),
        ({"epsilon": "nan"}, "`epsilon` must be a finite number; got epsilon='nan'"),
        ({"slack": 0}, r"`slack` must lie in \(0, 1\); got slack=0"),
        ({"delta": "0.5"}, r"`count·delta \+ slack` must lie in \[0, 1\)"),
    ],
)
def test_bad_input(arguments: dict[str, int], rule: str) -> None:
    good = {"epsilon": 1, "delta": "1e-9", "count": 2, "slack": "1e-6"}
    with pytest.raises(InvalidParameter, match=f"^{rule}"):
        advanced(**{**good, **arguments})  # type: ignore[arg-type]


def test_sharp_advanced_composition() -> None:
    """0.1·√(200·ln 10⁶) + 10·tanh(1/20), and between the quoted form and the optimum."""
    promise = ApproxDP(epsilon="0.1", delta="1e-9")
    sharp, quoted = AdvancedComposition(promise, 100, sharp=True), AdvancedComposition(promise, 100)
    slack = 1e-6 - 1e-7
    expected = 0.1 * math.sqrt(200 * math.log(1 / slack)) + 10 * math.tanh(0.05)
    assert float(sharp.epsilon("1e-6")) == pytest.approx(expected, rel=1e-13)
    assert OptimalComposition(promise, 100).epsilon("1e-6").upper < sharp.epsilon("1e-6").lower
    assert sharp.epsilon("1e-6").upper < quoted.epsilon("1e-6").lower
    assert float(sharp.delta(sharp.epsilon("1e-6").upper)) == pytest.approx(1e-6)
    made = advanced(epsilon="0.1", delta="1e-9", count=100, slack="9e-7", sharp=True)
    assert float(made.epsilon) == pytest.approx(expected, rel=1e-13)
