"""`Distinct`: how many different values a column has."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.tuple_field import changed
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.integer_answers import lattice_forecast, lattice_table, noisy_step
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.aggregate import CountValues
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups, KeyTerm
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step

_ONE = Fraction(1)
_KEPT = (
    "of a unit with more than max_rows different values in a group some are left out, chosen at "
    "random: the interval is about those that are kept. There may be more, not fewer: its lower "
    "end is one for all values, too"
)


@dataclass(frozen=True)
class Distinct:
    """The number of different values of a column among the rows of each group.

    Each unit keeps at most `max_rows` of its values in a group; a value counts if anybody keeps it.
    """

    name: str
    groups: Groups
    column: KeyTerm
    importance: Fraction

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The number of different values of {self.column.name}{self.groups}, of which each "
            "unit adds at most max_rows; missing values do not count."
        )

    @property
    def why_not_told(self) -> str:
        """Why nobody is told what its bounds left out."""
        return "values that one unit does not add another may add"

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for every cell."""
        return (cells_demand(self.measurements(table)[0], table, self.importance),)

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """One number per group."""
        return (self.groups.measurement((CountValues(self.column),), table),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw for every cell."""
        return (noisy_step(self.measurements(given.table)[0], given[0], among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error, before any data is read."""
        return lattice_forecast(self.name, self.groups, given[0], _ONE, confidence)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The numbers with noise."""
        told = lattice_table(self.name, self.groups.names, found[0], given[0], _ONE, confidence)
        bounded = given.table.table.unit is not None
        return changed(told, notes=(*told.notes, _KEPT)) if bounded else told
