from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.randomness import Source
from leastnoise.randomness.uniform import _remainders, uniform_below, uniform_integer
from tests.randomness.goodness_of_fit import rejects
from tests.scripted import CountingSource, ScriptedSource, ScriptExhausted, script, words

BOUNDS = [
    *range(1, 18),
    100,
    255,
    2**16 - 1,
    2**16,
    2**16 + 1,
    2**31,
    2**32 - 1,
    2**32,
    2**32 + 1,
    2**40 + 1,
    2**62 + 1,
    2**63 - 1,
    2**63,
]


def is_power(bound: int) -> bool:
    return bound & (bound - 1) == 0


def word_bytes(bound: int) -> int:
    return 4 if bound < 2**16 and not is_power(bound) else 8


# uniform_below, enumerated


@pytest.mark.parametrize("bound", [bound for bound in range(3, 256) if not is_power(bound)])
def test_every_eight_bit_word(bound: int) -> None:
    """All 256 words: each value comes from equally many, and the rest are drawn again."""
    rejected = 256 % bound
    source = ScriptedSource(bytes(range(256)) + bytes([bound - 1]) * rejected)
    drawn = _remainders(bound, 256, source, np.dtype(np.uint8))
    assert source.left == 0
    kept = 256 - rejected
    assert (np.bincount(drawn[:kept], minlength=bound) == 256 // bound).all()
    assert (drawn[kept:] == bound - 1).all()


@pytest.mark.parametrize("bound", [3, 5, 257, 1000, 32_767, 32_769, 65_535])
def test_every_sixteen_bit_word(bound: int) -> None:
    rejected = 2**16 % bound
    source = ScriptedSource(script(range(2**16), 2) + script([bound - 1] * rejected, 2))
    drawn = _remainders(bound, 2**16, source, np.dtype(np.uint16))
    assert source.left == 0
    kept = 2**16 - rejected
    assert (np.bincount(drawn[:kept], minlength=bound) == 2**16 // bound).all()
    assert (drawn[kept:] == bound - 1).all()


@pytest.mark.parametrize("bound", [bound for bound in BOUNDS if not is_power(bound)])
def test_the_words_at_the_edges(bound: int) -> None:
    width = word_bytes(bound)
    whole = 256**width
    rounds = whole // bound
    last = rounds * bound - 1
    accepted = [0, 1, bound - 1, bound, bound + 1, (rounds - 1) * bound, last - 1, last]
    accepted = [word for word in accepted if word <= last]
    source = ScriptedSource(script(accepted, width))
    assert list(uniform_below(bound, len(accepted), source)) == [word % bound for word in accepted]
    for late in {last + 1, whole - 1}:
        source = ScriptedSource(script([late, late, 7], width))
        assert uniform_below(bound, 1, source)[0] == 7 % bound
        assert source.left == 0


@pytest.mark.parametrize("bound", [3, 65_535, 65_537, 2**40 + 1, 2**62 + 1])
def test_only_late_words_are_drawn_again(bound: int) -> None:
    width = word_bytes(bound)
    late = 256**width - 1
    source = ScriptedSource(script([late, 1, late, 2, late, 0, late, 2, 1], width))
    # Places 0, 2, 4 are late; of their second words 0, late, 2 the middle one is late again.
    assert list(uniform_below(bound, 5, source)) == [0, 1, 1, 2, 2]
    assert source.left == 0


@pytest.mark.parametrize("bound", [bound for bound in BOUNDS if is_power(bound)])
def test_powers_of_two_take_the_low_bits_and_reject_nothing(bound: int) -> None:
    inputs = [0, 1, bound - 1, bound, 2**64 - 1, 0x0123_4567_89AB_CDEF]
    drawn = uniform_below(bound, len(inputs), ScriptedSource(words(*inputs)))
    assert list(drawn) == [word % bound for word in inputs]


@settings(deadline=None)
@given(st.integers(1, 2**63), st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20))
def test_any_words(bound: int, inputs: list[int]) -> None:
    """A word-by-word reference fed with the same words; rounds of late words in order."""
    width = word_bytes(bound)
    whole = 256**width
    inputs = [word % whole for word in inputs]
    limit = whole - whole % bound
    expected, pending = [word % bound for word in inputs], [w for w in inputs if w >= limit]
    source = ScriptedSource(script([*inputs, *[bound - 1] * len(pending)], width))
    drawn = uniform_below(bound, len(inputs), source)
    for place, word in enumerate(inputs):
        assert drawn[place] == (bound - 1 if word >= limit else expected[place])


@pytest.mark.parametrize("bound", BOUNDS)
def test_range_and_type(bound: int) -> None:
    drawn = uniform_below(bound, 1000, Source())
    assert drawn.dtype == np.int64
    assert drawn.min() >= 0
    assert int(drawn.max()) < bound
    # The largest of 1000 stays below nine tenths of a great bound with probability 0.9**1000.
    assert bound < 1000 or int(drawn.max()) > 0.9 * bound
    assert uniform_below(bound, 0, Source()).shape == (0,)


@pytest.mark.parametrize("bound", [0, -1, 2**63 + 1, 2**64, -(2**63)])
def test_bad_bounds_are_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        uniform_below(bound, 1, ScriptedSource(b""))


@pytest.mark.parametrize("bound", [3.0, "3", None])
def test_what_is_not_an_integer_is_refused(bound: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        uniform_below(bound, 1, ScriptedSource(b""))


@pytest.mark.parametrize("bound", [2, 3, 7, 1000])
def test_uniform_below_fits_its_law(bound: int) -> None:
    drawn = uniform_below(bound, 200_000, Source())
    assert not rejects(drawn, [1 / bound] * bound)


def test_the_fit_has_power() -> None:
    # What modulo without rejection would do to 8-bit words, and a bound wrong by one.
    source = Source()
    assert rejects(source.bytes(200_000).astype(np.int64) % 200, [1 / 200] * 200)
    assert rejects(uniform_below(9, 200_000, source), [1 / 10] * 10)
    assert rejects(uniform_below(11, 200_000, source), [1 / 10] * 10)


def test_the_highest_residues_are_as_likely_as_the_lowest() -> None:
    # 3·2**61 of 2**63: modulo without rejection would favour the lowest third by 3 to 2.
    bound = 3 << 61
    thirds = uniform_below(bound, 60_000, Source()) >> 61
    assert not rejects(thirds, [1 / 3] * 3)
    biased = (Source().words(60_000) % np.uint64(bound) >> np.uint64(61)).astype(np.int64)
    assert rejects(biased, [1 / 3] * 3)


# uniform_integer


@pytest.mark.parametrize("bound", [*range(1, 257)])
def test_uniform_integer_over_every_byte(bound: int) -> None:
    """All first draws of one byte: each value from equally many, the others draw again."""
    counts, again = [0] * bound, 0
    for byte in range(256 if bound > 1 else 1):
        source = ScriptedSource(bytes([byte]) if bound > 1 else b"")
        try:
            counts[uniform_integer(bound, source)] += 1
        except ScriptExhausted:
            again += 1
    share = 256 >> (bound - 1).bit_length() if bound > 1 else 1
    assert counts == [share] * bound
    assert again == (256 if bound > 1 else 1) - share * bound


@pytest.mark.parametrize("bound", [257, 511, 513, 40_000, 65_535, 65_536])
def test_uniform_integer_over_every_pair_of_bytes(bound: int) -> None:
    counts = np.zeros(bound, dtype=np.int64)
    for pair in range(2**16):
        try:
            counts[uniform_integer(bound, ScriptedSource(pair.to_bytes(2, "little")))] += 1
        except ScriptExhausted:
            continue
    assert (counts == 2**16 >> (bound - 1).bit_length()).all()


def test_uniform_integer_draws_again() -> None:
    # 5 needs three bits: 7, 6 and 5 are drawn again.
    source = ScriptedSource(bytes([7 << 5, 6 << 5, 5 << 5, 4 << 5]))
    assert uniform_integer(5, source) == 4
    assert source.left == 0


@pytest.mark.parametrize("bound", [2**64 - 1, 2**64, 2**64 + 1, 10**30, 2**1000 + 1])
def test_large_bounds(bound: int) -> None:
    source = CountingSource()
    drawn = [uniform_integer(bound, source) for _ in range(300)]
    assert all(0 <= value < bound for value in drawn)
    assert max(drawn) > 0.9 * bound
    assert min(drawn) < 0.1 * bound
    # At most half the draws are repeated on average; 4 times as many bytes is a sure sign.
    assert source.given < 4 * 300 * ((bound.bit_length() + 7) // 8)


@pytest.mark.parametrize("bound", [0, -1, -(10**30)])
def test_bad_bounds_of_uniform_integer_are_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        uniform_integer(bound, ScriptedSource(b""))


def test_uniform_integer_fits_its_law() -> None:
    source = Source()
    drawn = np.array([uniform_integer(11, source) for _ in range(50_000)])
    assert not rejects(drawn, [1 / 11] * 11)
    assert rejects(drawn, [1.1 / 11] * 5 + [(11 - 5.5) / 6 / 11] * 6)
