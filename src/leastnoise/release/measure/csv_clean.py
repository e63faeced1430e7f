"""Whether every line is a record of its own, seen sooner than which ones are.

What is clean here is so by the rules of `csv_records`, and needs no look by them. Letters are bits,
and a step takes 64 of them: positions would cost as much as all that an engine does with the file.
"""

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass

LONGEST = 2**20
"""Longer records, in bytes, are left out."""
_Bits = NDArray[np.uint64]
_ONE, _LAST = np.uint64(1), np.uint64(63)
_HALVES = tuple(np.uint64(2**i) for i in range(6))


@dataclass(frozen=True)
class Form:
    """What a record looks like: what is between its fields, how many it has, and their quote."""

    delimiter: str
    fields: int
    quote: str = '"'


def is_clean(lines: bytes, form: Form, end: bytes = b"\n") -> bool:
    """Whether all lines have this end and their fields, with quotes around whole ones only.

    It is only asked of lines that are together not too long for a record, and false of others.
    """
    if len(lines) > LONGEST or not is_unicode(lines):
        return False
    letters = _Letters(lines)
    ends, between = letters.bits("\n"), letters.bits(form.delimiter)
    returns = letters.bits("\r")
    if (returns if end == b"\n" else _after(returns) ^ ends).any():
        return False
    quotes = letters.bits(form.quote)
    inside = _inside(quotes) if quotes.any() else quotes
    if quotes.any() and not _placed(quotes, inside, between | returns, ends):
        return False
    return _have_all(form.fields - 1, between & ~inside, ends)


def is_unicode(text: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        return text.isascii() or bool(text.decode())
    except UnicodeDecodeError:
        return False


class _Letters:
    """Where letters are, as bits; what lies between is kept in one place, which is much faster."""

    def __init__(self, lines: bytes) -> None:
        self._lines = lines
        self._text = np.frombuffer(lines, np.uint8)
        self._found = np.empty(len(lines), np.bool_)

    def bits(self, letter: str) -> _Bits:
        if not letter or letter.encode() not in self._lines:
            return np.zeros(-(-len(self._lines) // 64), np.uint64)
        found = np.equal(self._text, ord(letter), out=self._found)
        packed = np.packbits(found, bitorder="little").tobytes()
        return np.frombuffer(bytearray(packed + bytes(-len(packed) % 8)), np.dtype("<u8"))


def _after(bits: _Bits) -> _Bits:
    """The places that follow."""
    found = bits << _ONE
    found[1:] |= bits[:-1] >> _LAST
    return found


def _inside(quotes: _Bits) -> _Bits:
    """The places from each opening quote on, up to the one that closes it, which is not inside."""
    found = quotes.copy()
    for half in _HALVES:
        found ^= found << half
    found[1:] ^= -np.bitwise_xor.accumulate(found >> _LAST)[:-1]
    return found


def _placed(quotes: _Bits, inside: _Bits, limits: _Bits, ends: _Bits) -> bool:
    """Whether all quotes close in their line, and none is beside a letter that is in no quotes."""
    letters = ~(quotes | inside | limits | ends)
    beside = (_after(letters) & quotes) | (_after(quotes) & letters)
    return not (beside | (inside & ends)).any()


def _have_all(each: int, between: _Bits, ends: _Bits) -> bool:
    """Whether each line has so many delimiters: up to the first end in 64, then the next ones."""
    more = np.bitwise_count(ends) * np.int64(each) - np.bitwise_count(between)
    due = np.cumsum(more) - more
    while ends.any():
        due += each
        below = ends - _ONE
        wrong = np.bitwise_count(between & below & ~ends) != due
        if (wrong & (ends != 0)).any():
            return False
        ends = ends & below
    return True
