"""Rounded Gaussian noise: every step against exact arithmetic, the whole against the normal law."""

from fractions import Fraction
from functools import cache
from math import isqrt
from random import Random

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

from leastnoise.noise import gaussian as module
from leastnoise.noise.gaussian import (
    _cells,
    _chunk,
    _is_accepted,
    _nearest,
    _rounded_root,
    _scaled_root,
    _settled,
    _upper_product,
    rounded_gaussian,
)
from leastnoise.noise.source import Source
from tests.noise.chi_square import contradicts
from tests.noise.thresholds import check_heads, check_thresholds, floor_of
from tests.scripted import Scripted, word

F = Fraction
VARIANCES = [F(1, 10**400), F(1, 16), F(1), F(22, 7), F(10**6), F(3**80, 2), F(2**113),
             F(2**116 - 1, 3), F(2**115) - F(1, 9), F(2**115), F(10**60, 7), F(10**400)]  # fmt: skip
WORDS = st.integers(0, 2**64 - 1)


# The cell


def test_the_cell_of_a_standard_normal() -> None:
    def beyond(n: int) -> mpmath.mpf:
        return mpmath.erfc(mpmath.mpf(n) / 256 / mpmath.sqrt(2))

    floors = cache(lambda n, bits: floor_of(lambda: beyond(n), bits))
    check_heads(_cells(), floors)
    check_thresholds(_cells(), floors, (1, 2, 100, 256, 777, 1500, 2000))
    assert _cells() is _cells()


# Acceptance


def chance(cell: int, place: F, bits: int) -> int:
    """The floor of e^(-((cell + place)^2 - cell^2) / 2^17) * 2^bits."""
    with mpmath.workprec(bits + 300):
        exponent = ((cell + place) ** 2 - cell**2) / F(2**17)
        value = mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator)
        return int(mpmath.floor(value * mpmath.mpf(2) ** bits))


def accepted(cell: int, place: int, bits: int, coin: int, coin_bits: int) -> bool | None:
    """For a place and a coin with these first bits: whether all others decide alike, and how."""
    if coin + 1 <= chance(cell, F(place + 1, 2**bits), coin_bits):
        return True
    greatest = chance(cell, F(place, 2**bits), coin_bits)  # of the chances, all irrational but 1
    return False if coin > greatest else None


@pytest.mark.parametrize("cell", [0, 1, 250, 2000, 5000, 70_000])
@pytest.mark.parametrize(("bits", "coin_bits"), [(52, 16), (116, 80), (180, 144)])
def test_a_place_is_accepted_by_its_chance(cell: int, bits: int, coin_bits: int) -> None:
    rng = Random(cell)
    for place in (0, 1, 2**bits - 1, *(rng.getrandbits(bits) for _ in range(20))):
        near = chance(cell, F(place, 2**bits), coin_bits)
        coins = {near + d for d in (-2, -1, 0, 1)} | {0, 2**coin_bits - 1, 2**16 - 1 - cell}
        for coin in coins:
            if 0 <= coin < 2**coin_bits:
                expected = accepted(cell, place, bits, coin, coin_bits)
                assert _is_accepted(cell, place, bits, coin, coin_bits) is expected


# Rounding


def nearest_root(variance: F, z: F) -> int:
    """The integer nearest to sqrt(V) * z, ties upward: k with (2k - 1)^2 <= 4 V z^2 < (2k + 1)^2."""
    square = 4 * variance * z * z
    k = isqrt(square.__floor__()) // 2
    while (2 * k + 1) ** 2 <= square:
        k += 1
    assert k == 0 or (2 * k - 1) ** 2 <= square
    return k


@given(st.fractions(F(1, 10**9), 10**30), st.integers(0, 2**80), st.integers(0, 80))
def test_the_root_is_rounded_exactly(variance: F, z: int, bits: int) -> None:
    assert _rounded_root(variance, z, bits) == nearest_root(variance, F(z, 2**bits))


def test_ties_of_the_root_are_rounded_up() -> None:
    for k in range(9):
        assert _rounded_root(F(1, 4), 2 * k + 1, 0) == k + 1 == nearest_root(F(1, 4), F(2 * k + 1))


@given(st.fractions(F(1, 10**30), 2**120) | st.sampled_from(VARIANCES))
def test_the_root_is_scaled_to_63_bits(variance: F) -> None:
    scaled = _scaled_root(variance)
    assert (scaled is None) is (variance >= 2**115)
    if scaled is not None:
        s, p = scaled
        assert s**2 <= variance * 4**p < (s + 1) ** 2
        assert p == 60 or (p >= 5 and 2**61 <= s < 2**63)


@given(WORDS, WORDS)
def test_the_upper_product(z: int, s: int) -> None:
    assert int(_upper_product(np.array([z], dtype=np.uint64), s)[0]) == z * s >> 64


@settings(max_examples=300)
@given(st.integers(0, 2400), st.integers(0, 2**52 - 1), st.integers(0, 2**63 - 1), st.integers(5, 60),
       st.integers(-4, 4) | st.none())  # fmt: skip
def test_what_the_bits_at_hand_decide_is_right(
    cell: int, place: int, s: int, p: int, off: int | None
) -> None:
    if off is not None and s:  # a product next to one half, where rounding changes
        half = (2 * ((cell << 52 | place) * s >> 60 + p) + 1) << 59 + p
        cell, place = divmod(min(max(half // s + off, 0), (2401 << 52) - 1), 2**52)
    z = cell << 52 | place
    found, decided = _nearest(
        np.array([cell], dtype=np.int64), np.array([place], dtype=np.uint64), s, p
    )
    high, unit = z * s >> 64, 1 << p - 4
    assert int(found[0]) == (F(high, unit) + F(1, 2)).__floor__()
    assert bool(decided[0]) is ((F(high + 3, unit) + F(1, 2)).__floor__() == int(found[0]))
    ends = [F(z * s, 2 ** (60 + p)), F((z + 1) * (s + 1) - 1, 2 ** (60 + p))]
    if decided[0]:  # it holds for every |Z| and every root with these first bits
        assert {(end + F(1, 2)).__floor__() for end in ends} == {int(found[0])}


# One draw, and many


def settled(variance: F, cell: int, place: int, coin: int, source: Source) -> int:
    """One draw by the plain rule: bits are asked for until the place and the integer are certain."""
    bits, coin_bits = 52, 16
    while (answer := accepted(cell, place, bits, coin, coin_bits)) is not True:
        if answer is False:  # a new place in the same cell
            place, bits, coin, coin_bits = source.integer(52), 52, source.integer(16), 16
        else:
            place, bits = place << 64 | source.integer(64), bits + 64
            coin, coin_bits = coin << 64 | source.integer(64), coin_bits + 64
    while True:
        ends = [F(cell * 2**bits + place + d, 2 ** (bits + 8)) for d in (0, 1)]
        low, high = (nearest_root(variance, end) for end in ends)
        if low == high:
            return low
        place, bits = place << 64 | source.integer(64), bits + 64


def both(variance: F, cell: int, place: int, coin: int, script: bytes) -> tuple[int, int]:
    """What the code and the plain rule draw; they must read the same bytes."""
    one, other = Scripted(script), Scripted(script)
    drawn = _settled(variance, cell, place, coin, one), settled(variance, cell, place, coin, other)
    assert one.left == other.left
    return drawn


@pytest.mark.parametrize("variance", VARIANCES)
def test_one_draw_takes_as_many_bits_as_it_needs(variance: F) -> None:
    rng = Random(1)
    for cell in (0, 1, 300, 2000, 5000, 70_000):
        for _ in range(4):
            place = rng.getrandbits(52)
            near = min(chance(cell, F(place, 2**52), 16), 2**16 - 1)
            for coin in {0, near, min(near + 1, 2**16 - 1), 2**16 - 1}:
                drawn, expected = both(variance, cell, place, coin, rng.randbytes(10_000))
                assert drawn == expected
            # The coin goes on as its chance does, for 64 and 128 bits: a third word must decide.
            more = [rng.getrandbits(64), rng.getrandbits(64)]
            whole = place << 128 | more[0] << 64 | more[1]
            coins = chance(cell, F(whole, 2**180), 16 + 128)
            words = [more[0], coins >> 64, more[1], coins, rng.getrandbits(64)]
            if coins >> 128 < 2**16:
                script = b"".join(word(each % 2**64) for each in words) + rng.randbytes(9_000)
                drawn, expected = both(variance, cell, place, coins >> 128, script)
                assert drawn == expected


@pytest.mark.parametrize("cell", [0, 1, 7, 2000, 4095, 4096, 5000])
def test_a_coin_next_to_certainty_is_looked_at(cell: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk accepts at once where the plain rule would, and asks for more bits where it does."""
    monkeypatch.setattr(module, "_cells", lambda: Fixed(cell))
    rng, variance = Random(cell), F(10**12)
    for coin in (0, *(2**16 - each - cell for each in (3, 2, 1, 0) if each + cell)):
        for place, more in (2**52 - 1, b"\xff"), (2**52 - 1, b"\0"), (2**51, b"\xff"):
            rest = more * 40 + rng.randbytes(9_000)
            one = Scripted(word(place << 12), word(coin, 16), rest)
            other = Scripted(rest)
            drawn = int(_chunk(variance, _scaled_root(variance), 1, one)[0])
            assert drawn == settled(variance, cell, place, coin, other)
            assert one.left == other.left


class Fixed:
    """A table that gives one cell."""

    def __init__(self, cell: int) -> None:
        self.cell = cell

    def sample(self, count: int, source: Source) -> NDArray[np.int64]:
        return np.full(count, self.cell, dtype=np.int64)


def test_a_refused_place_is_drawn_again_in_the_same_cell() -> None:
    cell = 2000  # the chance ends at 0.97
    refused, new = 2**52 - 1, 2**51
    script = Scripted((new << 4).to_bytes(7, "little"), word(0, 16))
    drawn = _settled(F(10**12), cell, refused, 2**16 - 1, script)
    assert drawn == nearest_root(F(10**12), F(cell * 2 + 1, 512)) and not script.left


def test_a_place_next_to_a_tie_is_drawn_to_its_end() -> None:
    """sqrt(V) |Z| = 1/2 exactly at the place 2^51 of cell 1, for V = (256/3)^2."""
    variance, tie = F(256, 3) ** 2, 1 << 51
    assert both(variance, 1, tie - 1, 0, word(2**64 - 2)) == (0, 0)
    assert both(variance, 1, tie, 0, b"") == (1, 1)
    below = F(256, 3) ** 2 * (1 - F(1, 2**100))  # the tie lies inside this place
    for last in range(2**16 - 4, 2**16):
        drawn, expected = both(below, 1, tie, 0, word(last << 48))
        assert drawn == expected


def drawn_plainly(variance: F, count: int, source: Source) -> list[int]:
    """The draws of one chunk, one after another."""
    cells = _cells().sample(count, source)
    words, coins = source.words(count), source.words(count, 16)
    found = []
    for cell, drawn, coin in zip(cells.tolist(), words.tolist(), coins.tolist(), strict=True):
        size = settled(variance, cell, drawn >> 12, coin, source)
        found.append(-size if drawn & 1 else size)
    return found


@pytest.mark.parametrize("variance", VARIANCES)
def test_many_draws_are_those_of_the_plain_rule(
    variance: F, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", 600)
    script = Random(2).randbytes(400_000)
    one, other = Scripted(script), Scripted(script)
    found = rounded_gaussian(variance, 1500, one)
    expected = [n for count in (600, 600, 300) for n in drawn_plainly(variance, count, other)]
    assert [int(each) for each in found] == expected and one.left == other.left
    assert found.dtype == (np.int64 if variance < 2**115 else np.object_)


@pytest.mark.parametrize("zeros", [2, 3])
@pytest.mark.parametrize("variance", [F(1), F(2**80), F(10**60)])
def test_draws_far_out_are_exact_too(variance: F, zeros: int) -> None:
    """A U of 128 and 192 leading zeros; z of a cell from 4,096 on has more than 64 bits."""
    script = bytes(10 + 8 * (zeros - 1)) + Random(3).randbytes(500)
    one, other = Scripted(script), Scripted(script)
    found = [int(each) for each in rounded_gaussian(variance, 1, one)]
    assert found == drawn_plainly(variance, 1, other) and one.left == other.left
    assert abs(found[0]) > 8 * isqrt(variance.__floor__())


def test_no_draws() -> None:
    for variance, kind in ((F(1), np.int64), (F(10**60), np.object_)):
        found = rounded_gaussian(variance, 0, Source())
        assert found.size == 0 and found.dtype == kind


# The whole law


def beyond(variance: float) -> norm:
    return norm(scale=variance**0.5).sf


@pytest.mark.parametrize("variance", [F(1), F(7, 3), F(2**100)])
def test_the_law_is_a_rounded_normal(variance: F) -> None:
    """False alarm 1e-9 each. A standard deviation off by 1 % is refused by the same test."""
    drawn: NDArray[np.int64] = rounded_gaussian(variance, 1 << 21, Source())
    assert not contradicts(drawn, beyond(float(variance)))
    assert contradicts(drawn, beyond(float(variance) * 1.01**2))
    assert contradicts(drawn, beyond(float(variance) / 1.01**2))


@pytest.mark.parametrize("variance", [F(1, 20), F(1, 3), F(1), F(9)])
def test_the_rounded_law_leaks_no_more_than_the_normal_law(variance: F) -> None:
    """Hockey-stick divergences of the integers that are shown, at shifts of 1, 2 and 5."""
    with mpmath.workdps(60):
        sigma = mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator)
        reach = int(sigma * 14) + 8

        def p(k: int) -> mpmath.mpf:
            ends = sorted(abs(2 * k + d) / (2 * sigma) for d in (-1, 1))
            return (
                mpmath.ncdf(-ends[0]) - mpmath.ncdf(-ends[1])
                if k
                else 1 - 2 * mpmath.ncdf(-ends[0])
            )

        law = {k: p(k) for k in range(-reach, reach + 1)}
        assert abs(sum(law.values()) - 1) < mpmath.mpf(10) ** -20
        for shift in (1, 2, 5):
            mu = shift / sigma
            for epsilon in map(mpmath.mpf, ("0", "0.1", "1", "3", "8")):
                ours = sum(max(q - mpmath.exp(epsilon) * law.get(k - shift, 0), 0)
                           for k, q in law.items() if k - shift >= -reach)  # fmt: skip
                far = mpmath.exp(epsilon) * mpmath.ncdf(-epsilon / mu - mu / 2)
                # Equal where the border between more and less likely lies between integers.
                assert ours <= mpmath.ncdf(mu / 2 - epsilon / mu) - far + mpmath.mpf(10) ** -50
