"""`Quantiles`: several quantiles at once, from counts on a public grid."""

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.quantile.chosen_quantiles import ChosenQuantiles
from leastnoise.mechanisms.quantile.counted_quantiles import CountedQuantiles, best_tree
from leastnoise.mechanisms.quantile.factored_quantiles import FactoredQuantiles, factored
from leastnoise.mechanisms.quantile.paired_quantiles import PairedQuantiles
from leastnoise.mechanisms.quantile.quantile_task import USUAL_CONFIDENCE, QuantileTask
from leastnoise.mechanisms.release import Release
from leastnoise.mechanisms.secret_array import NOT_SHOWN
from leastnoise.mechanisms.secret_counts import Counts, secret_counts
from leastnoise.noise.laws.identity import Described
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.randomness.source import Source, checked_source

Way = ChosenQuantiles | PairedQuantiles | CountedQuantiles | FactoredQuantiles


class Quantiles(Described, QuantileTask):
    r"""The cells of a grid that hold the quantiles, nearly.

    A cell's *distance* from the quantile q is how many counts lie between it and the rank q·n: 0 if
    the cell holds that rank. Distances bound the error: a cell at distance t holds a quantile of
    a level between q − t/n and q + t/n.

    Law: before any data is seen, the way is taken whose error has the smallest bound: a private
    choice for each quantile (few quantiles), one tree of noisy counts (many), or under zCDP all
    ranks measured together (many). With `ends` it is the way with the narrowest intervals, and two
    choices around each quantile in the place of one.
    Theorem: for all tables where one unit adds at most `contribution` to all counts together, of
    all rows of counts released together, the answers keep the promise.
    Proof: docs/proofs/quantiles.md.

    Args:
        levels: rising numbers in (0, 1), such as [0.25, 0.5, 0.75]; 0.1 is taken for a tenth.
        cells: how many cells the grid has; public.
        contribution: the most that one unit adds to all counts together, an integer.
        promise: what all answers together keep: a `PureDP` or a `ZCDP`.
        replace: whether neighbours are tables where one unit's rows are replaced by others;
            otherwise one table has one unit more.
        grouped: whether several rows of counts, one for each group, are released together.
        ends: whether it shall be said between which cells each quantile is, on some of the promise.

    References: Smith2011, for the exponential mechanism on ranks; HayRastogiMiklauSuciu2010, for
    trees made consistent.

    Example:
        >>> promise = PureDP(epsilon=1)
        >>> ages = Quantiles([0.25, 0.5, 0.75], cells=110, contribution=1, promise=promise)
        >>> ages.error_bounds("0.95")
        (29, 29, 29)
        >>> cells = ages.release(np.full(110, 1000)).value
        >>> bool((abs(cells - [27, 55, 82]) <= 1).all())
        True
    """

    @property
    def guarantee(self) -> PureDP | ZCDP:
        """The promise about neighbours."""
        return self.promise

    @property
    def way(self) -> Way:
        """How the cells are found: what has the smaller error, known before data."""
        return _best_way(self)

    def error_bounds(self, confidence: Exact) -> tuple[int, ...]:
        """For each level a distance, in counts, that is not exceeded with this probability.

        It holds of every table; the usual error is smaller.
        """
        return self.way.error_bounds(_below_one(confidence))

    def likely_reach(self, confidence: Exact) -> int:
        """About how many counts lie between a quantile and either end of its interval, at most.

        Raises:
            UnsupportedQuery: there are no intervals.
        """
        return max(self._with_ends.likely_reach(_below_one(confidence)))

    @property
    def usual_error(self) -> float:
        """The mean error of an end of an interval, in counts; of the worst level.

        Raises:
            UnsupportedQuery: there are no intervals.
        """
        return max(self._with_ends.usual_errors)

    @property
    def _with_ends(self) -> PairedQuantiles | CountedQuantiles | FactoredQuantiles:
        way = self.way
        if not isinstance(way, ChosenQuantiles):
            return way
        raise UnsupportedQuery(
            "intervals must be asked for to reach anywhere; got ends=False. Write ends=True."
        )

    @property
    def has_ends(self) -> bool:
        """Whether it can say between which cells a quantile is: one choice alone cannot."""
        return not isinstance(self.way, ChosenQuantiles)

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[NDArray[np.int64]]:
        """The cells of the quantiles, from 0, rising.

        Args:
            value: a row of counts, one for each cell. If `grouped`, an array of such rows; a unit
                adds at most `contribution` to all of them together. Each gets a row of answers.
            source: where the randomness comes from.

        Raises:
            InvalidParameter: something else was given; what was found is not said.
        """
        found = self.release_with_ends(value, USUAL_CONFIDENCE, source).value
        return Release(np.ascontiguousarray(found[..., 0]), self.guarantee, repr(self))

    def release_with_ends(
        self, value: ArrayLike, confidence: Exact, source: Source | None = None
    ) -> Release[NDArray[np.int64]]:
        """For each quantile three cells: its own, and the first and last it may truly be in.

        The last two hold with the stated probability for each quantile, of every table. Where each
        cell was chosen alone nothing is known, and they are the first and last of all: see `ends`.
        """
        rows, chance = self._rows(value), _below_one(confidence)
        found = self.way.draw(rows, chance, checked_source(source))
        return Release(found if self.grouped else found[0], self.guarantee, repr(self))

    def _rows(self, value: ArrayLike) -> Counts:
        if not self.grouped:
            return secret_counts(value, self.cells)[np.newaxis]
        if isinstance(value, np.ndarray) and value.ndim == 2:
            rows = [secret_counts(row, self.cells) for row in value]
            return np.array(rows, dtype=np.int64).reshape(len(rows), self.cells)
        raise _check.refuse(
            "`value` must be a two-dimensional array of counts if `grouped`",
            NOT_SHOWN,
            "Give one row of counts for each group.",
        )


def _below_one(confidence: Exact) -> Fraction:
    chance = _check.probability(confidence, "confidence")
    if chance < 1:
        return chance
    raise _check.refuse("`confidence` must be below 1", "1", "No distance is certain: write 0.95.")


@lru_cache(maxsize=16)
def _best_way(task: QuantileTask) -> Way:
    """The smaller error for the worst level at 95 %."""
    choices = PairedQuantiles(task) if task.ends else ChosenQuantiles(task)
    summed = best_tree(task, USUAL_CONFIDENCE), factored(task)
    ways: tuple[Way, ...] = (choices, *(way for way in summed if way is not None))
    return min(ways, key=lambda way: way.score(USUAL_CONFIDENCE))
