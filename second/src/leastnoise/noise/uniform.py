"""Exact draws from uniform words: integers below a bound, tables of thresholds, geometric laws.

Every function draws the law that its docstring states, exactly, if the words of the source are
uniform: words decide by integer comparison, and a word that equals a threshold is extended by
further bits until it is decided.

Trusted.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.noise.source import Source
from leastnoise.numbers.ball import ball, floor

Draws = NDArray[Any]
"""Integers: int64, or Python's own (dtype object) where 64 bits do not suffice."""

Floor = Callable[[int, int], int]
"""(n, bits) to the floor of P(N >= n) * 2**bits, for n >= 1."""

_WORD, _HEAD = 64, 16  # bits of a whole draw, and of its first part
_CHUNK = 1 << 16  # stays in the processor's cache
_OPEN = np.iinfo(np.int64).min  # marks heads that leave more than one value possible


def uniform_below(bound: int, source: Source) -> int:
    """A uniform integer in 0 .. bound - 1, by rejection."""
    bits = (bound - 1).bit_length()
    while (drawn := source.integer(bits)) >= bound:
        pass
    return drawn


class Table:
    """Draws N on 0, 1, 2, ... from the chances P(N >= n).

    Law: N = number of n >= 1 with U < P(N >= n), for U uniform on [0, 1).

    The first 64 bits of U are compared with the thresholds floor(P(N >= n) * 2**64). Below a
    threshold means U < P(N >= n), above it U > P(N >= n). Only a word that equals a threshold
    needs more bits, and they are drawn until every comparison is decided. Most draws need 16 bits:
    a guide holds the value for each head that leaves no choice.

    Args:
        chance: the floors of the chances. It may be asked for any n and any number of bits.
        length: how many values N can take, or None if there is no end.
    """

    def __init__(self, chance: Floor, length: int | None = None) -> None:
        self._chance, self._length = chance, length
        falling: list[int] = []
        while (length is None or len(falling) < length - 1) and (not falling or falling[-1]):
            # A threshold of 2**64 (a certain event) is capped: then the last word is undecided.
            falling.append(min(chance(len(falling) + 1, _WORD), 2**_WORD - 1))
        self._thresholds = np.array(falling[::-1], dtype=np.uint64)
        first = np.arange(1 << _HEAD, dtype=np.uint64) << np.uint64(_WORD - _HEAD)
        last = first | np.uint64((1 << (_WORD - _HEAD)) - 1)
        below = np.searchsorted(self._thresholds, first, side="left")
        above = np.searchsorted(self._thresholds, last, side="right")
        self._guide = np.where(below == above, len(falling) - above, _OPEN)

    def sample(self, count: int, source: Source) -> NDArray[np.int64]:
        """`count` independent draws."""
        drawn = np.empty(count, dtype=np.int64)
        for start in range(0, count, _CHUNK):
            self._fill(drawn[start : start + _CHUNK], source)
        return drawn

    def _fill(self, target: NDArray[np.int64], source: Source) -> None:
        heads = source.words(target.size, _HEAD)
        np.take(self._guide, heads, out=target, mode="clip")
        places = np.flatnonzero(target == _OPEN)
        if places.size:
            tails = source.words(places.size) >> np.uint64(_HEAD)
            words = (heads[places].astype(np.uint64) << np.uint64(_WORD - _HEAD)) | tails
            at_most = np.searchsorted(self._thresholds, words, side="right")
            target[places] = len(self._thresholds) - at_most
            equal = self._thresholds[np.maximum(at_most, 1) - 1] == words
            for place in np.flatnonzero(equal):
                found = int(target[places[place]])
                target[places[place]] = self._extended(found, int(words[place]), source)

    def _extended(self, n: int, word: int, source: Source) -> int:
        """N for a U whose first 64 bits equal a threshold and lie below those of 1 .. n."""
        bits = _WORD
        while True:
            word, bits = (word << _WORD) | source.integer(_WORD), bits + _WORD
            while self._has(n + 1) and (threshold := self._chance(n + 1, bits)) > word:
                n += 1
            if not self._has(n + 1) or threshold < word:
                return n

    def _has(self, n: int) -> bool:
        return self._length is None or n < self._length


def _scaled_floor(number: Callable[[], arb], bits: int) -> int:
    return floor(lambda: number() * arb(2) ** bits, bits + _WORD)


_DIGIT = 8  # bits of a digit of a geometric draw: a table of 256 thresholds
_REST = 3  # the number above all digits has a mean of about 2**_REST


def geometric(rate: Fraction, count: int, source: Source) -> Draws:
    r"""`count` independent draws of G >= 0 with P(G = g) proportional to e^(-rate*g).

    Theorem: write G in digits of 8 bits and a number above them. These are independent; the digit
    at bit o is geometric with rate*2^o below 256, the number above with rate times its place.
    Proof: e^(-rate * sum of 2^o * d) is a product, and the digits range freely. So a few small
    tables serve every rate.
    """
    above, digits = _geometric_tables(rate)
    top = above.sample(count, source)
    shift = _DIGIT * len(digits)
    fits = int(top.max(initial=0)).bit_length() + shift < 62
    drawn: Draws = (top if fits else top.astype(np.object_)) * (1 << shift)
    for number, table in enumerate(digits):
        digit = table.sample(count, source)
        drawn = drawn + (digit if fits else digit.astype(np.object_)) * (1 << (_DIGIT * number))
    return drawn


@lru_cache(maxsize=256)
def _geometric_tables(rate: Fraction) -> tuple[Table, list[Table]]:
    """The table of the number above all digits, and those of the digits from the lowest on."""
    bits = max(0, (1 / rate).__floor__().bit_length() - _REST)
    count = -(-bits // _DIGIT)
    digits = [_geometric_table(rate * 2 ** (_DIGIT * i), 1 << _DIGIT) for i in range(count)]
    return _geometric_table(rate * 2 ** (_DIGIT * count), None), digits


def _geometric_table(rate: Fraction, below: int | None) -> Table:
    """The geometric law on 0 <= n < below, or on all n >= 0."""

    def chance(n: int, bits: int) -> int:
        def number() -> arb:
            power = (-ball(rate * n)).exp()
            end = arb(0) if below is None else (-ball(rate * below)).exp()
            return (power - end) / (1 - end)

        return _scaled_floor(number, bits)

    return Table(chance, below)
