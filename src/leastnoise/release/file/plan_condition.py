"""Conditions as plans write them: a column and one comparison; any, all and not of such."""

from collections.abc import Callable, Mapping
from functools import reduce
from operator import and_, or_
from typing import Any

from leastnoise.release.ask.expression import Condition, Term
from leastnoise.release.document.document import Document
from leastnoise.release.document.toml_places import Path

_COMPARISONS: dict[str, Callable[[Term, Any], Condition]] = {
    "is": lambda column, value: column == value,
    "is_not": lambda column, value: column != value,
    "below": lambda column, value: column < value,
    "at_most": lambda column, value: column <= value,
    "above": lambda column, value: column > value,
    "at_least": lambda column, value: column >= value,
    "in": lambda column, values: column.isin(values),
    "missing": lambda column, wanted: column.is_null() if wanted else ~column.is_null(),
}
_DEEPEST = 50


def plan_condition(
    said: Mapping[str, Any],
    document: Document,
    path: Path,
    terms: Callable[[str], Term],
    depth: int = 0,
) -> Condition:
    """The condition that a table of TOML stands for.

    Args:
        said: the table.
        document: the plan, to say where a mistake stands.
        path: where the table stands.
        terms: a column, or one derived, by name.
        depth: how many conditions it is inside of.

    Raises:
        InvalidParameter: not one column with one comparison, and not one of any, all, not.
    """
    if depth > _DEEPEST:
        raise document.refusal(
            path,
            f"conditions may be nested {_DEEPEST} deep",
            f"{depth}",
            "Join them by a list, which means all of them.",
        )
    match sorted(said):
        case ["any" | "all" as word]:
            parts = [
                plan_condition(each, document, (*path, word, number), terms, depth + 1)
                for number, each in enumerate(said[word])
            ]
            return reduce(or_ if word == "any" else and_, parts)
        case ["not"]:
            return ~plan_condition(said["not"], document, (*path, "not"), terms, depth + 1)
        case [one, other] if "column" in (one, other):
            name = other if one == "column" else one
            if name in _COMPARISONS:
                return _COMPARISONS[name](terms(said["column"]), said[name])
    raise document.refusal(
        path,
        "a condition must be a column and one comparison, or one of any, all, not",
        f"{', '.join(f'`{name}`' for name in said) or 'nothing'}",
        'Write where = {column = "age", at_least = 18}.',
    )
