"""Tests of fit and of independence that declare how often they cry wolf.

Each returns a p-value: under the stated law it falls below `FALSE_ALARM` with that probability
(up to the χ² approximation, which is close because every cell expects hundreds of draws).
"""

from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.shape import Draws

FALSE_ALARM = 1e-6
DRAWS = 1 << 18
BLOCK = 1 << 16
_FEWEST_EXPECTED = 100


class Cells:
    """A partition of the integers into intervals of known probability.

    Cuts lie at equal steps of probability, and at two small ones at either end so that the tails
    are looked at too; cells too small for the χ² approximation join their neighbour.
    """

    def __init__(self, law: LatticeLaw, count: int) -> None:
        levels = [0.001, 0.005, *(j / count for j in range(1, count)), 0.995, 0.999]
        kept, reached = [], 0.0
        for cut in sorted({_reaching(law, level) for level in levels}):
            below = float(law.cdf(cut))
            if min(below - reached, 1 - below) * DRAWS >= _FEWEST_EXPECTED:
                kept.append(cut)
                reached = below
        self.cuts = np.array(kept, dtype=np.int64)
        bounds = [0.0, *(float(law.cdf(cut)) for cut in kept), 1.0]
        self.probabilities = np.array([above - below for below, above in pairwise(bounds)])

    def places(self, draws: Draws) -> NDArray[np.intp]:
        """The number of the cell each draw lies in."""
        return np.searchsorted(self.cuts, draws.astype(np.int64), side="left")


@lru_cache
def cells(law: LatticeLaw, count: int) -> Cells:
    return Cells(law, count)


def _reaching(law: LatticeLaw, level: float) -> int:
    """The least k with P(X ≤ k) ≥ level."""
    far = law.quantile("0.99999")
    values = range(-far - 1, far + 1)
    return values[bisect_left(values, level, key=lambda k: float(law.cdf(k)))]


def _p_value(observed: NDArray[np.intp], probabilities: NDArray[np.float64]) -> float:
    expected = observed.sum() * probabilities
    statistic = ((observed - expected) ** 2 / expected).sum()
    return float(chi2.sf(statistic, df=len(expected) - 1))


def fit(draws: Draws, law: LatticeLaw) -> float:
    """Pearson's test that draws are independent with the given law."""
    partition = cells(law, 40)
    observed = np.bincount(partition.places(draws), minlength=len(partition.probabilities))
    return _p_value(observed, partition.probabilities)


def independence(draws: Draws, law: LatticeLaw, lag: int) -> float:
    """Pearson's test that disjoint pairs `lag` apart are independent with the given law."""
    partition = cells(law, 4)
    count = len(partition.probabilities)
    pairs = partition.places(draws).reshape(-1, 2, lag)
    observed = np.bincount((pairs[:, 0] * count + pairs[:, 1]).ravel(), minlength=count**2)
    return _p_value(observed, np.outer(partition.probabilities, partition.probabilities).ravel())
