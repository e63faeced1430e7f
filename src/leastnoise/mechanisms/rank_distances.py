"""How far a cell is from holding a quantile, counted in rows: exact integers, all cells at once."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.secret_counts import MOST_IN_ALL, Counts

Distances = NDArray[np.uint64]


def rank_distances(counts: Counts, level: Fraction) -> Distances:
    r"""The distance of each cell from the quantile of level a/b, times b.

    A cell holds the ranks from `below`, the sum of all cells before it, to `upto`, that and its own
    count. Its distance is that of a/b times the total from [below, upto]; from about 2**62/b on all
    distances count as the same. Some cell always has distance 0.
    """
    upto = np.cumsum(counts, dtype=np.int64)
    below, total = upto - counts, int(upto[-1])
    above, parts = level.numerator, level.denominator
    rank, rest = divmod(above * total, parts)
    farthest = MOST_IN_ALL // parts
    before = np.clip(below - rank, -1, farthest) * parts - rest
    behind = np.clip(rank - upto, -1, farthest) * parts + rest
    distances = np.maximum(np.maximum(before, behind), 0)
    return np.asarray(np.minimum(distances, (farthest - 1) * parts), dtype=np.uint64)
