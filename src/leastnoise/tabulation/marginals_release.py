"""`MarginalsRelease`: noisy counts with everything that is known about their errors."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.interval import Interval
from leastnoise.tabulation.mean_band import hidden_shares, outward
from leastnoise.tabulation.noise_family import Target
from leastnoise.tabulation.noisy_marginals import NoisyMarginals
from leastnoise.tabulation.objective import Objective
from leastnoise.tabulation.one_way_marginals import OneWayMarginals
from leastnoise.tabulation.ranking import Ranked

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class MarginalsRelease:
    """The counts of ones of all columns, released with noise.

    Everything here is public: what is computed from it costs no privacy.

    Args:
        noisy: what was drawn.
        mechanism: what drew it.
        objective: what was made small.
        ranking: the kinds of noise that were compared, the one used first.
        names: the names of the columns, if they have any.
        signs: whether the data were −1 and 1; means then lie in [−1, 1].
    """

    noisy: NoisyMarginals
    mechanism: OneWayMarginals
    objective: Objective
    ranking: tuple[Ranked, ...]
    names: tuple[str, ...] | None
    signs: bool

    def __repr__(self) -> str:
        shown = np.array2string(np.asarray(self.counts), threshold=6, edgeitems=3)
        return f"MarginalsRelease({shown}, {self.guarantee!r})"

    @property
    def guarantee(self) -> Target:
        """The promise the counts were released under."""
        return self.mechanism.guarantee

    @property
    def certificate(self) -> None:
        """What proves that no mechanism of the class does better; None, as nothing does yet."""

    # Values

    @property
    def records(self) -> int | None:
        """The number of rows, noisy if it is secret; None if it was not released."""
        return self.noisy.records

    @property
    def counts(self) -> Draws | Floats:
        """Noisy counts of ones. Unbiased, so some may be negative, or above the number of rows."""
        return self.noisy.counts

    @property
    def clipped_counts(self) -> Draws | Floats:
        """The counts moved to the range a count can have: never farther from the truth."""
        return np.asarray(np.clip(self.counts, 0, self._most))

    @property
    def _most(self) -> int | None:
        """The greatest count there can be, if that is known for sure."""
        return None if self.mechanism.hides_records else self.noisy.records

    @property
    def means(self) -> Floats:
        """The mean of each column; noisy counts over the number of rows.

        Raises:
            UnsupportedQuery: the number of rows is secret and was not released.
        """
        return self._as_means(self.counts.astype(np.float64) / self._rows)

    @property
    def clipped_means(self) -> Floats:
        """The means moved to the range a mean can have."""
        shares = self.counts.astype(np.float64) / self._rows
        return self._as_means(np.clip(shares, 0, 1))

    def mean(self, column: int) -> Fraction:
        """The mean of one column, exactly as it follows from the released integers."""
        count = Fraction(int(self.noisy.numerators[column]), self.noisy.denominator)
        share = count / self._rows
        return 2 * share - 1 if self.signs else share

    def _as_means(self, shares: Floats) -> Floats:
        return 2 * shares - 1 if self.signs else shares

    @property
    def _rows(self) -> int:
        """The number of rows to divide by; a noisy number of none or fewer is taken for 1."""
        if self.noisy.records is not None:
            return max(1, self.noisy.records)
        raise UnsupportedQuery(
            "means need the number of rows, which neighbours='add_remove' keeps secret; with this "
            "few columns it was not released. Use counts, or neighbours='replace'."
        )

    # Errors

    @property
    def expected_error(self) -> Interval:
        """The expected error of counts that the objective names."""
        return self.mechanism.expected_cost(self.objective)

    def error(self, confidence: Exact) -> Interval:
        """The error of counts that all columns stay within at once, with this probability."""
        return self.mechanism.error(confidence)

    def single_error(self, confidence: Exact) -> Interval:
        """The error of a count that any one given column stays within, with this probability."""
        return self.mechanism.single_error(confidence)

    def band(self, confidence: Exact) -> tuple[Floats, Floats]:
        """Lower and upper ends that hold all true counts at once, with this probability.

        The probability is that of the noise, for every table.
        """
        margin = math.nextafter(float(self.error(confidence).upper), math.inf)
        counts = self.counts.astype(np.float64)
        return (
            np.clip(np.floor(2 * (counts - margin)) / 2, 0, self._most),
            np.clip(np.ceil(2 * (counts + margin)) / 2, 0, self._most),
        )

    def mean_band(self, confidence: Exact) -> tuple[Floats, Floats]:
        """Lower and upper ends that hold all true means at once, with this probability.

        Raises:
            UnsupportedQuery: the number of rows is secret and was not released.
        """
        rows = self._rows
        if self.mechanism.hides_records:
            low, high = hidden_shares(self.noisy, self.mechanism.perturbation, confidence)
        else:
            low, high = (
                outward(end / rows, side)
                for end, side in zip(self.band(confidence), (-1, 1), strict=True)
            )
        return self._as_means(np.clip(low, 0, 1)), self._as_means(np.clip(high, 0, 1))

    @property
    def runners_up(self) -> tuple[tuple[str, Interval], ...]:
        """The other kinds of noise, each with its expected error as a multiple of this one's."""
        best, *others = self.ranking
        return tuple((ranked.family.value, ranked.ratio_to(best)) for ranked in others)
