"""How far cells are from holding a quantile: exact integers, all cells at once."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.secret_counts import MOST_IN_ALL, Counts

Distances = NDArray[np.uint64]


def rank_distances(counts: Counts, level: Fraction) -> Distances:
    r"""The distance of each cell from the quantile of level a/b, times b; row by row.

    A cell holds the ranks from `below`, the sum of all cells before it, to `upto`, that and its own
    count. Its distance is that of a/b times the total from [below, upto]; from about 2**62/b on all
    distances count as the same. Some cell of each row always has distance 0.
    """
    upto = np.cumsum(counts, axis=1, dtype=np.int64)
    below, parts = upto - counts, level.denominator
    # Python's integers: the product may need more than 64 bits, the two parts do not.
    halves = [divmod(level.numerator * int(total), parts) for total in upto[:, -1]]
    rank, rest = np.array(halves, dtype=np.int64).reshape(-1, 2, 1).swapaxes(0, 1)
    farthest = MOST_IN_ALL // parts
    before = np.clip(below - rank, -1, farthest) * parts - rest
    behind = np.clip(rank - upto, -1, farthest) * parts + rest
    distances = np.maximum(np.maximum(before, behind), 0)
    return np.asarray(np.minimum(distances, (farthest - 1) * parts), dtype=np.uint64)
