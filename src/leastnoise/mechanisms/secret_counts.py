"""Checks of secret counts: the messages name rules and never show what was found."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.secret_array import NOT_SHOWN, secret_array

Counts = NDArray[np.int64]

MOST_IN_ALL = 1 << 62
"""Counts must sum to less than this, so that no sum of theirs can overflow."""


def secret_counts(value: ArrayLike, cells: int | None = None) -> Counts:
    """A row of counts: integers of 0 or more, below 2**62 together.

    Args:
        value: the counts.
        cells: how many there must be; None if any number will do.

    Raises:
        InvalidParameter: anything else was given. The message does not say what or where.
    """
    row = secret_array(value, _refusal(cells))
    if row.dtype.kind not in "iu" or row.ndim != 1 or cells not in (None, row.size):
        raise _refusal(cells)
    if row.size and not (row.min() >= 0 and row.max() < MOST_IN_ALL and _fits(row)):
        raise _refusal(cells)
    return row.astype(np.int64)


def _fits(row: NDArray[np.integer]) -> bool:
    """Whether the sum is small enough, found without a sum that could overflow."""
    if int(row.max()) * row.size < MOST_IN_ALL:
        return True
    high, low = row >> 31, row & ((1 << 31) - 1)
    return (int(high.sum()) << 31) + int(low.sum()) < MOST_IN_ALL


def _refusal(cells: int | None) -> InvalidParameter:
    many = "" if cells is None else f"{cells} "
    return _check.refuse(
        f"`counts` must be a row of {many}integers of 0 or more, below 2**62 together",
        NOT_SHOWN,
        "Count whole units, one number for each group or cell.",
    )
