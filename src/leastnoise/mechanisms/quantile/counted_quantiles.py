"""`CountedQuantiles`: all quantiles from one tree of noisy counts."""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.quantile.count_tree import CountTree, Floats
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.quantile.rank_search import most_misled
from leastnoise.mechanisms.quantile.summed_quantiles import (
    ROUNDING,
    SummedQuantiles,
    usual_times,
)
from leastnoise.mechanisms.secret_counts import Counts
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import PureDP
from leastnoise.randomness.source import Source

_TINY = 1e-300  # in the place of 0, to divide by
_MOST_ROOM = 4  # a tree with more empty leaves wastes memory
_AT_ONCE = 1 << 20  # some 8 MB
_TRIALS = np.linspace(0.005, 0.995, 199)  # a free parameter of the bound: every value is valid


@dataclass(frozen=True)
class CountedQuantiles(SummedQuantiles):
    r"""Counts the nodes of a tree over the cells with noise, and reads all quantiles from it.

    Law: every node's count gets independent discrete Laplace (pure) or discrete Gaussian (zCDP)
    noise; the rest looks at noisy counts alone. The error does not depend on how many quantiles
    are asked for.
    Theorem: docs/proofs/quantiles.md, sections 4 and 5.
    """

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

    def variances(self, level: float) -> Floats:
        """Of (sum up to each cell) − level·(sum of all), if the noise has variance 1."""
        return self.tree.variances(level)

    def _read(self, counts: Counts, source: Source) -> Iterator[tuple[Floats, Floats]]:
        """For each row noisy sums up to each cell, and what each level looks for."""
        height = max(1, _AT_ONCE // self.tree.leaves)
        levels = np.array([float(level) for level in self.task.levels])
        for top in range(0, len(counts), height):
            exact = self.tree.levels(counts[top : top + height])
            noisy = [nodes + self.law.sample(nodes.shape, source) for nodes in exact]
            whole = self.tree.cumulated(noisy)
            yield from zip(whole[:, : self.task.cells], whole[:, -1:] * levels, strict=True)

    def rough_score(self, confidence: Fraction) -> float:
        """By which trees are compared: `score`, but with all sums as misleading as the worst."""
        if self.task.ends:
            return self.score(confidence)
        chances = math.log(usual_times(self.task.cells) / float(1 - confidence))
        worst = max(float(self.tree.variances(float(q)).max()) for q in self.task.levels)
        if isinstance(self.law, DiscreteGaussian):
            return math.sqrt(2 * float(self.law.sigma_squared) * worst * chances)
        return float(laplace_reach(self.law, np.array(worst), chances))

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
            usual = math.log(usual_times(self.task.cells) / risk)
            tilt = min(map(float, _TRIALS), key=lambda each: _tilted(each, worst, usual))
            parts = [(1 - tilt * tilt) ** (worst - each) for each in (spreads, start)]
            times = most_misled(parts[0], float(parts[1]))
            bound = float(law.scale) * _tilted(tilt, worst, math.log(times / risk))
        return math.ceil(bound * ROUNDING)


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
