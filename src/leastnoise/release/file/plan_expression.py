"""Derived columns as plans write them: price * quantity - 2, year(date)."""

import ast
from collections.abc import Callable
from fractions import Fraction
from operator import add, mul, sub

from leastnoise import _check
from leastnoise.release.ask.expression import Column, Term, col

_OPERATIONS: dict[type[ast.operator], Callable[[Term, Term], Term]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
}
_PARTS: dict[str, Callable[[Column], Term]] = {
    "year": lambda column: column.year(),
    "month": lambda column: column.month(),
    "day": lambda column: column.day(),
    "hour": lambda column: column.hour(),
}
_MOST_LETTERS = 1000  # far above what people write, and parsed at once
_ALLOWED = (
    "a derived column must be made of columns and numbers by +, - and *, or be the year, month, "
    "day or hour of a column"
)


def plan_expression(text: str) -> Term:
    """The term that a text stands for; only its shape is looked at, nothing is run.

    Args:
        text: columns by name, col("odd name") for those that are no plain words, numbers, + - *
            and parentheses; year, month, day or hour of a column.

    Raises:
        InvalidParameter: anything else.

    Example:
        >>> print(plan_expression("price * quantity - 0.5"))
        ((price * quantity) - 1/2)
        >>> print(plan_expression('year(col("date of birth"))'))
        year of date of birth
    """
    if len(text) > _MOST_LETTERS:
        raise _refusal("a long one")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refusal("something that cannot be read") from None
    found = _term(tree.body, text.strip())
    if isinstance(found, Term):
        return found
    raise _refusal("a number alone")


def _term(node: ast.expr, text: str) -> Term | Fraction:
    match node:
        case ast.Name():
            return col(node.id)
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            # The number as it was written: a tenth, not the double next to it.
            return _check.rational(ast.get_source_segment(text, node) or "", "a number")
        case ast.UnaryOp(op=ast.USub()):
            inner = _term(node.operand, text)
            return -inner if isinstance(inner, Fraction) else -1 * inner
        case ast.BinOp() if type(node.op) in _OPERATIONS:
            one, other = _term(node.left, text), _term(node.right, text)
            return _OPERATIONS[type(node.op)](one, other)  # type: ignore[arg-type]
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]):
            return _called(name, inner)
    raise _refusal("something else")


def _called(name: str, inner: ast.expr) -> Term:
    match inner:
        case ast.Constant(value=str() as text) if name == "col":
            return col(text)
        case ast.Name() if name in _PARTS:
            return _PARTS[name](col(inner.id))
        case ast.Call(func=ast.Name(id="col"), args=[ast.Constant(value=str() as text)]):
            if name in _PARTS:
                return _PARTS[name](col(text))
    raise _refusal("a function of something else")


def _refusal(finding: str) -> Exception:
    return _check.refuse(_ALLOWED, finding, 'Write total = "price * quantity".')
