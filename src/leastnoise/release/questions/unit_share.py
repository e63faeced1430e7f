"""`UnitShare`: which part of the units has a row that meets a condition."""

from dataclasses import dataclass, replace
from fractions import Fraction

from leastnoise.release.ask.expression import Condition, checked_condition
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.quotient import Quotient
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

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The share of units that have a row with {self.condition}, among all "
            f"units{self.groups}."
        )
