"""Counting ones and checking that there is nothing else, in one pass and without overflow."""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.integer] | NDArray[np.bool_]

_FEW_COLUMNS = 32  # then column by column
_MOST_CELLS = 1 << 20  # of a block
_WIDTH = 1 << 12  # columns of a block
_MOST_ENTRIES = 1 << 20  # at a time
# As many ones as the narrowest integer can count.
_MOST_ROWS = 255


class BitCode(Enum):
    """How a table spells its bits.

    Attributes:
        BITS: 0 and 1.
        SIGNS: −1 and 1.
    """

    BITS = (0, 1)
    SIGNS = (-1, 1)

    def fits(self, dtype: np.dtype[np.generic]) -> bool:
        """Whether both spellings are values of the type."""
        return dtype.kind in ("biu" if self is BitCode.BITS else "i")


def count_ones(matrix: Integers, code: BitCode) -> NDArray[np.int64] | None:
    """The ones of each column; None if there is an entry that spells no bit.

    A table stored by rows is read by rows, a block at a time, unless it is narrow.
    """
    rows, columns = matrix.shape
    if columns < _FEW_COLUMNS or abs(matrix.strides[0]) < abs(matrix.strides[1]):
        counts = [count_ones_of(matrix[:, column], code) for column in range(columns)]
        known = [count for count in counts if count is not None]
        return np.array(known, dtype=np.int64) if len(known) == columns else None
    total = np.zeros(columns, dtype=np.int64)
    height = max(_MOST_ROWS, _MOST_CELLS // columns)
    for top in range(0, rows, height):
        for left in range(0, columns, _WIDTH):
            bits = _bits(matrix[top : top + height, left : left + _WIDTH], code)
            if bits is None:
                return None
            total[left : left + _WIDTH] += _added(bits)
    return total


def _added(bits: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
    """The sum of the rows: first of every 255 in their own type, which is fast, then of those."""
    rows, columns = bits.shape
    whole = rows - rows % _MOST_ROWS
    stacks = bits[:whole].reshape(-1, _MOST_ROWS, columns)
    total: NDArray[np.int64]
    total = np.add.reduce(stacks, axis=1, dtype=bits.dtype.type).sum(axis=0, dtype=np.int64)
    total += np.add.reduce(bits[whole:], axis=0, dtype=bits.dtype.type).astype(np.int64)
    return total


def count_ones_of(column: Integers, code: BitCode) -> int | None:
    """The ones of one column; None if there is an entry that spells no bit."""
    total = 0
    for start in range(0, len(column), _MOST_ENTRIES):
        bits = _bits(column[start : start + _MOST_ENTRIES], code)
        if bits is None:
            return None
        total += int(np.count_nonzero(bits))
    return total


def _bits(block: Integers, code: BitCode) -> NDArray[np.unsignedinteger] | None:
    """The block as zeros and ones; None if that is not what it spells.

    Read as unsigned, every negative number is large; and a byte that claims to be a boolean is
    looked at as the number it is.
    """
    words = block.view(np.dtype(f"{block.dtype.byteorder}u{block.dtype.itemsize}"))
    if code is BitCode.SIGNS:
        raised = words + words.dtype.type(1)  # −1 and 1 become 0 and 2
        if (raised & words.dtype.type(1)).any():
            return None
        words = raised >> words.dtype.type(1)
    return words if words.max(initial=0) <= 1 else None
