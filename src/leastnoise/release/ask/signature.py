r"""`Signature`: what a function takes and gives; what it means is said in SQL, once per engine."""

from collections.abc import Callable
from enum import Enum

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.values import Value


class Wants(Enum):
    """What an argument must hold."""

    NUMBER = "numbers or truth values"
    WHOLE = "integers"
    TEXT = "text"
    DAY = "dates or time stamps"
    MOMENT = "time stamps"
    ALIKE = "values of one type"


@dataclass(frozen=True)
class Parameter:
    """One argument.

    Attributes:
        name: what documentation calls it.
        wants: what it must hold; all that are `ALIKE` must hold the same.
        rule: of one that must be a constant: whether it will do. None if it may be any term.
        said: the rule in words.
    """

    name: str
    wants: Wants
    rule: Callable[[Value], bool] | None = None
    said: str = ""


@dataclass(frozen=True)
class Signature:
    """A function of a row's values: total, so that it gives no value where it has none to give.

    Attributes:
        name: in lower case.
        words: what it gives, for people.
        parameters: its arguments.
        result: what it gives; None for what its `ALIKE` arguments hold.
        optional: how many of the last arguments may be left out.
        repeats: whether the last argument may be given several times.
    """

    name: str
    words: str
    parameters: tuple[Parameter, ...]
    result: ColumnType | None
    optional: int = 0
    repeats: bool = False

    @property
    def fewest(self) -> int:
        """The least number of arguments."""
        return len(self.parameters) - self.optional

    def parameter(self, place: int) -> Parameter:
        """That of an argument, by its place."""
        return self.parameters[min(place, len(self.parameters) - 1)]

    def takes(self, count: int) -> bool:
        """Whether it can have so many arguments."""
        most = MOST_ARGUMENTS if self.repeats else len(self.parameters)
        return self.fewest <= count <= most

    def __str__(self) -> str:
        if self.name in OPERATORS:
            return OPERATORS[self.name].format(*(each.name for each in self.parameters))
        shown = [each.name for each in self.parameters]
        left_out = shown[self.fewest :]
        told = ", ".join(shown[: self.fewest]) + "".join(f"[, {name}]" for name in left_out)
        return f"{self.name}({told}{', …' if self.repeats else ''})"


MOST_ARGUMENTS = 50
OPERATORS = {"divide": "{} / {}"}
"""How functions are written that have a sign of their own."""


def whole_between(least: int, most: int) -> Callable[[Value], bool]:
    """A rule for constants: an integer in a range."""

    def rule(value: Value) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return rule
