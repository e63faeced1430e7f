"""A guarantee as files write it: {epsilon = 1, delta = "1e-8"}, {rho = 0.1} and so on."""

from collections.abc import Mapping
from typing import Any

from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP


def said_guarantee(said: Mapping[str, Any]) -> Guarantee:
    """The guarantee that a table of numbers stands for; its keys tell which kind.

    Raises:
        InvalidParameter: a number is out of its range.
    """
    match sorted(said):
        case ["epsilon"]:
            return PureDP(**said)
        case ["delta", "epsilon"]:
            return ApproxDP(**said)
        case ["mu"]:
            return GDP(**said)
        case ["epsilon", "order"]:
            return RDP(**said)
        case _:
            return ZCDP(**said)
