"""`LookUpTable`: an exact sampler for any discrete law, at the speed of a look-up."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from leastnoise.randomness.source import Source

_SHORT = 16  # the guide has 2**16 entries, which a cache holds
_WORD = 64  # one word of the source
_CHUNK = 1 << 16  # stays in the processor's cache
_SEARCH = np.iinfo(np.int64).min  # no value of a table: marks cells with a threshold inside

Floor = Callable[[int, int], int]
"""(n, bits) ↦ floor(P(N ≥ n) · 2**bits), decided."""


class LookUpTable:
    r"""Draws N on {0, 1, 2, …} from its survival function S(n) = P(N ≥ n), exactly.

    Law: N = #{n ≥ 1 : U < S(n)} for U uniform on [0, 1).

    The first 64 bits W of U are compared with the thresholds floor(S(n)·2**64). W below a
    threshold means U < S(n), W above it means U > S(n); only if W *equals* a threshold are more
    bits of U drawn and compared with S(n) at higher precision, until every comparison is decided.
    So the result has exactly the stated law, and the undecided case costs time with probability
    (table length)/2**64 only.

    Most words never reach the thresholds: the first 16 bits alone pick a cell of [0, 1), and a
    cell without a threshold inside has one answer, kept in a guide of 2**16 entries. The other 48
    bits are drawn only for the cells that do hold one.

    Args:
        floor: (n, bits) ↦ floor(S(n)·2**bits), for n ≥ 1.
        value: what to return for N = n; must fit into 64 bits for all n of the table.
        length: how many values N can take, or None if there is no largest.
    """

    __slots__ = ("_descending", "_floor", "_guide", "_length", "_value", "_values")

    def __init__(
        self, floor: Floor, value: Callable[[int], int], length: int | None = None
    ) -> None:
        self._floor, self._value, self._length = floor, value, length
        thresholds = self._thresholds()
        self._descending = np.array(thresholds[::-1], dtype=np.uint64)
        self._values = np.array([value(n) for n in range(len(thresholds) + 1)], dtype=np.int64)
        self._guide = self._make_guide()

    def _thresholds(self) -> list[int]:
        thresholds: list[int] = []
        while self._length is None or len(thresholds) < self._length - 1:
            # A threshold of 2**64 (an event that is certain) is capped: the word 2**64−1 then
            # counts as undecided, and more bits settle it like any other.
            thresholds.append(min(self._floor(len(thresholds) + 1, _WORD), (1 << _WORD) - 1))
            if thresholds[-1] == 0:
                break
        return thresholds

    def _make_guide(self) -> NDArray[np.int64]:
        """The answer for each value of the first 16 bits, or a mark where more are needed."""
        cells = np.arange(1 << _SHORT, dtype=np.uint64) << np.uint64(_WORD - _SHORT)
        last = cells | np.uint64((1 << (_WORD - _SHORT)) - 1)
        # Equality is undecided, so a cell is settled only if no threshold lies in [first, last].
        first_below = np.searchsorted(self._descending, cells, side="left")
        first_above = np.searchsorted(self._descending, last, side="right")
        answers = self._values[len(self._descending) - first_above]
        return np.where(first_below == first_above, answers, _SEARCH)

    @property
    def nbytes(self) -> int:
        """Memory held by the arrays."""
        return self._descending.nbytes + self._values.nbytes + self._guide.nbytes

    def sample(self, count: int, source: Source) -> NDArray[np.int64]:
        """`count` independent draws."""
        drawn = np.empty(count, dtype=np.int64)
        for start in range(0, count, _CHUNK):
            self._fill(drawn[start : start + _CHUNK], source)
        return drawn

    def _fill(self, target: NDArray[np.int64], source: Source) -> None:
        heads = source.short_words(target.size)
        np.take(self._guide, heads.astype(np.intp), out=target, mode="clip")
        open_places = np.flatnonzero(target == _SEARCH)
        if open_places.size:
            target[open_places] = self._search(heads[open_places], source)

    def _search(self, heads: NDArray[np.uint16], source: Source) -> NDArray[np.int64]:
        tails = source.words(heads.size) >> np.uint64(_SHORT)
        words = (heads.astype(np.uint64) << np.uint64(_WORD - _SHORT)) | tails
        above = np.searchsorted(self._descending, words, side="right")
        answers = self._values[len(self._descending) - above]
        equal = self._descending[np.maximum(above, 1) - 1] == words
        for place in np.flatnonzero(equal):
            answers[place] = self._value(self._settle(int(words[place]), source))
        return answers

    def _settle(self, word: int, source: Source) -> int:
        """N for a uniform number whose first 64 bits equal a threshold: draw until decided."""
        bits = _WORD
        smallest = self._count_above(word)
        while True:
            word, bits = (word << _WORD) | source.bits(_WORD), bits + _WORD
            smallest = self._passed(smallest, word, bits)
            if not self._within(smallest + 1) or self._floor(smallest + 1, bits) < word:
                return smallest

    def _count_above(self, word: int) -> int:
        """How many thresholds the word is strictly below: N is at least this."""
        return len(self._descending) - int(
            np.searchsorted(self._descending, np.uint64(word), side="right")
        )

    def _within(self, n: int) -> bool:
        return self._length is None or n < self._length

    def _passed(self, n: int, word: int, bits: int) -> int:
        """The last n whose threshold at this precision lies above the word."""
        while self._within(n + 1) and word < self._floor(n + 1, bits):
            n += 1
        return n
