"""`Median`: the value of a column below which half of the rows lie."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.dates import words_of_range
from leastnoise.release.ask.tuple_field import changed
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.column_quantiles import ColumnQuantiles
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.grant import Allotment


@dataclass(frozen=True)
class Median(ColumnQuantiles):
    """The quantile at 1/2, with one answer for each group."""

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The median of {self.part.column.name}{self.groups}, looked for in "
            f"{self.part.cells} {words_of_range(self.part)}; missing values do not count."
        )

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """That of the quantile; its level need not be said."""
        told = super().answer(given, found, confidence)
        return changed(told, columns=self.groups.names, rows=found[0].rows)
