"""`Measurement`: one pass over the bounded table; its result is a `SecretTotals`."""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import KeyExpression
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Condition
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.schedule import Turns
from leastnoise.release.step.aggregate import Aggregate


@dataclass(frozen=True)
class Measurement:
    """Aggregates of the rows that meet a condition, for each group.

    Attributes:
        aggregates: what to sum in each group.
        bounds: how much of one unit counts.
        by: the columns that make the groups; none for one total.
        keys: the groups, if they are public; None to be given those in the data.
        where: only rows for which this is true.
        turns: only rows of steps in which their units count; None for all rows.
    """

    aggregates: tuple[Aggregate, ...]
    bounds: Bounds | Clip
    by: tuple[KeyExpression, ...] = ()
    keys: Keys | None = None
    where: Condition | None = None
    turns: Turns | None = None

    @property
    def results(self) -> int:
        """How many `SecretTotals` the engine finds for it."""
        return 1
