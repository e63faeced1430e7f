"""From a table of counts to its residuals and back, one axis after the other.

The residual of a set A of attributes is what the A-marginal holds beyond all smaller marginals:
B applied along each axis of A, sums along all others. No matrix over all cells is ever built; the
work is proportional to the number of cells, times the number of attributes.
Proof: docs/proofs/residual_planner.md, sections 1 and 2.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from leastnoise.tabulation.residuals.residual_axis import ResidualAxis, TableArray

Places = tuple[int, ...]
"""Some of the axes of one table, increasing."""


def residuals_of(table: TableArray, axes: Sequence[ResidualAxis]) -> dict[Places, TableArray]:
    """The residual of every set of axes of a table of counts, or of a stack of such tables.

    The axes are the last of the table; what comes before them numbers the tables of a stack.

    Example:
        >>> found = residuals_of(np.array([[1, 2], [3, 5]]), [ResidualAxis(2), ResidualAxis(2)])
        >>> {places: residual.item() for places, residual in found.items()}
        {(): 11, (1,): -3, (0,): -5, (0, 1): 1}
    """
    found: dict[Places, TableArray] = {(): table}
    first = table.ndim - len(axes)
    # Backwards, so that an axis still has its own number when its turn comes.
    for place, axis in reversed(list(enumerate(axes, first))):
        summed = {places: part.sum(axis=place) for places, part in found.items()}
        kept = {
            (place - first, *places): axis.contrast(part, place) for places, part in found.items()
        }
        found = {places: np.asarray(part) for places, part in (summed | kept).items()}
    return found


def table_of(residuals: Mapping[Places, TableArray], axes: Sequence[ResidualAxis]) -> TableArray:
    """The table with the given residuals, of floats or of Fractions.

    Example:
        >>> axes = [ResidualAxis(2), ResidualAxis(3)]
        >>> table = np.arange(6).reshape(2, 3)
        >>> table_of({a: r * 1.0 for a, r in residuals_of(table, axes).items()}, axes)
        array([[0., 1., 2.],
               [3., 4., 5.]])
    """
    found = dict(residuals)
    for place, axis in enumerate(axes):
        rest = {places: part for places, part in found.items() if place not in places}
        found = {
            places: np.expand_dims(part, place) / axis.size
            + axis.recover(found[place, *places], place)
            for places, part in rest.items()
        }
    return np.asarray(found[()])
