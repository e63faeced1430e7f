"""When two expressions of a text are the same, wherever they stand; and how to walk through one."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from leastnoise.release.sql.rows.scope import Scope
from leastnoise.release.sql.text.tree import Name

Shape = tuple[Any, ...]
"""An expression without its place; equal ones ask for the same."""


def shape_of(node: Any, scope: Scope) -> Shape:
    """What an expression is, with names by the columns that they mean."""
    if isinstance(node, Name):
        known = scope.find(node).column.name if scope.has(node) else str(node)
        return ("Name", known)
    if is_dataclass(node):
        parts = (getattr(node, each.name) for each in fields(node) if each.name != "at")
        return (type(node).__name__, *(shape_of(part, scope) for part in parts))
    if isinstance(node, tuple):
        return tuple(shape_of(each, scope) for each in node)
    return (type(node).__name__, node)


def parts_of(node: Any) -> Iterator[Any]:
    """The expressions right inside one."""
    for each in fields(node):
        yield from _found(getattr(node, each.name))


def _found(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple) and not hasattr(value, "line"):
        for each in value:
            yield from _found(each)
    elif is_dataclass(value):
        yield value


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """The same expression with its parts changed."""
    return replace(
        node, **{each.name: _changed(getattr(node, each.name), change) for each in fields(node)}
    )


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, tuple) and not hasattr(value, "line"):
        return tuple(_changed(each, change) for each in value)
    return change(value) if is_dataclass(value) else value


def words_of(node: Any) -> str:
    """An aggregate as people write it, in short."""
    found = _words(node)
    return found if len(found) <= _MOST_WORDS else f"{found[: _MOST_WORDS - 1]}…"


_MOST_WORDS = 80


def _words(node: Any) -> str:  # noqa: PLR0911, PLR0912 - one case after another
    match type(node).__name__:
        case "Name":
            return str(node)
        case "Literal":
            return "NULL" if node.value is None else _literal(node.value)
        case "Star":
            return "*"
        case "Call":
            return _call(node)
        case "Computed" | "Compared":
            return f"{_words(node.one)} {node.sign} {_words(node.other)}"
        case "Chain":
            return f" {node.word.upper()} ".join(_words(each) for each in node.parts)
        case "Negated":
            return f"NOT ({_words(node.one)})"
        case "Case":
            tests = (f"WHEN {_words(a)} THEN {_words(b)}" for a, b in node.branches)
            last = "" if node.otherwise is None else f" ELSE {_words(node.otherwise)}"
            return f"CASE {' '.join(tests)}{last} END"
        case "IsNull":
            return f"{_words(node.one)} IS NULL"
        case "InList":
            return f"{_words(node.one)} IN ({', '.join(map(_words, node.values))})"
        case "Between":
            return f"{_words(node.one)} BETWEEN {_words(node.low)} AND {_words(node.high)}"
        case "Like":
            return f"{_words(node.one)} LIKE {_words(node.pattern)}"
        case _:
            return "…"


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return repr(value)
    return f"{float(value):g}" if hasattr(value, "denominator") else str(value)  # type: ignore[arg-type]


def _call(node: Any) -> str:
    if " " in node.name:
        return str(node.name)
    inside = ", ".join(map(_words, node.arguments))
    distinct = "DISTINCT " if node.distinct else ""
    within = "" if node.within is None else f" WITHIN GROUP (ORDER BY {_words(node.within.what)})"
    where = "" if node.where is None else f" FILTER (WHERE {_words(node.where)})"
    return f"{node.written}({distinct}{inside}){within}{where}"
