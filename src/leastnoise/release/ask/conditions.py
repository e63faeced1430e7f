r"""Conditions on a row: true or false, never unknown, and about values read off the row."""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, TypeAlias, overload

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.like_pattern import with_tildes
from leastnoise.release.ask.values import Relation, Value, checked_value, written_value

_MOST_CHOICES = 10_000  # each is a parameter of the query
_NO_TRUTH = (
    "a condition has no truth of its own: combine conditions with & | ~, each in parentheses, "
    "not with and, or, not"
)


class Readable:
    """What each row has a value of, or no value; compared with something, it makes conditions.

    Between two of them == keeps its own meaning, without which two equal conditions could not be
    found equal: `equals` and `differs` compare their values.
    """

    @property
    def name(self) -> str:
        """What it is called in tables and keys."""
        return str(self)

    @property
    def columns(self) -> tuple["Readable", ...]:
        """The columns it is computed from, each once."""
        return ()

    @overload  # type: ignore[override]
    def __eq__(self, other: "Readable") -> bool: ...  # type: ignore[overload-overlap]
    @overload
    def __eq__(self, other: object) -> "Compared": ...
    def __eq__(self, other: object) -> "Compared | bool":
        if isinstance(other, Readable):
            return type(self) is type(other) and _values(self) == _values(other)
        return Compared(self, Relation.EQUAL, checked_value(other))

    @overload  # type: ignore[override]
    def __ne__(self, other: "Readable") -> bool: ...  # type: ignore[overload-overlap]
    @overload
    def __ne__(self, other: object) -> "Compared": ...
    def __ne__(self, other: object) -> "Compared | bool":
        if isinstance(other, Readable):
            return not self == other
        return Compared(self, Relation.UNEQUAL, checked_value(other))

    def equals(self, other: object) -> "Compared | ComparedTerms":
        """Whether it has the value of another column or expression, or this value."""
        return compared(self, Relation.EQUAL, other)

    def differs(self, other: object) -> "Compared | ComparedTerms":
        """Whether both have values, and different ones."""
        return compared(self, Relation.UNEQUAL, other)

    def __lt__(self, other: object) -> "Compared | ComparedTerms":
        return compared(self, Relation.LESS, other)

    def __le__(self, other: object) -> "Compared | ComparedTerms":
        return compared(self, Relation.AT_MOST, other)

    def __gt__(self, other: object) -> "Compared | ComparedTerms":
        return compared(self, Relation.MORE, other)

    def __ge__(self, other: object) -> "Compared | ComparedTerms":
        return compared(self, Relation.AT_LEAST, other)

    def __hash__(self) -> int:
        return hash((type(self), *_values(self)))

    def isin(self, values: Iterable[object]) -> "OneOf":
        """Whether the value is one of these."""
        return OneOf(self, _choices(values))

    def between(self, low: object, high: object) -> "Both":
        """Whether low ≤ value ≤ high."""
        return Both(self >= low, self <= high)

    def is_null(self) -> "Missing":
        """Whether there is no value."""
        return Missing(self)

    def contains(self, text: str) -> "TextTest":
        """Whether a text has this part, letter for letter."""
        return TextTest(self, Match.CONTAINS, text)

    def starts_with(self, text: str) -> "TextTest":
        """Whether a text begins like this, letter for letter."""
        return TextTest(self, Match.STARTS, text)

    def like(self, pattern: str, escape: str | None = None) -> "TextTest":
        """Whether a whole text fits a pattern: % is any text, _ one letter, the rest itself.

        Args:
            pattern: the pattern.
            escape: a sign that makes a %, a _ or itself plain, if it stands before them.

        Raises:
            InvalidParameter: the escape is no such sign, or stands before another one.
        """
        if escape is None:
            return TextTest(self, Match.LIKE, pattern)
        return TextTest(self, Match.ESCAPED, with_tildes(pattern, escape))

    def __bool__(self) -> bool:
        raise TypeError(_NO_TRUTH)


def _values(term: Any) -> tuple[object, ...]:
    return tuple(getattr(term, name) for name in _names(term.__class__))


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


class Conditional:
    """What conditions have in common: they combine."""

    def __and__(self, other: "Condition") -> "Both":
        return Both(_condition(self), _condition(other))

    def __or__(self, other: "Condition") -> "Either":
        return Either(_condition(self), _condition(other))

    def __invert__(self) -> "Not":
        return Not(_condition(self))

    def __bool__(self) -> bool:
        raise TypeError(_NO_TRUTH)

    def __hash__(self) -> int:
        """Of the parts one after another: a chain of conditions may be longer than a stack."""
        parts = all_parts(self)
        return hash(tuple(type(e) if isinstance(e, Not | Both | Either) else e for e in parts))


def all_parts(condition: Any) -> Iterator["Condition"]:
    """A condition and everything it is made of, outside first."""
    rest: list[Condition] = [condition]
    while rest:
        part = rest.pop()
        yield part
        if isinstance(part, Not):
            rest.append(part.condition)
        elif isinstance(part, Both | Either):
            rest += [part.other, part.one]


@dataclass(frozen=True)
class Compared(Conditional):
    """A column against a value; false where the column has none."""

    column: Readable
    relation: Relation
    value: Value

    def __str__(self) -> str:
        return f"{self.column} {self.relation.value} {written_value(self.value)}"


@dataclass(frozen=True)
class ComparedTerms(Conditional):
    """The values of two columns or expressions of one row; false where one of them has none."""

    one: Readable
    relation: Relation
    other: Readable

    def __str__(self) -> str:
        return f"{self.one} {self.relation.value} {self.other}"


@dataclass(frozen=True)
class OneOf(Conditional):
    """A column against several values; false where the column has none."""

    column: Readable
    values: tuple[Value, ...]

    def __str__(self) -> str:
        return f"{self.column} in ({', '.join(map(written_value, self.values))})"


@dataclass(frozen=True)
class Missing(Conditional):
    """Whether a column has no value."""

    column: Readable

    def __str__(self) -> str:
        return f"{self.column} is missing"


class Match(Enum):
    """How a text may fit another."""

    CONTAINS = "contains"
    STARTS = "starts with"
    LIKE = "like"
    ESCAPED = "like, with ~ before plain signs,"


@dataclass(frozen=True)
class TextTest(Conditional):
    """Whether a text fits a constant one; false where there is none.

    Raises:
        InvalidParameter: the pattern is no text of at most 1000 letters.
    """

    column: Readable
    match: Match
    pattern: str

    def __post_init__(self) -> None:
        said: object = self.pattern
        if not isinstance(checked_value(said) if isinstance(said, str) else None, str):
            raise _check.refuse(
                "what a text is searched for must be a constant text",
                f"a {type(said).__name__}",
                "Write contains('street') or like('%street%').",
            )
        if self.match is Match.ESCAPED:
            with_tildes(self.pattern, "~")  # engines fail on others

    def __str__(self) -> str:
        return f"{self.column} {self.match.value} {self.pattern!r}"


@dataclass(frozen=True)
class Not(Conditional):
    """True where the condition is not, also where it is false for want of a value.

    SQL's NOT is another: `false_where` makes it.
    """

    condition: "Condition"

    __hash__ = Conditional.__hash__

    def __str__(self) -> str:
        return f"not {self.condition}"


@dataclass(frozen=True)
class Both(Conditional):
    """True where both are."""

    one: "Condition"
    other: "Condition"

    __hash__ = Conditional.__hash__

    def __str__(self) -> str:
        return f"({self.one} and {self.other})"


@dataclass(frozen=True)
class Either(Conditional):
    """True where at least one is."""

    one: "Condition"
    other: "Condition"

    __hash__ = Conditional.__hash__

    def __str__(self) -> str:
        return f"({self.one} or {self.other})"


Condition: TypeAlias = Compared | ComparedTerms | OneOf | Missing | TextTest | Not | Both | Either


def compared(one: Readable, relation: Relation, other: object) -> Compared | ComparedTerms:
    """A column against a value, or against the value of another."""
    if isinstance(other, Readable):
        return ComparedTerms(one, relation, other)
    return Compared(one, relation, checked_value(other))


def checked_condition(value: object, name: str) -> Condition:
    """A condition that a question needs.

    Raises:
        InvalidParameter: something else.
    """
    if isinstance(value, Condition):
        return value
    raise _check.refuse(
        f"`{name}` must be a condition",
        f"a {type(value).__name__}",
        "Compare a column with a value: col('age') >= 18.",
    )


def terms_of(condition: Condition) -> Iterator[Readable]:
    """What a condition compares, from left to right."""
    for each in all_parts(condition):
        if isinstance(each, ComparedTerms):
            yield from (each.one, each.other)
        elif not isinstance(each, Not | Both | Either):
            yield each.column


def _condition(value: object) -> Condition:
    if isinstance(value, Condition):
        return value
    raise _check.refuse(
        "conditions combine with conditions", f"a {type(value).__name__}", "Compare a column first."
    )


def _choices(values: Iterable[object]) -> tuple[Value, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        kind = f"a {type(values).__name__}"
        raise _check.refuse("`values` must be a list", kind, "Write isin(['Oslo']).")
    found = tuple(checked_value(value) for value in values)
    if len(found) <= _MOST_CHOICES:
        return found
    raise _check.refuse(
        f"`values` must be at most {_MOST_CHOICES}", f"{len(found)}", "Filter by a shorter list."
    )
