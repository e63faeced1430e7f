"""Columns woven into lines of text, many lines at a time."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.joined_integers import joined_integers

Codes: TypeAlias = NDArray[np.int64]

_AT_ONCE = 1 << 16  # lines: what is made for them on the way is small beside their text
_FEW = 4
_DENSE = 16
_WHOLE = 1e16  # from here on floats are written with an exponent


@dataclass(frozen=True)
class Texts:
    """The texts of some cells of a column.

    Attributes:
        found: the texts of the cells, or those that occur if they come again and again.
        codes: which of them each cell has; None if there is one for each.
    """

    found: list[str]
    codes: Codes | None = None

    def listed(self) -> list[str]:
        """One text for each cell."""
        if self.codes is None:
            return self.found
        listed: list[str] = np.array(self.found, np.object_)[self.codes].tolist()
        return listed

    def joined(self, between: str) -> str:
        """The texts of all cells as one, with something between them; there is one at least."""
        if self.codes is None or len(self.found) > 1:
            return between.join(self.listed())
        return (self.found[0] + between) * (len(self.codes) - 1) + self.found[0]


Cells: TypeAlias = Callable[[int, int], Texts]
"""The texts of the cells of a column from one line to before another."""


def is_plain(values: Any) -> bool:
    """Whether it is an array of the numbers that Python has too."""
    return isinstance(values, np.ndarray) and values.dtype in (np.int64, np.float64)


def number_texts(column: NDArray[Any]) -> Texts:
    """`repr` of Python's own value of each integer or float, once for each that comes again.

    Example:
        >>> number_texts(np.array([0.0, -0.0, 0.5])).listed(), number_texts(np.array([7, 7])).found
        (['0.0', '-0.0', '0.5'], ['7'])
    """
    if not len(column):
        return Texts([])
    numbers, point = _shortest(column)
    found, codes = _coded(numbers)
    return Texts(_joined(found, point, " ").split(" "), codes)


def joined_numbers(column: NDArray[Any], between: str) -> str:
    """The same texts as one, with something between them; there is one at least.

    Example:
        >>> joined_numbers(np.array([1.0, 2.0, 0.5]), ", ")
        '1.0, 2.0, 0.5'
    """
    numbers, point = _shortest(column)
    found, codes = _coded(numbers)
    if codes is None:
        return _joined(found, point, between)
    return Texts(_joined(found, point, " ").split(" "), codes).joined(between)


def _shortest(column: NDArray[Any]) -> tuple[NDArray[Any], str]:
    """Integers for numbers that are whole, with what is written after each."""
    whole = column if column.dtype == np.int64 else _whole(column)
    return (column, "") if whole is None or whole is column else (whole, ".0")


def _joined(numbers: NDArray[Any], point: str, between: str) -> str:
    if numbers.dtype == np.int64:
        return joined_integers(numbers, point + between) + point
    return between.join(map(repr, numbers.tolist()))


def _coded(numbers: NDArray[Any]) -> tuple[NDArray[Any], Codes | None]:
    """Some numbers, and which of them each is; if hardly any comes again, all of them and None.

    Numbers of which one is some steps above another are mostly found without sorting: as long as
    floats have one exponent, their bits are steps, too.
    """
    bits = numbers.view(np.int64)  # 0.0 equals -0.0
    low = bits.min()
    steps = (bits - low).view(np.uint64)
    common = np.bitwise_or.reduce(steps).item()
    shift = max((common & -common).bit_length() - 1, 0)
    most = steps.max().item() >> shift
    if most <= len(numbers) // _FEW:
        found = (np.arange(most + 1) << shift) + low
        return found.view(numbers.dtype), (steps >> np.uint64(shift)).view(np.int64)
    if numbers.dtype == np.int64:
        return numbers, None
    found, codes = np.unique(bits, return_inverse=True)
    few = len(found) <= len(numbers) // _FEW
    return (found.view(numbers.dtype), codes) if few else (numbers, None)


def _whole(column: NDArray[np.float64]) -> Codes | None:
    """The numbers as integers, if all of them are, and are written with all their digits."""
    if not (np.abs(column) < _WHOLE).all():  # nor so if one is unknown
        return None
    whole = column.astype(np.int64)
    exact = (whole == column).all() and not (np.signbit(column) & (whole == 0)).any()
    return whole if exact else None


def number_cells(column: NDArray[Any]) -> Cells:
    """The cells of a column of integers or floats."""
    return lambda start, end: number_texts(column[start:end])


def coded_cells(found: Sequence[str], codes: Codes) -> Cells:
    """The cells of a column of few texts."""
    return lambda start, end: Texts(list(found), codes[start:end])


def value_cells(values: Sequence[Any], texts: Callable[[Sequence[Any]], list[str]]) -> Cells:
    """The cells of a column of any values, with what makes texts of some of them."""
    return lambda start, end: Texts(texts(values[start:end]))


def woven(columns: Sequence[tuple[str, Cells]], end: str, count: int) -> Iterator[str]:
    """Lines of cells, some at a time; all of them together are the text.

    Args:
        columns: what stands before each cell of a line, and the cells.
        end: what stands after each line.
        count: how many lines there are.

    Example:
        >>> cells = number_cells(np.array([7, 8])), value_cells(["a", "b"], list)
        >>> "".join(woven([("<", cells[0]), ("-", cells[1])], ">;", 2))
        '<7-a>;<8-b>;'
    """
    for start in range(0, count, _AT_ONCE):
        stop = min(start + _AT_ONCE, count)
        yield _lines([(before, cells(start, stop)) for before, cells in columns], end, stop - start)


def _lines(columns: Sequence[tuple[str, Texts]], end: str, count: int) -> str:
    """Neighbouring columns of few texts become one; then each has its places in one list."""
    parts: list[Texts] = []
    for own in _parts([*columns, (end, Texts([""], np.zeros(count, np.int64)))], count):
        both = _together(parts[-1], own, count) if parts else None
        parts = [*parts, own] if both is None else [*parts[:-1], both]
    cells = [""] * (len(parts) * count)
    for place, part in enumerate(parts):
        cells[place :: len(parts)] = part.listed()
    return "".join(cells)


def _parts(columns: Sequence[tuple[str, Texts]], count: int) -> Iterator[Texts]:
    """What stands before cells goes with few texts, and is a column of its own beside many."""
    for before, texts in columns:
        if texts.codes is not None:
            yield Texts([before + text for text in texts.found], texts.codes)
            continue
        if before:
            yield Texts([before], np.zeros(count, np.int64))
        yield texts


def _together(one: Texts, other: Texts, count: int) -> Texts | None:
    """Two neighbouring columns as one, if few pairs of their texts occur."""
    if one.codes is None or other.codes is None:
        return None
    width = len(other.found)
    if len(one.found) * width > max(_DENSE * count, 1 << 10):
        return None
    pairs = one.codes * width + other.codes
    occurs = np.bincount(pairs, minlength=1) > 0
    found = np.flatnonzero(occurs)
    if len(found) > max(count // _FEW, 1):
        return None
    texts = [one.found[pair // width] + other.found[pair % width] for pair in found.tolist()]
    return Texts(texts, (np.cumsum(occurs) - 1)[pairs])
