"""Fields that are read as tuples, and held as columns until somebody reads them."""

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np

_Class = TypeVar("_Class", bound=type)
_Value = TypeVar("_Value")


class TupleField:
    """A field of a frozen dataclass that is given as a tuple, an array or other columns.

    Whoever reads it gets a tuple, made at the first reading and the same from then on. A million
    answers that nobody reads one by one are no million objects.

    Args:
        name: of the field.
    """

    def __init__(self, name: str) -> None:
        self._name, self._made = name, f"{name} as a tuple"

    def __get__(self, owner: Any, _: type | None = None) -> Any:
        if owner is None:
            return self
        parts = vars(owner)
        if self._made not in parts:
            parts[self._made] = as_tuple(parts[self._name])
        return parts[self._made]

    def __set__(self, owner: Any, value: Iterable[Any]) -> None:
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        vars(owner).pop(self._made, None)
        vars(owner)[self._name] = value


def as_tuple(held: Any) -> tuple[Any, ...]:
    """What is held, in Python's own values."""
    return tuple(held.tolist() if isinstance(held, np.ndarray) else held)


def reads_as_tuple(name: str) -> Callable[[_Class], _Class]:
    """Makes a field of a dataclass one that is read as a tuple."""

    def made(kind: _Class) -> _Class:
        setattr(kind, name, TupleField(name))
        return kind

    return made


def held(owner: object, name: str) -> Any:
    """What such a field was given."""
    return vars(owner)[name]


def changed(value: _Value, **parts: Any) -> _Value:
    """`dataclasses.replace`, with columns that stay columns."""
    kind: type = type(value)
    kept = {name: held(value, name) for name in _tuple_fields(kind) if name not in parts}
    return replace(value, **kept | parts)  # type: ignore[type-var]


@cache
def _tuple_fields(kind: type) -> tuple[str, ...]:
    names = (each.name for each in fields(kind))
    return tuple(name for name in names if isinstance(getattr(kind, name, None), TupleField))
