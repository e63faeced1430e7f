"""The closed forms of `Stairs` against plain sums, over shapes of every kind."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from leastnoise.noise import Canonical, DiscreteLaplace, Staircase, TruncatedStaircase
from leastnoise.noise.laws.lattice_law import LatticeLaw
from tests.examples import examples
from tests.noise import brute_force

EPSILONS = [Fraction(n, 20) for n in (0, 2, 5, 10, 14, 20, 23, 40, 50)]


@st.composite
def laws(draw: st.DrawFn) -> tuple[LatticeLaw, int]:
    """A law and a window that holds all but 1e-30 of it."""
    sensitivity = draw(st.integers(1, 7))
    width = draw(st.integers(1, sensitivity))
    epsilon = Fraction(draw(st.integers(1, 30)), 10)
    window = int(sensitivity * 75 / epsilon) + 10
    if draw(st.booleans()):
        return Staircase(sensitivity=sensitivity, epsilon=epsilon, width=width), window
    delta = draw(st.sampled_from(["1e-9", "0.01", "0.3", "0.55", "0.7", "0.9"]))
    law = TruncatedStaircase(sensitivity=sensitivity, epsilon=epsilon, delta=delta, width=width)
    assert law.support is not None
    return law, law.support[1]


@examples(20, 80)
@given(laws(), st.integers(1, 20), st.sampled_from(EPSILONS))
def test_hockey_stick_is_the_plain_sum(
    law_and_window: tuple[LatticeLaw, int], shift: int, epsilon: Fraction
) -> None:
    law, window = law_and_window
    expected = brute_force.hockey_stick(brute_force.pmf(law, window), epsilon, shift)
    for signed in (shift, -shift):
        found = brute_force.middle(law.hockey_stick(epsilon, signed))
        assert abs(found - expected) < mpf(10) ** -22


@settings(max_examples=25, deadline=None)
@given(laws(), st.integers(1, 5))
def test_moments_and_tails_are_plain_sums(
    law_and_window: tuple[LatticeLaw, int], order: int
) -> None:
    law, window = law_and_window
    chances = brute_force.pmf(law, window)
    moment = sum(abs(k) ** order * chance for k, chance in chances.items())
    assert abs(brute_force.middle(law.moment(order)) - moment) < mpf(10) ** -15 * max(1, moment)
    for k in range(-12, 13):
        tail = sum(chance for value, chance in chances.items() if value >= k)
        assert abs(brute_force.middle(law.tail(k)) - tail) < mpf(10) ** -20


@pytest.mark.parametrize("order", [1, 2, 3, 10, 64])
def test_moments_at_a_huge_scale_keep_their_precision(order: int) -> None:
    """E|X|**p → p!·scale**p; the closed form cancels (order + 2)·50 bits on the way."""
    found = DiscreteLaplace(scale=2**50).moment(order)
    limit: Fraction = Fraction(math.factorial(order) << (50 * order))
    assert Fraction(found.width) < limit / 10**15
    assert abs(Fraction(found.upper) / limit - 1) < Fraction(1, 10**12)


def test_far_tails_keep_relative_precision() -> None:
    """P(X ≥ k) = b**k/(1 + b) for the geometric law, at k = 10**6."""
    tail = DiscreteLaplace(scale=1).tail(10**6)
    assert tail.width < tail.lower / 2**70
    ratio = DiscreteLaplace(scale=1).tail(10**6 + 1).upper / tail.lower
    assert abs(float(ratio) - 0.36787944117144233) < 1e-15


def test_verify_at_the_largest_sensitivity_is_immediate_and_exact() -> None:
    law = Staircase(sensitivity=2**40, epsilon=1, width=2**39)
    assert law.verify(sensitivity=2**40, epsilon=1)
    assert not law.verify(sensitivity=2**40 + 1, epsilon=1)
    assert not law.verify(sensitivity=2**40, epsilon=Fraction(10**12 - 1, 10**12))


@pytest.mark.parametrize("factor", [Fraction(10**12 - 1, 10**12), Fraction(10**30 - 1, 10**30)])
@pytest.mark.parametrize(
    ("law", "sensitivity", "epsilon", "delta"),
    [
        (Canonical(epsilon=1, delta="1e-6"), 1, Fraction(1), Fraction(1, 10**6)),
        (Canonical(epsilon=0, delta="0.3"), 1, Fraction(0), Fraction(3, 10)),
        (
            TruncatedStaircase(sensitivity=7, epsilon="0.3", delta="1e-9", width=3),
            7,
            Fraction(3, 10),
            Fraction(1, 10**9),
        ),
    ],
)
def test_claims_that_hold_with_equality_are_proved_and_any_less_is_refuted(
    law: LatticeLaw, sensitivity: int, epsilon: Fraction, delta: Fraction, factor: Fraction
) -> None:
    assert law.verify(sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    assert not law.verify(sensitivity=sensitivity, epsilon=epsilon, delta=delta * factor)
    if epsilon:
        assert not law.verify(sensitivity=sensitivity, epsilon=epsilon * factor, delta=delta)


def test_equal_weights_and_dyadic_thresholds_sample_without_getting_stuck() -> None:
    """All thresholds are integers here, which balls alone can never decide."""
    law = TruncatedStaircase(sensitivity=3, epsilon=1, delta="0.75", width=3)
    assert set(law.sample(2000).tolist()) <= {-2, -1, 0, 1, 2}
