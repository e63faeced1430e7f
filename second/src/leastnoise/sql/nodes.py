"""Questions about nodes of a sqlglot tree, which know nothing of tables."""

from collections.abc import Iterator, Mapping
from typing import Any

from leastnoise.numbers.errors import InvalidInput
from leastnoise.sql import refusals
from leastnoise.sql.scope import Scope


def conjuncts(node: Any) -> Iterator[Any]:
    """The conditions that AND connects."""
    kind = type(node).__name__
    if kind == "And":
        yield from conjuncts(node.this)
        yield from conjuncts(node.expression)
    elif kind == "Paren" and type(node.this).__name__ == "And":
        yield from conjuncts(node.this)
    else:
        yield node


def aggregates(node: Any) -> Iterator[Any]:
    """The aggregates in an expression, each with its FILTER."""
    if is_aggregate(node):
        yield node
        return
    for each in node.iter_expressions():
        yield from aggregates(each)


def is_aggregate(node: Any) -> bool:
    """Whether a column of SELECT is an aggregate and nothing else."""
    from sqlglot import exp

    inner = plain(node)
    return isinstance(inner, exp.AggFunc | exp.Filter | exp.Window | exp.WithinGroup)


def plain(node: Any) -> Any:
    """A column of SELECT without its name."""
    if type(node).__name__ == "Star" or (
        type(node).__name__ == "Column" and type(node.this).__name__ == "Star"
    ):
        raise refusals.star()
    return node.this if type(node).__name__ == "Alias" else node


def output(node: Any, at: int) -> str:
    """What a column of SELECT is called."""
    name = node.alias if type(node).__name__ == "Alias" else node.name
    return str(name) if type(node).__name__ in ("Alias", "Column") else f"column {at + 1}"


def meant(node: Any, shown: list[Any], names: Mapping[str, Any], scope: Scope) -> Any:
    """What GROUP BY 1, or GROUP BY a name of SELECT, stands for."""
    if type(node).__name__ == "Literal" and not node.is_string:
        place = int(node.this)
        if not 1 <= place <= len(shown):
            raise InvalidInput(f"GROUP BY {place}: SELECT has {len(shown)} columns.")
        return shown[place - 1]
    if type(node).__name__ == "Column" and not node.table and scope.find(node) is None:
        return names.get(node.name, node)
    return node
