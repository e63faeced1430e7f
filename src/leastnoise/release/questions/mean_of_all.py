"""`MeanOfAll`: the mean of a column in which a missing value counts as the middle of the range."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from leastnoise._dataclass import dataclass
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
from leastnoise.release.step.aggregate import Aggregate, CountRows, SumFromCentre
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step


@dataclass(frozen=True)
class MeanOfAll:
    r"""The mean of a column, of all rows: a missing value counts as the middle of the range.

    Two numbers are released: the number n of rows, which all such questions share, and
    t = Σ (2x − lower − upper), which one row moves to either side by no more than it moves a sum of
    values from 0 on. The mean is (lower + upper + t/n)/2.
    """

    name: str
    groups: Groups
    column: Term
    grid: Grid
    importance: Fraction

    @property
    def _steps(self) -> int:
        return self.grid.most - self.grid.least

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
        low, high = float(self.grid.lower), float(self.grid.upper)
        return (
            f"The mean of {self.column.name}{self.groups}; values are cut to {low:g} … {high:g}, "
            f"missing ones count as {(low + high) / 2:g}."
        )

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for both numbers; an error is weighed against the most that one row adds."""
        moved, counted = self.measurements(table)
        weight = self.importance
        return (
            cells_demand(moved, table, weight / self._steps),
            # What one row more does to the mean is half of that, if the mean is in the middle half.
            cells_demand(counted, table, weight / 2),
        )

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """The sum from the middle, and the number of rows."""
        asked: tuple[Aggregate, ...] = SumFromCentre(self.column, self.grid), CountRows()
        return tuple(self.groups.measurement((each,), table) for each in asked)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """A draw for each of the two numbers."""
        pairs = zip(self.measurements(given.table), given, strict=True)
        return tuple(noisy_step(asked, each, among) for asked, each in pairs)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of the mean, for the rows expected, wherever between the bounds it is."""
        told = lattice_forecast(self.name, self.groups, given[0], self.grid.step / 2, confidence)
        told = replace(told, share=given[0].share + given[1].share, ratio=None)
        noise = NoiseTogether.of(given.grants, (float(self._steps), 1.0))
        place = self.grid.share_of(given.expected.answer)
        places = (-1.0, 0.0, 1.0) if place is None else (2 * place - 1,)
        cases = [Moved((1.0, -y), (0.0, 1.0), most=2.0) for y in places]
        half, rows = float(self.grid.upper - self.grid.lower) / 2, given.expected.rows
        return in_range(
            in_own_unit(told, noise, cases, half, rows, confidence), self.grid, given.expected
        )

    def make_ready(self, given: Allotment, confidence: Fraction) -> None:
        """How far both numbers reach is known before the charge."""
        self._reach(given, float(1 - confidence))

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The means; the interval holds what the joint law of both numbers does not rule out."""
        moved, count = (each.values[0].astype(np.float64) for each in found)
        values = self._mean(moved, count)
        lower, upper = self._ends(moved, count, self._reach(given, float(1 - confidence)))
        return ReleasedTable(
            name=self.name,
            columns=self.groups.names,
            rows=found[0].rows,
            values=values,
            standard_error=self._spread(moved, count, [spread(each) for each in given]),
            lower=np.minimum(lower, values),
            upper=np.maximum(upper, values),
            mechanism="; ".join(each.words for each in given),
        )

    def _reach(self, given: Allotment, risk: float) -> ChordReach:
        """Of (noise of t) − y·(noise of n), t in units of the range, y the place in −1..1."""
        noise = NoiseTogether.of(given.grants, (float(self._steps), 1.0))
        return ratio_reach(noise, ((1.0, 0.0), (0.0, -1.0)), (-1.0, 1.0), risk)

    def _ends(self, moved: Floats, count: Floats, reach: ChordReach) -> tuple[Floats, Floats]:
        """Of the means: t is the place times n."""
        low, high = float(self.grid.lower), float(self.grid.upper)
        least, most = ratio_ends(moved / self._steps, count, (-1.0, 1.0), reach)
        middle, half = (low + high) / 2, (high - low) / 2
        return middle + half * least, middle + half * most

    def _mean(self, moved: Floats, count: Floats) -> Floats:
        """The middle plus step·t/2n, cut to the bounds; at least one row is there."""
        place = np.clip(moved / (np.maximum(count, 1) * self._steps), -1, 1)
        low, high = float(self.grid.lower), float(self.grid.upper)
        return np.asarray((low + high) / 2 + (high - low) / 2 * place)

    def _spread(self, moved: Floats, count: Floats, noise: list[float]) -> Floats:
        """To first order, and at most half the range."""
        rows, half = np.maximum(count, 1), float(self.grid.upper - self.grid.lower) / 2
        place = np.clip(moved / (rows * self._steps), -1, 1)
        first = half * np.hypot(noise[0] / self._steps, place * noise[1]) / rows
        return np.asarray(np.minimum(first, half))
