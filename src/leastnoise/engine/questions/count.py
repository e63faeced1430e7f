"""`Count`: how many rows, or how many units."""

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.engine.aggregate import Aggregate, CountRows, CountUnits, sensitivity
from leastnoise.engine.bounds import Bounds
from leastnoise.engine.clip import Clip
from leastnoise.engine.demand import Demand, noise_demand
from leastnoise.engine.forecast import Forecast
from leastnoise.engine.grant import Grant
from leastnoise.engine.groups import Groups
from leastnoise.engine.measurement import Answer, Measurement
from leastnoise.engine.questions.lattice import lattice_forecast, lattice_table
from leastnoise.engine.released_table import ReleasedTable
from leastnoise.engine.table import Table
from leastnoise.randomness.source import Source

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

    def demands(self, table: Table, bounds: Bounds | Clip) -> tuple[Demand, ...]:
        """Noise for every cell."""
        least = self.groups.effective_bounds(table, bounds)
        reach = sensitivity(self._aggregate, least, table.neighbours, groups=self.groups.count)
        return (noise_demand(reach, self.importance),)

    def measurements(self, bounds: Bounds | Clip) -> tuple[Measurement, ...]:
        """One count per group."""
        return (self.groups.measurement((self._aggregate,), bounds),)

    def forecast(self, given: tuple[Grant, ...], confidence: Fraction) -> Forecast:
        """The error, before any data is read."""
        return lattice_forecast(self.name, self.groups, given[0], _ONE, confidence)

    def answer(
        self,
        given: tuple[Grant, ...],
        secrets: tuple[Answer, ...],
        confidence: Fraction,
        source: Source,
    ) -> ReleasedTable:
        """The counts with noise."""
        rows, (total,) = secrets[0].rows, secrets[0].totals
        return lattice_table(
            self.name, self.groups.names, rows, total, given[0], _ONE, confidence, source
        )
