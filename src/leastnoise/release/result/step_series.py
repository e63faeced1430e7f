"""`StepSeries`: the running totals of all steps that were released; public."""

from leastnoise._dataclass import dataclass
from leastnoise.release.result.released_table import ReleasedTable


@dataclass(frozen=True, eq=False, repr=False)
class StepSeries(ReleasedTable):
    """A table of running totals: its first column is the first day of each step.

    Its picture is a line with a band, over time.
    """

    def __repr__(self) -> str:
        return f"StepSeries({self.name!r}, {len(self)} answers)"
