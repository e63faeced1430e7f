"""Questions about rows that other answers do not hold: without a unit, or beyond a range."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Condition
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.integer_answers import lattice_forecast, lattice_table, noisy_step
from leastnoise.release.questions.yardstick import of_rows
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.shown_row import shown_limit
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.step import Step
from leastnoise.release.step.unowned_rows import UnownedRows

_ONE = Fraction(1)


@dataclass(frozen=True)
class RowsBeyond(Count):
    """A count of rows like any other; it is told beside answers whose values are cut so."""

    column: str = ""
    lower: Fraction = Fraction(0)
    upper: Fraction = Fraction(0)
    rows: Condition | None = None

    @property
    def place(self) -> tuple[str, Condition | None, float, float]:
        """Of which column, rows and range it is: answers of the same tell its number."""
        return self.column, self.rows, float(self.lower), float(self.upper)

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        ends = " … ".join(shown_limit(float(each)) for each in (self.lower, self.upper))
        return f"The number of rows with a value of {self.column} outside {ends}."


@dataclass(frozen=True)
class RowsWithoutUnit:
    """How many rows have no unit, and are left out of every other answer.

    Attributes:
        name: how the answer is found again.
        unit: the column that has no value in them.
        importance: of an error of one row.
    """

    name: str
    unit: str
    importance: Fraction

    @property
    def groups(self) -> Groups:
        """None."""
        return Groups()

    @property
    def why_not_told(self) -> str:
        """Why nobody is told what bounds left out."""
        return "each of these rows is taken for a unit of its own, and all count"

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The number of rows without a {self.unit}, each taken for a unit of its own; they "
            "are left out of every other answer."
        )

    def measurements(self, table: BoundedTable) -> tuple[UnownedRows, ...]:
        """One number, whatever the bounds are."""
        del table
        return (UnownedRows(),)

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for one number."""
        return (cells_demand(UnownedRows(), table, self.importance),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw."""
        return (noisy_step(UnownedRows(), given[0], among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error, before any data is read."""
        told = lattice_forecast(self.name, self.groups, given[0], _ONE, confidence)
        return of_rows(told, given.expected, _ONE)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The number with noise."""
        return lattice_table(self.name, (), found[0], given[0], _ONE, confidence)
