"""Values that never change: each field is checked and made exact as the constructor takes it.

    @frozen(kw_only=True)
    class PureDP:
        epsilon: Number = checked(_check.non_negative)

The constructor takes what the check takes, an attribute holds what it returns. Where their types
differ the annotation says both: `Number` is `Checked[Exact, Fraction]`. The check is told the
field's name, so that its message names what was typed. A class may add a `__post_init__` for rules
about several fields: it sees the exact values.
"""

import dataclasses
import functools
import inspect
from collections.abc import Callable
from fractions import Fraction
from typing import (
    Any,
    NoReturn,
    Protocol,
    SupportsIndex,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    overload,
)

from leastnoise._check import Exact
from leastnoise._dataclass import made

Given_contra = TypeVar("Given_contra", contravariant=True)
Kept_co = TypeVar("Kept_co", covariant=True)
Class = TypeVar("Class")


class Checked(Protocol[Given_contra, Kept_co]):
    """For type checkers: what may be given to the constructor, and what is kept."""

    def __get__(self, owner: object, kind: type | None = None) -> Kept_co:
        """What an attribute holds."""

    def __set__(self, owner: object, value: Given_contra) -> None:
        """What the constructor takes."""


Number = Checked[Exact, Fraction]
Whole = Checked[SupportsIndex, int]


def checked(check: Callable[[Any, str], object], *, default: Any = dataclasses.MISSING) -> Any:
    """A field whose value goes through a check, the default's too."""
    return dataclasses.field(default=default, metadata={"check": check})


def keep(value: object, /, **fields: object) -> None:
    """Set fields of a frozen value, from a constructor whose arguments have other names."""
    for name, content in fields.items():
        object.__setattr__(value, name, content)


@overload
def frozen(cls: type[Class]) -> type[Class]: ...
@overload
def frozen(
    *, init: bool = True, repr: bool = True, kw_only: bool = False
) -> Callable[[type[Class]], type[Class]]: ...
@dataclass_transform(field_specifiers=(checked, dataclasses.field), frozen_default=True)
def frozen(cls: type | None = None, **options: bool) -> Any:
    """A frozen dataclass whose checked fields pass through their checks."""
    return (lambda each: _checking(each, options)) if cls is None else _checking(cls, options)


def _refuse(self: object, name: str, *_: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot change {name!r} of a {type(self).__name__}")


def _checking(cls: type, options: dict[str, Any]) -> Any:
    rules = inspect.unwrap(getattr(cls, "__post_init__", lambda _: None))

    @functools.wraps(rules)
    def __post_init__(self: object) -> None:  # noqa: N807 - it becomes the class's own
        for name, check in checks.items():
            object.__setattr__(self, name, check(getattr(self, name), name))
        rules(self)

    cls.__post_init__ = __post_init__  # type: ignore[attr-defined]
    done: Any = made(cls, {"frozen": True, **options}, _given)
    done.__setattr__ = done.__delattr__ = _refuse  # dataclasses let a subclass gain attributes
    fields = {each.name: each for each in dataclasses.fields(done)}
    checks = {name: f.metadata["check"] for name, f in fields.items() if "check" in f.metadata}
    return done


def _given(kind: Any) -> Any:
    """What may be given to the constructor: `help` shows it."""
    return get_args(kind)[0] if get_origin(kind) is Checked else kind
