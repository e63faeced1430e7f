"""`CountedQuantiles`: all quantiles from one tree of noisy counts."""

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.quantile.count_tree import CountTree, Floats
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.quantile.rank_search import most_misled, searched
from leastnoise.mechanisms.secret_counts import Counts
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import PureDP
from leastnoise.randomness.source import Source

_ROUNDING = 1 + 1e-9  # floats in a bound: far more than they can be wrong
_TINY = 1e-300  # in the place of 0, to divide by
_MOST_ROOM = 4  # a tree with more empty leaves wastes memory
_AT_ONCE = 1 << 20  # some 8 MB
_TRIALS = np.linspace(0.005, 0.995, 199)  # a free parameter of the bound: every value is valid


@dataclass(frozen=True)
class CountedQuantiles:
    r"""Counts the nodes of a tree over the cells with noise, and reads all quantiles from it.

    Law: every node's count gets independent discrete Laplace (pure) or discrete Gaussian (zCDP)
    noise; the rest looks at noisy counts alone. The error does not depend on how many quantiles
    are asked for.
    Theorem: docs/proofs/quantiles.md, sections 4 and 5.
    """

    task: QuantileTask
    branching: int
    height: int

    @cached_property
    def tree(self) -> CountTree:
        """The tree over the cells."""
        return CountTree(self.task.cells, self.branching, self.height)

    @cached_property
    def law(self) -> DiscreteLaplace | DiscreteGaussian:
        """The noise of each node: a unit is counted on every level."""
        task, turns = self.task, 2 if self.task.replace else 1
        if isinstance(task.promise, PureDP):
            return DiscreteLaplace(
                scale=turns * self.height * task.contribution / task.promise.epsilon
            )
        squares = turns * self.height * task.contribution**2
        return DiscreteGaussian(variance=squares / (2 * task.promise.rho))

    def __str__(self) -> str:
        shape = f"{self.height} levels of {self.branching} children each"
        return f"a tree of counts with {shape} and {self.law!r}"

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
        reach = _reaches(self, confidence)
        height = max(1, _AT_ONCE // self.tree.leaves)
        found = [
            self._found(sums, goals, reach)
            for top in range(0, len(counts), height)
            for sums, goals in self._read(counts[top : top + height], source)
        ]
        return np.array(found, dtype=np.int64).reshape(len(counts), len(self.task.levels), 3)

    def _read(self, counts: Counts, source: Source) -> Iterator[tuple[Floats, Floats]]:
        """For each row noisy sums up to each cell, and what each level looks for."""
        exact = self.tree.levels(counts)
        noisy = [nodes + self.law.sample(nodes.shape, source) for nodes in exact]
        whole = self.tree.cumulated(noisy)
        levels = np.array([float(level) for level in self.task.levels])
        return zip(whole[:, : self.task.cells], whole[:, -1:] * levels, strict=True)

    def _found(self, sums: Floats, goals: Floats, reach: Floats) -> NDArray[np.int64]:
        """Cells where the sums reach the goals, found by halving, and the ends of what may be."""
        cell = searched(sums, goals)
        pairs = zip(goals, reach, strict=True)
        ends = np.array([_kept(sums - goal, sizes) for goal, sizes in pairs])
        first, last = np.minimum(ends[:, 0], cell), np.maximum(ends[:, 1], cell)
        # Ends that rise with the level, by making intervals wider.
        first = np.minimum.accumulate(first[::-1])[::-1]
        return np.stack([cell, first, np.maximum.accumulate(last)], axis=1)

    def error_bounds(self, confidence: Fraction) -> tuple[int, ...]:
        """For each level a distance that is not exceeded with this probability."""
        risk = float(1 - confidence)
        return tuple(self._bound(float(level), risk) for level in self.task.levels)

    def score(self, confidence: Fraction) -> int:
        """By which ways to answer are compared: for the worst level, in counts."""
        told = self.likely_reach if self.task.ends else self.error_bounds
        return max(told(confidence))

    def rough_score(self, confidence: Fraction) -> float:
        """By which trees are compared: `score`, but with all sums as misleading as the worst."""
        if self.task.ends:
            return self.score(confidence)
        chances = math.log(_usual_times(self.task.cells) / float(1 - confidence))
        worst = max(float(self.tree.variances(float(q)).max()) for q in self.task.levels)
        if isinstance(self.law, DiscreteGaussian):
            return math.sqrt(2 * float(self.law.sigma_squared) * worst * chances)
        return float(laplace_reach(self.law, np.array(worst), chances))

    def likely_reach(self, confidence: Fraction) -> tuple[int, ...]:
        """About how many counts lie between each quantile and either end of its interval."""
        return tuple(math.ceil(sizes.max()) for sizes in _reaches(self, confidence))

    @property
    def usual_errors(self) -> tuple[float, ...]:
        """The mean error of a sum of counts up to a cell, less its part of all counts."""
        spread = math.sqrt(2 / math.pi * float(self.law.moment(2).upper))
        variances = [self.tree.variances(float(level)).max() for level in self.task.levels]
        return tuple(spread * math.sqrt(variance) for variance in variances)

    def _bound(self, level: float, risk: float) -> int:
        r"""How far the search may end from a rank: docs/proofs/quantiles.md, section 5.

        The chance of each sum to mislead it is a part of that of the worst one; the parts add up
        along the way to a cell.
        """
        spreads, start = self.tree.variances(level), self.tree.whole_variance * level**2
        worst, law = max(float(spreads.max()), start), self.law
        if isinstance(law, DiscreteGaussian):
            # Any less than the bound will do here, and one event alone gives such a number.
            parts = [risk ** (worst / np.maximum(each, _TINY) - 1) for each in (spreads, start)]
            times = most_misled(parts[0], float(parts[1]))
            chances = math.log(max(times, 1) / risk)
            bound = math.sqrt(2 * float(law.sigma_squared) * worst * chances)
        else:
            usual = math.log(_usual_times(self.task.cells) / risk)
            tilt = min(map(float, _TRIALS), key=lambda each: _tilted(each, worst, usual))
            parts = [(1 - tilt * tilt) ** (worst - each) for each in (spreads, start)]
            times = most_misled(parts[0], float(parts[1]))
            bound = float(law.scale) * _tilted(tilt, worst, math.log(times / risk))
        return math.ceil(bound * _ROUNDING)


def _usual_times(cells: int) -> int:
    """At most so many sums can mislead a search, to one side or the other."""
    return 2 * (cells - 1).bit_length() + 1


def _tilted(tilt: float, spread: float, chances: float) -> float:
    """What a sum exceeds with chance e^−chances at most, in scales; for every tilt in (0, 1)."""
    return (chances - spread * math.log1p(-(tilt * tilt))) / tilt


def laplace_reach(law: DiscreteLaplace, spreads: Floats, chances: float) -> Floats:
    r"""What sums of noise with weights of at most 1 exceed with a chance of at most e^−chances.

    Proof: docs/proofs/quantiles.md, section 5.

    Args:
        law: of each noise.
        spreads: the sum of the squared weights of each sum.
        chances: on either side.
    """
    costs = [(chances - spreads * math.log1p(-(t * t))) / t for t in _TRIALS]
    return np.asarray(float(law.scale) * np.minimum.reduce(costs))


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
def _reaches(way: CountedQuantiles, confidence: Fraction) -> Floats:
    """For each level and cell what the noisy sum is beyond with half the risk on one side."""
    law, risk = way.law, float(1 - confidence)
    one = statistics.NormalDist().inv_cdf(1 - risk / 2)
    if isinstance(law, DiscreteLaplace):
        one = max(one, -math.log(risk) / math.sqrt(2))
    deviation = math.sqrt(float(law.moment(2).upper))
    return np.array(
        [one * deviation * np.sqrt(way.tree.variances(float(q))) for q in way.task.levels]
    )


def best_tree(task: QuantileTask, confidence: Fraction) -> CountedQuantiles | None:
    """The shape with the smallest error for the worst level; None if the noise would be too wide.

    The error is that of the ends of intervals if they are asked for, else a bound for all cells.
    Too wide is what the laws of noise refuse: then no choice of cells would tell anything either.
    """
    trees = [tree for shape in _shapes(task.cells) if (tree := CountedQuantiles(task, *shape)).fits]
    return min(trees, key=lambda tree: tree.rough_score(confidence), default=None)


def _shapes(cells: int) -> list[tuple[int, int]]:
    """Branching and height of trees with room for all cells and not much more."""
    shapes: dict[int, int] = {}
    for height in range(1, max(cells - 1, 1).bit_length() + 1):
        branching = _branching(cells, height)
        if branching**height <= _MOST_ROOM * cells:
            shapes.setdefault(branching, height)
    return list(shapes.items())


def _branching(cells: int, height: int) -> int:
    """The least number of children with which the tree has room for all cells, at least 2."""
    children = max(2, int(cells ** (1 / height)) - 1)
    while children**height < cells:
        children += 1
    return children
