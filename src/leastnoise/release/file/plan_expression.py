"""Derived columns as plans write them: price * quantity - 2, floor(age / 10), lower(city)."""

import ast
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from operator import and_, or_
from typing import TypeAlias

from leastnoise import _check
from leastnoise.release.ask.choices import Case, Indicator
from leastnoise.release.ask.conditions import Condition, Readable
from leastnoise.release.ask.functions import FUNCTIONS
from leastnoise.release.ask.terms import Constant, Term, col

Said: TypeAlias = Term | Fraction | str | Condition
"""What a part of a text stands for."""

_OPERATIONS: dict[type[ast.operator], Callable[[Term, Term], Term]] = {
    ast.Add: lambda one, other: one + other,
    ast.Sub: lambda one, other: one - other,
    ast.Mult: lambda one, other: one * other,
    ast.Div: lambda one, other: one / other,
}
_RELATIONS: dict[type[ast.cmpop], Callable[[Readable, object], Condition]] = {
    ast.Lt: lambda one, other: one < other,
    ast.LtE: lambda one, other: one <= other,
    ast.Gt: lambda one, other: one > other,
    ast.GtE: lambda one, other: one >= other,
    ast.Eq: lambda one, other: one.equals(other),
    ast.NotEq: lambda one, other: one.differs(other),
}
_MOST_LETTERS = 1000  # far above what people write, and parsed at once
_ALLOWED = (
    "a derived column must be made of columns, numbers and texts by +, -, *, /, functions such as "
    "floor(age / 10), and choices such as 0 if age < 18 else paid"
)


def plan_expression(text: str) -> Term:
    """The term that a text stands for; only its shape is looked at, nothing is run.

    Args:
        text: columns by name, col("odd name") for those that are no plain words, numbers, texts in
            quotes, + - * / and parentheses, the functions of docs/expressions.md by name, and
            "this if condition else that" with conditions of < <= > >= == != in, and, or, not. A
            condition alone is a column of truth values.

    Raises:
        InvalidParameter: anything else.

    Example:
        >>> print(plan_expression("price * quantity - 0.5"))
        ((price * quantity) - 0.5)
        >>> print(plan_expression('year(col("date of birth"))'))
        year of date of birth
        >>> print(plan_expression("'child' if age < 18 else lower(kind)"))
        case when age < 18 then 'child' else lower(kind) end
    """
    if len(text) > _MOST_LETTERS:
        raise _refusal("a long one")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refusal("something that cannot be read") from None
    found = _said(tree.body, text.strip())
    if isinstance(found, Term | Condition):
        return _term(found)
    raise _refusal("a constant alone")


def _said(node: ast.expr, text: str) -> Said:  # noqa: PLR0911 - one per kind
    match node:
        case ast.Name():
            return col(node.id)
        case ast.Constant(value=str() as said):
            return said
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            # The number as it was written: a tenth, not the double next to it.
            return _check.rational(ast.get_source_segment(text, node) or "", "a number")
        case ast.UnaryOp(op=ast.USub()):
            inner = _said(node.operand, text)
            return -inner if isinstance(inner, Fraction) else -1 * _term(inner)
        case ast.BinOp() if type(node.op) in _OPERATIONS:
            return _computed(node, text)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _called(name, arguments, text)
        case ast.IfExp():
            return _chosen(node, text)
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return _condition(node, text)
    raise _refusal("something else")


def _computed(node: ast.BinOp, text: str) -> Said:
    one, other = _said(node.left, text), _said(node.right, text)
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return _reckoned(node.op, one, other)
    made = _OPERATIONS[type(node.op)]
    left, right = (each if isinstance(each, Fraction) else _term(each) for each in (one, other))
    return made(left, right)  # type: ignore[arg-type]


def _reckoned(operation: ast.operator, one: Fraction, other: Fraction) -> Fraction:
    match operation:
        case ast.Add():
            return one + other
        case ast.Sub():
            return one - other
        case ast.Mult():
            return one * other
    if other:
        return one / other
    raise _refusal("a division by 0")


def _term(said: Said) -> Term:
    if isinstance(said, Term):
        return said
    if isinstance(said, Condition):
        return Indicator(said)
    return Constant(said)


def _called(name: str, arguments: list[ast.expr], text: str) -> Term:
    match arguments:
        case [ast.Constant(value=str() as column)] if name == "col":
            return col(column)
    found = [_said(each, text) for each in arguments]
    if name in FUNCTIONS:
        return FUNCTIONS[name].make(
            *(Indicator(each) if isinstance(each, Condition) else each for each in found)
        )
    names = sorted({*FUNCTIONS} - {"divide"})
    raise _check.refuse(
        "a function in a derived column must be one of those there are",
        _check.shown(name),
        f"There are: {', '.join(names)}.",
    )


def _chosen(node: ast.IfExp, text: str) -> Term:
    test = _condition(node.test, text)
    one, other = (_term(_said(each, text)) for each in (node.body, node.orelse))
    if isinstance(other, Case):
        return Case(((test, one), *other.branches), other.other)
    return Case(((test, one),), other)


def _condition(node: ast.expr, text: str) -> Condition:
    match node:
        case ast.BoolOp():
            parts = [_condition(each, text) for each in node.values]
            return reduce(and_ if isinstance(node.op, ast.And) else or_, parts)
        case ast.UnaryOp(op=ast.Not()):
            return ~_condition(node.operand, text)
        case ast.Compare():
            sides = [node.left, *node.comparators]
            tests = [
                _compared(one, relation, other, text)
                for one, relation, other in zip(sides, node.ops, sides[1:], strict=False)
            ]
            return reduce(and_, tests)
        case ast.Call():
            found = _said(node, text)
            if isinstance(found, Indicator):
                return found.condition
    raise _refusal("something else for a condition")


def _compared(one: ast.expr, relation: ast.cmpop, other: ast.expr, text: str) -> Condition:
    left = _term(_said(one, text))
    match relation, other:
        case ast.In() | ast.NotIn(), ast.List(elts=listed) | ast.Tuple(elts=listed):
            found = left.isin([_said(each, text) for each in listed])
            return found if isinstance(relation, ast.In) else ~found
        case ast.Eq() | ast.NotEq(), ast.Constant(value=bool() as truth):
            return _RELATIONS[type(relation)](left, truth)
        case _ if type(relation) in _RELATIONS:
            return _RELATIONS[type(relation)](left, _said(other, text))
    raise _refusal("another comparison")


def _refusal(finding: str) -> Exception:
    return _check.refuse(_ALLOWED, finding, 'Write total = "price * quantity".')
