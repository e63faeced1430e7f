"""What is looked at in the outputs of a mechanism: columns of numbers and of codes.

An output may be a number, a vector, a text, nothing, a container of such things, or an exception.
Every entry of a column depends on one output alone, so that a condition on a column is a set of
outputs, chosen without looking at the outputs that it is tested on.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Outputs = Sequence[Any] | NDArray[Any]
"""One output for each entry, or for each row of an array."""

Draw = Callable[[Any, int], Outputs]
"""From an input and a number to so many independent outputs."""

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

_MOST_PATHS = 64  # places inside outputs
_CLOSELY = 8  # so many of them are looked at bit by bit
_LAST_BITS = 15  # a mask
_NO_LOWEST_BIT = 2000.0  # of zero; above the exponent of every float
_FITS = 1 << 62
_ABSENT = hash("absent")


@dataclass(frozen=True)
class Raised:
    """An output that is no value: the mechanism raised this kind of exception."""

    kind: str

    def __repr__(self) -> str:
        return self.kind


@dataclass(frozen=True)
class Columns:
    """Aspects of many outputs.

    Attributes:
        size: how many outputs there are.
        numbers: aspects with an order; NaN where an output has no such number.
        codes: aspects without an order, as integers.
        texts: what codes stand for, where that is not the integer itself.
    """

    size: int
    numbers: dict[str, Floats] = field(default_factory=dict)
    codes: dict[str, Codes] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)

    def number(self, name: str) -> Floats:
        """A column of numbers; none of them if no output has any."""
        found = self.numbers.get(name)
        return np.full(self.size, np.nan) if found is None else found

    def code(self, name: str) -> Codes:
        """A column of codes."""
        found = self.codes.get(name)
        return np.full(self.size, _ABSENT) if found is None else found

    def add_numbers(self, path: str, values: Floats, exact: Codes, floats: NDArray[Any]) -> None:
        """The columns of the numbers at one place, as floats and bit by bit.

        The lowest bit of a float x is the greatest k with x / 2^k whole. A sum in floating point is
        rounded to a multiple of some 2^k that depends on both terms, and so tells about them.
        Reference: Mironov 2012.
        """
        self.numbers[path] = values
        if len(self.numbers) > 2 * _CLOSELY:
            return
        if floats.any():
            self.numbers[f"lowest bit of {path}"] = _lowest_bit(np.where(floats, values, np.nan))
        self.codes[f"last bits of {path}"] = exact & _LAST_BITS

    def add_code(self, name: str, parts: Sequence[Any]) -> None:
        """A column of anything that can be written out."""
        written = {id(part): part for part in parts}
        codes = {key: self._code(part) for key, part in written.items()}
        self.codes[name] = np.array([codes[id(part)] for part in parts], dtype=np.int64)

    def _code(self, part: Any) -> int:
        if part is None:
            return _ABSENT
        text = _text(part)
        code = hash(text)
        self.texts[code] = text
        return code


def paths_of(*rows: Outputs) -> tuple[str, ...]:
    """The places inside outputs where something stands most often."""
    seen: Counter[str] = Counter()
    for outputs in rows:
        if _as_numbers(outputs) is None:
            seen.update(path for output in outputs for path, _ in _parts(output))
    return tuple(path for path, _ in seen.most_common(_MOST_PATHS))


def columns_of(outputs: Outputs, paths: Sequence[str]) -> Columns:
    """The columns; of containers, those of these places inside."""
    table = _as_numbers(outputs)
    return _of_objects(list(outputs), paths) if table is None else _of_numbers(table)


def _as_numbers(outputs: Outputs) -> NDArray[Any] | None:
    """The outputs as one array of numbers, where that loses nothing."""
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
        return outputs
    kinds = set(map(type, outputs))
    if kinds <= {float, np.float64} and kinds:
        return np.array(outputs, dtype=np.float64)
    if kinds == {int} and max(map(abs, outputs)) < _FITS:
        return np.array(outputs, dtype=np.int64)
    return None


def _of_numbers(outputs: NDArray[Any]) -> Columns:
    table = outputs.reshape(len(outputs), -1)
    columns = Columns(len(outputs))
    is_float = np.full(len(outputs), table.dtype.kind == "f")
    for place in range(min(table.shape[1], _MOST_PATHS)):
        path = "output" if outputs.ndim == 1 else f"output[{place}]"
        values, exact = table[:, place].astype(np.float64), _exact(table[:, place])
        columns.add_numbers(path, values, exact, is_float)
        columns.codes[f"value of {path}"] = exact
    if is_float.any():
        shown = {f"value of {name}": part for name, part in columns.numbers.items()}
        for name in shown.keys() & columns.codes.keys():
            frequent = np.unique(shown[name][:_FEW])
            columns.texts.update(zip(_exact(frequent).tolist(), map(repr, frequent.tolist())))
    return columns


def _exact(column: NDArray[Any]) -> Codes:
    """The bits of floats; whole numbers themselves."""
    if column.dtype.kind == "f":
        return np.ascontiguousarray(column, dtype=np.float64).view(np.int64)
    return column.astype(np.int64)


def _lowest_bit(values: Floats) -> Floats:
    finite = np.isfinite(values)
    mantissa, exponent = np.frexp(np.where(finite, values, 0.0))
    digits = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = np.log2(np.maximum(digits & -digits, 1).astype(np.float64))
    found = np.where(digits == 0, _NO_LOWEST_BIT, exponent - 53.0 + lowest)
    return np.where(finite, found, np.nan)
