"""How far candidates fall short of the best: all that selection needs to know of utilities."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise.errors import InvalidParameter
from leastnoise.noise.shapes.shape import Draws

Gaps = NDArray[np.uint64]


def utility_gaps(value: ArrayLike, candidates: int) -> Gaps:
    """The greatest utility minus each one.

    Raises:
        InvalidParameter: not a row of that many 64-bit integers. What was found is not shown.
    """
    row = _row(value, candidates)
    # The difference of two 64-bit integers fits into an unsigned one, and wrapping finds it.
    unsigned = row.astype(np.uint64)
    return np.asarray(unsigned[row.argmax()] - unsigned)


def _row(value: ArrayLike, candidates: int) -> NDArray[np.integer]:
    if isinstance(value, np.ma.MaskedArray):
        raise _refusal(candidates)
    try:
        row = np.asarray(value)
    except Exception:  # whatever a foreign object raises may quote the data it holds
        raise _refusal(candidates) from None
    if row.dtype.kind in "iu" and row.shape == (candidates,):
        return row
    raise _refusal(candidates)


def _refusal(candidates: int) -> InvalidParameter:
    return _check.refuse(
        f"`value` must be a row of candidates={candidates} integers of 64 bits",
        "something else (not shown: it is data)",
        "Put utilities on a lattice of integers first. The number of candidates is public.",
    )


def reached(draws: Draws, gaps: Gaps) -> NDArray[np.bool_]:
    """Where a draw of 0 or more is at least the gap."""
    if draws.dtype == np.object_:
        return np.asarray(draws >= gaps.astype(np.object_), dtype=np.bool_)
    return np.asarray(draws.astype(np.uint64) >= gaps)
