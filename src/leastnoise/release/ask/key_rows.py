"""`KeyRows`: the keys of many groups, held column by column and read as a tuple of tuples."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from math import prod
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.ask.days import is_day
from leastnoise.release.ask.joined_integers import joined_integers
from leastnoise.release.ask.values import MOST_TEXT

KeyPart: TypeAlias = int | str | bool | date
"""What a key is made of."""
KeyRow: TypeAlias = tuple[KeyPart, ...]
KeyColumn: TypeAlias = NDArray[np.int64] | tuple[KeyPart, ...]
"""Integers as an array, anything else as it is."""

_AT_ONCE = 1 << 12  # texts
_MOST_CODES = 2**62
_LEAST = -(2**63)


class KeyRows(Sequence[KeyRow]):
    """The keys of groups, in their order; equal to the tuple of tuples that it stands for.

    A million keys are a few columns, and no million tuples.

    Args:
        columns: the parts of the keys, column by column.
        count: how many keys there are.

    Example:
        >>> rows = KeyRows([np.array([7, 8]), ("a", "b")], 2)
        >>> rows, rows[1], rows == ((7, "a"), (8, "b"))
        (((7, 'a'), (8, 'b')), (8, 'b'), True)
    """

    __slots__ = ("_count", "columns")

    def __init__(self, columns: Iterable[KeyColumn], count: int) -> None:
        self.columns = tuple(columns)
        self._count = count
        for column in self.columns:
            assert len(column) == count, "each column has a part of each key"
            if isinstance(column, np.ndarray):
                column.flags.writeable = False

    @classmethod
    def of(cls, rows: Sequence[KeyRow], width: int) -> "KeyRows":
        """Keys that are checked already."""
        if isinstance(rows, KeyRows):
            return rows
        # Column by column: a million rows are too many arguments for `zip`.
        columns = ([row[place] for row in rows] for place in range(width))
        return cls(map(_column, columns), len(rows))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> KeyRow: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[KeyRow, ...]: ...
    def __getitem__(self, place: int | slice) -> KeyRow | tuple[KeyRow, ...]:
        if isinstance(place, slice):
            count = len(range(self._count)[place])
            return tuple(KeyRows((column[place] for column in self.columns), count))
        own = range(self._count)[place]  # refuses what is beyond, as a tuple does
        return tuple(
            column[own].item() if isinstance(column, np.ndarray) else column[own]
            for column in self.columns
        )

    def __iter__(self) -> Iterator[KeyRow]:
        if not self.columns:
            return iter(((),) * self._count)
        return zip(*self.values, strict=True)

    @property
    def values(self) -> tuple[Sequence[KeyPart], ...]:
        """The columns in Python's own values."""
        return tuple(map(plain_values, self.columns))

    @property
    def distinct(self) -> int:
        """How many of the keys are different."""
        if len(self.columns) == 1:
            return _distinct(self.columns[0])
        codes, many = np.zeros(self._count, np.int64), 1
        for column in self.columns:
            own, count = _codes(column)
            many *= count
            if many > _MOST_CODES:
                return len(set(self))
            codes = codes * count + own
        return _different(codes)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, tuple):
            return tuple(self) == other
        if not isinstance(other, KeyRows):
            return NotImplemented
        if (len(self), len(self.columns)) != (len(other), len(other.columns)):
            return False
        return self is other or all(map(_are_equal, self.columns, other.columns))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        if len(self.columns) == 1 and isinstance(self.columns[0], np.ndarray):
            inner = joined_integers(self.columns[0], ",), (")
            texts = f"({inner},)" if inner else ""
        else:
            texts = ", ".join(map(repr, self))
        return f"({texts}{',' * (len(self) == 1)})"


def plain_values(column: KeyColumn) -> Sequence[KeyPart]:
    """A column in Python's own values."""
    return column.tolist() if isinstance(column, np.ndarray) else column


def checked_column(values: Sequence[Any]) -> KeyColumn | None:
    """Values of one type that all can be parts of keys; None where each must be looked at.

    Example:
        >>> checked_column([3, 4]), checked_column(["a", "b"]), checked_column([1, "a"])
        (array([3, 4]), ('a', 'b'), None)
    """
    kinds = set(map(type, values))
    if kinds == {int}:
        column = _integers(values)
        return None if isinstance(column, tuple) or (column == _LEAST).any() else column
    if kinds == {str} and max(map(len, values)) <= MOST_TEXT:
        # Of texts that all are short, what holds of many together holds of each.
        parts = ("".join(values[at : at + _AT_ONCE]) for at in range(0, len(values), _AT_ONCE))
        return tuple(values) if all(map(_are_storable, parts)) else None
    plain = kinds == {bool} or (len(kinds) == 1 and is_day(values[0]))
    return tuple(values) if plain else None


def _are_storable(text: str) -> bool:
    """Whether each part of a long text can be stored, if it is short."""
    if "\x00" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _column(values: list[KeyPart]) -> KeyColumn:
    return _integers(values) if set(map(type, values)) == {int} else tuple(values)


def _integers(values: Sequence[Any]) -> KeyColumn:
    try:
        return np.fromiter(values, np.int64, len(values))
    except OverflowError:
        return tuple(values)


def _distinct(column: KeyColumn) -> int:
    if not isinstance(column, np.ndarray):
        return len(set(column))
    rises = bool((column[1:] > column[:-1]).all())
    return len(column) if rises else _different(column)


def _different(numbers: NDArray[np.int64]) -> int:
    """How many there are; `np.unique` would load all of NumPy's masked arrays to tell."""
    ordered = np.sort(numbers)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + min(1, len(ordered))


def _codes(column: KeyColumn) -> tuple[NDArray[np.int64], int]:
    """A number for each value, the same for equal ones, and how many there are."""
    if isinstance(column, np.ndarray):
        found, places = np.unique(column, return_inverse=True)
        return places.astype(np.int64), len(found)
    known = {value: number for number, value in enumerate(dict.fromkeys(column))}
    return np.fromiter(map(known.__getitem__, column), np.int64, len(column)), len(known)


def _are_equal(one: KeyColumn, other: KeyColumn) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return tuple(plain_values(one)) == tuple(plain_values(other))


def crossed(columns: Sequence[KeyColumn]) -> KeyRows:
    """All combinations of the values of some columns, the last one's running fastest.

    Example:
        >>> crossed([np.array([1, 2]), ("a", "b")])
        ((1, 'a'), (1, 'b'), (2, 'a'), (2, 'b'))
    """
    count = prod(map(len, columns))
    found: list[KeyColumn] = []
    outer = 1
    for column in columns:
        inner = count // max(1, outer * len(column))
        if isinstance(column, np.ndarray):
            found.append(np.tile(np.repeat(column, inner), outer))
        else:
            found.append(tuple(value for value in column for _ in range(inner)) * outer)
        outer *= len(column)
    return KeyRows(found, count)
