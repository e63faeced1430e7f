"""A plan as TOML: what the page asks for is what a plan's file would say, and can be kept as one.

So the page has no reader of its own: whatever a plan's file may ask, checked as it is there.
"""

import json
from collections.abc import Mapping
from typing import Any

from leastnoise import _check
from leastnoise._display import visible

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
    return "".join(f"{toml_key(name)} = {_value(value)}\n" for name, value in part.items())


def toml_key(name: str) -> str:
    """A name as TOML's key."""
    return name if name and set(name) <= _BARE else toml_text(name)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return toml_text(value)
        case int() | float():
            return repr(value)
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            inside = ", ".join(f"{toml_key(name)} = {_value(each)}" for name, each in value.items())
            return f"{{{inside}}}"
    raise _check.refuse(
        "a plan must hold text, numbers and lists", _check.shown(value), "Leave out what is empty."
    )


def toml_text(text: str) -> str:
    """A text as TOML writes it: as JSON does, and with an escape for whatever cannot be seen."""
    said = json.dumps(text, ensure_ascii=False)
    return "".join(each if visible(each) == each else f"\\U{ord(each):08X}" for each in said)
