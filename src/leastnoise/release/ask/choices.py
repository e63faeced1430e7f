r"""Terms that hang on conditions: truth values, and one of several terms."""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.conditions import Condition, checked_condition, terms_of
from leastnoise.release.ask.terms import (
    Column,
    Constant,
    Term,
    columns_of,
    refuse_large,
)
from leastnoise.release.ask.values import checked_value


@dataclass(frozen=True, eq=False)
class Indicator(Term):
    """1 where a condition holds and 0 elsewhere: never missing, as conditions are never unknown.

    Raises:
        InvalidParameter: not a condition.
    """

    condition: Condition

    def __post_init__(self) -> None:
        checked_condition(self.condition, "of")
        refuse_large(self)

    @property
    def parts(self) -> tuple[Term, ...]:
        """What the condition compares."""
        return _terms(self.condition)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those that the condition reads."""
        return columns_of(self.condition)

    def __str__(self) -> str:
        return str(self.condition)


@dataclass(frozen=True, eq=False)
class Case(Term):
    """The term of the first condition that holds, or the other one.

    Attributes:
        branches: conditions, each with its term; None for no value.
        other: where none of them holds; None for no value.

    Example:
        >>> from leastnoise.release.ask.terms import col
        >>> print(when(col("age") < 18, "child").when(col("age") < 65, "adult").otherwise("old"))
        case when age < 18 then 'child' when age < 65 then 'adult' else 'old' end
    """

    branches: tuple[tuple[Condition, Term | None], ...]
    other: Term | None = None

    def __post_init__(self) -> None:
        refuse_large(self)

    def when(self, condition: Condition, value: object) -> "Case":
        """One more condition, which counts where none of the former holds."""
        one = (checked_condition(condition, "when"), _value(value))
        return Case((*self.branches, one), self.other)

    def otherwise(self, value: object) -> "Case":
        """What it is where no condition holds."""
        return Case(self.branches, _value(value))

    @property
    def values(self) -> tuple[Term, ...]:
        """What it can be, but for no value."""
        found = (*(value for _, value in self.branches), self.other)
        return tuple(each for each in found if each is not None)

    @property
    def parts(self) -> tuple[Term, ...]:
        """What it can be, and what its conditions compare."""
        return *self.values, *(term for test, _ in self.branches for term in _terms(test))

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those of all parts."""
        return tuple(dict.fromkeys(column for part in self.parts for column in part.columns))

    def __str__(self) -> str:
        tests = " ".join(f"when {test} then {_shown(value)}" for test, value in self.branches)
        return f"case {tests} else {_shown(self.other)} end"


def when(condition: Condition, value: object) -> Case:
    """A term that is this value where the condition holds; `otherwise` says what it is elsewhere.

    Args:
        condition: such as col("age") >= 18.
        value: a column, an expression, a number, a text, a date; None for no value.

    Raises:
        InvalidParameter: not a condition, or not a value.

    Example:
        >>> from leastnoise.release.ask.terms import col
        >>> print(when(col("paid") > 0, col("paid")).otherwise(0))
        case when paid > 0 then paid else 0 end
    """
    return Case(((checked_condition(condition, "when"), _value(value)),))


def _value(value: object) -> Term | None:
    if value is None or isinstance(value, Term):
        return value
    return Constant(checked_value(value))


def _shown(value: Term | None) -> str:
    return "nothing" if value is None else str(value)


def _terms(condition: Condition) -> tuple[Term, ...]:
    return tuple(term for term in terms_of(condition) if isinstance(term, Term))
