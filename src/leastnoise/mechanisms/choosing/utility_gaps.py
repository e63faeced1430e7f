"""How far candidates fall short of the best: all that selection needs to know of utilities."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise.mechanisms.secret_array import NOT_SHOWN, secret_array
from leastnoise.noise.shapes.shape import Draws

Gaps = NDArray[np.uint64]


def utility_gaps(value: ArrayLike, candidates: int) -> Gaps:
    """The greatest utility minus each one.

    Raises:
        InvalidParameter: not a row of that many 64-bit integers. What was found is not shown.
    """
    refusal = _check.refuse(
        f"`value` must be a row of candidates={candidates} integers of 64 bits",
        NOT_SHOWN,
        "Put utilities on a lattice of integers first. The number of candidates is public.",
    )
    row = secret_array(value, refusal)
    if row.dtype.kind not in "iu" or row.shape != (candidates,):
        raise refusal
    # The difference of two 64-bit integers fits into an unsigned one, and wrapping finds it.
    unsigned = row.astype(np.uint64)
    return np.asarray(unsigned[row.argmax()] - unsigned)


def reached(draws: Draws, gaps: Gaps) -> NDArray[np.bool_]:
    """Where a draw of 0 or more is at least the gap."""
    if draws.dtype == np.object_:
        return np.asarray(draws >= gaps.astype(np.object_), dtype=np.bool_)
    return np.asarray(draws.astype(np.uint64) >= gaps)
