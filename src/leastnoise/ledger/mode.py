"""`Mode`: how a ledger adds up what is spent. It is fixed with the first line, for ever."""

from enum import StrEnum
from typing import assert_never

from leastnoise import _check
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP


class Mode(StrEnum):
    """How charges add up to the total.

    Attributes:
        MIXED: by ε and δ, by ρ, or by μ²: a charge is granted while one of the sums is in bounds.
        PURE: by ε.
        APPROXIMATE: by ε and δ.
        ZCDP: by ρ, and δ where a charge has one.
        GDP: by μ².
        RENYI: by ε at one order.
        PLAN: in envelopes that were fixed before anything was asked; their losses are composed.
    """

    MIXED = "mixed"
    PURE = "pure"
    APPROXIMATE = "approximate"
    ZCDP = "zcdp"
    GDP = "gdp"
    RENYI = "renyi"
    PLAN = "plan"


def usual_mode(total: Guarantee) -> Mode:
    """The mode for a total, if none is asked for: the one that lets the most be released."""
    match total:
        case PureDP():
            return Mode.PURE
        case ApproxDP():
            return Mode.MIXED if total.delta and total.epsilon else Mode.APPROXIMATE
        case ZCDP():
            return Mode.ZCDP
        case GDP():
            return Mode.GDP
        case RDP():
            return Mode.RENYI
        case _:
            assert_never(total)


def plain_mode(total: Guarantee) -> Mode:
    """The mode that adds up the numbers of the total itself."""
    return Mode.APPROXIMATE if isinstance(total, ApproxDP) else usual_mode(total)


def checked_mode(value: Mode | str) -> Mode:
    """A mode by its name.

    Raises:
        InvalidParameter: there is none of that name.
    """
    try:
        return Mode(value)
    except ValueError:
        raise _check.refuse(
            f"`mode` must be one of {', '.join(Mode)}",
            _check.shown(value),
            "Leave it out if in doubt.",
        ) from None
