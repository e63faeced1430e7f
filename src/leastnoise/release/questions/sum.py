"""`Sum`: the sum of a column; a missing value counts as 0."""

from dataclasses import replace
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.chosen_ends import NONE_CHOSEN, ChosenEnds
from leastnoise.release.ask.expression import Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.integer_answers import lattice_forecast, lattice_table, noisy_step
from leastnoise.release.questions.yardstick import of_rows
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.aggregate import SumOf, contribution
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step


@dataclass(frozen=True)
class Sum:
    """The sum of a column; a missing value counts as 0."""

    name: str
    groups: Groups
    column: Term
    grid: Grid
    importance: Fraction
    ends: ChosenEnds = NONE_CHOSEN

    @property
    def _aggregate(self) -> SumOf:
        return SumOf(self.column, self.grid)

    @property
    def inside(self) -> tuple[float, float] | None:
        """The bounds that values are cut to."""
        return float(self.grid.lower), float(self.grid.upper)

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The sum of {self.column.name}{self.groups}; values are cut to "
            f"{self.ends.words(self.grid)}, missing ones count as 0."
        )

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for every cell; an error is weighed against the most that one row adds."""
        low, high = contribution(self._aggregate)
        weight = self.importance / max(-low, high)
        return (cells_demand(self.measurements(table)[0], table, weight),)

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """One sum per group."""
        return (self.groups.measurement((self._aggregate,), table),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw for every cell."""
        return (noisy_step(self.measurements(given.table)[0], given[0], among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error, before any data is read."""
        told = lattice_forecast(self.name, self.groups, given[0], self.grid.step, confidence)
        each, words = self.grid.middle, ", each in the middle of the range"
        rounding = (given.expected.rows or 0) * float(self.grid.step) / 2
        return replace(of_rows(told, given.expected, each, words), rounding=rounding)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The sums with noise."""
        step = self.grid.step
        return lattice_table(self.name, self.groups.names, found[0], given[0], step, confidence)
