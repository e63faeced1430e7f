"""`PartitionSelection`: which groups may be shown at all, when that they exist is a secret."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise.mechanisms.partitions.keep_choice import keep_step
from leastnoise.mechanisms.partitions.keep_rule import KeepRule
from leastnoise.mechanisms.partitions.keep_step import KeepStep
from leastnoise.mechanisms.partitions.keep_table import KeepTable, keep_table
from leastnoise.mechanisms.release import Release
from leastnoise.mechanisms.secret_counts import secret_counts
from leastnoise.randomness.source import Source, checked_source


class PartitionSelection(KeepRule):
    r"""Shows each group with a chance that depends only on how many units are in it.

    Law: a group of n units is shown with chance π(n), independently of all others. π(0) = 0, and
    π(n) = 1 − f(π(n−1)) for a trade-off function f: each chance is the greatest that cannot be
    told from the one before better than f allows.

    Theorem: for every symmetric trade-off function f this π is the greatest rule for which any two
    tables whose counts differ by 1 in one group are f-indistinguishable. For f of (ε, δ)-DP, units
    in one group each, it is so optimal among all rules. For all tables where a unit is in at most G
    groups, the promise holds for one unit more or less if f composed with itself G times keeps it;
    if a unit's groups are replaced by others, 2·G times.
    Proof: docs/proofs/partition_selection.md.

    With several groups per unit two kinds of f are considered for (ε, δ)-DP, (ε/k, δ′)-DP and a
    Gaussian with a leak of probability δ′, and before any data is seen the one is taken that shows
    smaller groups. Under zCDP the steps are the greatest of zCDP itself, ρ/k each.

    Args:
        promise: what the whole choice keeps, with δ > 0: `ApproxDP(epsilon=…, delta=…)` or
            `ZCDP(rho=…, delta=…)`.
        max_groups: G; no unit may be counted in more groups than this.
        replace: whether neighbours are tables where one unit's groups are replaced by others;
            otherwise one table has one unit more.
        fewest: no group of fewer units is ever shown; one of n units has the chance
            π(n − fewest + 1).

    Raises:
        InvalidParameter: another promise, δ = 0, or G < 1.

    References: DesfontainesVossGipsonMandayam2022, for one group per unit; HarrisonManurangsi2026,
    for Rényi divergences; DongRothSu2022, for trade-off functions.

    Example:
        >>> from leastnoise.privacy import ApproxDP
        >>> choice = PartitionSelection(ApproxDP(epsilon=1, delta="1e-6"))
        >>> choice.likely_kept("0.5"), choice.likely_kept("0.95"), choice.surely_kept
        (14, 16, 28)
        >>> choice.select([0, 1, 500, 28]).tolist()
        [False, False, True, True]
    """

    @property
    def step(self) -> KeepStep:
        """The promise kept by each single count."""
        return keep_step(self.promise, self.changes)

    @property
    def table(self) -> KeepTable:
        """The chances, all of them."""
        return keep_table(self.step)

    def select(self, counts: ArrayLike, source: Source | None = None) -> NDArray[np.bool_]:
        """Which groups to show, given how many units are in each.

        How long it takes depends on how many groups are small. Whoever shows the groups must not
        show their order in the data.

        Raises:
            InvalidParameter: not a row of counts; what was found is not said.
        """
        units = self.beyond_fewest(secret_counts(counts))
        return self.table.select(units, checked_source(source))

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[NDArray[np.bool_]]:
        """`select`, with the promise that travels with it."""
        return Release(self.select(value, source), self.guarantee, repr(self))
