"""Checks of secret input: the messages name rules and never show what was found."""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise.mechanisms.secret_array import NOT_SHOWN, secret_array

Secret = SupportsIndex | ArrayLike
"""One secret integer, or an array of them."""


def secret_integers(value: Secret, name: str, below: int) -> NDArray[np.int64]:
    """An array of integers in 0..below−1; booleans count as 0 and 1.

    Raises:
        InvalidParameter: anything else was given. The message does not say what or where.
    """
    refusal = _check.refuse(
        f"`{name}` must hold integers in 0..{below - 1}",
        NOT_SHOWN,
        "Number the categories from 0, clip the data and fill in masked entries first.",
    )
    array = secret_array(value, refusal)
    if array.dtype.kind not in "biu":
        raise refusal
    if array.dtype.kind != "b" and array.size and not (array.min() >= 0 and array.max() < below):
        raise refusal
    return array.astype(np.int64)
