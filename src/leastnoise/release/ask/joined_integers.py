"""`joined_integers`: the digits of many integers as one text, four digits of all at a time."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Fours: TypeAlias = NDArray[np.uint32]
"""Four bytes of text each."""

_AT_ONCE = 1 << 14  # stays in the processor's cache
_BASE = np.uint64(10_000)
_NONE = b"\xff"  # no byte of any text in UTF-8


def joined_integers(column: NDArray[np.int64], between: str) -> str:
    """What `between.join(map(str, column.tolist()))` is, without an object for each.

    Example:
        >>> joined_integers(np.array([-7, 0, 12345]), ", ")
        '-7, 0, 12345'
    """
    parts = (column[start : start + _AT_ONCE] for start in range(0, len(column), _AT_ONCE))
    end = between.encode()
    return b"".join(_lines(each, end) for each in parts).removesuffix(end).decode()


def _lines(column: NDArray[np.int64], end: bytes) -> bytes:
    """Lines of one width, without the bytes that stand for nothing."""
    after = _fours(end + _NONE * (-len(end) % 4))
    columns = [*_columns(column), *after]
    made = np.empty((len(column), len(columns)), np.uint32)
    for place, each in enumerate(columns):
        made[:, place] = each
    return made.tobytes().translate(None, _NONE)


def _columns(column: NDArray[np.int64]) -> Iterator[Fours]:
    """The signs, if there are any, and the digits from the first ones on."""
    if column.min() < 0:
        yield _fours(7 * _NONE + b"-")[(column < 0).view(np.uint8)]
    left = np.abs(column).view(np.uint64)  # right of the least one, too, which has no opposite
    digits: list[Fours] = []
    while left.any() or not digits:
        higher = left // _BASE
        place = left - higher * _BASE
        place += (higher > 0) * _BASE
        digits.append(_digits(last=not digits)[place.view(np.int64)])
        left = higher
    yield from reversed(digits)


@lru_cache(maxsize=2)
def _digits(*, last: bool) -> Fours:
    """The texts of 0 … 9999 where nothing stands before them, then those where something does."""
    numbers, tens = np.arange(_BASE)[:, None], np.array([1000, 100, 10, 1])
    filled = (numbers // tens % 10 + ord("0")).astype(np.uint8)
    bare = np.where(numbers >= tens, filled, ord(_NONE)).astype(np.uint8)
    bare[0, 3] = ord("0") if last else ord(_NONE)
    return _fours(np.concatenate([bare, filled]).tobytes())


def _fours(text: bytes) -> Fours:
    return np.frombuffer(text, np.uint32)
