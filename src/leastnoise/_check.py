"""Argument checks: each states the accepted case, so that NaN and friends never slip through.

Every function takes the value and the parameter's name, and returns the value in exact form or
raises `InvalidParameter` with rule, finding and remedy.
"""

import math
import operator
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Number, Rational
from types import UnionType
from typing import SupportsIndex, TypeVar

import numpy as np

from leastnoise.errors import InvalidParameter

Given = TypeVar("Given")
Kept = TypeVar("Kept")
Kind = TypeVar("Kind")

type_names = "an int, Fraction, Decimal, float or text such as '0.1'"

Exact = int | float | str | Fraction | Decimal
"""What users may type where a number carries privacy; a float stands for its exact binary value."""

Check = Callable[[Exact, str], Fraction]
"""What makes of a typed value and its name an exact number, or refuses it."""

Size = int | tuple[int, ...]
"""A NumPy-style shape."""

# Beyond this many decimal places a number is a slip or an attack on memory, not a parameter.
_MOST_DECIMAL_PLACES = 5000
_MOST_BITS = 20_000  # some 6000 digits, on each side of the fraction bar
# Packages whose values never hold data: a total that is still secret belongs to none of them.
_PUBLIC = tuple(
    f"leastnoise.{name}." for name in ("numeric", "privacy", "noise", "mechanisms", "accounting")
)
_LONGEST_SHOWN = 60  # a message stays readable on one line
_LONGEST_TEXT = 2 * _MOST_DECIMAL_PLACES  # digits before the point and behind it
_DECIMAL_TEXT = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE](?P<exponent>[+-]?\d+))?\s*", re.ASCII)
_RATIO_TEXT = re.compile(r"\s*[+-]?\d+\s*/\s*\d+\s*", re.ASCII)


def refuse(rule: str, finding: str, remedy: str) -> InvalidParameter:
    """The one message shape of the library."""
    return InvalidParameter(f"{rule}; got {finding}. {remedy}")


def shown(value: object) -> str:
    """A public value in short; of a kind that may hold data, a table or an array, only its name."""
    plain = value is None or isinstance(value, Number | str | np.bool_ | list | tuple)
    if not plain and not type(value).__module__.startswith(_PUBLIC):
        return f"a {type(value).__name__}"
    try:
        text = repr(value)
    except Exception:  # Python refuses to write out integers of thousands of digits, for one
        return "a number too long to write out"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def kind(value: Kind, kinds: type | UnionType, rule: str, remedy: str) -> Kind:
    """The value itself, if it is of one of the kinds."""
    if isinstance(value, kinds):
        return value
    # What stands in the wrong place may be rows: they are not shown.
    found = f"a {type(value).__name__}" if isinstance(value, list | tuple) else shown(value)
    raise refuse(rule, found, remedy)


def flag(value: bool, name: str) -> bool:
    """True or False; nothing is taken for one of them."""
    return kind(value, bool, f"`{name}` must be True or False", "Give one of them.")


def rational(value: Exact, name: str) -> Fraction:
    """The exact value of a number typed by a user."""
    try:
        exact = _exact(value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise refuse(
            f"`{name}` must be a finite number", f"{name}={shown(value)}", _remedy(value)
        ) from None
    return _within_limits(exact, name)


def _remedy(value: object) -> str:
    if hasattr(value, "lower") and hasattr(value, "upper") and not isinstance(value, str):
        return "An interval is two numbers: give its sound end, .upper or .lower."
    return f"Give {type_names}; no % and no comma."


def _exact(value: object) -> Fraction:
    if isinstance(value, bool | np.bool_):
        raise TypeError
    if isinstance(value, str):
        return _exact_text(value)
    if isinstance(value, Decimal):
        # Converting 1E+999999999 would fill memory before any later check could refuse it.
        if not value.is_finite() or abs(value.adjusted()) > _MOST_DECIMAL_PLACES:
            raise ValueError
        return Fraction(value)
    if isinstance(value, float | np.floating):
        return Fraction(*(int(part) for part in value.as_integer_ratio()))
    if isinstance(value, Rational):
        # A NumPy integer, or a Fraction made of them, would carry its fixed width along.
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(operator.index(value))  # type: ignore[arg-type]


def _exact_text(text: str) -> Fraction:
    if len(text) > _LONGEST_TEXT:
        raise ValueError
    match = _DECIMAL_TEXT.fullmatch(text)
    if match is None and _RATIO_TEXT.fullmatch(text) is None:
        raise ValueError
    if match is not None and abs(int(match["exponent"] or 0)) > _MOST_DECIMAL_PLACES:
        raise ValueError
    return Fraction(text.replace(" ", ""))


def _within_limits(value: Fraction, name: str) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= _MOST_BITS:
        return value
    raise refuse(
        f"`{name}` must have at most {_MOST_BITS} bits above and below the fraction bar",
        f"{value.numerator.bit_length()} above and {value.denominator.bit_length()} below",
        "Round it to a number you would write down.",
    )


def limited(check: Check, holds: Callable[[Fraction], bool], rule: str, remedy: str) -> Check:
    """A check with one more rule, which goes on after "`name` must"."""

    def checked(value: Exact, name: str) -> Fraction:
        number = check(value, name)
        if holds(number):
            return number
        raise refuse(f"`{name}` must {rule}", f"{name}={shown(value)}", remedy)

    return checked


positive = limited(rational, lambda number: number > 0, "be positive", "Choose a value above 0.")
"""A number above 0."""

non_negative = limited(
    rational, lambda number: number >= 0, "not be negative", "Choose 0 or a value above."
)
"""A number that is 0 or more."""

probability = limited(
    rational,
    lambda number: 0 <= number <= 1,
    "lie in [0, 1]",
    "It is a probability: write 0.95, not 95.",
)
"""A number in [0, 1]."""

_confidence = limited(rational, lambda number: 0 < number < 1, "lie in (0, 1)", "Try 0.95.")
_delta = limited(
    rational,
    lambda number: 0 <= number < 1,
    "lie in [0, 1)",
    "Choose it far below 1 divided by the number of people; 1 or more promises nothing.",
)


def confidence(value: Exact, name: str = "confidence") -> Fraction:
    """A number in (0, 1): how sure one wants to be."""
    return _confidence(value, name)


def delta(value: Exact, name: str = "delta") -> Fraction:
    """A privacy parameter in [0, 1): at 1 the promise is empty."""
    return _delta(value, name)


def positive_delta(value: Exact, name: str = "delta") -> Fraction:
    """A privacy parameter in (0, 1)."""
    number = delta(value, name)
    if number > 0:
        return number
    raise refuse(
        f"`{name}` must lie in (0, 1)",
        f"{name}={shown(value)}",
        "For delta=0 use a law made for pure differential privacy."
        if name == "delta"
        else "Choose a value above 0.",
    )


def integer(value: SupportsIndex, name: str) -> int:
    """A whole number; floats are refused even when they look whole."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise refuse(
            f"`{name}` must be an integer",
            f"{name}={shown(value)}",
            "Give a tuple of ints, such as (2, 3)."
            if isinstance(value, list)
            else "Give an int; floats and booleans are not taken for one.",
        ) from None


def integer_between(value: SupportsIndex, name: str, least: int, most: float = math.inf) -> int:
    """A whole number in least..most."""
    number = integer(value, name)
    if least <= number <= most:
        return number
    limits = f"at least {least}" if most == math.inf else f"in {least}..{most}"
    raise refuse(
        f"`{name}` must be an integer {limits}",
        f"{name}={shown(value)}",
        "Choose one in that range.",
    )


def size(value: Size | None, name: str = "size") -> tuple[int, ...]:
    """A NumPy-style shape: an integer, a tuple of integers, or None for a single draw."""
    if value is None:
        return ()
    parts = value if isinstance(value, tuple) else (value,)
    return tuple(integer_between(part, name, 0) for part in parts)


def optional(check: Callable[[Given, str], Kept]) -> Callable[[Given | None, str], Kept | None]:
    """The check for what may also be left out, as None."""

    def checked(value: Given | None, name: str) -> Kept | None:
        return None if value is None else check(value, name)

    return checked


def whole(least: int, most: float = math.inf) -> Callable[[SupportsIndex, str], int]:
    """The check for whole numbers in least..most, for a field."""
    return lambda value, name: integer_between(value, name, least, most)
