"""Aggregates of the rows of one unit, in a subquery that is grouped by the unit.

They may depend on that unit's rows in any way, but on nothing else: not even on the order in which
rows are read. So sums are sums of integers, and of decimals only within a range, in steps of a grid.

Trusted.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal as Word

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.dialect import Dialect, Fragment, fill
from leastnoise.tables.expressions import Call, Expression, Literal, check_columns
from leastnoise.tables.schema import Schema, Type
from leastnoise.tables.totals import Centred

Function = Word["count", "count distinct", "sum", "avg", "min", "max"]


@dataclass(frozen=True)
class PerUnitAggregate:
    """One aggregate.

    Attributes:
        function: which one.
        value: of what; None counts rows.
        where: of which rows; all, if None.
    """

    function: Function
    value: Expression | None = None
    where: Expression | None = None

    def __post_init__(self) -> None:
        if self.value is None:
            if self.function != "count":
                raise InvalidInput(f"{self.function} needs a value.")
        elif self.function in ("sum", "avg") and not self.value.type.is_numeric:
            raise InvalidInput(f"{self.value} is of type {self.value.type}. Only numbers add up.")

    def check(self, schema: Schema) -> None:
        """Refuses what the schema does not have."""
        for each in (self.value, self.where):
            if each is not None:
                check_columns(each, schema)
        if self.where is not None and self.where.type is not Type.BOOLEAN:
            raise InvalidInput(f"{self.where} is of type {self.where.type}, and is no condition.")
        self._centred()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """What it reads."""
        return tuple(each for each in (self.value, self.where) if each is not None)

    @property
    def type(self) -> Type:
        """The type of its values."""
        if self.value is None or self.function in ("count", "count distinct"):
            return Type.INTEGER
        return Type.NUMBER if self.function == "avg" else self.value.type

    def _centred(self) -> Centred | None:
        """The total that adds up decimals as integers."""
        value = self.value
        if self.function not in ("sum", "avg") or value is None or value.type is Type.INTEGER:
            return None
        if isinstance(value, Call) and value.name == "clip":
            x, *ends = value.arguments
            low, high = (each.value for each in ends if isinstance(each, Literal))
            if isinstance(low, int | Fraction) and isinstance(high, int | Fraction):
                return Centred(None, x, Fraction(low), Fraction(high))
        raise InvalidInput(
            f"In a subquery, decimals add up only within a range:  "
            f"{self.function.upper()}(clip({value}, 0, 600))"
        )

    def sql(self, dialect: Dialect) -> Fragment:
        """The aggregate over the rows of one group: total, and the same in any order of rows."""
        only = Fragment("") if self.where is None else fill(
            " FILTER (WHERE {})", self.where.sql(dialect))  # fmt: skip
        integer, double = dialect.types[Type.INTEGER], dialect.types[Type.NUMBER]
        if self.value is None:
            return fill(f"CAST(COUNT(*){{}} AS {integer})", only)
        value = self.value.sql(dialect)
        if self.function == "count":
            return fill(f"CAST(COUNT({{}}){{}} AS {integer})", value, only)
        if self.function == "count distinct":
            return fill(f"CAST(COUNT(DISTINCT {{}}){{}} AS {integer})", value, only)
        if self.function in ("min", "max"):
            return fill(f"{self.function}({{}}){{}}", value, only)
        centred = self._centred()
        if centred is None:
            total = fill("SUM({}){}", value, only)
            if self.function == "sum":
                return fill(f"TRY_CAST({{}} AS {integer})", total)
            count = fill("COUNT({}){}", value, only)
            return fill(f"(CAST({{}} AS {double}) / NULLIF({{}}, 0))", total, count)
        x = centred.value.sql(dialect)
        y = fill("CASE WHEN {} IS NOT NULL THEN {} END", x, centred.y(dialect))
        steps = fill(f"CAST(SUM({{}}){{}} AS {double})", y, only)
        count = fill(f"CAST(COUNT({{}}){{}} AS {double})", x, only)
        step, middle = (dialect.value(each, Type.NUMBER) for each in (centred.step, centred.middle))
        if self.function == "sum":
            return fill("({} * {} + {} * {})", steps, step, count, middle)
        return fill("({} * {} / NULLIF({}, 0) + {})", steps, step, count, middle)
