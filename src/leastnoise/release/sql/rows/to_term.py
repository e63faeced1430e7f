"""Expressions of SQL as terms: what a row has a value of."""

from collections.abc import Callable
from fractions import Fraction

from leastnoise.release.ask.expression import Condition, Constant, Term, Value
from leastnoise.release.sql.rows.functions import chosen, function_called
from leastnoise.release.sql.rows.scope import Scope
from leastnoise.release.sql.text.place import refused, standing_at
from leastnoise.release.sql.text.tree import (
    Call,
    Case,
    Computed,
    Expression,
    Literal,
    Name,
    Negated,
    Scalar,
    Several,
    Star,
)

Truth = Condition | bool
"""A condition, or one that has the same truth in every row."""
TrueWhere = Callable[[Expression, Scope], Truth]
"""What makes conditions of expressions."""


def term_of(expression: Expression, scope: Scope, true_where: TrueWhere) -> Term | Value | None:
    """The term of an expression, or the value that is written; None for NULL.

    Raises:
        InvalidParameter: something that no single row has a value of.
    """
    match expression:
        case Name():
            return scope.find(expression).column
        case Literal():
            return expression.value
        case Computed():
            return _computed(expression, scope, true_where)
        case Case():
            return _case(expression, scope, true_where)
        case Call():
            _refuse_extras(expression)
            given = [term_of(each, scope, true_where) for each in _arguments(expression, scope)]
            with standing_at(expression.at):
                return function_called(expression.name, given)
        case Scalar():
            raise refused(
                expression.at,
                "a query in the place of a value would tell exactly what it finds",
                "one",
                "Ask it first, and write its answer as a number.",
            )
        case Star():
            raise refused(
                expression.at, "* stands in COUNT(*) alone", "another", "Name the columns."
            )
        case Several():
            raise refused(
                expression.at,
                "a value is one thing",
                "several in parentheses",
                "Compare the columns one by one, joined by AND.",
            )
    return _truth(expression, scope, true_where)


def _truth(expression: Expression, scope: Scope, true_where: TrueWhere) -> Term | bool:
    """A condition as a value: TRUE, FALSE or, where it is unknown, NULL."""
    truth = true_where(expression, scope)
    if isinstance(truth, bool):
        return truth
    falsity = true_where(Negated(expression.at, expression), scope)
    branches: list[tuple[Condition, Term | Value | None]] = [(truth, True)]
    if not isinstance(falsity, bool):
        branches.append((falsity, False))
    with standing_at(expression.at):
        return chosen(branches, None)


def _arguments(call: Call, scope: Scope) -> tuple[Expression, ...]:
    """Those of a call; DATE_TRUNC(day, MONTH) is date_trunc('month', day)."""
    if call.name.endswith("_trunc") and len(call.arguments) == 2:
        one, other = call.arguments
        if isinstance(other, Name) and not scope.has(other):
            return Literal(other.at, other.name.lower()), one
    return call.arguments


def _refuse_extras(call: Call) -> None:
    if call.distinct or call.where is not None or call.within is not None or call.named:
        raise refused(
            call.at,
            "DISTINCT, FILTER, WITHIN GROUP and named arguments belong to aggregates",
            f"{call.written}, which is none",
            "Leave them out.",
        )


def _computed(expression: Computed, scope: Scope, true_where: TrueWhere) -> Term | Value | None:
    """From the left, one after another: sums may be long."""
    parts: list[tuple[str, Expression]] = []
    rest: Expression = expression
    while isinstance(rest, Computed):
        parts.append((rest.sign, rest.other))
        rest = rest.one
    found = term_of(rest, scope, true_where)
    for sign, other in reversed(parts):
        operand = term_of(other, scope, true_where)
        with standing_at(other.at):
            found = _both(sign, found, operand, other)
    return found


def _both(
    sign: str, one: Term | Value | None, other: Term | Value | None, at: Expression
) -> Term | Value | None:
    if one is None or other is None:
        raise refused(at.at, "NULL makes NULL of every sum", "NULL", "Leave it out.")
    if not isinstance(one, Term) and not isinstance(other, Term):
        return _constants(sign, one, other, at)
    match sign:
        case "+":
            return one + other  # type: ignore[operator]
        case "-":
            return one - other  # type: ignore[operator, return-value]
        case "*":
            return one * other  # type: ignore[operator]
        case "/":
            return function_called("divide", [one, other])
        case _:
            return function_called("mod", [one, other])


def _constants(sign: str, one: Value, other: Value, at: Expression) -> Value:
    numbers = [one, other]
    if any(isinstance(each, bool) or not isinstance(each, int | Fraction) for each in numbers):
        raise refused(at.at, "numbers are computed with", "something else", "Give a number.")
    left, right = Fraction(one), Fraction(other)  # type: ignore[arg-type]
    if sign in "/%" and right == 0:
        raise refused(at.at, "nothing is divided by 0", "0", "Give another number.")
    found = {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "/": lambda: left / right,
        "%": lambda: left - right * int(left / right),
    }[sign]()
    return int(found) if found.denominator == 1 else found


def _case(expression: Case, scope: Scope, true_where: TrueWhere) -> Term | Value | None:
    branches: list[tuple[Condition, Term | Value | None]] = []
    for test, result in expression.branches:
        truth = true_where(test, scope)
        value = term_of(result, scope, true_where)
        if truth is True:
            return chosen(branches, value) if branches else value
        if truth is not False:
            branches.append((truth, value))
    otherwise = expression.otherwise
    last = None if otherwise is None else term_of(otherwise, scope, true_where)
    with standing_at(expression.at):
        return chosen(branches, last) if branches else last


def as_term(found: Term | Value | None, at: Expression) -> Term:
    """A term, also of a number that is written."""
    if isinstance(found, Term):
        return found
    if isinstance(found, int | Fraction) and not isinstance(found, bool):
        return Constant(found)
    raise refused(at.at, "numbers are summed", "something else", "Name a column of numbers.")


def constant(found: Term | Value | None, at: Expression) -> Term:
    """A term, also of any value that is written but NULL."""
    if isinstance(found, Term):
        return found
    if found is None:
        raise refused(at.at, "a column must have a type", "NULL", "Name a column, or a value.")
    return Constant(found)
