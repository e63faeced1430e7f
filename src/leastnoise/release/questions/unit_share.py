"""`UnitShare`: which part of the units has a row that meets a condition."""

from dataclasses import replace
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expected import Expected
from leastnoise.release.ask.expression import Condition, checked_condition
from leastnoise.release.ask.grid import TRUTH
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.quotient import Quotient
from leastnoise.release.questions.yardstick import in_range
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.step.groups import Groups


@dataclass(frozen=True)
class UnitShare(Quotient):
    """The number of units that have a row that meets a condition, over that of all units.

    Attributes:
        condition: which rows a unit must have one of.
    """

    top: Count
    bottom: Count
    condition: Condition

    @classmethod
    def of(
        cls, name: str, groups: Groups, condition: Condition, importance: Fraction
    ) -> "UnitShare":
        """The question, its condition checked."""
        known, where = checked_condition(condition, "of"), groups.where
        met = replace(groups, where=known if where is None else where & known)
        top, bottom = (Count(name, each, True, importance) for each in (met, groups))
        return cls(name, top, bottom, known)

    @property
    def limits(self) -> tuple[float, float]:
        """No share is below nothing or above all."""
        return 0.0, 1.0

    @property
    def divisor(self) -> Fraction:
        """A unit is one."""
        return Fraction(1)

    def guesses(self, answer: Fraction | None) -> tuple[float, ...]:
        """Any share, unless one is expected."""
        place = TRUTH.share_of(answer)
        return (0.0, 0.5, 1.0) if place is None else (place,)

    def told_of(self, told: Forecast, expected: Expected) -> Forecast:
        """The forecast with what it assumes."""
        return in_range(replace(told, rows="units"), TRUTH, expected)

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The share of units that have a row with {self.condition}, among all "
            f"units{self.groups}."
        )
