r"""Looking for ranks in noisy sums by halving: few of the sums are looked at, few can mislead.

Proof: docs/proofs/quantiles.md, section 5.
"""

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.quantile.count_tree import Floats


def searched(sums: Floats, goals: Floats) -> NDArray[np.int64]:
    """For each goal the cell that halving finds; for goals of 0 or below, the first.

    Goals that rise lead to cells that rise: at each sum a greater goal is sent to the right
    wherever a smaller one is.

    Example:
        >>> searched(np.array([1.0, 4.0, 3.0, 9.0]), np.array([-1.0, 1.0, 2.0, 8.0, 99.0])).tolist()
        [0, 0, 1, 3, 3]
    """
    low = np.zeros(len(goals), dtype=np.int64)
    high = np.full(len(goals), len(sums) - 1, dtype=np.int64)
    for _ in range((len(sums) - 1).bit_length()):
        middle = (low + high) // 2
        right = (sums[middle] < goals) & (low < high)
        low, high = np.where(right, middle + 1, low), np.where(right, high, middle)
    return np.where(goals <= 0, 0, low)


def most_misled(chances: Floats, start: float) -> float:
    r"""A bound on the chance to end too far from a rank, wherever that is.

    Args:
        chances: of each sum to err by so much, to either side.
        start: of the sum of no cells at all.
    """
    low, high = np.array([0]), np.array([len(chances) - 1])
    too_low, too_high = np.array([start]), np.array([0.0])
    while (low < high).any():
        middle = (low + high) // 2
        lost = np.where(low < high, chances[middle], 0.0)
        # Whoever looks for a cell up to the middle may be sent too high there, others too low.
        low, high = (
            np.concatenate([low, np.minimum(middle + 1, high)]),
            np.concatenate([middle, high]),
        )
        too_low = np.concatenate([too_low, too_low + lost])
        too_high = np.concatenate([too_high + lost, too_high])
    return float(too_low.max() + too_high.max())
