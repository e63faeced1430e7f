"""`BitTable`: a secret table of bits, of which only the shape has been looked at."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import InvalidParameter
from leastnoise.tabulation.arrow_columns import ArrowColumns, arrow_columns
from leastnoise.tabulation.bit_counts import BitCode, Integers, count_ones, count_ones_of
from leastnoise.tabulation.summed_columns import ColumnSums


@dataclass(frozen=True)
class BitTable:
    """The shape of a table, and how to count its ones.

    Args:
        columns: the number of columns, at least 1; public.
        records: the number of rows; public only if neighbours have equally many.
        sums: reads the table, checks every entry and counts.
    """

    columns: int
    records: int
    sums: Callable[[], ColumnSums]

    def __repr__(self) -> str:
        return f"BitTable(of {self.columns} columns, not shown)"


def column_sums(bits: Any, *, signs: bool = False) -> ColumnSums:
    r"""Count the ones of each column of a table.

    Every entry is checked in the pass that counts it. No sum can overflow, and a few rows are
    taken at a time, so that hardly any memory is needed.

    Args:
        bits: booleans or integers with one row per record: a NumPy array or nested lists, an Arrow
            table or record batch, or what NumPy can read as such a matrix.
        signs: False for entries 0 and 1, True for entries −1 and 1. A 1 is a one in both.

    Raises:
        InvalidParameter: not such a table. The message does not show what was found or where.

    Example:
        >>> column_sums(np.array([[1, 0], [1, 1], [0, 0]])).ones.tolist()
        [2, 1]
        >>> column_sums(np.array([[1, -1], [1, 1]], dtype=np.int8), signs=True).ones.tolist()
        [2, 1]
    """
    return bit_table(bits, signs=signs).sums()


def bit_table(bits: Any, *, signs: bool) -> BitTable:
    """The table, its shape and types checked; no entry has been read.

    Raises:
        InvalidParameter: not a table of booleans or integers.
    """
    code = BitCode.SIGNS if _check.flag(signs, "signs") else BitCode.BITS
    if isinstance(bits, ColumnSums):
        return BitTable(bits.columns, bits.records, lambda: bits)
    arrow = arrow_columns(bits)
    if arrow is not None:
        _require_columns(len(arrow.names))
        return BitTable(len(arrow.names), arrow.records, lambda: _of_arrow(arrow, code))
    matrix = _matrix(bits)
    if not code.fits(matrix.dtype):
        raise _refusal(code)
    return BitTable(matrix.shape[1], matrix.shape[0], lambda: _of_matrix(matrix, code))


def _matrix(bits: Any) -> NDArray[Any]:
    if isinstance(bits, np.ma.MaskedArray):
        raise _check.refuse(
            "`bits` must hold no masked entries",
            "a masked array",
            "Decide what a masked entry counts as, and fill it in.",
        )
    try:
        matrix = np.asarray(bits)
    except Exception:  # ragged rows, or a foreign object: its words may quote the data
        matrix = np.array(None)
    if matrix.ndim != 2:
        raise _check.refuse(
            "`bits` must be a table with rows of equal length",
            f"{matrix.ndim} dimensions" if matrix.ndim else "no such rows",
            "Give a matrix with one row per record.",
        )
    _require_columns(matrix.shape[1])
    return matrix


def _require_columns(count: int) -> None:
    if not count:
        raise _check.refuse(
            "`bits` must have at least one column", "0 columns", "Select the columns of bits."
        )


def _of_matrix(matrix: NDArray[Any], code: BitCode) -> ColumnSums:
    counts = count_ones(matrix, code)
    if counts is None:
        raise _refusal(code)
    return ColumnSums(counts, records=len(matrix))


def _of_arrow(table: ArrowColumns, code: BitCode) -> ColumnSums:
    counts = [sum(_counted(piece, code) for piece in column()) for column in table.pieces]
    return ColumnSums(counts, records=table.records, names=table.names)


def _counted(piece: Integers, code: BitCode) -> int:
    count = count_ones_of(piece, code) if code.fits(piece.dtype) else None
    if count is None:
        raise _refusal(code)
    return count


def _refusal(code: BitCode) -> InvalidParameter:
    zero, one = code.value
    return _check.refuse(
        f"`bits` must be a table of booleans or integers, each {zero} or {one}",
        "something else (not shown: it is data)",
        "Fill in what is missing; say signs=True for entries -1 and 1, signs=False for 0 and 1.",
    )
