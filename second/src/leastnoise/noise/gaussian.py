r"""Rounded Gaussian noise, drawn exactly.

Law of variance V: round(N) for a normal N with mean 0 and variance V.

Theorem: a vector of integers that moves by at most D in l2 norm, with independent noise of
variance V on every entry, is mu-GDP with mu^2 = D^2 / V. Proof: for an integer x,
x + round(N) = round(x + N), so this is post-processing of the continuous Gaussian mechanism.
Proof page: docs/proofs/rounded_gaussian.md.

The draw: |Z| of a standard normal lies in cell i = floor(256 |Z|), by a table. A place f in the
cell, uniform on [0, 1), is accepted with chance e^(-((i + f)^2 - i^2) / 2^17); a place that is
refused is drawn again in the same cell. Then |Z| = (i + f) / 256 has the normal density in the
cell, and the answer is the integer nearest to sqrt(V) |Z|, with a random sign. f has as many bits
as acceptance and rounding need: nearly always 52, and further ones are drawn until both are
decided. No float is used.

Trusted.
"""

from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Draws, Table
from leastnoise.numbers.ball import ball, floor

_CELL = 8  # bits: cells of |Z| are 1/256 wide
_PLACE = 52  # bits of a place, at first
_WORD = 64
_CHUNK = 1 << 15  # stays in the processor's cache
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


def rounded_gaussian(variance: Fraction, count: int, source: Source) -> Draws:
    """`count` independent draws."""
    scaled = _scaled_root(variance)
    starts = range(0, max(count, 1), _CHUNK)  # an empty chunk keeps the type where count is 0
    parts = [_chunk(variance, scaled, min(_CHUNK, count - start), source) for start in starts]
    drawn: Draws = np.concatenate(parts)
    return drawn


@lru_cache(maxsize=1)
def _cells() -> Table:
    """The cell of |Z|: P(cell >= n) = erfc(n / 256 / sqrt 2)."""

    def chance(n: int, bits: int) -> int:
        def number() -> arb:
            return (ball(Fraction(n, 1 << _CELL)) / arb(2).sqrt()).erfc() * arb(2) ** bits

        return floor(number, bits + _WORD)

    return Table(chance)


def _scaled_root(variance: Fraction) -> tuple[int, int] | None:
    """(s, p) with s <= sqrt(V) * 2^p < s + 1 < 2^64; None if sqrt(V) needs Python's integers."""
    size = (variance.numerator // variance.denominator).bit_length() // 2 + 1
    p = min(60, 63 - size)
    return (isqrt((variance * 4**p).__floor__()), p) if p >= 5 else None


def _chunk(variance: Fraction, scaled: tuple[int, int] | None, count: int, source: Source) -> Draws:
    cells = _cells().sample(count, source)
    words = source.words(count)
    places, signs = words >> np.uint64(_WORD - _PLACE), (words & np.uint64(1)).astype(np.bool_)
    # 1 - (i + 1)/2^16 is below the chance of every place in cell i, so most accept at once.
    coins = source.words(count, 16)
    sure = coins < (1 << 16) - 1 - cells
    magnitudes: Draws
    if scaled is None:
        magnitudes = np.empty(count, dtype=np.object_)
        sure[:] = False
    else:
        magnitudes, decided = _nearest(cells, places, *scaled)
        sure &= decided & (cells < 1 << (_WORD - _PLACE))  # z of a farther cell has more bits
    for at in np.flatnonzero(~sure):
        magnitudes[at] = _settled(variance, int(cells[at]), int(places[at]), int(coins[at]), source)
    return np.where(signs, -magnitudes, magnitudes)


def _nearest(
    cells: NDArray[np.int64], places: NDArray[np.uint64], s: int, p: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The integer nearest to sqrt(V) |Z|, and whether the bits at hand decide it.

    |Z| is in [z, z + 1) / 2^60 and sqrt(V) in [s, s + 1) / 2^p, so the product lies in
    [h, h + 3) / 2^(p - 4) with h the upper 64 bits of s*z: (s + 1)(z + 1) < s*z + 2^65.
    """
    z = (cells.astype(np.uint64) << np.uint64(_PLACE)) | places
    high = _upper_product(z, s)
    shift, half = np.uint64(p - 4), np.uint64(1 << (p - 5))
    nearest = (high + half) >> shift
    return nearest.astype(np.int64), nearest == (high + half + np.uint64(3)) >> shift


def _upper_product(z: NDArray[np.uint64], s: int) -> NDArray[np.uint64]:
    """The upper 64 bits of z*s, by products of 32 bits."""
    z1, z0, s1, s0 = z >> _HALF, z & _LOW, np.uint64(s >> 32), np.uint64(s & 0xFFFFFFFF)
    middle = z1 * s0 + (z0 * s0 >> _HALF)
    carried = z0 * s1 + (middle & _LOW)
    upper: NDArray[np.uint64] = z1 * s1 + (middle >> _HALF) + (carried >> _HALF)
    return upper


def _settled(variance: Fraction, cell: int, place: int, coin: int, source: Source) -> int:
    """The same for one draw, with as many bits as it takes. The coin has 16 bits so far."""
    bits, coin_bits = _PLACE, 16
    while True:
        accepted = _is_accepted(cell, place, bits, coin, coin_bits)
        if accepted:
            break
        if accepted is None:
            place, bits = (place << _WORD) | source.integer(_WORD), bits + _WORD
            coin, coin_bits = (coin << _WORD) | source.integer(_WORD), coin_bits + _WORD
        else:
            place, bits = source.integer(_PLACE), _PLACE
            coin, coin_bits = source.integer(16), 16
    while True:
        z = (cell << bits) | place
        below, above = (_rounded_root(variance, end, bits + _CELL) for end in (z, z + 1))
        if below == above:
            return below
        place, bits = (place << _WORD) | source.integer(_WORD), bits + _WORD


def _is_accepted(cell: int, place: int, bits: int, coin: int, coin_bits: int) -> bool | None:
    """Whether the coin is below the chance of the place; None if more bits are needed.

    The chance falls with the place, so its ends come from the two ends of the place.
    """
    if coin_bits == 16 and coin < (1 << 16) - 1 - cell:
        return True  # as in `_chunk`

    def least_and_most(f: Fraction) -> int:
        exponent = -((cell + f) ** 2 - cell**2) / (2 << (2 * _CELL))
        if not exponent:
            return 1 << coin_bits
        return floor(lambda: ball(exponent).exp() * arb(2) ** coin_bits, coin_bits + _WORD)

    if coin + 1 <= least_and_most(Fraction(place + 1, 1 << bits)):
        return True
    return False if coin > least_and_most(Fraction(place, 1 << bits)) else None


def _rounded_root(variance: Fraction, z: int, bits: int) -> int:
    """The integer nearest to sqrt(V) * z / 2^bits, for Z just above z / 2^bits."""
    n, d = variance.numerator, variance.denominator
    return (isqrt(4 * n * z * z // (d << 2 * bits)) + 1) // 2
