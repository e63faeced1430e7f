"""`CellNoise`: independent noise from one law in every cell of a vector of integers."""

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric.exact_sum import exact_sum
from leastnoise.randomness.source import Source

Cells = NDArray[np.int64] | NDArray[np.object_]


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
        return exact_sum(cells, self.law.sample(len(cells), source=source))
