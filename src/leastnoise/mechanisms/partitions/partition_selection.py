"""`PartitionSelection`: which groups may be shown at all, when that they exist is a secret."""

from dataclasses import KW_ONLY
from fractions import Fraction
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.mechanisms.partitions.keep_choice import keep_step
from leastnoise.mechanisms.partitions.keep_step import KeepStep
from leastnoise.mechanisms.partitions.keep_table import KeepTable, keep_table
from leastnoise.mechanisms.release import Release
from leastnoise.mechanisms.secret_counts import secret_counts
from leastnoise.noise.laws.identity import Described
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source, checked_source

_MOST_GROUPS = 1 << 20


def _promise(promise: ApproxDP | ZCDP, name: str) -> ApproxDP | ZCDP:
    example = "Write for example ApproxDP(epsilon=1, delta='1e-6')."
    rule = f"`{name}` must be an ApproxDP or a ZCDP with a delta"
    if _check.kind(promise, ApproxDP | ZCDP, rule, example).delta:
        return promise
    raise _check.refuse(
        f"`{name}` must have a delta above 0",
        "delta=0",
        "Without it no group that is secret can ever be shown; or make the groups public.",
    )


@frozen(repr=False)
class PartitionSelection(Described):
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

    Raises:
        InvalidParameter: another promise, δ = 0, or G < 1.

    References: DesfontainesVossGipsonMandayam2022, for one group per unit; HarrisonManurangsi2026,
    for Rényi divergences; DongRothSu2022, for trade-off functions.

    Example:
        >>> choice = PartitionSelection(ApproxDP(epsilon=1, delta="1e-6"))
        >>> choice.likely_kept("0.5"), choice.likely_kept("0.95"), choice.surely_kept
        (14, 16, 28)
        >>> choice.select([0, 1, 500, 28]).tolist()
        [False, False, True, True]
    """

    promise: ApproxDP | ZCDP = checked(_promise)
    _: KW_ONLY
    max_groups: Whole = checked(_check.whole(1, _MOST_GROUPS), default=1)
    replace: bool = checked(_check.flag, default=False)

    @property
    def guarantee(self) -> ApproxDP | ZCDP:
        """The promise about neighbours."""
        return self.promise

    @property
    def changes(self) -> int:
        """How many counts a unit can change, each by 1."""
        return self.max_groups * (2 if self.replace else 1)

    @property
    def step(self) -> KeepStep:
        """The promise kept by each single count."""
        return keep_step(self.promise, self.changes)

    @property
    def table(self) -> KeepTable:
        """The chances, all of them."""
        return keep_table(self.step)

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """A loss that dominates one choice if up to `distance` units change.

        Raises:
            UnsupportedQuery: the promise is one of zCDP and the rule is made for just that.
        """
        return self.step.loss(self.changes).for_group(distance)

    def keep_probability(self, count: SupportsIndex) -> Fraction:
        """The exact chance that a group of this many units is shown."""
        return self.table.chance(_check.integer_between(count, "count", 0))

    def likely_kept(self, confidence: Exact) -> int:
        """The least number of units with which a group is shown with at least this chance."""
        return self.table.least(_check.probability(confidence, "confidence"))

    @property
    def surely_kept(self) -> int:
        """The least number of units with which a group is always shown."""
        return self.table.surely

    def select(self, counts: ArrayLike, source: Source | None = None) -> NDArray[np.bool_]:
        """Which groups to show, given how many units are in each.

        How long it takes depends on how many groups are small. Whoever shows the groups must not
        show their order in the data.

        Raises:
            InvalidParameter: not a row of counts; what was found is not said.
        """
        return self.table.select(secret_counts(counts), checked_source(source))

    def release(self, value: ArrayLike, source: Source | None = None) -> Release[NDArray[np.bool_]]:
        """`select`, with the promise that travels with it."""
        return Release(self.select(value, source), self.guarantee, repr(self))
