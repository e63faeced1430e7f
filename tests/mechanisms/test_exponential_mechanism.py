import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import log, mpf

from leastnoise.mechanisms import ExponentialMechanism, exponential_mechanism
from leastnoise.mechanisms.choosing.utility_gaps import utility_gaps
from leastnoise.mechanisms.geometric_sampler import geometric_sampler
from leastnoise.privacy.guarantee import PureDP
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_below
from tests.mechanisms.selection_reference import exponential_law
from tests.randomness.goodness_of_fit import rejects
from tests.scripted import ScriptedSource

rates = st.fractions(Fraction(1, 20), 3, max_denominator=30)


def mechanism(candidates: int, rate: Fraction, *, monotone: bool = False) -> ExponentialMechanism:
    epsilon = rate if monotone else 2 * rate
    return ExponentialMechanism(
        candidates=candidates, epsilon=epsilon, sensitivity=1, monotone=monotone
    )


# The law


def test_draws_fit_and_wrong_rates_are_found() -> None:
    utilities, rate, count = [3, 1, 4, 1, 5, -2], Fraction(1, 2), 1 << 15
    one = mechanism(6, rate)
    gaps, source = utility_gaps(utilities, 6), Source()
    drawn = np.array([one.pick(gaps, source) for _ in range(count)])

    def law(factor: Fraction) -> list[float]:
        return [float(p) for p in exponential_law(utilities, rate * factor)]

    assert not rejects(drawn, law(Fraction(1)))
    assert rejects(drawn, law(Fraction(9, 10)))
    assert rejects(drawn, law(Fraction(11, 10)))
    assert rejects(drawn, list(np.roll(law(Fraction(1)), 1)))


def test_the_first_accepted_proposal_is_the_choice() -> None:
    """Replay the sampler's own bits: proposals and coins decide as documented."""
    utilities = np.array([0, 7, 3, 5, 6])
    one = mechanism(5, Fraction(1, 3))
    generator = np.random.default_rng(5)
    for _ in range(50):
        bits = generator.bytes(1 << 16)
        source = ScriptedSource(bits)
        choice = one.release(utilities, source).value
        again = ScriptedSource(bits)
        batch = 64
        while True:
            proposed = uniform_below(5, batch, again)
            coins = geometric_sampler(one.rate).sample(batch, again)
            accepted = [
                int(i) for i, g in zip(proposed, coins, strict=True) if g >= 7 - utilities[i]
            ]
            if accepted:
                break
            batch *= 2
        assert accepted[0] == choice
        assert again.left == source.left


def test_a_single_best_among_a_million() -> None:
    utilities = np.full(10**6, -(10**4))
    utilities[123_456] = 0
    assert (
        ExponentialMechanism(candidates=10**6, epsilon=1, sensitivity=1).release(utilities).value
        == 123_456
    )


# Privacy, by exact laws of neighbours


def losses(one: list[int], other: list[int], rate: Fraction) -> list[mpf]:
    p, q = exponential_law(one, rate), exponential_law(other, rate)
    return [log(a / b) for a, b in zip(p, q, strict=True)]


@settings(deadline=None)
@given(
    rates,
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-2, 2)), min_size=1, max_size=6),
    st.booleans(),
)
def test_losses_of_all_neighbours_lie_in_a_range_of_epsilon(
    rate: Fraction, row: list[tuple[int, int]], monotone: bool
) -> None:
    one = [u for u, _ in row]
    other = [u + (abs(move) if monotone else move) for u, move in row]
    found = losses(one, other, rate)
    width = 2 * mpf(rate.numerator) / rate.denominator * (1 if monotone else 2)
    assert max(found) - min(found) <= width + mpf(10) ** -40
    assert min(found) <= mpf(10) ** -40
    assert max(found) >= -(mpf(10) ** -40)


def test_no_delta_can_be_lowered() -> None:
    """Two groups of candidates that move apart come as close to the stated δ as one likes."""
    one = ExponentialMechanism(candidates=4000, epsilon=1, sensitivity=1)
    stated = one.privacy()
    for epsilon in (0.0, 0.3, 0.7):
        best = 0.0
        for group in range(1, 4000, 10):
            share = group / 4000
            p = np.array([share, 1 - share])
            q = p * np.exp([0.5, -0.5])
            q /= q.sum()
            leak = max(
                np.maximum(p - math.exp(epsilon) * q, 0).sum(),
                np.maximum(q - math.exp(epsilon) * p, 0).sum(),
            )
            best = max(best, float(leak))
        assert best <= float(stated.delta(epsilon).upper) <= best * 1.001


def test_prices() -> None:
    one = ExponentialMechanism(candidates=5, epsilon=2, sensitivity=3)
    assert one.guarantee == PureDP(epsilon=2)
    assert one.rate == Fraction(1, 3)
    assert ExponentialMechanism(candidates=5, epsilon=2, sensitivity=3, monotone=True).rate == (
        Fraction(2, 3)
    )
    assert one.privacy().epsilon(0).upper == 2
    assert one.privacy(3).epsilon(0).upper == 6
    assert one.privacy().for_group(3).delta(1) == one.privacy(3).delta(1)
    rho = one.concentrated.rho
    assert float(rho) == pytest.approx(math.log(math.sinh(1)) + 1 / math.tanh(1) - 1, rel=1e-14)
    assert rho < Fraction(1, 2)  # ε²/8, itself a quarter of ε²/2
    for order in ("1.5", 2, 10, 1000):
        assert one.privacy().renyi(order).upper <= rho * Fraction(order)


def test_a_hundred_choices_by_zcdp_cost_half_of_what_pure_privacy_says() -> None:
    from leastnoise.privacy.guarantee import ZCDP
    from leastnoise.privacy.loss import PrivacyLoss
    from leastnoise.privacy.to_approx import curve_of

    one = ExponentialMechanism(candidates=5, epsilon="0.1", sensitivity=1)
    concentrated = curve_of(ZCDP(rho=100 * one.concentrated.rho)).epsilon(delta="1e-6").upper
    direct = one.privacy().self_compose(100).epsilon("1e-6").upper
    pure = PrivacyLoss.worst_case(epsilon="0.1").self_compose(100).epsilon("1e-6").lower
    assert concentrated < direct < Fraction(56, 100) * pure
    assert float(concentrated) == pytest.approx(2.419, abs=1e-3)


def test_worst_errors_by_search() -> None:
    """All integer gaps in a window, for few candidates."""
    for rate in (Fraction(1, 2), Fraction(1, 5)):
        for count in (1, 2, 3, 4):
            stated = mechanism(count, rate).expected_cost()
            worst = 0.0
            for gaps in product(range(0, 16), repeat=count - 1):
                weights = np.exp(-float(rate) * np.array([0, *gaps]))
                worst = max(worst, float(weights @ np.array([0, *gaps]) / weights.sum()))
            assert worst == pytest.approx(float(stated), rel=1e-12, abs=1e-300)


def test_constructor_function() -> None:
    made = exponential_mechanism(candidates=3, epsilon="0.1", sensitivity=2, monotone=True)
    assert made == ExponentialMechanism(
        candidates=3, epsilon=Fraction(1, 10), sensitivity=2, monotone=True
    )
    assert repr(made) == (
        "ExponentialMechanism(candidates=3, epsilon='0.1', sensitivity=2, monotone=True)"
    )
