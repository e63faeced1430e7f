"""`Mean`: the mean of a column; missing values do not count."""

from fractions import Fraction

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.chosen_ends import NONE_CHOSEN, ChosenEnds
from leastnoise.release.ask.expression import Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.integer_answers import lattice_forecast, noisy_step, spread
from leastnoise.release.questions.moved_answer import Moved
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.own_unit import in_own_unit
from leastnoise.release.questions.ratio_ends import ChordReach, ratio_ends, ratio_reach
from leastnoise.release.questions.yardstick import in_range
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.aggregate import DistanceAbove, DistanceBelow
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step


@dataclass(frozen=True)
class Mean:
    r"""The mean of a column; missing values do not count.

    Two sums are released, s = Σ (x − lower) and t = Σ (upper − x): together they move no more than
    one of them alone, and s/(s + t) is the place of the mean between the bounds.
    """

    name: str
    groups: Groups
    column: Term
    grid: Grid
    importance: Fraction
    ends: ChosenEnds = NONE_CHOSEN

    @property
    def limits(self) -> tuple[float, float]:
        """A mean of values in a range is in it."""
        return float(self.grid.lower), float(self.grid.upper)

    @property
    def inside(self) -> tuple[float, float] | None:
        """The bounds that values are cut to."""
        return self.limits

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The mean of {self.column.name}{self.groups}; values are cut to "
            f"{self.ends.words(self.grid)}, missing ones do not count."
        )

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for both sums; an error is weighed against the most that one row adds."""
        weight = self.importance / (self.grid.most - self.grid.least)
        return (cells_demand(self.measurements(table)[0], table, weight),)

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """Two sums per group."""
        both = DistanceBelow(self.column, self.grid), DistanceAbove(self.column, self.grid)
        return (self.groups.measurement(both, table),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw for every cell."""
        return (noisy_step(self.measurements(given.table)[0], given[0], among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of the mean, for the rows expected, wherever between the bounds it is."""
        told = lattice_forecast(self.name, self.groups, given[0], self.grid.step, confidence)
        row = float(self.grid.most - self.grid.least) * given.table.clip_weight
        noise = NoiseTogether.of((given[0], given[0]), (row, row))
        place = self.grid.share_of(given.expected.answer)
        places = (0.0, 0.5, 1.0) if place is None else (place,)
        cases = [Moved((1 - p, -p), (1.0, 1.0), most=1.0) for p in places]
        range_, rows = float(self.grid.upper - self.grid.lower), given.expected.rows
        told = in_own_unit(told, noise, cases, range_, rows, confidence)
        return in_range(told, self.grid, given.expected)

    def make_ready(self, given: Allotment, confidence: Fraction) -> None:
        """How far both numbers reach is known before the charge."""
        self._reach(given, float(1 - confidence))

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The means; the interval holds what the joint law of both sums does not rule out."""
        below, above = (total.astype(np.float64) for total in found[0].values)
        values = self._between(below, above)
        lower, upper = self._ends(below, above, self._reach(given, float(1 - confidence)))
        return ReleasedTable(
            name=self.name,
            columns=self.groups.names,
            rows=found[0].rows,
            values=values,
            standard_error=self._spread(below, above, spread(given[0])),
            lower=np.minimum(lower, values),
            upper=np.maximum(upper, values),
            mechanism=given[0].words,
        )

    def _reach(self, given: Allotment, risk: float) -> ChordReach:
        """Of (1 − p)·(noise of s) − p·(noise of t), p the place of the mean between the bounds."""
        noise = NoiseTogether.of((given[0], given[0]), (1.0, 1.0))
        return ratio_reach(noise, ((1.0, 0.0), (-1.0, -1.0)), (0.0, 1.0), risk)

    def _ends(self, below: Floats, above: Floats, reach: ChordReach) -> tuple[Floats, Floats]:
        """Of the means: s is the place times s + t."""
        low, range_ = float(self.grid.lower), float(self.grid.upper - self.grid.lower)
        least, most = ratio_ends(below, below + above, (0.0, 1.0), reach)
        return low + range_ * least, low + range_ * most

    def _between(self, below: Floats, above: Floats) -> Floats:
        """Lower + range·s/(s + t), cut to the bounds; the middle if nothing is left."""
        s, t = np.maximum(below, 0), np.maximum(above, 0)
        empty = s + t == 0
        place = np.where(empty, 0.5, s / np.where(empty, 1, s + t))
        low, high = float(self.grid.lower), float(self.grid.upper)
        return np.asarray(low + (high - low) * place)

    def _spread(self, below: Floats, above: Floats, noise: float) -> Floats:
        """To first order, and at most half the range."""
        s, t = np.maximum(below, 0), np.maximum(above, 0)
        range_ = float(self.grid.upper - self.grid.lower)
        with np.errstate(divide="ignore", invalid="ignore"):
            first = range_ * noise * np.hypot(s, t) / (s + t) ** 2
        return np.asarray(np.fmin(first, range_ / 2))
