"""Exact uniform integers with a bound of its own for each row."""

import numpy as np
from numpy.typing import NDArray

from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_integer

_HALF = np.uint64(32)  # the upper half of a product of 32-bit numbers
_CHUNK = 1 << 15  # stays in the processor's cache
# A short word is drawn again with probability below bound/2**32, so at most once in 16.
_MOST_SHORT = 1 << 28

Integers = NDArray[np.int64] | NDArray[np.object_]


def uniform_rows(bounds: Integers, width: int, source: Source) -> Integers:
    """An array whose row i holds `width` independent uniform integers in 0..bounds[i]−1.

    Bounds up to 2**28 take one 32-bit word and one multiplication per integer (Lemire 2019): the
    upper half of word·bound, drawn again where the lower half is below 2**32 mod bound. Bounds up
    to 2**63 take 64-bit words modulo the bound, and greater ones Python's integers.
    """
    greatest = int(bounds.max(initial=1))
    if greatest > 1 << 63:
        rows = [[uniform_integer(int(bound), source) for _ in range(width)] for bound in bounds]
        return np.array(rows, dtype=np.object_).reshape(len(bounds), width)
    drawn = np.empty((len(bounds), width), dtype=np.uint64)
    columns = bounds.astype(np.uint64)[:, np.newaxis]
    fill = _fill_short if greatest <= _MOST_SHORT else _fill_long
    height = max(1, _CHUNK // max(1, width))
    for top in range(0, len(bounds), height):
        for left in range(0, width, _CHUNK):
            rows_here = slice(top, top + height)
            fill(drawn[rows_here, left : left + _CHUNK], columns[rows_here], source)
    return drawn.view(np.int64)


def _fill_short(target: NDArray[np.uint64], bounds: NDArray[np.uint64], source: Source) -> None:
    words = source.bytes(4 * target.size).view(np.uint32).reshape(target.shape)
    np.multiply(words, bounds, out=target, dtype=np.uint64)
    start = ((1 << 32) % bounds).astype(np.uint32)
    late = np.nonzero(target.astype(np.uint32) < start)
    while late[0].size:
        words_again = source.bytes(4 * late[0].size).view(np.uint32)
        target[late] = words_again * bounds[late[0], 0]
        still = target[late].astype(np.uint32) < start[late[0], 0]
        late = (late[0][still], late[1][still])
    target >>= _HALF


def _fill_long(target: NDArray[np.uint64], bounds: NDArray[np.uint64], source: Source) -> None:
    target[...] = source.words(target.size).reshape(target.shape)
    # 2**64 mod bound words at the top would make an incomplete round.
    last = np.uint64(2**64 - 1) - (np.uint64(2**64 - 1) % bounds + np.uint64(1)) % bounds
    late = np.nonzero(target > last)
    while late[0].size:
        target[late] = source.words(late[0].size)
        still = target[late] > last[late[0], 0]
        late = (late[0][still], late[1][still])
    target %= bounds
