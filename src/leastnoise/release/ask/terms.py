r"""Terms: columns, and what is computed from columns of the same row.

A term reads one row, never raises, and gives the same answer every time: whatever is out of a
function's domain has no value. So a term bounds nothing and leaks nothing by itself.
"""

from collections.abc import Iterator
from datetime import date
from enum import Enum
from fractions import Fraction
from typing import cast

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.conditions import Condition, Readable, terms_of
from leastnoise.release.ask.days import as_day
from leastnoise.release.ask.signature import OPERATORS, Parameter, Wants
from leastnoise.release.ask.signatures import SIGNATURES
from leastnoise.release.ask.values import MOST_TEXT, Value, checked_value, written_value


class Term(Readable):
    """What each row has a value of, or no value: a column, or something computed from columns."""

    @property
    def columns(self) -> tuple["Column", ...]:
        """The columns it is computed from, each once."""
        return ()

    @property
    def parts(self) -> tuple["Term", ...]:
        """The terms that it is made of."""
        return ()

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

    def __truediv__(self, other: object) -> "Called":
        return called("divide", self, other)

    def __rtruediv__(self, other: object) -> "Called":
        return called("divide", other, self)

    def __neg__(self) -> "Arithmetic":
        return -1 * self

    def __abs__(self) -> "Called":
        return called("abs", self)

    def abs(self) -> "Called":
        """Without its sign."""
        return called("abs", self)

    def floor(self) -> "Called":
        """The greatest integer up to a number."""
        return called("floor", self)

    def ceil(self) -> "Called":
        """The least integer from a number on."""
        return called("ceil", self)

    def round(self, digits: int = 0) -> "Called":
        """To so many decimals, −15..15, halves up."""
        return called("round", self, digits)

    def mod(self, divisor: int) -> "Called":
        """What is left of an integer divided by a constant, with the integer's own sign."""
        return called("mod", self, divisor)

    def nullif(self, value: object) -> "Called":
        """The same, but no value where it equals this."""
        return called("nullif", self, value)

    def fill_null(self, value: object) -> "Called":
        """The same, and this where there is no value."""
        return called("coalesce", self, value)

    def date_trunc(self, period: str) -> "Called":
        """The first day of the "week" (from Monday), "month", "quarter" or "year" of a date."""
        return called("date_trunc", period, self)

    def weekday(self) -> "Called":
        """The day of the week of a date, 1 for Monday."""
        return called("weekday", self)

    def quarter(self) -> "Called":
        """The quarter of a date, 1..4."""
        return called("quarter", self)

    def days_since(self, start: object) -> "Called":
        """How many days of the calendar after another date a date is."""
        return called("days_between", start, self)

    def hours_since(self, start: object) -> "Called":
        """How many hours after another time stamp a time stamp is, with decimals."""
        return called("hours_between", start, self)

    def seconds_since(self, start: object) -> "Called":
        """How many seconds after another time stamp a time stamp is, with decimals."""
        return called("seconds_between", start, self)

    def age_in_years(self, on: object) -> "Called":
        """Of a date of birth, the age in whole years on a day."""
        return called("age_in_years", self, on)

    def length(self) -> "Called":
        """The number of letters of a text."""
        return called("length", self)

    def lower(self) -> "Called":
        """A text with a..z for A..Z; engines disagree on other letters, which stay."""
        return called("lower", self)

    def upper(self) -> "Called":
        """A text with A..Z for a..z; other letters stay."""
        return called("upper", self)

    def trim(self) -> "Called":
        """A text without spaces at its ends."""
        return called("trim", self)

    def substring(self, start: int, count: int | None = None) -> "Called":
        """The letters of a text from a number on, the first being 1; so many, or all."""
        return called("substring", self, start, *([] if count is None else [count]))


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
    def parts(self) -> tuple[Term, ...]:
        """The dates."""
        return (self.column,)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The dates."""
        return (self.column,)

    def __str__(self) -> str:
        return f"{self.part.value} of {self.column}"


class Operation(Enum):
    """How two numbers become one without taming the result anew."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"


@dataclass(frozen=True, eq=False)
class Cut(Term):
    """A term whose values below `low` count as this, and those above `high` as that."""

    term: Term
    low: Fraction
    high: Fraction

    @property
    def parts(self) -> tuple[Term, ...]:
        """What is cut."""
        return (self.term,)

    @property
    def columns(self) -> tuple["Column", ...]:
        """Those of the term."""
        return self.term.columns

    def __str__(self) -> str:
        return f"{self.term} in {self.low} … {self.high}"


@dataclass(frozen=True, eq=False)
class Constant(Term):
    """The same value in every row."""

    value: Value

    def __str__(self) -> str:
        return written_value(self.value)


@dataclass(frozen=True, eq=False)
class Arithmetic(Term):
    """A sum, difference or product; no value where one of its operands has none.

    Law: in double precision, rounded to nearest. Before anything is computed, the values of columns
    and the results of functions are tamed: those beyond ±2^200 become ±2^200 and those below 2^−200
    in magnitude become 0, so that no result is infinite and none is lost: with at most 16 such
    operands and constants and products of at most 4 of them, results are below 2^1000 in magnitude,
    and 0 or above 2^−1010.
    Proof: docs/proofs/sensitivity.md, section 4.

    Raises:
        InvalidParameter: more columns and constants, or longer products.
    """

    operation: Operation
    one: Term
    other: Term

    @property
    def parts(self) -> tuple[Term, ...]:
        """Both operands."""
        return self.one, self.other

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
        refuse_large(self)

    def __str__(self) -> str:
        return f"({self.one} {self.operation.value} {self.other})"


MOST_LEAVES = 16
MOST_FACTORS = 4
MOST_PARTS = 300
DEEPEST = 28


@dataclass(frozen=True, eq=False)
class Called(Term):
    """What a function of `SIGNATURES` makes of terms; `called` checks what it is given.

    Attributes:
        function: its name.
        arguments: terms, constants among them.
    """

    function: str
    arguments: tuple[Term, ...]

    @property
    def parts(self) -> tuple[Term, ...]:
        """The arguments."""
        return self.arguments

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those of all arguments."""
        return tuple(dict.fromkeys(each for term in self.arguments for each in term.columns))

    def __post_init__(self) -> None:
        refuse_large(self)

    def __str__(self) -> str:
        if self.function in OPERATORS:
            return f"({OPERATORS[self.function].format(*self.arguments)})"
        return f"{self.function}({', '.join(map(str, self.arguments))})"


def called(name: str, *arguments: object) -> Called:
    """A function of terms and constants.

    Raises:
        InvalidParameter: no such function, more or fewer arguments, or a term for a constant.
    """
    signature = SIGNATURES.get(name)
    if signature is None:
        raise _check.refuse(
            "a function must be one of those there are",
            _check.shown(name),
            f"There are: {', '.join(SIGNATURES)}.",
        )
    if not signature.takes(len(arguments)):
        raise _check.refuse(
            f"`{name}` must have the arguments {signature}", f"{len(arguments)}", "Write it so."
        )
    terms = [_argument(each, signature.parameter(i), name) for i, each in enumerate(arguments)]
    return Called(name, tuple(terms))


def _argument(value: object, parameter: Parameter, function: str) -> Term:
    found = value if isinstance(value, Term) else Constant(checked_value(value))
    if parameter.wants in {Wants.DAY, Wants.MOMENT} and isinstance(found, Constant):
        return Constant(as_day(found.value))
    if parameter.rule is None:
        return found
    if isinstance(found, Constant) and parameter.rule(found.value):
        return found
    raise _check.refuse(
        f"`{parameter.name}` of `{function}` must be {parameter.said}",
        _check.shown(found.value) if isinstance(found, Constant) else f"{found}",
        "Write such a constant.",
    )


def refuse_large(term: Term) -> None:
    """Checks that a term is neither long nor deep, so that no stack and no engine is exhausted."""
    count, depth = 0, 0
    level = [term]
    while level and count <= MOST_PARTS:
        count, depth = count + len(level), depth + 1
        level = [part for each in level for part in each.parts]
    if count > MOST_PARTS or depth > DEEPEST:
        raise _check.refuse(
            f"an expression may have {MOST_PARTS} parts and be {DEEPEST} deep",
            f"more than {MOST_PARTS}" if count > MOST_PARTS else f"{depth} deep",
            "Add a column with the result to the data.",
        )


def leaves(term: Term) -> int:
    """How many columns, constants and results of functions are added and multiplied."""
    return leaves(term.one) + leaves(term.other) if isinstance(term, Arithmetic) else 1


def degree(term: Term) -> int:
    """How many columns and constants are multiplied with one another at most."""
    if not isinstance(term, Arithmetic):
        return 1
    one, other = degree(term.one), degree(term.other)
    return one + other if term.operation is Operation.TIMES else max(one, other)


def _operand(value: object) -> Term:
    if isinstance(value, Term):
        return value
    if isinstance(value, bool | str | date):
        raise _check.refuse(
            "columns are added to and multiplied with columns and numbers",
            f"a {type(value).__name__}",
            "Give a number.",
        )
    return Constant(_check.rational(value, "value"))  # type: ignore[arg-type]


def col(name: str) -> Column:
    """A column by name.

    Args:
        name: the column's name; in a table that joins others, "patients.born".

    Raises:
        InvalidParameter: not a name.

    Example:
        >>> adults = (col("age") >= 18) & (col("city") == "Oslo")  # a condition, for `where`
        >>> per_head = col("income") / col("people")  # an expression, in the place of a column
    """
    known: object = name
    if isinstance(known, str) and known.isprintable() and 0 < len(known) <= MOST_TEXT:
        return Column(name)
    raise _check.refuse(
        "a column's name must be printable text", _check.shown(known), "Write col('age')."
    )


def columns_of(condition: Condition) -> tuple[Column, ...]:
    """The columns a condition reads, each once."""
    found = (column for term in terms_of(condition) for column in term.columns)
    return tuple(dict.fromkeys(cast("Iterator[Column]", found)))


def as_term(value: str | Term) -> Term:
    """A column by name, or an expression as it is."""
    return value if isinstance(value, Term) else col(value)


def least(*terms: object) -> Called:
    """The least of several columns, expressions and numbers, of those that have a value.

    Args:
        *terms: the columns, expressions and numbers.

    Example:
        >>> shorter = least(col("height"), col("width"))
    """
    return called("least", *terms)


def greatest(*terms: object) -> Called:
    """The greatest of several columns, expressions and numbers, of those that have a value.

    Args:
        *terms: the columns, expressions and numbers.

    Example:
        >>> at_least_zero = greatest(col("balance"), 0)
    """
    return called("greatest", *terms)


def coalesce(*terms: object) -> Called:
    """The first of several columns, expressions and constants that has a value.

    Args:
        *terms: the columns, expressions and constants, the first choice first.

    Example:
        >>> city = coalesce(col("city"), "not known")  # a group of its own for missing values
    """
    return called("coalesce", *terms)
