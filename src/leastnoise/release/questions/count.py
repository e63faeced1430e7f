"""`Count`: how many rows, or how many units."""

from dataclasses import replace
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.integer_answers import lattice_forecast, lattice_table, noisy_step
from leastnoise.release.questions.unit_counts import are_units, unit_forecast, unit_table
from leastnoise.release.questions.yardstick import of_rows
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

    def counted(self, table: BoundedTable) -> Fraction | None:
        """Numbers of units in private groups are what the choice has."""
        asked = self.groups.are_private and (self.units or are_units(self.groups, table))
        asked = asked and self.groups.only is None
        return self.importance if asked else None

    def is_met_by(self, counts: CountedPartitions) -> bool:
        """Any precision will do: less noise is not to be had."""
        del counts
        return True

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """One count per group."""
        return (self.groups.measurement((self._aggregate,), table),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw for every cell, or the choice of private groups, which has the numbers."""
        if given.counts is not None and among is not None:
            return (among,)
        return (noisy_step(self.measurements(given.table)[0], given[0], among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error, before any data is read."""
        if given.counts is not None:
            told = unit_forecast(self.name, self.groups, given, confidence)
        else:
            told = lattice_forecast(self.name, self.groups, given[0], _ONE, confidence)
        return of_rows(replace(told, rows="units") if self.units else told, given.expected, _ONE)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The counts with noise."""
        if given.counts is not None:
            return unit_table(self.name, self.groups, found[0], given, confidence)
        return lattice_table(self.name, self.groups.names, found[0], given[0], _ONE, confidence)
