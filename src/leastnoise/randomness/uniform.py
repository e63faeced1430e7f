"""Exact uniform integers by rejection."""

import numpy as np
from numpy.typing import NDArray

from leastnoise.randomness.source import Source

_WORD = 1 << 64  # all values of one word


def uniform_below(bound: int, count: int, source: Source) -> NDArray[np.int64]:
    """`count` independent uniform integers in 0..bound−1, for 1 ≤ bound ≤ 2**63.

    A 64-bit word modulo the bound, drawn again where the word lies in the incomplete last round;
    short bounds use 32-bit words, which divide faster.
    """
    if not 1 <= bound <= _WORD // 2:
        raise ValueError("bound must lie in 1..2**63")
    if bound & (bound - 1) == 0:
        return (source.words(count) & np.uint64(bound - 1)).view(np.int64)
    if bound < 1 << 16:
        return _remainders(bound, count, source, np.dtype(np.uint32))
    return _remainders(bound, count, source, np.dtype(np.uint64))


def _remainders(
    bound: int, count: int, source: Source, word: np.dtype[np.unsignedinteger]
) -> NDArray[np.int64]:
    whole = 1 << (8 * word.itemsize)
    last = whole - whole % bound - 1  # the greatest word of a complete round
    drawn = source.bytes(word.itemsize * count).view(word)
    late = np.flatnonzero(drawn > word.type(last))
    while late.size:
        drawn[late] = source.bytes(word.itemsize * late.size).view(word)
        late = late[drawn[late] > word.type(last)]
    places: NDArray[np.int64] = (drawn % word.type(bound)).astype(np.int64)
    return places


def uniform_integer(bound: int, source: Source) -> int:
    """One uniform integer in 0..bound−1, of any size."""
    if bound < 1:
        raise ValueError("bound must be at least 1")
    length = (bound - 1).bit_length()
    while True:
        drawn = source.bits(length)
        if drawn < bound:
            return drawn
