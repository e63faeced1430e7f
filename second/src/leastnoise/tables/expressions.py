"""Row expressions: a closed family of four frozen nodes, each of which knows its type.

An expression reads one row, never fails, and gives the same value every time. Conditions are
expressions of type boolean, with the three truth values of SQL: a row for which a condition is
unknown does not meet it, and does not meet its negation either.

A node checks its parts when it is made, so an expression that exists has types that fit and sizes
that stay within doubles.

Trusted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import cached_property

from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.numbers.exact import written
from leastnoise.tables.dialect import Dialect, Fragment, fill, joined
from leastnoise.tables.functions import (
    COLUMN,
    FUNCTIONS,
    LARGEST,
    WHOLE,
    Function,
    Size,
    greatest_size,
)
from leastnoise.tables.schema import Schema, Type, Value

DEEPEST = 40  # so that no stack is exhausted
LONGEST = 10_000  # nodes: the text of a statement stays short

_SLOT = re.compile(r"\{(\d|rest|all[^}]*)\}")


@dataclass(frozen=True)
class Expression:
    """What all nodes have in common."""

    @property
    def type(self) -> Type:
        """The type of its values."""
        raise NotImplementedError

    @property
    def parts(self) -> "tuple[Expression, ...]":
        """The expressions that it is made of."""
        return ()

    @property
    def size(self) -> Size:
        """(high, low): its numbers are 0 or between 2^-low and 2^high in magnitude."""
        return WHOLE if self.type is Type.INTEGER else COLUMN

    def sql(self, dialect: Dialect) -> Fragment:
        """The expression in SQL, over columns of the same names."""
        raise NotImplementedError

    def sql_as(self, kind: Type, dialect: Dialect) -> Fragment:
        """The same as a value of a type that it has in common with others."""
        own = self.sql(dialect)
        return own if self.type is kind else fill(f"CAST({{}} AS {dialect.types[kind]})", own)

    @cached_property
    def _extent(self) -> tuple[int, int]:
        """(depth, number of nodes)."""
        below = [part._extent for part in self.parts]
        return 1 + max((d for d, _ in below), default=0), 1 + sum(n for _, n in below)

    def _check_extent(self) -> None:
        depth, nodes = self._extent
        if depth > DEEPEST or nodes > LONGEST:
            raise InvalidInput(
                f"An expression is {depth} deep and has {nodes} parts; {DEEPEST} and {LONGEST} "
                "are the most. Add a column with the result to the data."
            )


def columns_of(expression: Expression) -> "Iterator[Column]":
    """The columns that an expression reads, as often as it does."""
    if isinstance(expression, Column):
        yield expression
    for part in expression.parts:
        yield from columns_of(part)


def check_columns(expression: Expression, schema: Schema) -> None:
    """Refuses columns that a schema does not have, or has with another type."""
    for column in columns_of(expression):
        if schema[column.name].type is not column.of_type:
            raise InvalidInput(f'"{column.name}" is of type {schema[column.name].type}.')


@dataclass(frozen=True)
class Column(Expression):
    """A column of the row."""

    name: str
    of_type: Type

    def __post_init__(self) -> None:
        if self.of_type is Type.OTHER:
            raise InvalidInput(
                f'"{self.name}" holds values of a type that cannot be used. Its type must be '
                "boolean, integer, number, text, date or timestamp. Moments with a zone need one in "
                'which they are read:  ln.read(..., time_zone="Europe/Oslo")'
            )

    @property
    def type(self) -> Type:
        """That of the column."""
        return self.of_type

    def sql(self, dialect: Dialect) -> Fragment:
        """Its name."""
        return dialect.name(self.name)

    def __str__(self) -> str:
        if self.name.isidentifier():
            return self.name
        return '"' + self.name.replace('"', '""') + '"'


@dataclass(frozen=True)
class Literal(Expression):
    """The same value in every row."""

    value: Value

    def __eq__(self, other: object) -> bool:
        """1 and 1.0 are different: an expression may have another type with one than with the other."""
        return isinstance(other, Literal) and (self.type, self.value) == (other.type, other.value)

    def __hash__(self) -> int:
        return hash((self.type, self.value))

    def __post_init__(self) -> None:
        if self.type is Type.NUMBER:
            number = abs(Fraction(self.value))  # type: ignore[arg-type]
            if number and not Fraction(1, 2**200) <= number <= 2**200:
                raise InvalidInput(
                    f"The number {written(number)} is too large or too small to compute with."
                )

    @property
    def type(self) -> Type:
        """That of the value. A whole number is an integer."""
        match self.value:
            case bool():
                return Type.BOOLEAN
            case int():
                return Type.INTEGER if abs(self.value) < 2**63 else Type.NUMBER
            case Fraction():
                return Type.NUMBER
            case str():
                return Type.TEXT
            case datetime():
                return Type.TIMESTAMP
            case date():
                return Type.DATE
            case _:
                raise InvalidInput("NULL stands where a value is needed. Leave it out.")

    def sql(self, dialect: Dialect) -> Fragment:
        """The value, bound."""
        return dialect.value(self.value, self.type)

    def __str__(self) -> str:
        match self.value:
            case bool():
                return str(self.value).upper()
            case int() | Fraction():
                return written(Fraction(self.value))
            case datetime():
                return f"TIMESTAMP '{self.value}'"
            case date():
                return f"DATE '{self.value}'"
            case _:
                return "'" + str(self.value).replace("'", "''") + "'"


@dataclass(frozen=True)
class Call(Expression):
    """A function, comparison or connective of `FUNCTIONS`."""

    name: str
    arguments: tuple[Expression, ...]

    def __post_init__(self) -> None:
        if self.name not in FUNCTIONS:
            hint = did_you_mean(self.name, FUNCTIONS)
            raise InvalidInput(f'There is no function "{self.name}".{hint}')
        self._check_extent()
        self._check_arguments(FUNCTIONS[self.name])
        if self.type is Type.NUMBER and (self.size[0] > LARGEST[0] or self.size[1] > LARGEST[1]):
            raise InvalidInput(
                f"{self} may leave the range of double precision. Multiply or divide fewer columns "
                "in one expression, or add a column with the result to the data."
            )

    def _check_arguments(self, known: Function) -> None:
        count = len(self.arguments)
        least = len(known.arguments) if known.least < 0 else known.least
        if count < least or (count > len(known.arguments) and not known.repeats):
            wanted = f"at least {least}" if known.repeats else f"{least}"
            raise InvalidInput(f"{self.name} takes {wanted} arguments and has {count} here.")
        for place, argument in enumerate(self.arguments):
            kinds = known.arguments[min(place, len(known.arguments) - 1)]
            if argument.type not in kinds:
                kind = Type.NUMBER if Type.NUMBER in kinds else kinds[0]
                raise InvalidInput(
                    f"{argument} is of type {argument.type}; {self.name} takes "
                    f"{' or '.join(kinds)} there.{_declared(argument, kind)}"
                )
        for place, values in known.constants.items():
            argument = self.arguments[place]
            if not isinstance(argument, Literal) or argument.value not in values:
                shown = f": {', '.join(values)}" if isinstance(values, tuple) else ""
                raise InvalidInput(f"{argument} is not a constant that {self.name} takes{shown}.")
        if known.meet:
            common = common_type(self.arguments)
            if common is Type.BOOLEAN and self.name in ("<", "<=", ">", ">="):
                raise InvalidInput(f"{self} puts truth values in order. Compare them with =.")

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The arguments."""
        return self.arguments

    @cached_property
    def type(self) -> Type:
        """That of the function, or what its arguments have in common."""
        return FUNCTIONS[self.name].result or common_type(self.arguments)

    @cached_property
    def size(self) -> Size:
        """By the rule of the function."""
        if self.type is Type.INTEGER:
            return WHOLE
        return FUNCTIONS[self.name].size([part.size for part in self.arguments])

    def sql(self, dialect: Dialect) -> Fragment:
        """By the template of the function."""
        known = FUNCTIONS[self.name]
        whole = known.whole_sql and all(part.type is Type.INTEGER for part in self.arguments)
        template = dialect.texts.get(self.name, known.whole_sql if whole else known.sql)
        if known.meet:
            kind = common_type(self.arguments)
            parts = [part.sql_as(kind, dialect) for part in self.arguments]
        elif known.result is Type.NUMBER:
            numeric = [part.type is Type.INTEGER and place not in known.constants
                       for place, part in enumerate(self.arguments)]  # fmt: skip
            parts = [part.sql_as(Type.NUMBER if to else part.type, dialect)
                     for part, to in zip(self.arguments, numeric, strict=True)]  # fmt: skip
        else:
            parts = [part.sql(dialect) for part in self.arguments]
        return _filled(template, parts)

    def __str__(self) -> str:
        sign = FUNCTIONS[self.name].infix
        if sign:
            between = f" {sign} ".join(map(str, self.arguments))
            return f"({between})" if sign not in ("=", "<>", "<", "<=", ">", ">=") else between
        match self.name:
            case "is null":
                return f"{self.arguments[0]} IS NULL"
            case "not":
                return f"NOT ({self.arguments[0]})"
            case "in":
                return f"{self.arguments[0]} IN ({', '.join(map(str, self.arguments[1:]))})"
        return f"{self.name}({', '.join(map(str, self.arguments))})"


def _filled(template: str, parts: list[Fragment]) -> Fragment:
    """A template with its slots filled: {0}, {rest} behind it, {all, } with what is between."""
    found: list[Fragment] = []
    for slot in _SLOT.findall(template):
        if slot == "rest":
            found.append(joined(", ", parts[1:]))
        elif slot.startswith("all"):
            found.append(joined(slot[3:], parts))
        else:
            found.append(parts[int(slot)])
    return fill(_SLOT.sub("{}", template), *found)


def common_type(parts: tuple[Expression, ...]) -> Type:
    """The type in which values of several types are compared and chosen from."""
    kinds = {part.type for part in parts}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds == {Type.INTEGER, Type.NUMBER}:
        return Type.NUMBER
    if kinds == {Type.DATE, Type.TIMESTAMP}:
        return Type.TIMESTAMP
    shown = ", ".join(f"{part} ({part.type})" for part in parts[:4])
    kind = next(part.type for part in parts if part.type is not Type.TEXT)
    hint = "".join(_declared(part, kind) for part in parts[:4])
    raise InvalidInput(f"These are of different types: {shown}. Use values of one type.{hint}")


def _declared(value: "Expression", kind: Type) -> str:
    """How a column of text is declared, if that is what is missing."""
    if not isinstance(value, Column) or value.type is not Type.TEXT or kind is Type.TEXT:
        return ""
    return f' If {value} holds such values, declare it:\n  columns={{"{value}": "{kind}"}}'


@dataclass(frozen=True)
class Case(Expression):
    """The value behind the first condition that is met; else another one, or none."""

    whens: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None = None

    def __post_init__(self) -> None:
        for condition, _ in self.whens:
            if condition.type is not Type.BOOLEAN:
                raise InvalidInput(f"{condition} is no condition. WHEN takes conditions.")
        common_type(self._values)
        self._check_extent()

    @property
    def _values(self) -> tuple[Expression, ...]:
        rest = () if self.otherwise is None else (self.otherwise,)
        return *(value for _, value in self.whens), *rest

    @cached_property
    def type(self) -> Type:
        """What its values have in common."""
        return common_type(self._values)

    @property
    def parts(self) -> tuple[Expression, ...]:
        """Conditions and values."""
        return *(condition for condition, _ in self.whens), *self._values

    @cached_property
    def size(self) -> Size:
        """That of a value which is one of several."""
        return greatest_size([value.size for value in self._values])

    def sql(self, dialect: Dialect) -> Fragment:
        """CASE."""
        whens = [
            fill("WHEN {} THEN {}", condition.sql(dialect), value.sql_as(self.type, dialect))
            for condition, value in self.whens
        ]
        if self.otherwise is None:
            return fill("CASE {} END", joined(" ", whens))
        rest = self.otherwise.sql_as(self.type, dialect)
        return fill("CASE {} ELSE {} END", joined(" ", whens), rest)

    def __str__(self) -> str:
        whens = " ".join(f"WHEN {condition} THEN {value}" for condition, value in self.whens)
        rest = "" if self.otherwise is None else f" ELSE {self.otherwise}"
        return f"CASE {whens}{rest} END"
