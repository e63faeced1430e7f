"""What a mechanism of one kind costs under a limit of another kind."""

import math
from fractions import Fraction
from typing import assert_never

from leastnoise.errors import UnsupportedQuery
from leastnoise.privacy.guarantee import (
    GDP,
    RDP,
    ZCDP,
    ApproxDP,
    Guarantee,
    PureDP,
    checked_guarantee,
)
from leastnoise.privacy.implications import (
    approx_to_zcdp,
    gdp_to_zcdp,
    pure_to_gdp,
    pure_to_rdp,
    pure_to_zcdp,
    zcdp_to_rdp,
)

Amounts = tuple[Fraction, ...]
"""Numbers that add up under adaptive composition: ε; ε and δ; ρ and δ; μ²; ε at one order."""

_ROOT_BITS = 128  # a root is rounded up by less than 2**-128
_MOST_BITS = 4096  # sums of a long history stay short


def checked_price(value: Guarantee, name: str) -> Guarantee:
    """The guarantee itself.

    Raises:
        UnsupportedQuery: a privacy loss was given, which has no parameters that add up.
        InvalidParameter: something else was given.
    """
    if not isinstance(value, Guarantee):
        from leastnoise.privacy.loss import PrivacyLoss  # noqa: PLC0415 - a mistake is rare

        if isinstance(value, PrivacyLoss):
            raise _loss_refusal(name)
    return checked_guarantee(value, name)


def _loss_refusal(name: str) -> UnsupportedQuery:
    return UnsupportedQuery(
        f"`{name}` must be a guarantee whose parameters add up; got a PrivacyLoss. Composing the "
        "losses used so far and stopping when they reach a curve is no valid filter: budgets that "
        "answer to earlier results can beat the curve (arXiv 2602.06756). Fix all losses up front "
        "in a Plan, or request a guarantee the loss implies, such as RDP at the limit's order."
    )


def as_amounts(guarantee: Guarantee) -> Amounts:
    """A guarantee in the additive numbers of its own kind."""
    match guarantee:
        case PureDP() | RDP():
            return (guarantee.epsilon,)
        case ApproxDP():
            return (guarantee.epsilon, guarantee.delta)
        case ZCDP():
            return (guarantee.rho, guarantee.delta)
        case GDP():
            return (guarantee.mu**2,)
        case _:
            assert_never(guarantee)


def as_guarantee(exact: Amounts, like: Guarantee, *, up: bool) -> Guarantee:
    """Additive numbers as a guarantee of a given kind, long and irrational ones rounded."""
    amounts = [short(amount, up=up) for amount in exact]
    match like:
        case PureDP():
            return PureDP(epsilon=amounts[0])
        case RDP():
            return RDP(order=like.order, epsilon=amounts[0])
        case ApproxDP():
            return ApproxDP(epsilon=amounts[0], delta=amounts[1])
        case ZCDP():
            return ZCDP(rho=amounts[0], delta=amounts[1])
        case GDP():
            return GDP(mu=_root(amounts[0], up=up))
        case _:
            assert_never(like)


def short(amount: Fraction, *, up: bool) -> Fraction:
    """The number itself unless a long history has made its denominator unwieldy: then rounded."""
    if amount.denominator.bit_length() <= _MOST_BITS:
        return amount
    return Fraction((amount.numerator << _MOST_BITS) // amount.denominator + up, 1 << _MOST_BITS)


def _root(square: Fraction, *, up: bool) -> Fraction:
    """√square: exactly if it is rational, else to about 128 significant bits."""
    over, under = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if over**2 == square.numerator and under**2 == square.denominator:
        return Fraction(over, under)
    # The grid is finer than the denominator, so that no positive square is rounded to 0.
    scale = 1 << (_ROOT_BITS + square.denominator.bit_length())
    whole = math.isqrt(square.numerator * scale**2 // square.denominator)
    return Fraction(whole + up, scale)


def price(cost: Guarantee, limit: Guarantee) -> Amounts:
    """What a mechanism with one guarantee adds to a total of the limit's kind, rounded up.

    Raises:
        UnsupportedQuery: no theorem turns the one into the other without further choices.
    """
    found = _implied(checked_price(cost, "cost"), limit)
    if found is None:
        raise UnsupportedQuery(
            f"a request must imply a guarantee of its limit's kind; got {cost!r} under {limit!r}. "
            "Price the mechanism in the limit's own terms, or choose another limit."
        )
    return as_amounts(found)


def _implied(cost: Guarantee, limit: Guarantee) -> Guarantee | None:
    """A guarantee of the limit's kind that follows from the cost, the best one known."""
    match limit:
        case PureDP():
            return _as_pure(cost)
        case ApproxDP():
            return _as_approx(cost)
        case ZCDP():
            return _as_zcdp(cost)
        case GDP():
            return _as_gdp(cost)
        case RDP():
            return _as_rdp(cost, limit)
        case _:
            assert_never(limit)


def _as_pure(cost: Guarantee) -> PureDP | None:
    match cost:
        case PureDP():
            return cost
        case ApproxDP(delta=0):
            return PureDP(epsilon=cost.epsilon)
        case _:
            return None


def _as_approx(cost: Guarantee) -> ApproxDP | None:
    match cost:
        case ApproxDP():
            return cost
        case PureDP():
            return ApproxDP(epsilon=cost.epsilon, delta=0)
        case _:
            return None


def _as_zcdp(cost: Guarantee) -> ZCDP | None:
    match cost:
        case ZCDP():
            return cost
        case PureDP():
            return pure_to_zcdp(cost)
        case ApproxDP():
            return approx_to_zcdp(cost)
        case GDP():
            return gdp_to_zcdp(cost)
        case _:
            return None


def _as_gdp(cost: Guarantee) -> GDP | None:
    pure = _as_pure(cost)
    if pure is not None:
        return pure_to_gdp(pure)
    return cost if isinstance(cost, GDP) else None


def _as_rdp(cost: Guarantee, limit: RDP) -> RDP | None:
    pure, order = _as_pure(cost), limit.order
    if pure is not None:
        return pure_to_rdp(pure, order=order)
    match cost:
        case RDP() if cost.order >= order:  # divergences grow with their order
            return cost
        case ZCDP(delta=0) if order != math.inf:
            return zcdp_to_rdp(cost, order=order)
        case GDP() if order != math.inf:
            return zcdp_to_rdp(gdp_to_zcdp(cost), order=order)
        case _:
            return None
