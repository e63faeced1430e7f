"""`Constructor`: the `__init__` of a frozen dataclass, compiled when somebody first asks for it.

A command loads three times as many classes as it makes values of.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field
from functools import cached_property
from types import FunctionType, MethodType
from typing import Any

_SELF, _SET, _NOT_GIVEN = (f"__dataclass_{name}__" for name in ("self", "set", "not_given"))


class _NotGiven:
    """Stands for a default that is made anew for each value."""

    def __repr__(self) -> str:
        return "<factory>"


_KNOWN = {_SET: object.__setattr__, _NOT_GIVEN: _NotGiven()}


class Constructor:
    """In its place is the function itself, as soon as it was looked up."""

    def __init__(
        self, cls: type, fields: Sequence["Field[Any]"], given: Callable[[Any], Any]
    ) -> None:
        """A constructor of fields that have a default wherever one before them has.

        Args:
            cls: whose it is.
            fields: all of them, those of its bases too.
            given: what `help` shows of a field that is declared so.
        """
        self._cls, self._fields, self._given = cls, fields, given

    def __get__(self, value: object, owner: type | None = None) -> FunctionType | MethodType:
        if vars(self._cls).get("__init__") is self:
            self._cls.__init__ = self._function
        return self._function if value is None else MethodType(self._function, value)

    @cached_property
    def _function(self) -> FunctionType:
        """Compiled among the names of the class's module, so that annotations are understood."""
        placed, named = parted(self._fields)
        own = _SELF if any(each.name == "self" for each in self._fields) else "self"
        head = [own, *map(_parameter, placed), *(["*"] if named else []), *map(_parameter, named)]
        body = [
            f"{_SET}({own}, {each.name!r}, {_kept(each)})" for each in self._fields if _is_set(each)
        ]
        if hasattr(self._cls, "__post_init__"):
            body.append(f"{own}.__post_init__()")
        known = _KNOWN | {
            _default(each): _source(each) for each in self._fields if has_default(each)
        }
        function = _compiled(head, body, known, self._cls)
        kinds = {each.name: self._given(each.type) for each in (*placed, *named)}
        function.__annotations__ = kinds | {"return": None}
        return function


def _compiled(
    head: Sequence[str], body: Sequence[str], known: Mapping[str, Any], cls: type
) -> FunctionType:
    """A constructor with these parameters and lines, which know values by names."""
    lines = "".join(f"  {line}\n" for line in body or ["pass"])
    text = (
        f"def made({', '.join(known)}):\n def __init__({', '.join(head)}):\n{lines} return __init__"
    )
    found: dict[str, Any] = {}
    exec(text, getattr(sys.modules.get(cls.__module__), "__dict__", {}), found)
    function: FunctionType = found["made"](**known)
    function.__qualname__ = f"{cls.__qualname__}.__init__"
    return function


def parted(fields: Sequence["Field[Any]"]) -> tuple[list["Field[Any]"], list["Field[Any]"]]:
    """The fields that a constructor takes: those by their place or name, and by name alone."""
    taken = [each for each in fields if each.init]
    return [each for each in taken if not each.kw_only], [each for each in taken if each.kw_only]


def has_default(field: "Field[Any]") -> bool:
    """Whether nothing has to be given."""
    return _source(field) is not MISSING


def _source(field: "Field[Any]") -> Any:
    """The default, or what makes it anew."""
    return field.default_factory if field.default is MISSING else field.default


def _default(field: "Field[Any]") -> str:
    return f"__default_{field.name}__"


def _is_set(field: "Field[Any]") -> bool:
    """Other fields have their default from the class."""
    return field.init or field.default_factory is not MISSING


def _parameter(field: "Field[Any]") -> str:
    if not has_default(field):
        return field.name
    return f"{field.name}={_NOT_GIVEN if field.default is MISSING else _default(field)}"


def _kept(field: "Field[Any]") -> str:
    """What the constructor sets a field to."""
    if field.default_factory is MISSING:
        return field.name
    new = f"{_default(field)}()"
    return f"{new} if {field.name} is {_NOT_GIVEN} else {field.name}" if field.init else new
