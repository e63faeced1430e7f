"""Guarantees as text that is exact when read back."""

import math
from fractions import Fraction
from typing import Any, assert_never

from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP


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
            return PureDP(epsilon=Fraction(text["epsilon"]))
        case "approximate":
            return ApproxDP(epsilon=Fraction(text["epsilon"]), delta=Fraction(text["delta"]))
        case "zcdp":
            return ZCDP(rho=Fraction(text["rho"]), delta=Fraction(text["delta"]))
        case "renyi":
            order = math.inf if text["order"] == "inf" else Fraction(text["order"])
            return RDP(order=order, epsilon=Fraction(text["epsilon"]))
        case "gdp":
            return GDP(mu=Fraction(text["mu"]))
        case _:
            raise ValueError("unknown kind of guarantee")
