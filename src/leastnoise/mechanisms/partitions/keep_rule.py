"""`KeepRule`: shows groups by how many units are in them, where it is secret which ones exist."""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY
from fractions import Fraction
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.mechanisms.partitions.keep_step import KeepStep
from leastnoise.mechanisms.partitions.keep_table import KeepTable
from leastnoise.mechanisms.secret_counts import Counts
from leastnoise.noise.laws.identity import Described
from leastnoise.privacy.guarantee import ZCDP, ApproxDP

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

_MOST_GROUPS = 1 << 20
_MOST_FEWEST = 1 << 40


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
class KeepRule(Described, ABC):
    """What all such rules have in common: a table of chances, and one promise for a unit's groups.

    A group of n units is treated as one of n − fewest + 1: what changes by 1 still changes by 1.
    """

    promise: ApproxDP | ZCDP = checked(_promise)
    _: KW_ONLY
    max_groups: Whole = checked(_check.whole(1, _MOST_GROUPS), default=1)
    replace: bool = checked(_check.flag, default=False)
    fewest: Whole = checked(_check.whole(1, _MOST_FEWEST), default=1)

    @property
    def guarantee(self) -> ApproxDP | ZCDP:
        """The promise about neighbours."""
        return self.promise

    @property
    def changes(self) -> int:
        """How many counts a unit can change, each by 1."""
        return self.max_groups * (2 if self.replace else 1)

    @property
    def unseen(self) -> int:
        """How many units of each group the rule does not look at."""
        return self.fewest - 1

    @property
    @abstractmethod
    def step(self) -> KeepStep:
        """The promise kept by each single count."""

    @property
    @abstractmethod
    def table(self) -> KeepTable:
        """The chances, all of them, by how many units there are beyond the unseen."""

    def privacy(self, distance: SupportsIndex = 1) -> "PrivacyLoss":
        """A loss that dominates one draw if up to `distance` units change.

        Raises:
            UnsupportedQuery: the promise is one of zCDP and the rule is made for just that.
        """
        return self.step.loss(self.changes).for_group(distance)

    def keep_probability(self, count: SupportsIndex) -> Fraction:
        """The exact chance that a group of this many units is shown."""
        units = _check.integer_between(count, "count", 0)
        return self.table.chance(max(units - self.unseen, 0))

    def likely_kept(self, confidence: Exact) -> int:
        """The least number of units with which a group is shown with at least this chance."""
        chance = _check.probability(confidence, "confidence")
        return self.table.least(chance) + self.unseen if chance else 0

    @property
    def surely_kept(self) -> int:
        """The least number of units with which a group is always shown."""
        return self.table.surely + self.unseen

    def beyond_fewest(self, counts: Counts) -> Counts:
        """How many units each group has beyond those that are asked of it; 0 if none."""
        return np.maximum(counts - self.unseen, 0)
