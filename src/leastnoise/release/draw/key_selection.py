"""`KeySelection`: which groups found in the data may be shown."""

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
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
    """One choice of groups, for all questions about the same groups of the same rows.

    Attributes:
        by: what makes the groups.
        where: only rows for which this is true.
        fewest: no group of fewer units is shown.
    """

    by: tuple[KeyTerm, ...]
    where: Condition | None
    fewest: int = 1

    @classmethod
    def of(cls, groups: Groups) -> "KeySelection":
        """The choice that private groups need."""
        return cls(groups.by, groups.where, groups.fewest)

    def __str__(self) -> str:
        return str(Groups(self.by, where=self.where, fewest=self.fewest))

    def demand(self, table: BoundedTable, counts: Fraction = Fraction(0)) -> Demand:
        """As important as a count of units in each group, and the counts that it answers.

        Args:
            table: whose groups they are.
            counts: the importance of all questions that its own noisy counts answer.
        """
        reach = sensitivity(
            CountUnits(), table.effective(grouped=True, keys=None), table.neighbours
        )
        priced = noise_demand(reach, 1 + counts)
        return Demand(priced.weight, priced.pure, priced.concentrated, threshold=True)

    def measurement(self, table: BoundedTable) -> Measurement:
        """How many units are in each group."""
        return Measurement((CountUnits(),), table.bounds, self.by, None, self.where)

    def step(self, given: Grant, table: BoundedTable, *, counted: bool) -> Step:
        """The choice itself: how many units a group needs to be shown.

        Args:
            given: what it may spend.
            table: whose groups they are.
            counted: whether its counts are asked for; if not, more groups may be shown under zCDP.
        """
        least = table.effective(grouped=True, keys=None)
        assert isinstance(least, Bounds), "clips have public keys"
        promise = _promise(given)
        kind = CountedPartitions if counted else PartitionSelection
        rule = kind(
            promise,
            max_groups=least.max_groups,
            replace=table.neighbours is Neighbours.REPLACE,
            fewest=self.fewest,
        )
        return Step(self.measurement(table), rule, promise)


def _promise(given: Grant) -> ApproxDP | ZCDP:
    if isinstance(given.price, ZCDP):
        return ZCDP(rho=given.price.rho, delta=given.delta)
    return ApproxDP(epsilon=given.price.epsilon, delta=given.delta)
