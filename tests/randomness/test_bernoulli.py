import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.real import Computable, Real, rational_real
from leastnoise.randomness import Source
from leastnoise.randomness.bernoulli import below, bernoulli, bernoulli_exp, bernoulli_rational
from tests.randomness.goodness_of_fit import rejects
from tests.scripted import NoEntropy, ScriptedSource, words

TOP = 2**64 - 1
DEPTH = 128

RATIONALS = [
    Fraction(1, 3),
    Fraction(2, 3),
    Fraction(1, 2),
    Fraction(3, 8),
    Fraction(1, 2**63),
    Fraction(1, 2**64),
    Fraction(1, 2**70),
    Fraction(3, 2**70),
    Fraction(1, 10**30),
    1 - Fraction(1, 2**70),
    1 - Fraction(1, 3 * 2**64),
    Fraction(TOP, 2**64),
]
EXPONENTS = [
    Fraction(1),
    Fraction(1, 3),
    Fraction(45),
    Fraction(1, 10**20),
    Fraction(1, 10**60),
]


def exp(exponent: Fraction) -> Real:
    return ExponentialRatio(ExponentialSum.exp(-exponent), ExponentialSum.of(1))


def tossed(probability: Real, *script: int) -> bool:
    source = ScriptedSource(words(*script))
    (coin,) = bernoulli(probability, 1, source)
    assert source.left == 0
    return bool(coin)


def split(prefix: int, bits: int) -> list[int]:
    """A prefix of the uniform number as words, first word first."""
    return [prefix >> shift & TOP for shift in range(bits - 64, -1, -64)]


def heads(probability: Real) -> int:
    """How many prefixes of 128 bits, continued by a middling third word, come up True."""
    low, high = 0, 1 << DEPTH
    while low < high:
        middle = (low + high) // 2
        source = ScriptedSource(words(*split(middle, DEPTH), 1 << 63, 1 << 63))
        if bernoulli(probability, 1, source)[0]:
            low = middle + 1
        else:
            high = middle
    return low


# Exactness


@pytest.mark.parametrize("probability", RATIONALS)
def test_the_measure_of_heads_is_the_rational(probability: Fraction) -> None:
    assert abs(heads(rational_real(probability)) - probability * 2**DEPTH) <= 1


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_the_measure_of_heads_is_the_exponential(exponent: Fraction) -> None:
    with mpmath.workdps(120):
        expected = mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator) * 2**DEPTH
        assert abs(heads(exp(exponent)) - expected) <= 1


def test_the_measure_of_heads_is_any_computable_number() -> None:
    probability = Computable(lambda: arb.pi() / 4)
    with mpmath.workdps(120):
        assert abs(heads(probability) - mpmath.pi / 4 * 2**DEPTH) <= 1


@settings(deadline=None)
@given(
    st.fractions(min_value=0, max_value=1).filter(lambda p: 0 < p < 1),
    st.integers(-2, 2),
    st.integers(0, 3),
)
def test_every_decision_holds_for_the_whole_rest_of_the_uniform(
    probability: Fraction, offset: int, ties: int
) -> None:
    """U agrees with the probability for some words and is then off by `offset` in the last."""
    bits = 64 * (ties + 1)
    prefix = math.floor(probability * 2**bits) + offset
    if not 0 <= prefix < 2**bits:
        return
    script = [*split(prefix, bits), 0, 0, 1]
    source = ScriptedSource(words(*script))
    coin = bernoulli_rational(probability, 1, source)[0]
    known = 0
    for word in script[: source.used // 8]:
        known = known << 64 | word
    cell = Fraction(1, 2 ** (8 * source.used))
    if coin:
        assert (known + 1) * cell <= probability
    else:
        assert known * cell >= probability


@pytest.mark.parametrize("probability", [p for p in RATIONALS if (p * 2**64) % 1])
def test_words_beside_the_threshold_are_settled_at_once(probability: Fraction) -> None:
    threshold = math.floor(probability * 2**64)
    real = rational_real(probability)
    if threshold > 0:
        assert tossed(real, threshold - 1)
        assert tossed(real, 0)
    if threshold < TOP:
        assert not tossed(real, threshold + 1)
        assert not tossed(real, TOP)


def test_a_tie_is_settled_either_way() -> None:
    third = rational_real(Fraction(1, 3))
    tie = 2**64 // 3  # and the same word again at every depth, as 1/3 is 0.0101… in binary
    for depth in range(1, 6):
        assert tossed(third, *[tie] * depth, tie - 1)
        assert not tossed(third, *[tie] * depth, tie + 1)
        assert tossed(third, *[tie] * depth, 0)
        assert not tossed(third, *[tie] * depth, TOP)


def test_a_tie_with_an_exponential_is_settled_either_way() -> None:
    with mpmath.workdps(200):
        expansion = int(mpmath.floor(mpmath.exp(-1) * 2**320))
    first, second, third, fourth, fifth = split(expansion, 320)
    real = exp(Fraction(1))
    assert tossed(real, first, second, third, fourth, fifth - 1)
    assert not tossed(real, first, second, third, fourth, fifth + 1)
    assert tossed(real, first, second - 1)
    assert not tossed(real, first, second + 1)


def test_a_tie_with_a_dyadic_probability_is_never_true() -> None:
    half = rational_real(Fraction(1, 2))
    assert not tossed(half, 1 << 63, 1)
    assert not tossed(half, 1 << 63, 0, 0, 1)
    assert tossed(half, (1 << 63) - 1)


def test_a_probability_below_the_first_word() -> None:
    rare = rational_real(Fraction(1, 2**70))
    assert not tossed(rare, 1)
    assert not tossed(rare, 0, 1 << 58, 1)
    assert tossed(rare, 0, (1 << 58) - 1)


def test_ties_among_many_coins_keep_their_places() -> None:
    tie = 2**64 // 3
    source = ScriptedSource(words(0, tie, TOP, tie, tie - 1, tie, 0, TOP, tie, 0))
    coins = bernoulli_rational(Fraction(1, 3), 6, source)
    assert list(coins) == [True, True, False, False, True, True]
    assert source.left == 0


def test_below_continues_what_is_known() -> None:
    real = rational_real(Fraction(1, 3))
    assert below(real, 2, 3, ScriptedSource(words(0)))
    assert not below(real, 2, 3, ScriptedSource(words(TOP)))
    assert not below(real, 3, 3, NoEntropy())
    assert below(real, 1, 3, NoEntropy())


# The ends of the range


def test_certain_coins_need_no_entropy() -> None:
    for coins in (
        bernoulli_rational(Fraction(1), 5, NoEntropy()),
        bernoulli_exp(Fraction(0), 5, NoEntropy()),
    ):
        assert coins.dtype == np.bool_
        assert list(coins) == [True] * 5


def test_impossible_coins_are_never_true() -> None:
    never = rational_real(0)
    assert not tossed(never, 1)
    assert not tossed(never, TOP)
    assert not tossed(never, 0, 1)
    assert not tossed(never, 0, 0, 0, 1)


def test_coins_that_are_almost_impossible() -> None:
    rare = exp(Fraction(1000))  # about 2**-1442.7
    assert not tossed(rare, 1)
    assert not tossed(rare, *[0] * 21, TOP)
    assert not tossed(rare, *[0] * 22, 1 << 36)
    assert tossed(rare, *[0] * 22, 1)


def test_coins_that_are_almost_certain() -> None:
    sure = exp(Fraction(1, 10**60))  # about 1 − 2**-199.3
    assert tossed(sure, TOP - 1)
    assert tossed(sure, TOP, TOP, 0)
    assert tossed(sure, TOP, TOP, TOP, 0)
    assert not tossed(sure, TOP, TOP, TOP, TOP)


@pytest.mark.parametrize("value", [Fraction(-1, 10**300), 1 + Fraction(1, 10**300), -1, 2])
def test_what_is_no_probability_is_refused(value: Fraction) -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        bernoulli_rational(Fraction(value), 1, NoEntropy())


def test_a_negative_exponent_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        bernoulli_exp(Fraction(-1, 10**300), 1, NoEntropy())


@pytest.mark.parametrize("probability", [Fraction(0), Fraction(1, 3), Fraction(1)])
def test_no_coins(probability: Fraction) -> None:
    coins = bernoulli_rational(probability, 0, Source())
    assert coins.shape == (0,)
    assert coins.dtype == np.bool_


# Statistics


@pytest.mark.parametrize("probability", [Fraction(1, 3), Fraction(9, 10), Fraction(1, 10)])
def test_rational_coins_fit_their_law(probability: Fraction) -> None:
    coins = bernoulli_rational(probability, 300_000, Source()).astype(np.int64)
    assert not rejects(coins, [float(1 - probability), float(probability)])
    for wrong in (
        probability * Fraction(9, 10),
        min(probability * Fraction(11, 10), Fraction(99, 100)),
    ):
        assert rejects(coins, [float(1 - wrong), float(wrong)])


@pytest.mark.parametrize("exponent", [Fraction(1, 10), Fraction(1), Fraction(4)])
def test_exponential_coins_fit_their_law(exponent: Fraction) -> None:
    coins = bernoulli_exp(exponent, 300_000, Source()).astype(np.int64)
    chance = math.exp(-exponent)
    assert not rejects(coins, [1 - chance, chance])
    for wrong in (math.exp(-exponent * Fraction(9, 10)), math.exp(-exponent * Fraction(11, 10))):
        assert rejects(coins, [1 - wrong, wrong])


def test_floor_is_asked_at_growing_precision_only() -> None:
    asked: list[int] = []

    class Watched:
        def ball(self) -> arb:
            return balls.ball(Fraction(1, 3))

        def compare(self, value: Fraction | int) -> int:
            return rational_real(Fraction(1, 3)).compare(value)

        def interval(self) -> Interval:
            return rational_real(Fraction(1, 3)).interval()

        def floor(self, scale: int) -> int:
            asked.append(scale)
            return scale // 3

    tie = 2**64 // 3
    assert tossed(Watched(), tie, tie, 0)
    assert asked == sorted(asked)
    assert asked[-1] == 2**192
