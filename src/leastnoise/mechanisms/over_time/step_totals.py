"""Totals that can be measured: integers of one step, or of all steps so far."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise.mechanisms.secret_array import NOT_SHOWN, secret_array

MOST_TOTAL = 1 << 60
"""Totals of one step and group lie within ± this; cutting them there moves them no farther."""


def totals_so_far(totals: ArrayLike, steps: int, groups: int) -> NDArray[np.int64]:
    """A row for each step up to now, a column for each group.

    Raises:
        InvalidParameter: not such totals; what was found is not said.
    """
    return _integers(
        totals,
        lambda shape: len(shape) == 2 and 1 <= shape[0] <= steps and shape[1] == groups,
        f"a row for each of 1..{steps} steps and a column for each of {groups} groups",
    ).astype(np.int64)


def totals_of_step(totals: ArrayLike, groups: int) -> NDArray[np.object_]:
    """One for each group.

    Raises:
        InvalidParameter: not such totals; what was found is not said.
    """
    return _integers(
        totals, lambda shape: shape == (groups,), f"one for each of {groups} groups"
    ).astype(np.object_)


def _integers(
    totals: ArrayLike, fits: Callable[[tuple[int, ...]], bool], wanted: str
) -> NDArray[Any]:
    refusal = _check.refuse(
        f"totals must be integers, {wanted}, none beyond 2^60",
        NOT_SHOWN,
        "Count or sum on a lattice first.",
    )
    array = secret_array(totals, refusal)
    if array.dtype.kind not in "iu" or not fits(array.shape):
        raise refusal
    if array.size and not -MOST_TOTAL <= int(array.min()) <= int(array.max()) <= MOST_TOTAL:
        raise refusal
    return array
