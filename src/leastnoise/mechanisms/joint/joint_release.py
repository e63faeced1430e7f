"""Rows of secret integers plus the rows of a joint draw."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise.mechanisms.joint.joint_part import Integers
from leastnoise.mechanisms.joint.part import Part
from leastnoise.mechanisms.secret_array import NOT_SHOWN, secret_array

_FITS = 1 << 63


def noisy_rows(
    value: Sequence[ArrayLike], parts: Sequence[Part], draw: Callable[[], tuple[Integers, ...]]
) -> tuple[Integers, ...]:
    """The rows with noise; all are checked before any noise is drawn.

    Raises:
        InvalidParameter: not one row of integers per part, or of another length; what was found is
            not said.
    """
    refusal = _check.refuse(
        "`value` must hold one row of integers for each part, as long as it has cells",
        NOT_SHOWN,
        "Give the exact totals in the order of `parts`.",
    )
    try:
        rows = [_integers(secret_array(row, refusal)) for row in value]
        fits = [len(row) for row in rows] == [part.cells for part in parts]
    except Exception:  # whatever a foreign object raises may quote the data it holds
        raise refusal from None
    if not fits:
        raise refusal
    return tuple(_sum(row, noise) for row, noise in zip(rows, draw(), strict=True))


def _integers(row: NDArray[Any]) -> list[int]:
    if row.ndim != 1:
        raise ValueError
    return [_check.integer(entry, "value") for entry in row.tolist()]


def _sum(row: list[int], noise: Integers) -> Integers:
    total = [one + more for one, more in zip(row, noise.tolist(), strict=True)]
    if all(-_FITS <= number < _FITS for number in total):
        return np.array(total, dtype=np.int64)
    return np.array(total, dtype=np.object_)
