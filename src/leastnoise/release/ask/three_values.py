r"""SQL's third truth value, "unknown", said with conditions that have two.

Theorem: `true_where(p)` holds exactly where SQL finds p TRUE, `false_where(p)` where SQL finds it
FALSE, reading `Not` as SQL's NOT. Proof: docs/proofs/sensitivity.md, section 4.
"""

from leastnoise.release.ask.conditions import (
    Both,
    Compared,
    ComparedTerms,
    Condition,
    Either,
    Missing,
    Not,
    OneOf,
    TextTest,
)
from leastnoise.release.ask.values import Relation

_OPPOSITE = {
    Relation.EQUAL: Relation.UNEQUAL,
    Relation.UNEQUAL: Relation.EQUAL,
    Relation.LESS: Relation.AT_LEAST,
    Relation.AT_LEAST: Relation.LESS,
    Relation.MORE: Relation.AT_MOST,
    Relation.AT_MOST: Relation.MORE,
}


def true_where(condition: Condition) -> Condition:
    """Where SQL finds a condition true; rows for which it is unknown are left out.

    Args:
        condition: made of SQL's words, so that `Not` stands for SQL's NOT.
    """
    return _found(condition, wanted=True)


def false_where(condition: Condition) -> Condition:
    """Where SQL finds a condition false, which is where its NOT is true.

    Example:
        >>> from leastnoise.release.ask.expression import col
        >>> print(false_where((col("age") >= 18) & (col("city") == "Oslo")))
        (age < 18 or city <> 'Oslo')
    """
    return _found(condition, wanted=False)


def _found(condition: Condition, *, wanted: bool) -> Condition:
    """One part after another: a chain of conditions may be longer than a stack."""
    rest: list[tuple[Condition, bool] | type[Both | Either]] = [(condition, wanted)]
    done: list[Condition] = []
    while rest:
        step = rest.pop()
        if isinstance(step, type):
            other, one = done.pop(), done.pop()
            done.append(step(one, other))
            continue
        part, truth = step
        if isinstance(part, Not):
            rest.append((part.condition, not truth))
        elif isinstance(part, Both | Either):
            made = Both if isinstance(part, Both) is truth else Either
            rest += [made, (part.other, truth), (part.one, truth)]
        else:
            done.append(part if truth else _false(part))
    return done.pop()


def _false(part: Compared | ComparedTerms | OneOf | Missing | TextTest) -> Condition:
    match part:
        case Compared():
            return Compared(part.column, _OPPOSITE[part.relation], part.value)
        case ComparedTerms():
            return ComparedTerms(part.one, _OPPOSITE[part.relation], part.other)
        case Missing():
            return Not(part)
        case OneOf() | TextTest():
            return Both(Not(Missing(part.column)), Not(part))
