"""`KeySelection`: which groups found in the data may be shown."""

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import Condition
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.step.aggregate import CountUnits, sensitivity
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, noise_demand
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.groups import Groups, KeyTerm
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step


@dataclass(frozen=True)
class KeySelection:
    """One choice of groups, for all questions about the same groups of the same rows."""

    by: tuple[KeyTerm, ...]
    where: Condition | None

    @classmethod
    def of(cls, groups: Groups) -> "KeySelection":
        """The choice that private groups need."""
        return cls(groups.by, groups.where)

    def demand(self, table: BoundedTable) -> Demand:
        """As important as a count of units in each group."""
        reach = sensitivity(
            CountUnits(), table.effective(grouped=True, keys=None), table.neighbours
        )
        priced = noise_demand(reach, Fraction(1))
        return Demand(priced.weight, priced.pure, priced.concentrated, threshold=True)

    def measurement(self, table: BoundedTable) -> Measurement:
        """How many units are in each group."""
        return Measurement((CountUnits(),), table.bounds, self.by, None, self.where)

    def step(self, given: Grant, table: BoundedTable) -> Step:
        """The choice itself: how many units a group needs to be shown."""
        least = table.effective(grouped=True, keys=None)
        assert isinstance(least, Bounds), "clips have public keys"
        promise = _promise(given)
        rule = PartitionSelection(
            promise,
            max_groups=least.max_groups,
            replace=table.neighbours is Neighbours.REPLACE,
        )
        return Step(self.measurement(table), rule, promise)


def _promise(given: Grant) -> ApproxDP | ZCDP:
    if isinstance(given.price, ZCDP):
        return ZCDP(rho=given.price.rho, delta=given.delta)
    return ApproxDP(epsilon=given.price.epsilon, delta=given.delta)
