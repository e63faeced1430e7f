"""`Count`: how many rows, or how many units."""

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.integer_answers import lattice_forecast, lattice_table, noisy_step
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.aggregate import Aggregate, CountRows, CountUnits
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step

_ONE = Fraction(1)


@dataclass(frozen=True)
class Count:
    """How many rows, or how many units."""

    name: str
    groups: Groups
    units: bool
    importance: Fraction

    @property
    def _aggregate(self) -> Aggregate:
        return CountUnits() if self.units else CountRows()

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return f"The number of {'units' if self.units else 'rows'}{self.groups}."

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for every cell."""
        return (cells_demand(self.measurements(table)[0], table, self.importance),)

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """One count per group."""
        return (self.groups.measurement((self._aggregate,), table),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw for every cell."""
        return (noisy_step(self.measurements(given.table)[0], given[0], among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error, before any data is read."""
        return lattice_forecast(self.name, self.groups, given[0], _ONE, confidence)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The counts with noise."""
        return lattice_table(self.name, self.groups.names, found[0], given[0], _ONE, confidence)
