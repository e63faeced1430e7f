"""`Ratio`: the sum of one column over that of another; missing values count as 0."""

from dataclasses import dataclass

from leastnoise.release.questions.quotient import Quotient
from leastnoise.release.questions.sum import Sum


@dataclass(frozen=True)
class Ratio(Quotient):
    """The sum of one column over that of another."""

    top: Sum
    bottom: Sum

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        cuts = [
            f"{float(each.grid.lower):g} … {float(each.grid.upper):g}"
            for each in (self.top, self.bottom)
        ]
        return (
            f"The sum of {self.top.column.name} over that of {self.bottom.column.name}"
            f"{self.groups}; values are cut to {cuts[0]} and {cuts[1]}, missing ones count as 0."
        )
