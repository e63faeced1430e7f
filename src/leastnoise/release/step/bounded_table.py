"""`BoundedTable`: a table and how much of one unit counts: what a question's price depends on."""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import ONE_ROW, Bounds
from leastnoise.release.ask.clip import Clip, clip_weight
from leastnoise.release.ask.keys import Keys
from leastnoise.release.ask.measured_cut import MeasuredCut
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.step.histograms import row_weight


@dataclass(frozen=True)
class BoundedTable:
    """Handed to a question whenever it is asked for something: it holds no such facts itself.

    Attributes:
        table: whose rows they are, and what privacy is promised for.
        bounds: how much of one unit counts.
        cut: how what the bounds leave out is measured; None if it is not.
    """

    table: Table
    bounds: Bounds | Clip
    cut: MeasuredCut | None = None

    @property
    def neighbours(self) -> Neighbours:
        """What privacy is promised for."""
        return self.table.neighbours

    @property
    def max_rows(self) -> int:
        """How many rows of a unit count in a histogram."""
        assert isinstance(self.bounds, Bounds), "no histogram is clipped"
        return self.bounds.max_rows

    @property
    def row_weight(self) -> int:
        """W: counts of a histogram are in units of 1/W rows."""
        return row_weight(self.table)

    @property
    def clip_weight(self) -> int:
        """W: answers under a clip are in units of 1/W."""
        return clip_weight(self.table, self.bounds)

    @property
    def most(self) -> int:
        """The most that one unit adds to all counts of a histogram together."""
        return 1 if self.table.unit is None else self.max_rows * self.row_weight

    def effective(self, *, grouped: bool, keys: Keys | None) -> Bounds | Clip:
        """The least bounds that hold of some groups; a clip is one by itself."""
        if isinstance(self.bounds, Clip):
            return ONE_ROW if self.table.unit is None else self.bounds
        return self.table.effective_bounds(self.bounds, grouped=grouped, keys=keys)
