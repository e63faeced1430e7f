"""Totals of parts of a table, in which every unit is in one part: together those of the table."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.measure.backends.session import Found
from leastnoise.release.step.secret_totals import Totals

_FITTING = 2**62


def added_parts(parts: Sequence[Found], totals: int, *, grouped: bool) -> Found:
    """Totals of all parts together, of every group that one of them has."""
    if not grouped:
        return Found((), tuple(_summed(parts, i, np.zeros(len(parts), np.int64), 1)
                               for i in range(totals)))  # fmt: skip
    places = np.concatenate(
        [np.zeros(0, np.int64), *(np.array(e.keys[0], np.int64) for e in parts)]
    )
    groups, home = np.unique(places, return_inverse=True)
    found = tuple(_summed(parts, i, home, len(groups)) for i in range(totals))
    return Found((groups.tolist(),), found)


def _summed(parts: Sequence[Found], total: int, home: NDArray[np.int64], count: int) -> Totals:
    """One total of all parts, exact however large."""
    values = np.concatenate([np.zeros(0, np.int64), *(each.totals[total] for each in parts)])
    fits = values.dtype == np.int64 and _size(values) * len(parts) < _FITTING
    found: Totals = np.zeros(count, np.int64) if fits else np.zeros(count, np.object_)
    np.add.at(found, home, values)
    return found


def _size(values: NDArray[np.int64]) -> int:
    return max(abs(int(values.min())), abs(int(values.max()))) if len(values) else 0
