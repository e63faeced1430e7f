"""Checks of secret input: the messages name rules and never show what was found."""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise._check import refuse
from leastnoise.errors import InvalidParameter

Secret = SupportsIndex | ArrayLike
"""One secret integer, or an array of them."""

_FOUND = "something else (not shown: it is data)"


def secret_integers(value: Secret, name: str, below: int) -> NDArray[np.int64]:
    """An array of integers in 0..below−1; booleans count as 0 and 1.

    Raises:
        InvalidParameter: anything else was given. The message does not say what or where.
    """
    array = _array(value, name, below)
    if array.dtype != np.bool_ and array.size and not (array.min() >= 0 and array.max() < below):
        raise _refusal(name, below)
    return array.astype(np.int64)


def _array(value: Secret, name: str, below: int) -> NDArray[np.integer] | NDArray[np.bool_]:
    if isinstance(value, np.ma.MaskedArray):
        raise refuse(
            f"`{name}` must hold no masked entries",
            "a masked array",
            "Decide what a masked entry counts as, and fill it in.",
        )
    try:
        array = np.asarray(value)
    except Exception:  # whatever a foreign object raises may quote the data it holds
        raise _refusal(name, below) from None
    if array.dtype.kind in "biu":
        return array
    if array.size == 0 and array.dtype.kind == "f":  # NumPy's type for []
        return array.astype(np.int64)
    raise _refusal(name, below)


def _refusal(name: str, below: int) -> InvalidParameter:
    return refuse(
        f"`{name}` must hold integers in 0..{below - 1}",
        _FOUND,
        "Number the categories from 0, or clip the data before it comes here.",
    )
