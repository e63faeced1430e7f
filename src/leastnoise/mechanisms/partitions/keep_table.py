"""`KeepTable`: for every count the chance to be shown, and exact coins for many counts at once."""

from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.partitions.keep_step import KeepStep
from leastnoise.mechanisms.secret_counts import Counts
from leastnoise.randomness.source import Source

_WORD = 64  # one word of the source
LONGEST = 1 << 20  # 8 MB of chances


@dataclass(frozen=True, repr=False)
class KeepTable:
    """Chances for counts 0, 1, 2, … in multiples of 2**−bits; the last one is 1.

    Attributes:
        chances: the multiples; they never fall.
        bits: at least 64.
    """

    chances: tuple[int, ...]
    bits: int

    @property
    def surely(self) -> int:
        """The least count that is always shown."""
        return len(self.chances) - 1

    def chance(self, count: int) -> Fraction:
        """The exact chance that a group of this many units is shown."""
        return Fraction(self.chances[min(count, self.surely)], 1 << self.bits)

    def least(self, chance: Fraction) -> int:
        """The least count that is shown with at least this chance."""
        return bisect_left(self.chances, chance * (1 << self.bits))

    @cached_property
    def _words(self) -> NDArray[np.uint64]:
        """The first 64 bits of each chance below 1."""
        shift = self.bits - _WORD
        return np.array([chance >> shift for chance in self.chances[:-1]], dtype=np.uint64)

    def select(self, counts: Counts, source: Source) -> NDArray[np.bool_]:
        """An independent exact coin for every count: a uniform number below its chance means shown.

        Only counts between 0 and the first sure one need a coin.
        """
        kept = counts >= self.surely
        unsure = np.flatnonzero(~kept & (counts > 0))
        if not unsure.size:
            return kept
        drawn, limits = source.words(unsure.size), self._words[counts[unsure]]
        kept[unsure] = drawn < limits
        for place in unsure[drawn == limits]:
            kept[place] = self._settled(int(counts[place]), source)
        return kept

    def _settled(self, count: int, source: Source) -> bool:
        """The coin of a uniform number that agrees with the chance in its first 64 bits."""
        left = self.bits - _WORD
        return source.bits(left) < self.chances[count] & ((1 << left) - 1)


@lru_cache(maxsize=64)
def keep_table(step: KeepStep) -> KeepTable:
    """The greatest rule all of whose steps keep the promise: π(0) = 0, π(n) = step(π(n−1)).

    Raises:
        UnsupportedQuery: not even a million units would be shown for sure.
    """
    bits = _WORD + ceil(1 / step.delta).bit_length()
    return KeepTable(tuple(climb(step, bits)), bits)


def climb(step: KeepStep, bits: int) -> Iterator[int]:
    """Steps from 0 to 1, in multiples of 2**−bits."""
    kept = 0
    for _ in range(LONGEST):
        yield kept
        if kept == 1 << bits:
            return
        kept = step.after(kept, bits)
    raise UnsupportedQuery(
        f"groups of up to {LONGEST} units must be enough to be shown for sure; at this price they "
        "are not. Raise epsilon, rho or delta, or lower max_groups."
    )
