r"""Which ranks are certain, from intervals that hold all at once."""

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.result.ranks import Ranks

Ends = NDArray[np.float64]


def rank_bounds(lower: Ends, upper: Ends, named: NDArray[np.intp], among: str) -> Ranks:
    r"""What follows for the named groups if every group's number lies between its ends.

    Theorem: let c_j be in [L_j, U_j] for all groups j at once. The rank of i, one more than the
    number of larger groups, is at least 1 + #{j: L_j > U_i}; counted with groups of equal size it
    is at most #{j: U_j ≥ L_i}. Let w be the greatest number for which the w-th greatest U of groups
    that are not named is at least the w-th least L of the k named ones, 0 if there is none: then at
    least k − w of the named are among the first k.
    Proof: L_j > U_i makes j larger than i, and U_j < L_i makes it smaller. If v of the named are
    not among the first k, v others are, and each of those is at least as large as each of these. So
    the v-th greatest U of the others is at least the v-th least L of the named, and v ≤ w.

    Args:
        lower: L, of all groups.
        upper: U.
        named: the places of those that are named.
        among: what all groups are called.
    """
    tops, bottoms = np.sort(upper), np.sort(lower)
    best = 1 + len(lower) - np.searchsorted(bottoms, upper[named], "right")
    worst = len(upper) - np.searchsorted(tops, lower[named], "left")
    return Ranks(
        best=tuple(best.tolist()),
        worst=tuple(worst.tolist()),
        sure=len(named) - _most_wrong(lower[named], np.delete(upper, named)),
        among=among,
    )


def _most_wrong(lower: Ends, others: Ends) -> int:
    size = min(len(lower), len(others))
    least, greatest = np.sort(lower)[:size], np.sort(others)[::-1][:size]
    # The one rises and the other falls: once it is false it stays false.
    return int(np.count_nonzero(greatest >= least))
