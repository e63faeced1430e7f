"""What makes two laws the same: their class and the exact values of their parameters.

A law's dataclass fields stand in the order of its constructor's parameters; a field is named
differently only where the parameter's name is also a question (`delta`, `variance`).
"""

import inspect
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from functools import partial
from typing import Any

from leastnoise.privacy.guarantee import exact_text


def parameters(law: Any) -> dict[str, Any]:
    """The constructor's parameters by name, with their exact values."""
    names = inspect.signature(type(law)).parameters
    return {name: getattr(law, field.name) for name, field in zip(names, fields(law), strict=True)}


def _typed(value: object) -> str:
    """The value as a user would type it, exact when read back."""
    if not isinstance(value, Fraction):
        return repr(value)
    if value.denominator == 1:
        return str(value)
    with suppress(OverflowError):
        if Fraction(float(value)) == value:
            return repr(float(value))
    return repr(exact_text(value))


def description(law: Any) -> str:
    """A constructor call that makes the law again."""
    inside = ", ".join(f"{name}={_typed(value)}" for name, value in law.parameters.items())
    return f"{type(law).__name__}({inside})"


class Described:
    """A value whose repr is a constructor call that makes it again."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor's parameters by name, with their exact values."""
        return parameters(self)

    def __repr__(self) -> str:
        return description(self)


class Rebuilt(Described):
    """The same, and made again by that call when it is unpickled or copied."""

    def __reduce__(self) -> tuple[Callable[[], Any], tuple[()]]:
        return rebuilding(self)


def rebuilding(law: Any) -> tuple[Callable[[], Any], tuple[()]]:
    """For pickle and copy: tables and caches stay behind, the parameters travel."""
    make: Callable[..., Any] = type(law)
    return partial(make, **law.parameters), ()
