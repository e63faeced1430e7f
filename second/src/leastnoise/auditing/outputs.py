"""What is looked at in the outputs of a mechanism: columns of numbers and of codes.

An output may be a number, a vector, a text, nothing, a container of such things, or an exception.
Every entry of a column depends on one output alone, so that a condition on a column is a set of
outputs, chosen without looking at the outputs that it is tested on.

Of floats the lowest bit is looked at too: the greatest k for which x / 2^k is whole. A sum in floating
point is rounded to a multiple of some 2^k that depends on both terms, and so tells about them
(Mironov 2012).
"""

import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

Outputs = Sequence[Any] | NDArray[Any]
"""One output for each entry, or for each row of an array."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_PATHS = 64  # places inside outputs
_NO_LOWEST_BIT = 2000.0  # of zero; above the exponent of every float
_SIGN = 1 << 63
_MISSING = -1234567890123456789


@dataclass(frozen=True)
class Raised:
    """An output that is no value: the mechanism raised this kind of exception."""

    kind: str

    def __repr__(self) -> str:
        return f"the exception {self.kind}"


@dataclass(frozen=True)
class Columns:
    """Aspects of many outputs: numbers have an order, codes have none."""

    size: int
    numbers: dict[str, Floats] = field(default_factory=dict)  # NaN where there is no number
    codes: dict[str, Ints] = field(default_factory=dict)
    texts: dict[str, Callable[[int], str]] = field(default_factory=dict)  # of the code of a row

    def number(self, name: str) -> Floats:
        """A column of numbers; none of them if no output has any."""
        found = self.numbers.get(name)
        return np.full(self.size, np.nan) if found is None else found

    def code(self, name: str) -> Ints:
        """A column of codes."""
        found = self.codes.get(name)
        return np.full(self.size, _MISSING) if found is None else found

    def text(self, name: str, row: int) -> str:
        """What a code stands for."""
        return self.texts[name](row) if name in self.texts else "nothing"


@dataclass(frozen=True)
class View:
    """How outputs are turned into columns; fixed before the outputs that are tested on are seen."""

    paths: tuple[str, ...]  # the places inside outputs that have columns of their own

    @classmethod
    def of(cls, *sides: Outputs) -> "View":
        """The places where something stands most often."""
        seen: Counter[str] = Counter()
        for outputs in sides:
            is_table = isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf"
            looked_at = outputs[:1] if is_table else outputs  # all rows have the same places
            seen.update(path for output in looked_at for path, _ in _parts(output))
        return cls(tuple(path for path, _ in seen.most_common(_MOST_PATHS)) or ("output",))

    def columns(self, outputs: Outputs) -> Columns:
        """The columns of these outputs: of every place, and of the whole outputs as texts."""
        columns = Columns(len(outputs))
        if self.paths == ("output",):
            _add_part(columns, "output", outputs)
            return columns
        rows = list(outputs)
        flat = [dict(_parts(output)) for output in rows]
        for path in self.paths:
            _add_part(columns, path, [found.get(path) for found in flat])
        texts = list(map(_text, rows))
        columns.codes["output"] = np.array(list(map(_hash, texts)), dtype=np.int64)
        columns.texts["output"] = texts.__getitem__
        return columns


def _add_part(columns: Columns, path: str, parts: Outputs) -> None:
    """What stands at one place: its number, its lowest bit, and which number or text it is."""
    values, words, is_float = _decoded(parts)
    if not np.isnan(values).all():
        columns.numbers[path] = values
    columns.codes[f"value of {path}"] = words
    columns.texts[f"value of {path}"] = lambda row: _text(parts[row])
    if is_float.any():
        columns.numbers[f"lowest bit of {path}"] = np.where(is_float, _lowest_bit(values), np.nan)


def _decoded(parts: Outputs) -> tuple[Floats, Ints, NDArray[np.bool_]]:
    """The numbers, 64 bits that stand for them, and which of them are floats."""
    kinds = {parts.dtype.type} if isinstance(parts, np.ndarray) else set(map(type, parts))
    if kinds <= {float, np.float64}:
        values = np.array(parts, dtype=np.float64)
        return values, values.view(np.int64), np.full(values.size, True)
    if kinds == {np.int64} or (kinds == {int} and max(map(abs, parts)) < _SIGN):
        words = np.array(parts, dtype=np.int64)
        return words.astype(np.float64), words, np.full(words.size, False)
    values = np.array([_number(part) for part in parts])
    is_float = np.array([isinstance(part, float | np.floating) for part in parts])
    return values, np.array([_word(part) for part in parts], dtype=np.int64), is_float


def _lowest_bit(values: Floats) -> Floats:
    finite = np.isfinite(values)
    mantissa, exponent = np.frexp(np.where(finite, values, 0.0))
    digits = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = np.log2(np.maximum(digits & -digits, 1).astype(np.float64))
    found = np.where(digits == 0, _NO_LOWEST_BIT, exponent - 53.0 + lowest)
    return np.where(finite, found, np.nan)


def _parts(output: Any, path: str = "output") -> Iterator[tuple[str, Any]]:
    """Every number and text inside an output, with the place it stands at."""
    if isinstance(output, Mapping):
        for key, value in output.items():
            yield from _parts(value, f"{path}[{_text(key)}]")
    elif isinstance(output, Set):
        for value in output:
            yield f"{_text(value)} in {path}", 1
    elif isinstance(output, list | tuple):
        for place, value in enumerate(output):
            yield from _parts(value, f"{path}[{place}]")
    elif isinstance(output, str) or _is_number(output):
        yield path, output
    elif hasattr(output, "tolist"):  # an array, or a column of a data frame
        yield from _parts(output.tolist(), path)


def _is_number(part: Any) -> bool:
    return hasattr(part, "__float__") and not hasattr(part, "__len__")


def _number(part: Any) -> float:
    try:
        return float(part) if _is_number(part) else np.nan
    except OverflowError:
        return np.inf if part > 0 else -np.inf


def _word(part: Any) -> int:
    """64 bits that stand for a number or a text."""
    if part is None:
        return _MISSING
    if isinstance(part, float | np.floating):
        return int(struct.unpack("<q", struct.pack("<d", float(part)))[0])
    if isinstance(part, int | np.integer):
        return (int(part) + _SIGN) % (2 * _SIGN) - _SIGN
    return _hash(_text(part))


def _hash(text: str) -> int:
    """The same in every process, unlike Python's own."""
    digest = blake2b(text.encode("utf-8", "backslashreplace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _text(output: Any) -> str:
    """An output written out; addresses in memory, which say nothing, are left out."""
    if isinstance(output, Set):
        return "{" + ", ".join(sorted(map(_text, output))) + "}"
    text = repr(output.tolist() if isinstance(output, np.ndarray | np.generic) else output)
    return type(output).__name__ if " at 0x" in text else text
