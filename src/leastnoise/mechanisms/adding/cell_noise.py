"""`CellNoise`: independent noise from one law in every cell of a vector of integers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.randomness.source import Source

Cells = NDArray[np.int64] | NDArray[np.object_]

_LIMIT = 2**62


@dataclass(frozen=True)
class CellNoise:
    """Adds one fresh draw to each cell; what that costs depends on how far the cells can move.

    It states no guarantee of its own: whoever uses it prices the law at the reach of the cells.
    """

    law: LatticeLaw

    def __repr__(self) -> str:
        return repr(self.law)

    def draw(self, cells: Cells, source: Source) -> Cells:
        """The cells with noise, in Python's integers where 64 bits might not hold a sum."""
        noise = self.law.sample(len(cells), source=source)
        if is_small(cells) and is_small(noise):
            return np.asarray(cells + noise)
        return np.asarray(cells.astype(np.object_) + noise.astype(np.object_))


def is_small(numbers: Cells) -> bool:
    """Whether all numbers are 64-bit integers whose sum of two is one too."""
    whole = numbers.dtype != np.object_
    inside = int(numbers.min(initial=0)) > -_LIMIT and int(numbers.max(initial=0)) < _LIMIT
    return bool(whole and inside)
