"""`ChosenQuantiles`: each quantile by a private choice of its own among the cells."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.mechanisms.choosing.pick_rows import flip_rows, weigh_rows
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.secret_counts import MOST_IN_ALL, Counts
from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer
from leastnoise.privacy.guarantee import PureDP
from leastnoise.randomness.source import Source

_RATE_BITS = 60  # what rounding down costs is not seen
Distances = NDArray[np.uint64]


@dataclass(frozen=True)
class ChosenQuantiles:
    r"""Chooses for each level a cell at a small distance from it, then sorts.

    Law: for each level, independently, permute-and-flip (pure) or the exponential mechanism (zCDP)
    with chances that fall by e^−rate per count of distance, the same for all levels.
    Theorem: docs/proofs/quantiles.md, sections 1 to 3.
    """

    task: QuantileTask

    @cached_property
    def rate(self) -> Fraction:
        """λ, per count of distance: as great as the promise allows, rounded down."""
        task = self.task
        if isinstance(task.promise, PureDP):
            return task.promise.epsilon / task.total_move
        return _root(8 * task.promise.rho / task.square_move)

    def __str__(self) -> str:
        pure = isinstance(self.task.promise, PureDP)
        kind = "permute-and-flip" if pure else "the exponential mechanism"
        return f"a choice by {kind} for each of {len(self.task.levels)} quantiles"

    def draw(self, counts: Counts, confidence: Fraction, source: Source) -> NDArray[np.int64]:
        """For each row of counts and each level: the cell, and the first and last of all cells.

        Cells rise with the level. How far off they may be, choices do not tell.
        """
        del confidence
        pick = flip_rows if isinstance(self.task.promise, PureDP) else weigh_rows
        drawn = [
            pick(rank_distances(counts, level), self.rate / level.denominator, source)
            for level in self.task.levels
        ]
        cells = np.sort(np.stack(drawn, axis=1), axis=1)
        return np.stack([cells, np.zeros_like(cells), np.full_like(cells, self.task.cells - 1)], 2)

    def error_bounds(self, confidence: Fraction) -> tuple[int, ...]:
        """For each level a distance that is not exceeded with this probability; equal for all.

        It holds of all levels at once: sorting can carry the error of one level to another.
        """
        if self.task.cells == 1:
            return (0,) * len(self.task.levels)
        missed = _flipping_missed if isinstance(self.task.promise, PureDP) else _weighing_missed
        cells, rate = self.task.cells, self.rate
        failure = (1 - confidence) / len(self.task.levels)

        def rare(distance: int) -> bool:
            def excess() -> arb:
                # The ball is made anew each time: its precision must grow with the others'.
                return missed(cells, balls.ball(-rate * distance).exp()) - balls.ball(failure)

            return balls.sign(excess) <= 0

        guess = int(math.log(cells / float(failure)) / float(rate))
        return (least_integer(rare, 1, guess),) * len(self.task.levels)


def _root(value: Fraction) -> Fraction:
    """The square root, rounded down to a short number."""
    shift = _RATE_BITS - (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scale = Fraction(2) ** shift
    return Fraction(math.isqrt(math.floor(value * scale * scale))) / scale


def _weighing_missed(cells: int, coin: arb) -> arb:
    """The exponential mechanism's chance to miss one good cell if all others have this coin."""
    others = (cells - 1) * coin
    return others / (1 + others)


def _flipping_missed(cells: int, coin: arb) -> arb:
    """The same for permute-and-flip."""
    return 1 - (1 - (1 - coin) ** cells) / (cells * coin)


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
