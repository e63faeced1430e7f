"""Guarantees as text that is exact when read back."""

import math
import re
from dataclasses import fields
from fractions import Fraction
from functools import lru_cache
from typing import Any

from leastnoise import _check
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP

# The names are written into ledgers: they never change.
_KINDS: dict[str, type[Guarantee]] = {
    "pure": PureDP, "approximate": ApproxDP, "zcdp": ZCDP, "renyi": RDP, "gdp": GDP
}  # fmt: skip
_MOST_BITS = 13_000  # fewer than 4000 digits
_QUOTIENT = re.compile(r"-?\d{1,4000}(/0*[1-9]\d{0,4000})?", re.ASCII)


def guarantee_text(guarantee: Guarantee) -> dict[str, str]:
    """The kind of a guarantee and its numbers as quotients."""
    kind = next(name for name, each in _KINDS.items() if isinstance(guarantee, each))
    numbers = {each.name: _text(getattr(guarantee, each.name)) for each in fields(guarantee)}
    return {"kind": kind, **numbers}


def guarantee_from_text(text: dict[str, Any]) -> Guarantee:
    """The guarantee again.

    Raises:
        KeyError, ValueError, TypeError: not written by `guarantee_text`.
    """
    name = text["kind"]
    return _guarantee(name, tuple(text[each.name] for each in fields(_KINDS[name])))


@lru_cache(maxsize=1024, typed=True)
def _guarantee(name: str, numbers: tuple[Any, ...]) -> Guarantee:
    """Many lines of a ledger cost the same: their numbers are read once."""
    pairs = zip(fields(_KINDS[name]), numbers, strict=True)
    return _KINDS[name](**{each.name: _number(each.name, text) for each, text in pairs})


def _number(name: str, text: Any) -> Fraction | float:
    return math.inf if name == "order" and text == "inf" else number_from_text(text)


def number_from_text(text: Any) -> Fraction:
    """A quotient of whole numbers: a power of ten might have no end.

    Raises:
        ValueError: not what `str` makes of a fraction.
    """
    if isinstance(text, str) and _QUOTIENT.fullmatch(text):
        return Fraction(text)
    raise ValueError("not a quotient")


def _text(value: Fraction | float) -> str:
    if value == math.inf:
        return "inf"
    number = Fraction(value)
    if max(number.numerator.bit_length(), number.denominator.bit_length()) <= _MOST_BITS:
        return str(number)
    raise _check.refuse(
        "a guarantee in a ledger must have numbers of at most 4000 digits",
        f"one of {max(number.numerator.bit_length(), number.denominator.bit_length())} bits",
        "Round it up.",
    )
