"""Guarantees as text that is exact when read back."""

import math
import re
from fractions import Fraction
from typing import Any, assert_never

from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP

_QUOTIENT = re.compile(r"-?\d{1,4000}(/0*[1-9]\d{0,4000})?", re.ASCII)


def guarantee_text(guarantee: Guarantee) -> dict[str, str]:
    """The kind of a guarantee and its numbers as quotients."""
    match guarantee:
        case PureDP():
            return {"kind": "pure", "epsilon": str(guarantee.epsilon)}
        case ApproxDP():
            numbers = {"epsilon": str(guarantee.epsilon), "delta": str(guarantee.delta)}
            return {"kind": "approximate", **numbers}
        case ZCDP():
            return {"kind": "zcdp", "rho": str(guarantee.rho), "delta": str(guarantee.delta)}
        case RDP():
            order = "inf" if guarantee.order == math.inf else str(guarantee.order)
            return {"kind": "renyi", "order": order, "epsilon": str(guarantee.epsilon)}
        case GDP():
            return {"kind": "gdp", "mu": str(guarantee.mu)}
        case _:
            assert_never(guarantee)


def guarantee_from_text(text: dict[str, Any]) -> Guarantee:
    """The guarantee again.

    Raises:
        KeyError, ValueError: not written by `guarantee_text`.
    """
    match text["kind"]:
        case "pure":
            return PureDP(epsilon=_number(text["epsilon"]))
        case "approximate":
            return ApproxDP(epsilon=_number(text["epsilon"]), delta=_number(text["delta"]))
        case "zcdp":
            return ZCDP(rho=_number(text["rho"]), delta=_number(text["delta"]))
        case "renyi":
            order = math.inf if text["order"] == "inf" else _number(text["order"])
            return RDP(order=order, epsilon=_number(text["epsilon"]))
        case "gdp":
            return GDP(mu=_number(text["mu"]))
        case _:
            raise ValueError("unknown kind of guarantee")


def _number(text: Any) -> Fraction:
    """A quotient of whole numbers: a power of ten might have no end."""
    if isinstance(text, str) and _QUOTIENT.fullmatch(text):
        return Fraction(text)
    raise ValueError("not a quotient")
