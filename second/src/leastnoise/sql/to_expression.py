"""A sqlglot tree of a scalar expression to a row expression.

A node that is not named here is refused. Nothing here is trusted: it can only call constructors of
`tables.expressions`, and those check what they are given.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from leastnoise.numbers.errors import InvalidInput, UnsupportedSQL, did_you_mean
from leastnoise.numbers.exact import exact
from leastnoise.sql import refusals
from leastnoise.sql.nodes import is_aggregate, sql_of
from leastnoise.sql.parse import Text
from leastnoise.tables.expressions import Call, Case, Expression, Literal
from leastnoise.tables.functions import FUNCTIONS, PARTS
from leastnoise.tables.schema import Type

Resolve = Callable[[Any], Expression]
"""From a column of the tree to a column of the relation."""

_BINARY = {
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%", "DPipe": "||",
    "EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">=",
    "StartsWith": "starts_with", "Contains": "contains", "Nullif": "nullif",
}  # fmt: skip
_UNARY = {
    "Abs": "abs", "Floor": "floor", "Ceil": "ceil", "Lower": "lower", "Upper": "upper",
    "Length": "length", "Trim": "trim", "Not": "not", "Year": "year", "Month": "month",
    "Day": "day", "DayOfMonth": "day", "Hour": "hour", "Quarter": "quarter",
    "DayOfWeekIso": "weekday",
}  # fmt: skip
_LISTS = {"Coalesce": "coalesce", "Least": "least", "Greatest": "greatest"}
_AGGREGATES = ("AVG", "COUNT", "MEDIAN", "QUANTILE", "STDDEV", "SUM", "VARIANCE")
_NAMED = {"clip": "clip", "days_between": "days_between", "weekday": "weekday"}
_CASTS = {
    "DATE": Type.DATE, "TIMESTAMP": Type.TIMESTAMP, "TIMESTAMPNTZ": Type.TIMESTAMP,
    "DATETIME": Type.TIMESTAMP, "DOUBLE": Type.NUMBER, "FLOAT": Type.NUMBER, "INT": Type.INTEGER,
    "BIGINT": Type.INTEGER, "TEXT": Type.TEXT, "VARCHAR": Type.TEXT, "BOOLEAN": Type.BOOLEAN,
}  # fmt: skip
_INSTEAD = {
    "Like": "Write starts_with(x, 'ab') or contains(x, 'ab').",
    "ILike": "Write contains(lower(x), 'ab').",
    "Interval": "Write the date itself: DATE '2020-03-31'.",
    "CurrentDate": "It changes from day to day; write the date itself: DATE '2020-03-31'.",
    "CurrentTimestamp": "It changes all the time; write TIMESTAMP '2020-03-31 12:00:00'.",
    "Rand": "It is not a function of the row.",
    "Left": "Write substring(x, 1, 3).",
    "TryCast": "Declare the type of the column in ln.read.",
    "NullSafeEQ": "Write a = b OR (a IS NULL AND b IS NULL).",
    "NullSafeNEQ": "Write a <> b, and a IS NULL where it counts.",
    "Null": "Write IS NULL, or leave ELSE out.",
    "Placeholder": "Write the value itself.",
    "Parameter": "Write the value itself.",
    "Exists": "Write it as a condition of WHERE.",
    "Subquery": "Join to it, or write EXISTS in WHERE.",
    "Star": "Name the columns.",
    "Pow": "Multiply.",
}
_HARMLESS = {"safe", "typed", "ignore_nulls", "date_part_boundary", "coalesce", "big_int", "is_nvl"}


def to_expression(
    node: Any, text: Text, resolve: Resolve, aggregate: Resolve | None = None
) -> Expression:
    """The row expression of a tree; `aggregate` says which column stands for an aggregate in it."""
    return _Reader(text, resolve, aggregate).read(node)


class _Reader:
    def __init__(self, text: Text, resolve: Resolve, aggregate: Resolve | None) -> None:
        self._text, self._resolve, self._aggregate = text, resolve, aggregate

    def read(self, node: Any) -> Expression:
        """A node, with the place of what is wrong in it."""
        if node is None:
            raise UnsupportedSQL("An argument is missing here.")
        with self._text.placed(node):
            return self._read(node)

    def _read(self, node: Any) -> Expression:
        kind = type(node).__name__
        if is_aggregate(node):
            if self._aggregate is None:
                raise refusals.aggregate_here()
            return self._aggregate(node)
        if kind in _BINARY:
            self._only(node, "this", "expression")
            if kind == "Sub":
                return self._difference(node)
            return self._call(_BINARY[kind], node.this, node.expression)
        if kind in _UNARY:
            self._only(node, "this")
            return self._call(_UNARY[kind], node.this)
        if kind in _LISTS:
            self._only(node, "this", "expressions")
            return self._call(_LISTS[kind], node.this, *node.expressions)
        reader = _READERS.get(kind)
        if reader is None:
            instead = f" {_INSTEAD[kind]}" if kind in _INSTEAD else ""
            raise UnsupportedSQL(f"{sql_of(node):.60} is not supported.{instead}")
        return reader(self, node)

    def _only(self, node: Any, *names: str) -> None:
        """Refuses an argument that no rule names: it may change what a node means."""
        if {name for name, value in node.args.items() if value} - {*names} - _HARMLESS:
            raise UnsupportedSQL(f"{sql_of(node):.60} is not supported in this form.")

    def _call(self, name: str, *nodes: Any) -> Expression:
        return call(name, *map(self.read, nodes))

    def _difference(self, node: Any) -> Expression:
        left, right = self.read(node.this), self.read(node.expression)
        if left.type is right.type is Type.DATE:
            return Call("days_between", (right, left))
        return call("-", left, right)

    def _column(self, node: Any) -> Expression:
        if type(node.this).__name__ != "Identifier":
            raise UnsupportedSQL(
                f"{sql_of(node):.60} is no column. Name one, or write a number: 0.5."
            )
        try:
            return self._resolve(node)
        except InvalidInput as unknown:
            if not node.this.quoted or "Did you mean" in str(unknown):
                raise
            raise InvalidInput(f"{unknown}\nText has single quotes: '{node.name}'.") from None

    def _paren(self, node: Any) -> Expression:
        return self.read(node.this)

    def _literal(self, node: Any) -> Expression:
        if node.is_string:
            return Literal(node.this)
        number = exact(node.this)
        return Literal(int(number) if number.denominator == 1 else number)

    def _boolean(self, node: Any) -> Expression:
        return Literal(bool(node.this))

    def _negative(self, node: Any) -> Expression:
        inner = self.read(node.this)
        if isinstance(inner, Literal) and inner.type.is_numeric:
            return Literal(-inner.value)  # type: ignore[operator]
        return Call("-", (Literal(0), inner))

    def _connective(self, node: Any) -> Expression:
        name = "and" if type(node).__name__ == "And" else "or"
        return Call(name, tuple(self.read(each) for each in node.flatten()))

    def _is(self, node: Any) -> Expression:
        value = self.read(node.this)
        if _is_null(node.expression):
            return Call("is null", (value,))
        wanted = self.read(node.expression)
        if value.type is not Type.BOOLEAN or wanted.type is not Type.BOOLEAN:
            raise UnsupportedSQL("IS takes NULL, TRUE or FALSE.")
        return Call("coalesce", (call("=", value, wanted), Literal(False)))

    def _between(self, node: Any) -> Expression:
        self._only(node, "this", "low", "high")
        value, low, high = map(self.read, (node.this, node.args.get("low"), node.args.get("high")))
        return Call("and", (call(">=", value, low), call("<=", value, high)))

    def _in(self, node: Any) -> Expression:
        if node.args.get("query"):
            raise refusals.query_in_condition()
        self._only(node, "this", "expressions")
        if any(_is_null(each) for each in node.expressions):
            raise UnsupportedSQL("NULL in a list of values is never equal. Leave it out.")
        return self._call("in", node.this, *node.expressions)

    def _case(self, node: Any) -> Expression:
        subject = None if node.this is None else self.read(node.this)
        whens = []
        for each in node.args["ifs"]:
            test = self.read(each.this)
            condition = test if subject is None else call("=", subject, test)
            whens.append((condition, self.read(each.args["true"])))
        rest = node.args.get("default")
        if rest is None or _is_null(rest):
            return Case(tuple(whens))
        return Case(tuple(whens), self.read(rest))

    def _if(self, node: Any) -> Expression:
        rest = node.args.get("false")
        whens = ((self.read(node.this), self.read(node.args["true"])),)
        return Case(whens) if rest is None else Case(whens, self.read(rest))

    def _round(self, node: Any) -> Expression:
        self._only(node, "this", "decimals")
        digits = node.args.get("decimals")
        return (
            self._call("round", node.this)
            if digits is None
            else self._call("round_to", node.this, digits)
        )

    def _substring(self, node: Any) -> Expression:
        self._only(node, "this", "start", "length")
        length = node.args.get("length")
        rest = Literal(2**31 - 1) if length is None else self.read(length)
        return Call("substring", (self.read(node.this), self.read(node.args.get("start")), rest))

    def _concat(self, node: Any) -> Expression:
        return self._call("concat", *node.expressions)

    def _truncated(self, node: Any) -> Expression:
        self._only(node, "this", "unit", "unabbreviate")
        unit = Literal(_word_of(node.args.get("unit")))
        return call("date_trunc", unit, self.read(node.this))

    def _extract(self, node: Any) -> Expression:
        part = _word_of(node.this)
        part = {"isodow": "weekday"}.get(part, part)
        if part not in PARTS:
            raise UnsupportedSQL(f"{part} is not a part of dates here: {', '.join(PARTS)}.")
        return self._call(part, node.expression)

    def _days_between(self, node: Any) -> Expression:
        self._only(node, "this", "expression", "unit")
        if _word_of(node.args.get("unit")) not in ("", "day"):
            raise UnsupportedSQL(
                "Only whole days between dates are supported: date_diff('day', a, b)."
            )
        ends = (self.read(each) for each in (node.expression, node.this))
        return Call("days_between", tuple(_dated(each, Type.DATE) for each in ends))

    def _cast(self, node: Any) -> Expression:
        """A date written as a literal, the day of a moment, and conversions between numbers."""
        kind, inner = _CASTS.get(node.to.this.name), self.read(node.this)
        if kind in (Type.DATE, Type.TIMESTAMP) and isinstance(inner, Literal):
            return _dated(inner, kind)
        if kind is inner.type or (kind is Type.NUMBER and inner.type is Type.INTEGER):
            return inner
        if kind is Type.DATE and inner.type is Type.TIMESTAMP:
            return Call("date_trunc", (Literal("day"), inner))
        if kind is Type.INTEGER and inner.type is Type.NUMBER:
            return Call("round", (inner,))
        if kind is Type.INTEGER and inner.type is Type.BOOLEAN:
            no = Call("not", (inner,))
            return Case(((inner, Literal(1)), (no, Literal(0))))
        raise UnsupportedSQL(
            f"{sql_of(node):.60} is not supported. Declare the type of the column: "
            f'columns={{"{inner}": "{kind or "number"}"}}.'
        )

    def _anonymous(self, node: Any) -> Expression:
        name = node.name.lower()
        if name not in _NAMED:
            known = [each for each in (*FUNCTIONS, *_NAMED, *_AGGREGATES) if each.isidentifier()]
            hint = did_you_mean(name, known)
            raise UnsupportedSQL(f'There is no function "{node.name}".{hint}')
        return self._call(_NAMED[name], *node.expressions)


_READERS: dict[str, Callable[[_Reader, Any], Expression]] = {
    "Column": _Reader._column, "Paren": _Reader._paren, "Literal": _Reader._literal,
    "Boolean": _Reader._boolean, "Neg": _Reader._negative, "And": _Reader._connective,
    "Or": _Reader._connective, "Is": _Reader._is, "Between": _Reader._between,
    "In": _Reader._in, "Case": _Reader._case, "If": _Reader._if, "Round": _Reader._round,
    "Substring": _Reader._substring, "Concat": _Reader._concat,
    "TimestampTrunc": _Reader._truncated, "DateTrunc": _Reader._truncated,
    "Extract": _Reader._extract, "DateDiff": _Reader._days_between, "Cast": _Reader._cast,
    "Anonymous": _Reader._anonymous,
}  # fmt: skip


def _word_of(node: Any) -> str:
    return "" if node is None else str(node.name).lower()


def _is_null(node: Any) -> bool:
    return type(node).__name__ == "Null"


def call(name: str, *arguments: Expression) -> Expression:
    """A call in which text that meets dates is read as dates."""
    kinds = {each.type for each in arguments}
    wanted = next((kind for kind in (Type.TIMESTAMP, Type.DATE) if kind in kinds), None)
    if wanted is not None and Type.TEXT in kinds and FUNCTIONS.get(name) and FUNCTIONS[name].meet:
        arguments = tuple(_dated(each, wanted) for each in arguments)
    return Call(name, arguments)


def _dated(value: Expression, kind: Type) -> Expression:
    if value.type is not Type.TEXT:
        return value
    if not isinstance(value, Literal):
        raise InvalidInput(
            f'{value} is text and meets dates. Declare it:\n  columns={{"{value}": "date"}}'
        )
    try:
        moment = datetime.fromisoformat(str(value.value))
    except ValueError:
        raise InvalidInput(f"{value} is no date. Write it as '2013-01-31'.") from None
    if moment.tzinfo is not None:
        raise InvalidInput(f"{value} has a zone. Write it without one.")
    midnight = moment.time() == datetime.min.time()
    return Literal(moment.date() if kind is Type.DATE and midnight else moment)
