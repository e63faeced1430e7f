"""Totals of parts of a table, in which every unit is in one part: together those of the table."""

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.measure.backends.session import Found
from leastnoise.release.step.secret_totals import Totals

_FITTING = 2**63


class AddedParts:
    """Totals of public groups, added up part by part; none is held but their sum. Secret.

    Args:
        cells: how many groups there are; None if there are none, and one total of all rows.
        totals: how many of each group.
    """

    def __init__(self, cells: int | None, totals: int) -> None:
        self._cells = cells
        self._sums: list[Totals] = [np.zeros(cells or 1, np.int64) for _ in range(totals)]
        self._sizes = [0] * totals

    def add(self, part: Found) -> None:
        """What one part has, of the groups that it has."""
        groups = np.asarray(part.keys[0] if part.keys else [0], np.int64)
        for number, values in enumerate(part.totals):
            self._sizes[number] += _size(values)
            if self._sizes[number] >= _FITTING:  # exact however large
                self._sums[number] = self._sums[number].astype(np.object_)
            np.add.at(self._sums[number], groups, values)

    def found(self) -> Found:
        """Totals of all parts together; 0 where no part has any."""
        keys = () if self._cells is None else (np.arange(self._cells),)
        return Found(keys, tuple(self._sums))


def _size(values: Totals | NDArray[np.int64]) -> int:
    return max(abs(int(values.min())), abs(int(values.max()))) if len(values) else 0
