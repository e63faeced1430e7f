"""`CountedPartitions`: one noise decides which groups are shown, and is their count's noise too."""

from fractions import Fraction
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.mechanisms.partitions.count_choice import count_step
from leastnoise.mechanisms.partitions.count_interval import Ends, count_ends
from leastnoise.mechanisms.partitions.count_table import CountStep, count_noise, count_table
from leastnoise.mechanisms.partitions.keep_rule import KeepRule
from leastnoise.mechanisms.partitions.keep_table import KeepTable
from leastnoise.mechanisms.release import Release
from leastnoise.mechanisms.secret_counts import Counts, secret_counts
from leastnoise.noise.laws.table_law import TableLaw
from leastnoise.randomness.source import Source, checked_source


class CountedPartitions(KeepRule):
    r"""Shows groups as `PartitionSelection` does, each with a noisy count that costs nothing more.

    Law: for every group draw W with P(W ≤ n) = π(n), the chance that the rule shows a group of n
    units. The group is shown if W ≤ n, and then with the number n + τ − W; τ is the median of W.

    Theorem: let f be a symmetric trade-off function with f(0) < 1, π(0) = 0 and
    π(n) = 1 − f(π(n−1)). For any two tables whose counts differ by 1 in one group, everything that
    is shown, numbers included, keeps f; a group of n units is shown with chance exactly π(n). If
    neighbours differ in k counts, f composed with itself k times is kept.
    Proof: W ≥ 1, so that what is shown is a function of n − W for n = 0 too. The chances of W have
    ratios P(W = n+1)/P(W = n) that never rise: they are slopes of chords of 1 − f, which is
    concave. So the best tests of −W against 1 − W look whether W is small, and those are the coins
    of the rule. Details, rounding included: docs/proofs/partition_selection.md, section 6.

    f is that of (ε/k, δ′)-DP or of a Gaussian with a leak. Which one is taken before any data is
    seen, by the size shown with an even chance and the mean error together. The leak is all that
    the promise allows, less a part in 10^12 that pays for rounding; less of it where the integers
    make that much better for the error, which happens from about ε = 2 on. Under zCDP it is the
    Gaussian: the greatest rule of zCDP itself is not known to be a noise.

    No number below τ + fewest − 1 is ever shown. Groups of fewer units, if they show at all, look
    like that number plus a little: nothing else can be told of them. `ends` are intervals that
    hold given that a group is shown.

    Args:
        promise: what all of it keeps, with δ > 0: `ApproxDP(epsilon=…, delta=…)` or
            `ZCDP(rho=…, delta=…)`.
        max_groups: G; no unit may be counted in more groups than this.
        replace: whether neighbours are tables where one unit's groups are replaced by others;
            otherwise one table has one unit more.
        fewest: no group of fewer units is ever shown.

    Raises:
        InvalidParameter: another promise, δ = 0, or G < 1.

    References: DesfontainesVossGipsonMandayam2022, for the rule; DongRothSu2022, for trade-off
    functions.

    Example:
        >>> from leastnoise.privacy import ApproxDP
        >>> counts = CountedPartitions(ApproxDP(epsilon=1, delta="1e-6"))
        >>> counts.likely_kept("0.5"), counts.likely_kept("0.95"), counts.least_shown
        (14, 16, 14)
        >>> round(float(counts.noise.variance), 4), round(float(counts.noise.moment(1)), 4)
        (1.904, 0.8821)
        >>> shown = counts.release([0, 1, 500]).value
        >>> list(shown), abs(shown[2] - 500) < 15
        ([2], True)
    """

    @property
    def step(self) -> CountStep:
        """The promise kept by each single count."""
        return count_step(self.promise, self.changes)

    @property
    def table(self) -> KeepTable:
        """P(W ≤ n) for all n."""
        return count_table(self.step)

    @property
    def noise(self) -> TableLaw:
        """What is added to the count of a group that is shown: τ − W."""
        return count_noise(self.step)

    @property
    def least_shown(self) -> int:
        """The least number that is ever shown."""
        return self.table.least(Fraction(1, 2)) + self.unseen

    def draw(self, counts: ArrayLike, source: Source) -> tuple[NDArray[np.intp], Counts]:
        """The places of the groups to show, and their numbers: one draw for every group.

        Raises:
            InvalidParameter: not a row of counts; what was found is not said.
        """
        exact = secret_counts(counts)
        drawn = self.noise.sample(len(exact), source=source)
        noisy = exact + np.asarray(drawn, np.int64)
        places = np.flatnonzero(noisy >= self.least_shown)
        return places, noisy[places]

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[dict[int, int]]:
        """The numbers of the groups that are shown, by their places in what was given."""
        places, numbers = self.draw(value, checked_source(source))
        shown = dict(zip(places.tolist(), numbers.tolist(), strict=True))
        return Release(shown, self.guarantee, repr(self))

    def ends(self, shown: Counts, confidence: Exact) -> Ends:
        r"""Where the exact counts of groups lie that are shown with these numbers.

        Theorem: whatever the exact count of a group is, given that it is shown the interval misses
        it with a chance of at most 1 − confidence, half of that on either side.
        """
        level = _check.probability(confidence, "confidence")
        lower, upper = count_ends(self.table, shown - self.least_shown, (1 - level) / 2)
        return lower + self.unseen, upper + self.unseen

    def shown_law(self, count: SupportsIndex) -> dict[int | None, Fraction]:
        """The chance of every number that a group of this many units may show; None: not shown."""
        units = _check.integer_between(count, "count", 0)
        noise = self.noise.weights.items()
        shown: dict[int | None, Fraction] = {
            units + by: chance for by, chance in noise if units + by >= self.least_shown
        }
        return shown | {None: 1 - sum(shown.values(), Fraction(0))}
