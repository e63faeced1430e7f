"""A plan as TOML: what the page asks for is what a plan's file would say, and can be kept as one.

So the page has no reader of its own: whatever a plan's file may ask, checked as it is there.
"""

import json
from collections.abc import Mapping
from typing import Any

from leastnoise import _check

_PARTS = ("data", "bounds", "budget", "output")
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def plan_text(said: Mapping[str, Any]) -> str:
    """The TOML text of a plan.

    Raises:
        InvalidParameter: a part that no plan has.

    Example:
        >>> print(plan_text({"data": {"path": "a.csv", "unit": "row"}, "question": [{"ask": "x"}]}))
        [data]
        path = "a.csv"
        unit = "row"
        <BLANKLINE>
        [[question]]
        ask = "x"
        <BLANKLINE>
    """
    sections = [
        f"[{name}]\n{_lines(_mapping(said[name], name))}" for name in _PARTS if name in said
    ]
    questions = said.get("question", [])
    if not isinstance(questions, list):
        raise _check.refuse(
            "`question` must be a list", _check.shown(questions), "List the questions."
        )
    sections += [f"[[question]]\n{_lines(_mapping(each, 'question'))}" for each in questions]
    return "\n".join(sections)


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise _check.refuse(f"`{name}` must be a table", _check.shown(value), "Name its parts.")


def _lines(part: Mapping[str, Any]) -> str:
    return "".join(f"{_key(name)} = {_value(value)}\n" for name, value in part.items())


def _key(name: str) -> str:
    return name if name and set(name) <= _BARE else _quoted(name)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _quoted(value)
        case int() | float():
            return repr(value)
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            inside = ", ".join(f"{_key(name)} = {_value(each)}" for name, each in value.items())
            return f"{{{inside}}}"
    raise _check.refuse(
        "a plan must hold text, numbers and lists", _check.shown(value), "Leave out what is empty."
    )


def _quoted(text: str) -> str:
    """As TOML writes it: like JSON, but every character that is not printable by its number."""
    if not text.isprintable():
        text = "".join(each if each.isprintable() else f"\0{ord(each):08X}" for each in text)
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted.replace("\\u0000", "\\U")
