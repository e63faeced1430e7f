"""The totals of rows from which every answer is computed, and the number of units.

A total adds up one integer y per row, with |y| <= bound. Where the total has a filter, rows that do
not meet it are not used by it, and y is 0. Means, shares and variances are arithmetic on totals
that share the weights of the rows.

Trusted.
"""

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.dialect import Dialect, Fragment, fill
from leastnoise.tables.expressions import Call, Expression, Literal, check_columns
from leastnoise.tables.schema import Schema, Type

STEPS = 1 << 20
"""Half the range of a clipped value, in steps of its grid, unless whole numbers need fewer."""


@dataclass(frozen=True)
class Total:
    """What all totals have in common.

    Attributes:
        where: which rows it uses; all, if None.
    """

    where: Expression | None = None

    @property
    def bound(self) -> int:
        """The greatest |y| of a row."""
        return 1

    @property
    def least(self) -> int:
        """The least y of a row."""
        return 0 if self.is_count else -self.bound

    @property
    def counts_units(self) -> bool:
        """Whether it counts each unit once per group, and not its rows."""
        return False

    @property
    def is_count(self) -> bool:
        """Whether y is 1 in every row that is used."""
        return type(self) in (Rows, Units, Present)

    @property
    def used(self) -> Expression | None:
        """The condition of the rows that it uses; None if it uses all."""
        return self.where

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """What it reads."""
        return () if self.where is None else (self.where,)

    def check(self, schema: Schema) -> None:
        """Refuses what the schema does not have."""
        for each in self.expressions:
            check_columns(each, schema)
        if self.where is not None and self.where.type is not Type.BOOLEAN:
            raise InvalidInput(f"{self.where} is of type {self.where.type}, and is no condition.")

    def y(self, dialect: Dialect) -> Fragment:
        """y as SQL, of a row that is used: an integer, never missing."""
        raise NotImplementedError

    def sql(self, dialect: Dialect, known: Expression | None) -> Fragment:
        """y as SQL, of a row that meets the condition `known`."""
        y = self.y(dialect)
        if self.used is not None and self.used != known:
            y = fill("CASE WHEN {} THEN {} ELSE 0 END", self.used.sql(dialect), y)
        return fill(f"CAST({{}} AS {dialect.shortest(self.bound)})", y)


def _both(where: Expression | None, other: Expression) -> Expression:
    return other if where is None else Call("and", (where, other))


@dataclass(frozen=True)
class Rows(Total):
    """The number of rows."""

    def y(self, dialect: Dialect) -> Fragment:  # noqa: ARG002
        """1."""
        return Fragment("1")


@dataclass(frozen=True)
class Units(Total):
    """The number of privacy units that have a row."""

    @property
    def counts_units(self) -> bool:
        """It does."""
        return True

    def y(self, dialect: Dialect) -> Fragment:  # noqa: ARG002
        """1."""
        return Fragment("1")


@dataclass(frozen=True)
class _OfValue(Total):
    """A total over the rows in which a value is present."""

    value: Expression = Literal(0)

    @property
    def used(self) -> Expression:
        """That the value is present, beside the filter."""
        return _both(self.where, Call("not", (Call("is null", (self.value,)),)))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The filter and the value."""
        return *super().expressions, self.value


@dataclass(frozen=True)
class Present(_OfValue):
    """The number of rows in which a value is present."""

    def y(self, dialect: Dialect) -> Fragment:  # noqa: ARG002
        """1."""
        return Fragment("1")


@dataclass(frozen=True)
class Met(_OfValue):
    """Rows that meet a condition minus rows that meet its negation."""

    def check(self, schema: Schema) -> None:
        """Also refuses what is no condition."""
        super().check(schema)
        if self.value.type is not Type.BOOLEAN:
            raise InvalidInput(f"{self.value} is of type {self.value.type}, and is no condition.")

    def y(self, dialect: Dialect) -> Fragment:
        """1 or -1."""
        return fill("CASE WHEN {} THEN 1 ELSE -1 END", self.value.sql(dialect))


@dataclass(frozen=True)
class Centred(_OfValue):
    """The sum of values, each clipped to lower .. upper, in steps from the middle of the range.

    Integers between whole bounds are added up as they are, in steps of 1 or 1/2, if that makes at
    most 2^20 steps to either side; everything else in 2^20 steps to either side.
    """

    lower: Fraction = Fraction(0)
    upper: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise InvalidInput(f"The range of {self.value} is empty: lower is not below upper.")
        if max(abs(self.lower), abs(self.upper)) > 2**100 or self.upper - self.lower < 2**-100:
            raise InvalidInput(f"The range of {self.value} is too wide or too narrow.")

    def check(self, schema: Schema) -> None:
        """Also refuses what cannot be added up."""
        super().check(schema)
        if not self.value.type.is_numeric:
            raise InvalidInput(f"{self.value} is of type {self.value.type}. Only numbers add up.")

    @property
    def width(self) -> Fraction:
        """Upper end minus lower end."""
        return self.upper - self.lower

    @property
    def middle(self) -> Fraction:
        """The middle of the range, which y counts from."""
        return (self.lower + self.upper) / 2

    @property
    def step(self) -> Fraction:
        """What one step of y stands for."""
        if self._is_whole:
            return Fraction(1, self.middle.denominator)
        return self.width / (2 * STEPS)

    @property
    def _is_whole(self) -> bool:
        whole = self.lower.denominator == self.upper.denominator == 1
        return whole and self.value.type is Type.INTEGER and self.width <= STEPS

    @property
    def half(self) -> int:
        """Half the range, in steps."""
        return int(self.width / (2 * self.step))

    @property
    def bound(self) -> int:
        """Half the range, in steps."""
        return self.half

    def y(self, dialect: Dialect) -> Fragment:
        """The integer is clipped, not the double: a clip of doubles can round to bound + 1."""
        if self._is_whole:
            numbers = (int(self.lower), int(self.upper), self.middle.denominator, self.half)
            low, high, parts, half = (dialect.value(n, Type.INTEGER) for n in numbers)
            near = fill("greatest({}, least({}, {}))", low, high, self.value.sql(dialect))
            # Subtracted first: the product is small wherever in 64 bits the range is.
            return fill("(({} - {}) * {} - {})", near, low, parts, half)
        value = self.value.sql_as(Type.NUMBER, dialect)
        centre, step = (dialect.value(x, Type.NUMBER) for x in (self.middle, self.step))
        low, high = (dialect.value(x, Type.NUMBER) for x in (-self.width, self.width))
        near = fill("greatest({}, least({}, {} - {})) / {}", low, high, value, centre, step)
        steps = fill(f"CAST(round({{}}) AS {dialect.types[Type.INTEGER]})", near)
        ends = (dialect.value(end, Type.INTEGER) for end in (-self.half, self.half))
        return fill("greatest({}, least({}, {}))", *ends, steps)


@dataclass(frozen=True)
class Squared(Centred):
    """The sum of 2 y^2 - h^2, with y the clipped value in steps from the middle, h half the range.

    Centred like this, it moves by at most h^2, where a sum of squares would move by twice as much.
    """

    @property
    def bound(self) -> int:
        """h^2."""
        return self.half**2

    def y(self, dialect: Dialect) -> Fragment:
        """2 y^2 - h^2."""
        y, half = super().y(dialect), dialect.value(self.half, Type.INTEGER)
        return fill("(2 * {} * {} - {} * {})", y, y, half, half)


@dataclass(frozen=True)
class Above(Centred):
    """The sum of h + y, with y the steps from the middle of the range and h half the range.

    With `Below` of the same value: together they add up to 2 h in every row, so both together move
    as far as one of them. They stand for the number of rows and the sum of y.
    """

    sign = 1

    @property
    def least(self) -> int:
        """0."""
        return 0

    @property
    def bound(self) -> int:
        """2 h."""
        return 2 * self.half

    def y(self, dialect: Dialect) -> Fragment:
        """h + y, or h - y."""
        half = dialect.value(self.half, Type.INTEGER)
        return fill(
            "({} + {} * {})", half, dialect.value(self.sign, Type.INTEGER), super().y(dialect)
        )


@dataclass(frozen=True)
class Below(Above):
    """The sum of h - y: see `Above`."""

    sign = -1

    @property
    def other(self) -> Above:
        """The sum of h + y of the same value."""
        return Above(self.where, self.value, self.lower, self.upper)
