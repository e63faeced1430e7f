"""`SummedQuantiles`: quantiles that are looked for in noisy sums of the counts up to each cell."""

import math
import statistics
from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.quantile.count_tree import Floats
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.quantile.rank_search import searched
from leastnoise.mechanisms.secret_counts import Counts
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.randomness.source import Source

ROUNDING = 1 + 1e-9
"""Floats in a bound: far more than they can be wrong."""


@dataclass(frozen=True)
class SummedQuantiles(ABC):
    """What all quantiles from one set of noisy sums have in common; the error is that of the sums.

    Proof: docs/proofs/quantiles.md, section 5.
    """

    task: QuantileTask

    @property
    @abstractmethod
    def law(self) -> DiscreteLaplace | DiscreteGaussian:
        """The noise of each number that is measured."""

    @abstractmethod
    def variances(self, level: float) -> Floats:
        """Of (sum up to each cell) − level·(sum of all), if the noise has variance 1."""

    @abstractmethod
    def _read(self, counts: Counts, source: Source) -> Iterator[tuple[Floats, Floats]]:
        """For each row noisy sums up to each cell, and what each level looks for."""

    @abstractmethod
    def _bound(self, level: float, risk: float) -> int:
        """How far the search may end from a rank."""

    @property
    def fits(self) -> bool:
        """Whether there is a law of noise that wide."""
        try:
            return bool(self.law)
        except InvalidParameter:
            return False

    def draw(self, counts: Counts, confidence: Fraction, source: Source) -> NDArray[np.int64]:
        """For each row of counts and each level: the cell, and the first and last it may be in.

        All of them rise with the level.
        """
        reach = reaches(self, confidence)
        found = [found_cells(*told, reach) for told in self._read(counts, source)]
        return np.array(found, dtype=np.int64).reshape(len(counts), len(self.task.levels), 3)

    def error_bounds(self, confidence: Fraction) -> tuple[int, ...]:
        """For each level a distance that is not exceeded with this probability."""
        risk = float(1 - confidence)
        return tuple(self._bound(float(level), risk) for level in self.task.levels)

    def score(self, confidence: Fraction) -> int:
        """By which ways to answer are compared: for the worst level, in counts."""
        told = self.likely_reach if self.task.ends else self.error_bounds
        return max(told(confidence))

    def likely_reach(self, confidence: Fraction) -> tuple[int, ...]:
        """About how many counts lie between each quantile and either end of its interval."""
        return tuple(math.ceil(sizes.max()) for sizes in reaches(self, confidence))

    @property
    def usual_errors(self) -> tuple[float, ...]:
        """The mean error of a sum of counts up to a cell, less its part of all counts."""
        spread = math.sqrt(2 / math.pi * float(self.law.moment(2).upper))
        variances = [self.variances(float(level)).max() for level in self.task.levels]
        return tuple(spread * math.sqrt(variance) for variance in variances)


def usual_times(cells: int) -> int:
    """At most so many sums can mislead a search, to one side or the other."""
    return 2 * (cells - 1).bit_length() + 1


def found_cells(sums: Floats, goals: Floats, reach: Floats) -> NDArray[np.int64]:
    """Cells where the sums reach the goals, found by halving, and the ends of what may be."""
    cell = searched(sums, goals)
    pairs = zip(goals, reach, strict=True)
    ends = np.array([_kept(sums - goal, sizes) for goal, sizes in pairs])
    first, last = np.minimum(ends[:, 0], cell), np.maximum(ends[:, 1], cell)
    # Ends that rise with the level, by making intervals wider.
    first = np.minimum.accumulate(first[::-1])[::-1]
    return np.stack([cell, first, np.maximum.accumulate(last)], axis=1)


def _kept(beyond: Floats, sizes: Floats) -> tuple[int, int]:
    r"""The first and last cell that two tests keep, of all cells if they keep none.

    A cell is kept if the sum up to the cell before is not surely above the goal, and the sum up to
    itself not surely below: docs/proofs/quantiles.md, section 5.
    """
    kept = beyond >= -sizes
    kept[1:] &= beyond[:-1] <= sizes[:-1]
    places = np.flatnonzero(kept)
    return (int(places[0]), int(places[-1])) if places.size else (0, len(beyond) - 1)


@lru_cache(maxsize=16)
def reaches(way: SummedQuantiles, confidence: Fraction) -> Floats:
    """For each level and cell what the noisy sum is beyond with half the risk on one side."""
    law, risk = way.law, float(1 - confidence)
    one = statistics.NormalDist().inv_cdf(1 - risk / 2)
    if isinstance(law, DiscreteLaplace):
        one = max(one, -math.log(risk) / math.sqrt(2))
    deviation = math.sqrt(float(law.moment(2).upper))
    return np.array([one * deviation * np.sqrt(way.variances(float(q))) for q in way.task.levels])
