"""`SignedTable`: a table of counts in which some attributes of two values are signs."""

from math import prod

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.tabulation.residuals.residual_axis import TableArray
from leastnoise.tabulation.residuals.residual_workload import AttributeSet, ResidualWorkload


@dataclass(frozen=True, order=True)
class SignedTable:
    r"""One cell for each combination of the values of `cells`; rows are added with a sign.

    The sign of a row is the product, over the attributes in `signs`, of 1 for the first value and
    −1 for the second. Without signs it is a marginal; without cells it is one number.

    Theorem: for all rows of total weight w ≥ 0 the magnitudes of the cells add up to at most w;
    if the weights are integers, the cells are, and their sum has the parity of w.
    Proof: a row of weight u moves one cell by ±u, and −u ≡ u modulo 2.

    Attributes:
        signs: the places of attributes of two values, increasing.
        cells: the places of other attributes, increasing.
    """

    signs: AttributeSet
    cells: AttributeSet

    def width(self, workload: ResidualWorkload) -> int:
        """How many cells there are."""
        return prod(axis.size for axis in workload.axes_of(self.cells))

    def of(self, counts: TableArray, places: AttributeSet) -> TableArray:
        """From the marginal of `places`, which hold all of its attributes: integers to integers.

        Example:
            >>> SignedTable((0,), (1,)).of(np.array([[5, 1, 0], [2, 2, 2]]), (0, 1))
            array([ 3, -1, -2])
        """
        found = counts
        # Backwards, so that an axis still has its own number when its turn comes.
        for axis, place in reversed(list(enumerate(places))):
            if place in self.signs:
                found = found.take(0, axis=axis) - found.take(1, axis=axis)
            elif place not in self.cells:
                found = found.sum(axis=axis)
        return np.asarray(found)
