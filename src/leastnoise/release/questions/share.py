"""`Share`: which part of the rows meets a condition."""

from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Condition, Indicator
from leastnoise.release.ask.grid import TRUTH
from leastnoise.release.questions.mean import Mean
from leastnoise.release.step.groups import Groups


@dataclass(frozen=True)
class Share(Mean):
    """The part of the rows that meet a condition: the mean of 1 for those and 0 for the others.

    Both sums are of the same rows of a unit: those that meet the condition, and those that do not.
    So rows beyond `max_rows` change what a unit weighs, not which part of its rows meets it.
    """

    @classmethod
    def of(cls, name: str, groups: Groups, condition: Condition, importance: Fraction) -> "Share":
        """The question, its condition checked."""
        return cls(name, groups, Indicator(condition), TRUTH, importance)

    @property
    def inside(self) -> None:
        """Nothing is beyond false and true."""

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The share of rows with {self.column.name}, among all rows{self.groups}; rows for "
            f"which this is not known are among those without."
        )
