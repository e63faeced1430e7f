"""Parities: of which bits of an output, one, two or three, the sum is odd more often than it may.

Each of the bits may be a coin toss by itself. All pairs are compared by one product of matrices.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.auditing.columns import Columns, Floats

_ROWS = 4096  # outputs that are learned from
_SINGLE = 8192  # bits that are looked at alone,
_PAIRED = 1024  # in pairs,
_TRIPLED = 64  # and in threes: the last ones of the first numbers
_LAST = 16
_WORD = 64

Signs = NDArray[np.float32]
Bit = tuple[str, int]
"""The name of a word, and the place of a bit in it."""


@dataclass(frozen=True)
class Parity:
    """Whether the sum of some bits is odd."""

    bits: tuple[Bit, ...]

    @property
    def name(self) -> str:
        """The bits, in words."""
        return "parity of " + " and ".join(f"bit {place} of {word}" for word, place in self.bits)

    def of(self, columns: Columns) -> Floats:
        """1 where it is, 0 elsewhere."""
        found = np.zeros(columns.size, dtype=np.int64)
        for word, place in self.bits:
            found ^= columns.word(word) >> place & 1
        return found.astype(np.float64)


def learned_parities(one: Columns, other: Columns) -> tuple[Parity, ...]:
    """The bit, the pair and the three bits whose parity differs most between the two rows.

    Example:
        >>> rows = [Columns(4, words={"a": np.array(x)}) for x in ([1, 3, 5, 7], [0, 2, 4, 6])]
        >>> learned_parities(*rows)[0].name
        'parity of bit 0 of a'
    """
    bits = [(word, place) for word in one.words for place in range(_WORD)][:_SINGLE]
    kept, signs = _varying(bits, one, other)
    if not kept:
        return ()
    found = [_single(kept, signs), *_pair(kept[:_PAIRED], [each[:, :_PAIRED] for each in signs])]
    last = [i for i, (_, place) in enumerate(kept) if place < _LAST][:_TRIPLED]
    found += _three([kept[i] for i in last], [each[:, last] for each in signs])
    return tuple(found)


def _varying(bits: Sequence[Bit], *sides: Columns) -> tuple[list[Bit], list[Signs]]:
    """The bits that are not the same in all outputs, as −1 and 1, one output per row."""
    tables = [
        np.stack(
            [(side.word(word)[:_ROWS] >> place & 1).astype(np.float32) for word, place in bits]
        )
        if bits
        else np.empty((0, 0), np.float32)
        for side in sides
    ]
    means = np.concatenate(tables, axis=1).mean(axis=1) if bits else np.empty(0)
    chosen = np.flatnonzero((means > 0) & (means < 1)).tolist()
    return [bits[i] for i in chosen], [1 - 2 * table[chosen].T for table in tables]


def _single(bits: Sequence[Bit], signs: Sequence[Signs]) -> Parity:
    means = [each.mean(axis=0) for each in signs]
    return Parity((bits[int(np.argmax(abs(means[0] - means[1])))],))


def _pair(bits: Sequence[Bit], signs: Sequence[Signs]) -> Iterator[Parity]:
    products = [each.T @ each / len(each) for each in signs]
    apart = np.triu(abs(products[0] - products[1]), 1)
    if len(bits) > 1:
        row, column = np.unravel_index(int(np.argmax(apart)), apart.shape)
        yield Parity((bits[int(row)], bits[int(column)]))


def _three(bits: Sequence[Bit], signs: Sequence[Signs]) -> Iterator[Parity]:
    first, second = np.triu_indices(len(bits), 1)
    if len(bits) < 3:
        return
    products = [(each[:, first] * each[:, second]).T @ each / len(each) for each in signs]
    apart = abs(products[0] - products[1])
    apart[np.arange(len(bits)) <= second[:, None]] = 0
    pair, third = np.unravel_index(int(np.argmax(apart)), apart.shape)
    yield Parity((bits[first[pair]], bits[second[pair]], bits[int(third)]))
