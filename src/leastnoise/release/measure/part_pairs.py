"""The pairs of unit and group in a part of sorted words, and what their rows add up to. Secret."""

from collections.abc import Iterator
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.measure.sql.unit_words import UnitWords
from leastnoise.release.measure.word_pairs import pairs_of

Words: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]


class PartPairs(Protocol):
    """Each pair once, by unit and then by group."""

    @property
    def names(self) -> Words:
        """Words without the bits below the group."""

    @property
    def sizes(self) -> Numbers:
        """How many rows each pair has."""

    def sums(self, places: Numbers | None) -> dict[str, Numbers]:
        """What the rows of pairs add up to; of some pairs, or of all."""


def part_pairs(rows: UnitWords, part: Iterator[Words]) -> PartPairs:
    """The pairs of a part: of one sorted array, or of several that are of one unit."""
    found: PartPairs = _Read(rows, next(part))
    for words in part:
        found = _Added.of(found, _Read(rows, words))
    return found


class _Read:
    """Pairs whose rows lie side by side; what they add up to is found when it is asked for."""

    def __init__(self, rows: UnitWords, words: Words) -> None:
        self._rows = rows
        self._words = words
        self._pairs = pairs_of(words, rows.pair_shift)
        self.names, self.sizes = self._pairs.names, self._pairs.sizes

    def sums(self, places: Numbers | None) -> dict[str, Numbers]:
        starts, sizes = self._pairs.starts, self._pairs.sizes
        if places is not None:
            starts, sizes = starts[places], sizes[places]
        return dict(self._rows.sums(self._words, starts, sizes))


@dataclass(frozen=True, repr=False)
class _Added:
    """Pairs of which each may have rows in two places."""

    names: Words
    sizes: Numbers
    columns: dict[str, Numbers]

    @staticmethod
    def of(one: PartPairs, other: PartPairs) -> "_Added":
        names, home = np.unique(np.concatenate([one.names, other.names]), return_inverse=True)

        def added(own: Numbers, more: Numbers) -> Numbers:
            found = np.zeros(len(names), np.int64)
            np.add.at(found, home, np.concatenate([own, more]))
            return found

        sums, more = one.sums(None), other.sums(None)
        columns = {name: added(column, more[name]) for name, column in sums.items()}
        return _Added(names, added(one.sizes, other.sizes), columns)

    def sums(self, places: Numbers | None) -> dict[str, Numbers]:
        if places is None:
            return self.columns
        return {name: column[places] for name, column in self.columns.items()}
