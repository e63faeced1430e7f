r"""`band_reach`: how far sums along a tree of Laplace noise are off, all of them at once."""

import math
from functools import lru_cache

import numpy as np

from leastnoise.mechanisms.quantile.count_tree import CountTree
from leastnoise.mechanisms.quantile.counted_quantiles import laplace_reach
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.spread.simultaneous import SURE, uniform

_POINTS, _AT_ONCE = 1 << 14, 1 << 11
_MOST_NODES = 1 << 10
Ends = tuple[int, int, int]
"""Of leaves: the first, the one after the last, and the step between."""


@lru_cache(maxsize=32)
def band_reach(tree: CountTree, ends: Ends, law: DiscreteLaplace, risk: float) -> float | None:
    r"""κ such that with chance 1 − risk every Ŝ_j − F·n̂ is off by κ of its deviations at most.

    It holds for all ends j and all F at once. With v = (error of Ŝ_j, error of n̂) and its
    covariance Σ, the greatest number of deviations over all F is √(vᵀ·Σ⁻¹·v), by Cauchy and
    Schwarz; κ is exceeded by the greatest of these with the risk, as 2^14 fixed points tell that
    stand for the noise: a share of them by five standard deviations more than 1 − risk keeps it.

    Args:
        tree: whose nodes get noise.
        ends: up to which leaves sums are asked for.
        law: of each node's noise.
        risk: that any sum is farther off.

    Returns:
        None if the tree has too many nodes to be followed, or if adding up the risks of all ends is
        narrower in the middle.
    """
    widths = [tree.branching**level for level in range(1, tree.height + 1)]
    if sum(widths) > _MOST_NODES:
        return None
    sizes = [_sizes(tree, slice(*ends), law, first) for first in range(0, _POINTS, _AT_ONCE)]
    more = SURE * math.sqrt(risk * (1 - risk) / _POINTS)
    place = min(math.ceil((1 - risk + more) * _POINTS), _POINTS - 1)
    found = float(np.sort(np.concatenate(sizes))[place])
    return found if found < _added_up(tree, slice(*ends), law, risk) else None


def _added_up(tree: CountTree, at: slice, law: DiscreteLaplace, risk: float) -> float:
    """The same for F = 1/2, by a bound for each end alone."""
    middle = tree.variances(0.5, at)
    alone = laplace_reach(law, middle, math.log(2 * len(middle) / risk))
    return float(alone.max()) / math.sqrt(float(law.moment(2)) * float(middle.max()))


def _sizes(tree: CountTree, at: slice, law: DiscreteLaplace, first: int) -> Floats:
    """For some points the greatest number of deviations."""
    noisy, place = [], 0
    for level in range(1, tree.height + 1):
        width = tree.branching**level
        columns = [_laplace(law, each, first) for each in range(place, place + width)]
        noisy.append(np.stack(columns, axis=1))
        place += width
    sums = tree.cumulated(noisy)
    upto, whole = sums[:, at], sums[:, -1:]
    zero, one, below = (tree.variances(level, at) for level in (0.0, 1.0, -1.0))
    all_, both = (one + below) / 2 - zero, (below - one) / 4
    rest = np.maximum(zero - both**2 / all_, 1e-12 * all_)
    squares = whole**2 / all_ + (upto - whole * both / all_) ** 2 / rest
    return np.asarray(np.sqrt(squares.max(axis=1) / float(law.moment(2))))


def _laplace(
    law: DiscreteLaplace, place: int, first: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """One noise at some points: P(X ≤ −k) = p^k/(1 + p), p = e^(−1/scale), and X is even."""
    rate = 1 / float(law.scale)
    below = uniform(place, first, _AT_ONCE) * (1 + math.exp(-rate))
    above = (1 + math.exp(-rate)) - below
    tail = np.floor(-np.log(np.where(below <= 1, below, above)) / rate).astype(np.int64)
    return np.where(below <= 1, -tail, tail)
