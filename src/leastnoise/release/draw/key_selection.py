"""`KeySelection`: which groups found in the data may be shown."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
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
    """One choice of groups, for all questions about the same groups of the same bounded rows.

    Attributes:
        by: what makes the groups.
        where: only rows for which this is true.
        bounds: how much of one unit counts.
        fewest: no group of fewer units is shown.
    """

    by: tuple[KeyTerm, ...]
    where: Condition | None
    bounds: Bounds
    fewest: int = 1

    @classmethod
    def of(cls, groups: Groups, table: BoundedTable) -> "KeySelection":
        """The choice that private groups of a table need."""
        least = groups.effective_bounds(table)
        assert isinstance(least, Bounds), "clips have public keys"
        return cls(groups.by, groups.where, least, groups.fewest)

    def __str__(self) -> str:
        return str(Groups(self.by, where=self.where, fewest=self.fewest))

    def demand(self, neighbours: Neighbours, counts: Fraction = Fraction(0)) -> Demand:
        """As important as a count of units in each group, and the counts that it answers.

        Args:
            neighbours: what privacy is promised for.
            counts: the importance of all questions that its own noisy counts answer.
        """
        reach = sensitivity(CountUnits(), self.bounds, neighbours)
        priced = noise_demand(reach, 1 + counts)
        return Demand(priced.weight, priced.pure, priced.concentrated, threshold=True)

    @property
    def measurement(self) -> Measurement:
        """How many units are in each group."""
        return Measurement((CountUnits(),), self.bounds, self.by, None, self.where)

    def step(self, given: Grant, neighbours: Neighbours, *, counted: bool) -> Step:
        """The choice itself: how many units a group needs to be shown.

        Args:
            given: what it may spend.
            neighbours: what privacy is promised for.
            counted: whether its counts are asked for; if not, more groups may be shown under zCDP.
        """
        promise = _promise(given)
        kind = CountedPartitions if counted else PartitionSelection
        rule = kind(
            promise,
            max_groups=self.bounds.max_groups,
            replace=neighbours is Neighbours.REPLACE,
            fewest=self.fewest,
        )
        return Step(self.measurement, rule, promise)


def _promise(given: Grant) -> ApproxDP | ZCDP:
    if isinstance(given.price, ZCDP):
        return ZCDP(rho=given.price.rho, delta=given.delta)
    return ApproxDP(epsilon=given.price.epsilon, delta=given.delta)
