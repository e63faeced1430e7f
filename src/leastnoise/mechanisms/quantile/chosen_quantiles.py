"""`ChosenQuantiles`: each quantile by a private choice of its own among the cells."""

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.quantile.rank_choice import RankChoice, rank_distances
from leastnoise.mechanisms.secret_counts import Counts
from leastnoise.randomness.source import Source


@dataclass(frozen=True)
class ChosenQuantiles:
    r"""Chooses for each level a cell at a small distance from it, then sorts.

    Law: for each level, independently, permute-and-flip (pure) or the exponential mechanism (zCDP)
    with chances that fall by e^−rate per count of distance, the same for all levels.
    Theorem: docs/proofs/quantiles.md, sections 1 to 3.
    """

    task: QuantileTask

    @cached_property
    def choice(self) -> RankChoice:
        """How each cell is chosen: as sharply as the promise allows."""
        return RankChoice.of(self.task, turns=1)

    @property
    def rate(self) -> Fraction:
        """λ, per count of distance."""
        return self.choice.rate

    def __str__(self) -> str:
        return f"a choice by {self.choice} for each of {len(self.task.levels)} quantiles"

    def draw(self, counts: Counts, confidence: Fraction, source: Source) -> NDArray[np.int64]:
        """For each row of counts and each level: the cell, and the first and last of all cells.

        Cells rise with the level. How far off they may be, choices do not tell.
        """
        del confidence
        drawn = [
            self.choice.pick(rank_distances(counts, level), level.denominator, source)
            for level in self.task.levels
        ]
        cells = np.sort(np.stack(drawn, axis=1), axis=1)
        return np.stack([cells, np.zeros_like(cells), np.full_like(cells, self.task.cells - 1)], 2)

    def score(self, confidence: Fraction) -> int:
        """By which ways to answer are compared: the error of the worst level, in counts."""
        return max(self.error_bounds(confidence))

    def error_bounds(self, confidence: Fraction) -> tuple[int, ...]:
        """For each level a distance that is not exceeded with this probability; equal for all.

        It holds of all levels at once: sorting can carry the error of one level to another.
        """
        levels = len(self.task.levels)
        if self.task.cells == 1:
            return (0,) * levels
        return (self.choice.rare_distance(self.task.cells, (1 - confidence) / levels),) * levels
