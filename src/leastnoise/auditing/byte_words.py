"""Texts, bytes and orders of keys as words of 64 bits, so that single bits can be looked at."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from leastnoise.auditing.columns import Codes

_WORD = 8  # bytes
_MOST = 32  # words of one text
_ORDERED = 11  # keys whose order is looked at: 55 pairs


def byte_words(path: str, parts: Sequence[object]) -> Iterator[tuple[str, Codes]]:
    """The bytes at one place, eight to a word, and the last eight; nothing if there are none."""
    raw = [_raw(part) for part in parts]
    most = min(max(map(len, raw), default=0), _MOST * _WORD)
    for start in range(0, most, _WORD):
        name = f"bytes {start} to {start + _WORD - 1} of {path}"
        yield name, _words([each[start : start + _WORD] for each in raw])
    if most:
        yield f"last bytes of {path}", _words([each[: -_WORD - 1 : -1] for each in raw])


def order_word(paths: Sequence[str], places: Sequence[Mapping[str, int]]) -> Codes:
    """Which of two keys comes first, a bit for each pair; 0 where one is missing.

    Args:
        paths: the names of the keys, most frequent first.
        places: for each output, the place of each of its keys.
    """
    pairs = list(combinations(paths[:_ORDERED], 2))
    found = [
        sum((one in order and order[one] < order.get(other, -1)) << bit
            for bit, (one, other) in enumerate(pairs))
        for order in places
    ]  # fmt: skip
    return np.array(found, dtype=np.int64)


def _raw(part: object) -> bytes:
    if isinstance(part, str):
        return part.encode("utf-8", "surrogatepass")
    return part if isinstance(part, bytes) else b""


def _words(pieces: Sequence[bytes]) -> Codes:
    padded = b"".join(each.ljust(_WORD, b"\0") for each in pieces)
    return np.frombuffer(padded, dtype="<i8").astype(np.int64)
