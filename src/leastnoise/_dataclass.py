"""`dataclass`: that of the standard library, made in a fraction of the time where it is frozen.

The standard library writes and compiles six functions for each class. Here a frozen class has one
such function, its constructor, and five closures over the names of its fields. What a class can do
is the same. What is rarer (orders, slots, `InitVar`) the standard library makes, and type checkers
know of nothing else.
"""

import abc
import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, InitVar
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

from leastnoise._constructor import Constructor, has_default, parted

__all__ = ["dataclass", "made"]

_MADE_HERE = {"frozen", "init", "repr", "eq", "kw_only"}

Fields = dict[str, "Field[Any]"]
Values = Callable[[object], tuple[object, ...]]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **options):
        """As in the standard library."""
        return (lambda each: made(each, options)) if cls is None else made(cls, options)


def made(
    cls: type, options: dict[str, bool], given: Callable[[Any], Any] = lambda kind: kind
) -> Any:
    """The class as a dataclass.

    Args:
        cls: what was written.
        options: as of the standard library.
        given: what `help` shows of a field that is declared so.
    """
    inherited = _inherited(cls)
    if not _is_made_here(cls, inherited, options):
        return dataclasses.dataclass(**options)(cls)
    own = dict(vars(cls))
    _declare(cls, inherited | _own_fields(cls, options.get("kw_only", False)), options)
    fields = dataclasses.fields(cls)
    if options.get("init", True):
        _refuse_gaps(fields)
    _keep_still(cls, [each.name for each in fields])
    if options.get("init", True) and "__init__" not in own:
        cls.__init__ = Constructor(cls, fields, given)  # type: ignore[misc]
    if options.get("repr", True) and "__repr__" not in own:
        _put(cls, _repr([each.name for each in fields if each.repr]))
    if options.get("eq", True) and "__eq__" not in own:
        _put(cls, _eq(_values([each.name for each in fields if each.compare])))
    if options.get("eq", True) and not _has_hash(own):
        _put(cls, _hash(_values([each.name for each in fields if _is_hashed(each)])))
    return abc.update_abstractmethods(cls)


def _inherited(cls: type) -> Fields:
    """Those of its bases; what is nearer in the order of methods replaces what is farther."""
    found: Fields = {}
    for base in cls.__mro__[:0:-1]:
        found |= getattr(base, "__dataclass_fields__", {})
    return found


def _is_made_here(cls: type, inherited: Fields, options: dict[str, bool]) -> bool:
    """Whether it is a frozen value like nearly all of them."""
    kinds = [*inspect.get_annotations(cls).values(), *(each.type for each in inherited.values())]
    return (
        options.get("frozen", False)
        and options.keys() <= _MADE_HERE
        and not any(map(_may_not_be_kept, kinds))
        and all(_params(base).frozen for base in cls.__mro__[1:] if dataclasses.is_dataclass(base))
    )


def _may_not_be_kept(kind: object) -> bool:
    """Whether it is, or may be, a parameter that is no field; it may be written as a text."""
    written = isinstance(kind, str) and "InitVar" in kind
    return written or kind is InitVar or isinstance(kind, InitVar)


def _params(cls: type) -> Any:
    return cls.__dataclass_params__  # type: ignore[attr-defined]


def _own_fields(cls: type, kw_only: bool) -> Fields:
    """The fields that a class declares itself, as the standard library reads them."""
    kinds = inspect.get_annotations(cls)
    if not kinds:
        return {}
    body = {"__annotations__": kinds, "__module__": cls.__module__, "__doc__": "Fields alone."}
    body |= {name: getattr(cls, name) for name in kinds if hasattr(cls, name)}
    alone: Any = type(cls.__name__, (), body)
    dataclasses.dataclass(alone, init=False, repr=False, eq=False, kw_only=kw_only)
    found: Fields = alone.__dataclass_fields__
    return found


@lru_cache
def _pattern(**options: bool) -> type:
    """A class without fields or functions, which says of itself that it has these options."""
    bare = type("Pattern", (), {"__doc__": "No fields."})
    params = _params(dataclasses.dataclass(bare, init=False, repr=False, eq=False))
    for name, value in {"init": True, "repr": True, "eq": True, **options}.items():
        if hasattr(params, name):  # before Python 3.12 it did not say `kw_only`
            setattr(params, name, value)
    return bare


def _declare(cls: Any, fields: Fields, options: dict[str, bool]) -> None:
    """Says what a dataclass says of itself. What has a field's name in the class is its default."""
    for name, value in list(vars(cls).items()):
        if isinstance(value, Field):
            if fields.get(name) is not value:
                raise TypeError(f"{name!r} is a field but has no type annotation")
            delattr(cls, name) if value.default is MISSING else setattr(cls, name, value.default)
    pattern = _pattern(**options)
    cls.__dataclass_fields__, cls.__dataclass_params__ = fields, _params(pattern)
    if "__match_args__" not in vars(cls):
        placed, _ = parted(dataclasses.fields(cls))
        cls.__match_args__ = tuple(each.name for each in placed)  # type: ignore[misc]
    if hasattr(pattern, "__replace__") and "__replace__" not in vars(cls):  # since Python 3.13
        cls.__replace__ = pattern.__replace__


def _refuse_gaps(fields: Sequence["Field[Any]"]) -> None:
    """Whatever follows a default has one."""
    placed, _ = parted(fields)
    for before, each in pairwise(placed):
        if has_default(before) and not has_default(each):
            raise TypeError(f"non-default argument {each.name!r} follows default argument")


def _has_hash(own: Mapping[str, object]) -> bool:
    """Whether somebody wrote one; Python itself writes None beside `__eq__`."""
    return "__hash__" in own and (own["__hash__"] is not None or "__eq__" not in own)


def _is_hashed(field: "Field[Any]") -> bool:
    return field.compare if field.hash is None else field.hash


def _put(cls: type, function: Any) -> None:
    function.__qualname__ = f"{cls.__qualname__}.{function.__name__}"
    setattr(cls, function.__name__, function)


def _keep_still(cls: Any, names: Sequence[str]) -> None:
    """Nothing is set or deleted; a subclass that is no dataclass may have other attributes."""
    fields = frozenset(names)

    def __setattr__(self: object, name: str, value: object) -> None:  # noqa: N807
        if type(self) is cls or name in fields:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: object, name: str) -> None:  # noqa: N807
        if type(self) is cls or name in fields:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    for each in (__setattr__, __delattr__):
        if each.__name__ in vars(cls):
            raise TypeError(f"Cannot overwrite attribute {each.__name__} in class {cls.__name__}")
        _put(cls, each)


def _values(names: Sequence[str]) -> Values:
    """What takes the values of a few attributes."""
    match names:
        case []:
            return lambda _: ()
        case [name]:
            one = attrgetter(name)
            return lambda each: (one(each),)
        case _:
            return attrgetter(*names)


def _repr(names: Sequence[str]) -> Callable[[object], str]:
    @recursive_repr()
    def __repr__(self: object) -> str:  # noqa: N807
        parts = [f"{name}={getattr(self, name)!r}" for name in names]
        return f"{self.__class__.__qualname__}({', '.join(parts)})"

    return __repr__


def _eq(values: Values) -> Callable[[object, object], bool]:
    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    return __eq__


def _hash(values: Values) -> Callable[[object], int]:
    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__
