"""The parts of a condition that are joined by AND, and which sides of a join they are about."""

from collections.abc import Iterable, Iterator
from typing import Any

from leastnoise.release.sql.rows.scope import Known, Scope
from leastnoise.release.sql.shape import parts_of
from leastnoise.release.sql.text.tree import Chain, Compared, Expression, Name


def conjuncts(expression: Expression | None) -> list[Expression]:
    """The parts that are joined by AND; none of nothing."""
    if expression is None:
        return []
    found: list[Expression] = []
    rest = [expression]
    while rest:
        each = rest.pop()
        if isinstance(each, Chain) and each.word == "and":
            rest += reversed(each.parts)
        else:
            found.append(each)
    return [*found, *(same for each in found for same in _in_all_branches(each))]


def _in_all_branches(expression: Expression) -> list[Expression]:
    """The equalities of columns that stand in every branch of an OR, and so hold if it does."""
    if not isinstance(expression, Chain) or expression.word != "or":
        return []
    branches = [
        {_key(each): each for each in conjuncts(part) if _key(each)} for part in expression.parts
    ]
    shared = set(branches[0]).intersection(*branches[1:])
    return [each for key, each in branches[0].items() if key in shared]


def _key(expression: Expression) -> frozenset[str]:
    """What tells one equality `column = column` from others; nothing of anything else."""
    match expression:
        case Compared(sign="=", one=Name() as one, other=Name() as other):
            return frozenset({str(one).casefold(), str(other).casefold()})
    return frozenset()


def together(parts: Iterable[Expression]) -> Expression | None:
    """One condition of several; None of none."""
    every = tuple(parts)
    if len(every) < 2:
        return every[0] if every else None
    return Chain(every[0].at, "and", every)


def names_in(node: Any) -> Iterator[Name]:
    """All names of columns in an expression."""
    rest = [node]
    while rest:
        each = rest.pop()
        if isinstance(each, Name):
            yield each
        else:
            rest += list(parts_of(each))


def is_about(node: Expression, scope: Scope) -> bool:
    """Whether all names of an expression can be found in a scope."""
    return all(scope.has(name) for name in names_in(node))


def linked(node: Expression, left: Scope, right: Scope) -> tuple[Known, Known] | None:
    """The columns of two sides that an equality `column = column` is about; else None."""
    match node:
        case Compared(sign="=", one=Name() as one, other=Name() as other):
            if left.has(one) and not right.has(one) and right.has(other) and not left.has(other):
                return left.find(one), right.find(other)
            if left.has(other) and not right.has(other) and right.has(one) and not left.has(one):
                return left.find(other), right.find(one)
    return None
