"""`Histogram`: how many rows have a value in each of several equal parts of a range."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.dates import is_dated, stretches, words_of_range
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.integer_answers import lattice_forecast, lattice_table, noisy_step
from leastnoise.release.questions.yardstick import of_rows
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import Cell, ReleasedTable
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.step import Step


@dataclass(frozen=True)
class Histogram:
    """How many rows have a value in each part of a column's range, in all or in each group.

    Attributes:
        name: how the answer is found again.
        groups: public groups, or none.
        part: the parts of the column's range.
        importance: of an error of one row.
    """

    name: str
    groups: Groups
    part: Bin
    importance: Fraction

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The number of rows with {self.part.column.name} in each of {self.part.cells} "
            f"{words_of_range(self.part)}{self.groups}; values outside "
            "count in the first or last part, missing ones in none."
        )

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for every part; an error is weighed against one row."""
        weight = self.importance / table.row_weight
        return (cells_demand(self.measurements(table)[0], table, weight),)

    def measurements(self, table: BoundedTable) -> tuple[Histograms, ...]:
        """One count per part and group."""
        grouping = Grouping((*self.groups.by, self.part), self.groups.public_keys)
        return (Histograms((grouping,), table.max_rows, self.groups.where),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw for every part."""
        return (noisy_step(self.measurements(given.table)[0], given[0], among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of one part's count, before any data is read."""
        told = lattice_forecast(
            self.name, self.groups, given[0], Fraction(1, given.table.row_weight), confidence
        )
        told = replace(told, answers=self.part.cells * (self.groups.count or 1))
        return of_rows(told, given.expected, Fraction(1, self.part.cells), ", spread evenly")

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The counts with noise, part after part, group after group."""
        rows = tuple((*key, *ends) for key in found[0].rows for ends in self._parts())
        names = (*self.groups.names, f"{self.part.column.name}_from", f"{self.part.column.name}_to")
        return lattice_table(
            self.name,
            names,
            found[0],
            given[0],
            Fraction(1, given.table.row_weight),
            confidence,
            rows=rows,
        )

    def _parts(self) -> Sequence[tuple[Cell, Cell]]:
        if is_dated(self.part):
            return stretches(self.part)
        grid, count = self.part.grid, self.part.cells
        width = (grid.upper - grid.lower) / count
        edges = [float(grid.lower + width * i) for i in range(count + 1)]
        return list(pairwise(edges))
