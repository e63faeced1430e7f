"""`KeySelection`: which groups found in the data may be shown."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.engine.aggregate import CountUnits, sensitivity
from leastnoise.engine.bounds import Bounds
from leastnoise.engine.demand import Demand, noise_demand
from leastnoise.engine.expression import Condition
from leastnoise.engine.grant import Grant
from leastnoise.engine.groups import Groups, KeyTerm
from leastnoise.engine.keys import Key
from leastnoise.engine.measurement import Answer, Measurement
from leastnoise.engine.neighbours import Neighbours
from leastnoise.engine.table import Table
from leastnoise.mechanisms.partition_selection import PartitionSelection
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.randomness.source import Source


@dataclass(frozen=True)
class KeySelection:
    """One choice of groups, for all questions about the same groups of the same rows."""

    by: tuple[KeyTerm, ...]
    where: Condition | None

    @classmethod
    def of(cls, groups: Groups) -> "KeySelection":
        """The choice that private groups need."""
        return cls(groups.by, groups.where)

    def demand(self, table: Table, bounds: Bounds) -> Demand:
        """As important as a count of units in each group."""
        least = table.effective_bounds(bounds, grouped=True, keys=None)
        reach = sensitivity(CountUnits(), least, table.neighbours)
        priced = noise_demand(reach, Fraction(1))
        return Demand(priced.weight, priced.pure, priced.concentrated, threshold=True)

    def measurement(self, bounds: Bounds) -> Measurement:
        """How many units are in each group."""
        return Measurement((CountUnits(),), bounds, self.by, None, self.where)

    def rule(self, given: Grant, table: Table, bounds: Bounds) -> PartitionSelection:
        """How many units a group needs to be shown."""
        least = table.effective_bounds(bounds, grouped=True, keys=None)
        return PartitionSelection(
            _promise(given),
            max_groups=least.max_groups,
            replace=table.neighbours is Neighbours.REPLACE,
        )

    def select(self, rule: PartitionSelection, secret: Answer, source: Source) -> "Shown":
        """The groups that may be shown; their order says nothing about the data."""
        kept = np.flatnonzero(rule.select(secret.totals[0], source))
        pairs = sorted((secret.rows[place], int(place)) for place in kept)
        places = np.array([place for _, place in pairs], dtype=np.intp)
        return Shown(tuple(row for row, _ in pairs), places)


def _promise(given: Grant) -> ApproxDP | ZCDP:
    if isinstance(given.price, ZCDP):
        return ZCDP(rho=given.price.rho, delta=given.delta)
    return ApproxDP(epsilon=given.price.epsilon, delta=given.delta)


@dataclass(frozen=True)
class Shown:
    """The groups that may be shown.

    Attributes:
        rows: their keys, sorted; public.
        places: where they stand in the engine's answer; secret.
    """

    rows: tuple[tuple[Key, ...], ...]
    places: NDArray[np.intp]


def restricted(secret: Answer, shown: "Shown") -> Answer:
    """The totals of the groups that may be shown."""
    return Answer(shown.rows, tuple(total[shown.places] for total in secret.totals))
