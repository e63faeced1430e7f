"""Questions about nodes of a sqlglot tree, which know nothing of tables."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from leastnoise.numbers.exact import exact


def kind_of(node: Any) -> str:
    """The name of a node's class."""
    return type(node).__name__


def sql_of(node: Any) -> str:
    """A node as SQL in one spelling, without comments."""
    from sqlglot import ErrorLevel

    return str(node.sql("duckdb", comments=False, unsupported_level=ErrorLevel.IGNORE))


def conjuncts(node: Any) -> Iterator[Any]:
    """The conditions that AND connects."""
    inner = node.unnest()
    if kind_of(inner) == "And":
        for each in inner.flatten():
            yield from conjuncts(each)
    else:
        yield inner


def is_aggregate(node: Any) -> bool:
    """Whether a node is an aggregate, with its FILTER or window."""
    from sqlglot import exp

    return isinstance(node, exp.AggFunc | exp.Filter | exp.Window | exp.WithinGroup)


def aggregates(node: Any) -> Iterator[Any]:
    """The aggregates in an expression."""
    return (each for each in node.walk(prune=is_aggregate) if is_aggregate(each))


def has_query(node: Any) -> bool:
    """Whether a subquery is in a condition."""
    return any(kind_of(each) in ("Select", "Union", "Exists") for each in node.walk())


def names_of(columns: list[Any]) -> list[str]:
    """What the columns of a SELECT are called; of a function without a name, like the function."""
    found = list[str]()
    for at, node in enumerate(columns):
        inner = node.this if kind_of(node) == "Filter" else node
        name = node.alias_or_name
        if not name or kind_of(node) not in ("Alias", "Column"):
            own = inner.sql_name().lower() if hasattr(inner, "sql_name") else ""
            name = own if own and own not in found else f"column_{at + 1}"
        found.append(str(name))
    return found


def number_of(node: Any) -> Fraction | None:
    """The number of a literal."""
    if kind_of(node) in ("Neg", "Paren"):
        inner = number_of(node.this)
        return -inner if inner is not None and kind_of(node) == "Neg" else inner
    if kind_of(node) == "Literal" and not node.is_string:
        return exact(node.this)
    return None
