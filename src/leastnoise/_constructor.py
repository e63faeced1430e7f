"""`Constructor`: the `__init__` of a frozen dataclass, made when somebody first asks for it.

A command loads three times as many classes as it makes values of. Constructors of as many fields
have the same code but for the names in it: it is compiled once, with names a0, a1, … instead.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field
from functools import cache, cached_property
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any


class _NotGiven:
    """Stands for a default that is made anew for each value."""

    def __repr__(self) -> str:
        return "<factory>"


_NOT_GIVEN = _NotGiven()


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
        """The code with the fields' names, among those of the module: annotations need them."""
        placed, named = parted(self._fields)
        rules = hasattr(self._cls, "__post_init__")
        code = _code(*self._lines(), rules, len(self._fields))
        names = {f"a{place}": each.name for place, each in enumerate(self._fields)}
        names["own"] = "__dataclass_self__" if "self" in names.values() else "self"
        function = FunctionType(
            code.replace(
                co_varnames=tuple(names[each] for each in code.co_varnames),
                co_consts=tuple(names.get(each, each) for each in code.co_consts),
            ),
            getattr(sys.modules.get(self._cls.__module__), "__dict__", {}),
            "__init__",
            tuple(_default(each) for each in placed if has_default(each)),
            tuple(CellType(self._known(name)) for name in code.co_freevars),
        )
        function.__kwdefaults__ = {each.name: _default(each) for each in named if has_default(each)}
        function.__qualname__ = f"{self._cls.__qualname__}.__init__"
        kinds = {each.name: self._given(each.type) for each in (*placed, *named)}
        function.__annotations__ = kinds | {"return": None}
        return function

    def _lines(self) -> tuple[str, str]:
        """The parameters, and a line for each field that is set; others are found in the class."""
        placed, named, lines = ["own"], list[str](), list[str]()
        for place, each in enumerate(self._fields):
            name, new = f"a{place}", f"new{place}()"
            if each.init:
                (named if each.kw_only else placed).append(name)
            if each.default_factory is not MISSING:
                value = f"{new} if {name} is not_given else {name}" if each.init else new
                lines.append(f"  keep(own, {name!r}, {value})\n")
            elif each.init:
                lines.append(f"  keep(own, {name!r}, {name})\n")
        return ", ".join([*placed, *(["*", *named] if named else [])]), "".join(lines)

    def _known(self, name: str) -> Any:
        """What the code knows by a name: how to keep a value, or what makes one anew."""
        if name == "keep":
            return object.__setattr__
        if name == "not_given":
            return _NOT_GIVEN
        return self._fields[int(name.removeprefix("new"))].default_factory


@cache
def _code(head: str, lines: str, rules: bool, fields: int) -> CodeType:
    """That of a constructor with these parameters and lines; what they know is filled in later."""
    body = lines + "  own.__post_init__()\n" * rules or "  pass\n"
    known = ["keep", "not_given", *(f"new{place}" for place in range(fields))]
    found: dict[str, Any] = {}
    exec(f"def made({', '.join(known)}):\n def __init__({head}):\n{body} return __init__", found)
    code: CodeType = found["made"](*known).__code__
    return code


def parted(fields: Sequence["Field[Any]"]) -> tuple[list["Field[Any]"], list["Field[Any]"]]:
    """The fields that a constructor takes: those by their place or name, and by name alone."""
    taken = [each for each in fields if each.init]
    return [each for each in taken if not each.kw_only], [each for each in taken if each.kw_only]


def has_default(field: "Field[Any]") -> bool:
    """Whether nothing has to be given."""
    return field.default is not MISSING or field.default_factory is not MISSING


def _default(field: "Field[Any]") -> Any:
    return _NOT_GIVEN if field.default is MISSING else field.default
