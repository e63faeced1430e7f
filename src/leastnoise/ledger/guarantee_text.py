"""Guarantees as text that is exact when read back."""

import math
import re
from fractions import Fraction
from typing import Any, assert_never

from leastnoise import _check
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP

_MOST_BITS = 13_000  # fewer than 4000 digits
_QUOTIENT = re.compile(r"-?\d{1,4000}(/0*[1-9]\d{0,4000})?", re.ASCII)


def guarantee_text(guarantee: Guarantee) -> dict[str, str]:
    """The kind of a guarantee and its numbers as quotients."""
    match guarantee:
        case PureDP():
            return {"kind": "pure", "epsilon": _text(guarantee.epsilon)}
        case ApproxDP():
            numbers = {"epsilon": _text(guarantee.epsilon), "delta": _text(guarantee.delta)}
            return {"kind": "approximate", **numbers}
        case ZCDP():
            return {"kind": "zcdp", "rho": _text(guarantee.rho), "delta": _text(guarantee.delta)}
        case RDP():
            order = "inf" if guarantee.order == math.inf else _text(Fraction(guarantee.order))
            return {"kind": "renyi", "order": order, "epsilon": _text(guarantee.epsilon)}
        case GDP():
            return {"kind": "gdp", "mu": _text(guarantee.mu)}
        case _:
            assert_never(guarantee)


def guarantee_from_text(text: dict[str, Any]) -> Guarantee:
    """The guarantee again.

    Raises:
        KeyError, ValueError: not written by `guarantee_text`.
    """
    match text["kind"]:
        case "pure":
            return PureDP(epsilon=number_from_text(text["epsilon"]))
        case "approximate":
            return ApproxDP(
                epsilon=number_from_text(text["epsilon"]), delta=number_from_text(text["delta"])
            )
        case "zcdp":
            return ZCDP(rho=number_from_text(text["rho"]), delta=number_from_text(text["delta"]))
        case "renyi":
            order = math.inf if text["order"] == "inf" else number_from_text(text["order"])
            return RDP(order=order, epsilon=number_from_text(text["epsilon"]))
        case "gdp":
            return GDP(mu=number_from_text(text["mu"]))
        case _:
            raise ValueError("unknown kind of guarantee")


def number_from_text(text: Any) -> Fraction:
    """A quotient of whole numbers: a power of ten might have no end.

    Raises:
        ValueError: not what `str` makes of a fraction.
    """
    if isinstance(text, str) and _QUOTIENT.fullmatch(text):
        return Fraction(text)
    raise ValueError("not a quotient")


def _text(number: Fraction) -> str:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) <= _MOST_BITS:
        return str(number)
    raise _check.refuse(
        "a guarantee in a ledger must have numbers of at most 4000 digits",
        f"one of {max(number.numerator.bit_length(), number.denominator.bit_length())} bits",
        "Round it up.",
    )
