"""One private choice of a cell by its distance from a rank, for many rows of counts at once."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.choosing.pick_rows import Places, flip_rows, weigh_rows
from leastnoise.mechanisms.choosing.rare_gap import flipping_missed, rare_gap, weighing_missed
from leastnoise.mechanisms.quantile.quantile_task import QuantileTask
from leastnoise.mechanisms.secret_counts import MOST_IN_ALL, Counts
from leastnoise.privacy.guarantee import PureDP
from leastnoise.randomness.source import Source

_RATE_BITS = 60  # what rounding down costs is not seen
Distances = NDArray[np.uint64]


@dataclass(frozen=True)
class RankChoice:
    """Permute-and-flip (pure) or the exponential mechanism (zCDP) on distances.

    Attributes:
        flips: whether it is permute-and-flip.
        rate: λ; chances fall by e^−λ per count of distance.
    """

    flips: bool
    rate: Fraction

    @classmethod
    def of(cls, task: QuantileTask, turns: int) -> "RankChoice":
        r"""As sharp as the promise allows if every level is chosen for so many times.

        docs/proofs/quantiles.md, sections 2, 3 and 7.
        """
        if isinstance(task.promise, PureDP):
            return cls(True, task.promise.epsilon / (turns * task.total_move))
        return cls(False, _root(8 * task.promise.rho / (turns * task.square_move)))

    def __str__(self) -> str:
        return "permute-and-flip" if self.flips else "the exponential mechanism"

    def pick(self, distances: Distances, parts: int, source: Source) -> Places:
        """A cell of each row; `parts`: how many units of distance make one count."""
        pick = flip_rows if self.flips else weigh_rows
        return pick(distances, self.rate / parts, source)

    def rare_distance(self, cells: int, failure: Fraction) -> int:
        """What is reached with at most this chance, if one cell of these has distance 0."""
        missed = flipping_missed if self.flips else weighing_missed
        return rare_gap(missed, cells, self.rate, failure)


def _root(value: Fraction) -> Fraction:
    """The square root, rounded down to a short number."""
    shift = _RATE_BITS - (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scale = Fraction(2) ** shift
    return Fraction(math.isqrt(math.floor(value * scale * scale))) / scale


def cut_off(level: Fraction) -> int:
    """From here on all distances from the quantile of this level count as the same."""
    return MOST_IN_ALL // level.denominator - 1


def rank_distances(counts: Counts, level: Fraction, before: int = 0) -> Distances:
    r"""The distance of each cell from the quantile of level a/b, times b; row by row.

    A cell holds the ranks from `below`, the sum of all cells before it, to `upto`, that and its own
    count. Its distance is that of a/b times the total from [below, upto]; from about 2**62/b on all
    distances count as the same. Some cell of each row always has distance 0.

    Args:
        counts: the rows.
        level: the quantile.
        before: if not 0, a cell that holds so many is put before all others; the total remains that
            of the others. Must be at most `cut_off(level)`.
    """
    totals = counts.sum(axis=1, dtype=np.int64)
    if before:
        counts = np.pad(counts, ((0, 0), (1, 0)), constant_values=before)
    upto = np.cumsum(counts, axis=1, dtype=np.int64)
    below, parts = upto - counts, level.denominator
    # Python's integers: the product may need more than 64 bits, the two parts do not.
    halves = [divmod(level.numerator * int(total), parts) for total in totals]
    rank, rest = np.array(halves, dtype=np.int64).reshape(-1, 2, 1).swapaxes(0, 1)
    farthest = cut_off(level) + 1
    low = np.clip(below - rank, -1, farthest) * parts - rest
    high = np.clip(rank - upto, -1, farthest) * parts + rest
    distances = np.maximum(np.maximum(low, high), 0)
    return np.asarray(np.minimum(distances, cut_off(level) * parts), dtype=np.uint64)
