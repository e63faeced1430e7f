import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import log, mpf

from leastnoise.mechanisms import ExponentialMechanism, PermuteAndFlip, permute_and_flip
from leastnoise.mechanisms.choosing.utility_gaps import utility_gaps
from leastnoise.mechanisms.geometric_sampler import geometric_sampler
from leastnoise.privacy.guarantee import PureDP
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_below
from tests.examples import examples
from tests.mechanisms.selection_reference import exponential_law, flipping_law, noisy_max_law
from tests.randomness.goodness_of_fit import rejects
from tests.scripted import ScriptedSource

rates = st.fractions(Fraction(1, 20), 3, max_denominator=30)
TINY = mpf(10) ** -40


# The law, in three forms


@pytest.mark.parametrize("utilities", [[0, 0], [2, 0, 1], [3, 3, 1], [0, 4, 4]])
def test_noisy_max_with_even_ties_is_permute_and_flip(utilities: list[int]) -> None:
    rate, most = Fraction(7, 5), 22
    direct, noisy = flipping_law(utilities, rate), noisy_max_law(utilities, rate, most)
    for one, other in zip(direct, noisy, strict=True):
        assert abs(one - other) < len(utilities) * math.exp(-1.4 * most)


def test_uneven_ties_would_not_be() -> None:
    """If ties go to the first, the law is another: this is where a lattice differs from a line."""
    law, step = [mpf(0), mpf(0)], math.exp(-1)
    for a, b in product(range(40), repeat=2):
        law[0 if a >= b else 1] += (1 - step) ** 2 * step ** (a + b)
    assert abs(law[0] - flipping_law([0, 0], Fraction(1))[0]) > 0.2


def test_draws_fit_and_wrong_rates_are_found() -> None:
    utilities, rate, count = [3, 1, 4, 1, 5], Fraction(1, 2), 1 << 15
    one = PermuteAndFlip(candidates=5, epsilon=1, sensitivity=1)
    gaps, source = utility_gaps(utilities, 5), Source()
    drawn = np.array([one.pick(gaps, source) for _ in range(count)])

    def law(factor: Fraction) -> list[float]:
        return [float(p) for p in flipping_law(utilities, rate * factor)]

    assert not rejects(drawn, law(Fraction(1)))
    assert rejects(drawn, law(Fraction(9, 10)))
    assert rejects(drawn, law(Fraction(11, 10)))
    assert rejects(drawn, [float(p) for p in exponential_law(utilities, rate)])


def test_the_choice_is_a_uniform_one_of_the_heads() -> None:
    """Replay the sampler's own bits."""
    utilities = np.array([0, 7, 3, 5, 6, 7])
    one = PermuteAndFlip(candidates=6, epsilon="0.5", sensitivity=1)
    generator = np.random.default_rng(6)
    for _ in range(50):
        bits = generator.bytes(1 << 12)
        source, again = ScriptedSource(bits), ScriptedSource(bits)
        choice = one.release(utilities, source).value
        coins = geometric_sampler(one.rate).sample(6, again)
        heads = [i for i in range(6) if coins[i] >= 7 - utilities[i]]
        assert {1, 5} <= set(heads)
        assert heads[int(uniform_below(len(heads), 1, again)[0])] == choice
        assert again.left == source.left


def test_a_million_candidates() -> None:
    utilities = np.full(10**6, -(10**4))
    utilities[654_321] = 0
    one = PermuteAndFlip(candidates=10**6, epsilon=1, sensitivity=1)
    assert one.release(utilities).value == 654_321


def test_utilities_as_far_apart_as_64_bits_allow() -> None:
    for kind, low, high in (
        (np.int64, -(2**63), 2**63 - 1),
        (np.uint64, 0, 2**64 - 1),
        (np.int8, -128, 127),
    ):
        utilities = np.array([low, high, low], dtype=kind)
        for one in (PermuteAndFlip, ExponentialMechanism):
            assert one(candidates=3, epsilon=2, sensitivity=1).release(utilities).value == 1
    wide = PermuteAndFlip(candidates=2, epsilon=Fraction(1, 2**70), sensitivity=1)
    chosen = {wide.release(np.array([0, 2**62])).value for _ in range(200)}
    assert chosen == {0, 1}


# Privacy, by exact laws of neighbours


@examples(24, 120)
@given(
    rates,
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-2, 2)), min_size=1, max_size=5),
    st.booleans(),
)
def test_no_neighbours_lose_more_than_epsilon(
    rate: Fraction, row: list[tuple[int, int]], monotone: bool
) -> None:
    one = [u for u, _ in row]
    other = [u + (abs(move) if monotone else move) for u, move in row]
    p, q = flipping_law(one, rate), flipping_law(other, rate)
    epsilon = 2 * mpf(rate.numerator) / rate.denominator * (1 if monotone else 2)
    for a, b in zip(p, q, strict=True):
        assert abs(log(a / b)) <= epsilon + TINY


@pytest.mark.parametrize("monotone", [False, True])
def test_epsilon_is_met(monotone: bool) -> None:
    one = PermuteAndFlip(candidates=2, epsilon=1, sensitivity=3, monotone=monotone)
    p = flipping_law([0, 0], one.rate)
    q = flipping_law([3, 0 if monotone else -3], one.rate)
    assert abs(log(p[1] / q[1]) - 1) < TINY


def test_the_range_of_losses_may_be_nearly_twice_epsilon() -> None:
    """So it has no claim to the price of the exponential mechanism under zCDP."""
    p, q = flipping_law([0, -2], Fraction(1, 4)), flipping_law([-2, 0], Fraction(1, 4))
    losses = [log(a / b) for a, b in zip(p, q, strict=True)]
    assert max(losses) - min(losses) > mpf("1.6")


def test_prices() -> None:
    one = PermuteAndFlip(candidates=5, epsilon=2, sensitivity=3)
    assert one.guarantee == PureDP(epsilon=2)
    assert one.privacy().delta(2).upper == 0
    assert one.privacy(3).epsilon(0).upper == 6
    assert one.privacy().for_group(3).delta(1) == one.privacy(3).delta(1)
    assert float(one.concentrated.rho) == pytest.approx(2 - 1 + math.exp(-2), rel=1e-14)


# Never worse


@examples(32, 160)
@given(rates, st.lists(st.integers(0, 9), min_size=1, max_size=5))
def test_errors_are_stochastically_smaller_than_those_of_the_exponential_mechanism(
    rate: Fraction, utilities: list[int]
) -> None:
    ours, theirs = flipping_law(utilities, rate), exponential_law(utilities, rate)
    for least in range(10):
        worse = [i for i, u in enumerate(utilities) if max(utilities) - u >= least]
        assert sum(ours[i] for i in worse) <= sum(theirs[i] for i in worse) + TINY


def test_up_to_twice_as_good() -> None:
    ours = PermuteAndFlip(candidates=2, epsilon=20, sensitivity=1).expected_error([1, 0])
    theirs = ExponentialMechanism(candidates=2, epsilon=20, sensitivity=1).expected_error([1, 0])
    assert float(theirs) / float(ours) == pytest.approx(2, rel=1e-3)


def test_constructor_function() -> None:
    made = permute_and_flip(candidates=3, epsilon="0.1", sensitivity=2)
    assert made == PermuteAndFlip(candidates=3, epsilon=Fraction(1, 10), sensitivity=2)
    other: object = ExponentialMechanism(candidates=3, epsilon=Fraction(1, 10), sensitivity=2)
    assert made != other
