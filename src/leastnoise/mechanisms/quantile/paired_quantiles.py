"""`PairedQuantiles`: two private choices around each quantile, an interval that surely holds it."""

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.quantile.quantile_task import USUAL_CONFIDENCE, QuantileTask
from leastnoise.mechanisms.quantile.rank_choice import RankChoice, cut_off, rank_distances
from leastnoise.mechanisms.secret_counts import Counts
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.randomness.source import Source

_TURNS = 2  # one choice for each end


@dataclass(frozen=True)
class PairedQuantiles:
    r"""Chooses for each level q a cell some way below the quantile and one above it.

    Law: let t counts be put in a cell of their own before all others, and choose L by the distance
    from the rank q·n of the whole row, n being the number of counts without them. That is t counts
    below the quantile. U is chosen in the same way from the other end. The answer is from L to U,
    and the cell in the middle. All choices are by permute-and-flip (pure) or the exponential
    mechanism (zCDP), with chances that fall by e^−rate per count.
    Theorem: for all counts, none at all included, the cells from L to U hold every quantile of
    level q with the stated probability; and all answers together keep the promise, whatever t is.
    Proof: docs/proofs/quantiles.md, section 7.
    """

    task: QuantileTask

    @cached_property
    def choice(self) -> RankChoice:
        """How each end is chosen: as sharply as the promise allows."""
        return RankChoice.of(self.task, turns=_TURNS)

    @property
    def rate(self) -> Fraction:
        """λ, per count of distance."""
        return self.choice.rate

    def __str__(self) -> str:
        return f"two choices by {self.choice} around each of {len(self.task.levels)} quantiles"

    def reach(self, confidence: Fraction) -> int:
        """T, with which an interval misses with at most the risk: half of it at either end."""
        if self.task.cells == 1:
            return 0
        return self.choice.rare_distance(self.task.cells, (1 - confidence) / 2)

    def draw(self, counts: Counts, confidence: Fraction, source: Source) -> NDArray[np.int64]:
        """For each row of counts and each level: the middle cell, and the first and last.

        All of them rise with the level: intervals are made wider until they do.
        """
        reach, last, turned = self.reach(confidence), self.task.cells - 1, counts[:, ::-1]
        pairs = [
            (
                self._below(counts, q, reach, source),
                last - self._below(turned, 1 - q, reach, source),
            )
            for q in self.task.levels
        ]
        ends = np.sort(np.array(pairs, np.int64).transpose(2, 0, 1), axis=2)
        first = np.minimum.accumulate(ends[:, ::-1, 0], axis=1)[:, ::-1]
        final = np.maximum.accumulate(ends[:, :, 1], axis=1)
        return np.stack([(first + final) // 2, first, final], axis=2)

    def _below(
        self, counts: Counts, level: Fraction, reach: int, source: Source
    ) -> NDArray[np.int64]:
        """For each row the cell chosen some way below the quantile."""
        if reach > cut_off(level):  # no row of counts is so long: nothing can be told
            return np.zeros(len(counts), np.int64)
        distances = rank_distances(counts, level, before=reach)
        return np.maximum(self.choice.pick(distances, level.denominator, source) - 1, 0)

    def score(self, confidence: Fraction) -> int:
        """By which ways to answer are compared: how far intervals reach, in counts."""
        return self.reach(confidence)

    def likely_reach(self, confidence: Fraction) -> tuple[int, ...]:
        """About how many counts lie between each quantile and either end of its interval."""
        return (self.reach(confidence),) * len(self.task.levels)

    @property
    def usual_errors(self) -> tuple[float, ...]:
        """The mean error of an end in counts, where counts lie evenly in the cells."""
        one = nearest_float(1 / self.rate) if self.task.cells > 1 else 0.0
        return (one,) * len(self.task.levels)

    def error_bounds(self, confidence: Fraction) -> tuple[int, ...]:
        """For each level a distance of the middle cell that is not exceeded with this probability.

        It holds of all levels at once, and of every table: of rows in a few far cells too. The
        intervals are those of 95 %, or of this probability if that is more.
        """
        levels = len(self.task.levels)
        if self.task.cells == 1:
            return (0,) * levels
        reach = self.reach(max(confidence, USUAL_CONFIDENCE))
        astray = self.choice.rare_distance(self.task.cells + 1, (1 - confidence) / (2 * levels))
        return (reach + astray,) * levels
