"""The columns of outputs that came as one array of numbers."""

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.auditing.bit_columns import bit_columns
from leastnoise.auditing.columns import Codes, Columns, Floats, Label

_MOST_COORDINATES = 256  # each is a column of its own, searched through
_CLOSELY = 8  # so many coordinates are looked at bit by bit
_ZERO_HAS_NO_LOWEST_BIT = 2000.0  # above the exponent of every float
KINDS = ("a float", "NaN", "+inf", "-inf", "an integer", "a truth value")
INTEGER, TRUTH = 4, 5  # places in KINDS


def array_columns(outputs: NDArray[Any]) -> Columns:
    r"""Values, kinds, lowest bits and identities of numbers, one output per row.

    The *lowest bit* of a float x is the greatest k with x/2^k an integer: x + noise in floating
    point is rounded to a multiple of 2^k with a k that depends on x, and so betrays it.

    References: Mironov2012; HaneyEtAl2022.
    """
    table = outputs.reshape(outputs.shape[0], -1)
    single = outputs.ndim == 1
    numbers: dict[str, Floats] = {}
    codes: dict[str, Codes] = {}
    coded: dict[str, Codes] = {}
    for place in range(min(table.shape[1], _MOST_COORDINATES)):
        name = "output" if single else f"output[{place}]"
        column = np.ascontiguousarray(table[:, place])
        numbers[name] = column.astype(np.float64)
        if place < _CLOSELY:
            codes[f"kind of {name}"] = kinds(column)
            coded[name] = bits(column)
            if column.dtype.kind == "f":
                numbers[f"lowest bit of {name}"] = lowest_bit(numbers[name])
    if table.shape[1] > 1:
        with np.errstate(over="ignore", invalid="ignore"):
            numbers["sum of the output"] = table.sum(axis=1, dtype=np.float64)
            numbers["greatest of the output"] = table.max(axis=1).astype(np.float64)
    codes |= bit_columns(coded)
    codes["output itself"] = _identities(table)
    labels: dict[str, Label] = {
        name: KINDS.__getitem__ for name in codes if name.startswith("kind")
    }
    labels["output itself"] = writer(table.dtype) if single else _same_row
    return Columns(outputs.shape[0], numbers, codes, labels, coded)


def bits(column: NDArray[Any]) -> Codes:
    """The 64 bits of each number."""
    if column.dtype.kind == "f":
        return np.ascontiguousarray(column, dtype=np.float64).view(np.int64)
    return np.ascontiguousarray(column).astype(np.int64)


def kinds(column: NDArray[Any]) -> Codes:
    """The place in `KINDS` of each number."""
    if column.dtype.kind != "f":
        only = TRUTH if column.dtype.kind == "b" else INTEGER
        return np.full(column.shape, only, dtype=np.int64)
    found = np.zeros(column.shape, dtype=np.int64)
    found[np.isnan(column)] = 1
    found[column == np.inf] = 2
    found[column == -np.inf] = 3
    return found


def lowest_bit(values: Floats) -> Floats:
    """The greatest k with x/2^k an integer, for each float; NaN where x is not finite.

    Example:
        >>> lowest_bit(np.array([1.0, 12.0, 0.1, 0.0, np.inf]))
        array([   0.,    2.,  -55., 2000.,   nan])
    """
    finite = np.isfinite(values)
    mantissa, exponent = np.frexp(np.where(finite, values, 0.0))
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = (whole & -whole).astype(np.float64)
    lowest[whole == 0] = 1.0
    found = exponent - 53.0 + np.log2(lowest)
    found[whole == 0] = _ZERO_HAS_NO_LOWEST_BIT
    found[~finite] = np.nan
    return np.asarray(found, dtype=np.float64)


def _identities(table: NDArray[Any]) -> Codes:
    """One code for each row; rows that differ differ in it, but for accidents."""
    coded = bits(table)
    if coded.shape[1] == 1:
        return coded[:, 0]
    mixed = np.zeros(coded.shape[0], dtype=np.uint64)
    for column in np.ascontiguousarray(coded.T):
        mixed = (mixed ^ column.view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed.view(np.int64)


def writer(kind: np.dtype[Any]) -> Label:
    """How the code of a number is written."""
    if kind.kind == "f":
        return lambda code: repr(struct.unpack("<d", struct.pack("<q", code))[0])
    return str


def _same_row(code: int) -> str:
    return f"the vector numbered {code & 0xFFFF:04x}"
