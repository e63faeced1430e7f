r"""Terms that hang on conditions: truth values."""

from dataclasses import dataclass

from leastnoise.release.ask.conditions import Condition, checked_condition
from leastnoise.release.ask.terms import Column, Term, columns_of


@dataclass(frozen=True, eq=False)
class Indicator(Term):
    """1 where a condition holds and 0 elsewhere: never missing, as conditions are never unknown.

    Raises:
        InvalidParameter: not a condition.
    """

    condition: Condition

    def __post_init__(self) -> None:
        checked_condition(self.condition, "of")

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those that the condition reads."""
        return columns_of(self.condition)

    def __str__(self) -> str:
        return str(self.condition)
