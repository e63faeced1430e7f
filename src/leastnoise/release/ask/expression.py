r"""Filters and derived columns: a small language that cannot fail and cannot look around.

An expression reads one row, never raises, and gives the same answer every time: no division, no
casts, no functions that can fail, no sub-queries, no randomness. So a filter bounds nothing and
leaks nothing by itself. Users write Python operators; nobody writes SQL.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import date, datetime
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias, overload

from leastnoise import _check

Value: TypeAlias = int | Fraction | str | bool | date
"""What a column may be compared with."""

MOST_TEXT = 1000
"""Longer texts are no keys and nothing to compare with."""
_MOST_CHOICES = 10_000  # each is a parameter of the query


class Relation(Enum):
    """How two values are compared."""

    EQUAL = "="
    UNEQUAL = "<>"
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


class Term:
    """What each row has a value of, or no value: a column, or something computed from columns.

    Terms are compared with values, which makes conditions. Between terms == keeps its own meaning,
    without which two equal conditions could not be found equal.
    """

    @property
    def name(self) -> str:
        """What it is called in tables and keys."""
        return str(self)

    @property
    def columns(self) -> tuple["Column", ...]:
        """The columns it is computed from, each once."""
        return ()

    @overload  # type: ignore[override]
    def __eq__(self, other: "Term") -> bool: ...  # type: ignore[overload-overlap]
    @overload
    def __eq__(self, other: object) -> "Compared": ...
    def __eq__(self, other: object) -> "Compared | bool":
        if isinstance(other, Term):
            return type(self) is type(other) and _values(self) == _values(other)
        return Compared(self, Relation.EQUAL, checked_value(other))

    @overload  # type: ignore[override]
    def __ne__(self, other: "Term") -> bool: ...  # type: ignore[overload-overlap]
    @overload
    def __ne__(self, other: object) -> "Compared": ...
    def __ne__(self, other: object) -> "Compared | bool":
        if isinstance(other, Term):
            return not self == other
        return Compared(self, Relation.UNEQUAL, checked_value(other))

    def __lt__(self, other: object) -> "Compared":
        return Compared(self, Relation.LESS, checked_value(other))

    def __le__(self, other: object) -> "Compared":
        return Compared(self, Relation.AT_MOST, checked_value(other))

    def __gt__(self, other: object) -> "Compared":
        return Compared(self, Relation.MORE, checked_value(other))

    def __ge__(self, other: object) -> "Compared":
        return Compared(self, Relation.AT_LEAST, checked_value(other))

    def __hash__(self) -> int:
        return hash((type(self), *_values(self)))

    def __add__(self, other: object) -> "Arithmetic":
        return Arithmetic(Operation.PLUS, self, _operand(other))

    def __radd__(self, other: object) -> "Arithmetic":
        return Arithmetic(Operation.PLUS, _operand(other), self)

    def __sub__(self, other: object) -> "Arithmetic":
        return Arithmetic(Operation.MINUS, self, _operand(other))

    def __rsub__(self, other: object) -> "Arithmetic":
        return Arithmetic(Operation.MINUS, _operand(other), self)

    def __mul__(self, other: object) -> "Arithmetic":
        return Arithmetic(Operation.TIMES, self, _operand(other))

    def __rmul__(self, other: object) -> "Arithmetic":
        return Arithmetic(Operation.TIMES, _operand(other), self)

    def isin(self, values: Iterable[object]) -> "OneOf":
        """Whether the value is one of these."""
        return OneOf(self, _choices(values))

    def between(self, low: object, high: object) -> "Both":
        """Whether low ≤ value ≤ high."""
        return Both(self >= low, self <= high)

    def is_null(self) -> "Missing":
        """Whether there is no value."""
        return Missing(self)

    def __bool__(self) -> bool:
        raise TypeError(_NO_TRUTH)


def _values(term: Any) -> tuple[object, ...]:
    return tuple(getattr(term, field.name) for field in fields(term))


@dataclass(frozen=True, eq=False, slots=True)  # the slot covers the property of `Term`
class Column(Term):
    """A column of the table, by name; compare it to make a `Condition`.

    Example:
        >>> print((col("age") >= 18) & ~col("city").isin(["Oslo", "Bergen"]))
        (age >= 18 and not city in ('Oslo', 'Bergen'))
        >>> print(2026 - col("born").year())
        (2026 - year of born)
    """

    name: str

    @property
    def columns(self) -> tuple["Column", ...]:
        """Itself."""
        return (self,)

    def year(self) -> "DatePart":
        """The year of a date or time stamp, 1..9999."""
        return DatePart(self, Part.YEAR)

    def month(self) -> "DatePart":
        """The month of a date or time stamp, 1..12."""
        return DatePart(self, Part.MONTH)

    def day(self) -> "DatePart":
        """The day of the month of a date or time stamp, 1..31."""
        return DatePart(self, Part.DAY)

    def hour(self) -> "DatePart":
        """The hour of a time stamp, 0..23."""
        return DatePart(self, Part.HOUR)

    def __str__(self) -> str:
        return self.name


class Part(Enum):
    """A part of a date."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    HOUR = "hour"


@dataclass(frozen=True, eq=False)
class DatePart(Term):
    """An integer read off a date; dates outside the years 1..9999 have none."""

    column: Column
    part: Part

    @property
    def columns(self) -> tuple[Column, ...]:
        """The dates."""
        return (self.column,)

    def __str__(self) -> str:
        return f"{self.part.value} of {self.column}"


class Operation(Enum):
    """How two numbers become one; there is no division, which could fail."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"


@dataclass(frozen=True, eq=False)
class Cut(Term):
    """A term whose values below `lower` count as this, and those above `upper` as that."""

    term: Term
    lower: Fraction
    upper: Fraction

    @property
    def columns(self) -> tuple["Column", ...]:
        """Those of the term."""
        return self.term.columns

    def __str__(self) -> str:
        return f"{self.term} in {self.lower} … {self.upper}"


@dataclass(frozen=True, eq=False)
class Constant(Term):
    """The same number in every row."""

    value: int | Fraction

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, eq=False)
class Arithmetic(Term):
    """A sum, difference or product; no value where one of its columns has none.

    Law: in double precision, rounded to nearest. Before anything is computed, a column's values
    beyond ±2^200 become ±2^200 and those below 2^−200 in magnitude become 0, so that no result is
    infinite and none is lost: with at most 16 columns and constants and products of at most 4 of
    them, results are below 2^1000 in magnitude, and 0 or above 2^−1010.
    Proof: docs/proofs/sensitivity.md, section 4.

    Raises:
        InvalidParameter: more columns and constants, or longer products.
    """

    operation: Operation
    one: Term
    other: Term

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those of both operands."""
        return tuple(dict.fromkeys((*self.one.columns, *self.other.columns)))

    def __post_init__(self) -> None:
        if leaves(self) > MOST_LEAVES or degree(self) > MOST_FACTORS:
            raise _check.refuse(
                f"an expression may have {MOST_LEAVES} columns and constants, and products of "
                f"{MOST_FACTORS}",
                f"{leaves(self)} of them, and a product of {degree(self)}",
                "Add a column with the result to the data.",
            )

    def __str__(self) -> str:
        return f"({self.one} {self.operation.value} {self.other})"


MOST_LEAVES = 16
MOST_FACTORS = 4


def leaves(term: Term) -> int:
    """How many columns and constants a term is made of."""
    return leaves(term.one) + leaves(term.other) if isinstance(term, Arithmetic) else 1


def degree(term: Term) -> int:
    """How many columns and constants are multiplied with one another at most."""
    if not isinstance(term, Arithmetic):
        return 1
    one, other = degree(term.one), degree(term.other)
    return one + other if term.operation is Operation.TIMES else max(one, other)


def _operand(value: object) -> Term:
    if isinstance(value, Column | DatePart | Arithmetic | Cut):
        return value
    if isinstance(value, bool | str | date):
        raise _check.refuse(
            "columns are added to and multiplied with columns and numbers",
            f"a {type(value).__name__}",
            "Give a number.",
        )
    return Constant(_check.rational(value, "value"))  # type: ignore[arg-type]


_NO_TRUTH = (
    "a condition has no truth of its own: combine conditions with & | ~, each in parentheses, "
    "not with and, or, not"
)


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
        return hash(tuple(type(e) if isinstance(e, Not | Both | Either) else e for e in _all(self)))


def _all(condition: Any) -> Iterator["Condition"]:
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

    column: Term
    relation: Relation
    value: Value

    def __str__(self) -> str:
        return f"{self.column} {self.relation.value} {self.value!r}"


@dataclass(frozen=True)
class OneOf(Conditional):
    """A column against several values; false where the column has none."""

    column: Term
    values: tuple[Value, ...]

    def __str__(self) -> str:
        return f"{self.column} in {self.values!r}"


@dataclass(frozen=True)
class Missing(Conditional):
    """Whether a column has no value."""

    column: Term

    def __str__(self) -> str:
        return f"{self.column} is missing"


@dataclass(frozen=True)
class Not(Conditional):
    """True where the condition is not."""

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


Condition: TypeAlias = Compared | OneOf | Missing | Not | Both | Either


def col(name: str) -> Column:
    """A column by name.

    Raises:
        InvalidParameter: not a name.
    """
    known: object = name
    if isinstance(known, str) and known.isprintable() and 0 < len(known) <= MOST_TEXT:
        return Column(name)
    raise _check.refuse(
        "a column's name must be printable text", _check.shown(known), "Write col('age')."
    )


def as_term(value: str | Term) -> Term:
    """A column by name, or an expression as it is."""
    return value if isinstance(value, Term) else col(value)


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


def columns_of(condition: Condition) -> tuple[Column, ...]:
    """The columns a condition reads, each once."""
    leaves = (each for each in _all(condition) if isinstance(each, Compared | OneOf | Missing))
    return tuple(dict.fromkeys(column for each in leaves for column in each.column.columns))


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


def is_storable(text: str) -> bool:
    """Whether every engine can hold a text, unchanged: no NUL, no half of a surrogate pair."""
    if len(text) > MOST_TEXT or "\x00" in text:
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def checked_value(value: object) -> Value:
    """A value to compare with, exact.

    Raises:
        InvalidParameter: not a number, text, truth value or date.
    """
    if isinstance(value, bool) or type(value) in {date, datetime}:  # not pandas' kin, such as NaT
        return value  # type: ignore[return-value]
    if isinstance(value, str):
        if is_storable(value):
            return str(value)
        raise _check.refuse(
            f"a text to compare with must have at most {MOST_TEXT} characters, no NUL, and be "
            "valid Unicode",
            f"{_check.shown(value)} of {len(value)} characters",
            "Shorten it, or leave out what is not text.",
        )
    number = _check.rational(value, "value")  # type: ignore[arg-type]
    return number.numerator if number.denominator == 1 else number
