r"""What a total allows in each mode: limits in numbers that add up, and whether envelopes fit."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from leastnoise import _check
from leastnoise.accounting.filters import PrivacyFilter
from leastnoise.accounting.pricing import price
from leastnoise.errors import BudgetExceeded, UnsupportedQuery
from leastnoise.ledger.mode import Mode, plain_mode, usual_mode
from leastnoise.ledger.split import EVEN, FOLLOWING, Split
from leastnoise.numeric.inverse import least_integer
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.to_approx import gdp_to_approx, zcdp_to_approx

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

_BITS = 24  # to seven digits
_GUESSES = 3
_MOST_HALVINGS = 2000  # below the least float there is nothing to find

Curve = Callable[[Fraction], Fraction]


@lru_cache(maxsize=256)
def limits(total: Guarantee, mode: Mode) -> tuple[Guarantee, ...]:
    r"""Limits such that whatever stays within at least one of them keeps the total.

    Theorem: let each limit, kept alone by a filter, imply (ε, δ_i)-DP with the total's ε, and let
    Σ δ_i be at most its δ. If requests are granted only while the sums stay within at least one of
    the limits, everything granted is (ε, δ)-DP. One limit alone may be the total itself.
    Proof: docs/proofs/filters.md, "Several filters at once".

    Raises:
        InvalidParameter: the mode cannot keep a total of this kind.
    """
    if mode is plain_mode(total):
        return (total,)
    if isinstance(total, ApproxDP) and total.delta and total.epsilon:
        if mode is Mode.MIXED:
            return split_limits(total, EVEN)
        if mode is Mode.ZCDP:
            return (concentrated(total, total.delta / 2),)
        if mode is Mode.GDP:
            return (gaussian(total),)
    raise _check.refuse(
        f"`mode` must fit the total: {plain_mode(total)} for {total!r}",
        str(mode),
        "mixed, zcdp and gdp are for an ApproxDP with epsilon and delta above 0.",
    )


def other_splits(total: Guarantee, mode: Mode) -> tuple[tuple[Guarantee, ...], ...]:
    """In mode mixed, the limits that a first charge by ρ or μ may settle on instead."""
    if mode is not Mode.MIXED or not isinstance(total, ApproxDP):
        return ()
    return tuple(split_limits(total, split) for split in FOLLOWING)


@lru_cache(maxsize=256)
def split_limits(total: ApproxDP, split: Split) -> tuple[Guarantee, ...]:
    """The limits for a division of δ: by ε and δ always, by ρ and μ² where they have a share."""
    found: list[Guarantee] = [
        ApproxDP(epsilon=total.epsilon, delta=split.approximate * total.delta)
    ]
    if split.zcdp:
        part = ApproxDP(epsilon=total.epsilon, delta=(split.zcdp + split.leaks) * total.delta)
        found.append(concentrated(part, split.leaks * total.delta))
    if split.gdp:
        found.append(gaussian(ApproxDP(epsilon=total.epsilon, delta=split.gdp * total.delta)))
    return tuple(found)


def concentrated(total: ApproxDP, reserve: Fraction) -> ZCDP:
    """The greatest ρ, with so much of δ left for charges that have a δ, that implies the total."""

    def epsilon(rho: Fraction) -> Fraction:
        return zcdp_to_approx(ZCDP(rho=rho, delta=reserve), delta=total.delta).epsilon

    return ZCDP(rho=_greatest(epsilon, total.epsilon, total.epsilon), delta=reserve)


def gaussian(total: ApproxDP) -> GDP:
    """The greatest μ that implies the total."""

    def epsilon(mu: Fraction) -> Fraction:
        return gdp_to_approx(GDP(mu=mu), delta=total.delta).epsilon

    return GDP(mu=_greatest(epsilon, total.epsilon, 2 * total.epsilon + 8))


def _greatest(curve: Curve, most: Fraction, start: Fraction) -> Fraction:
    """Nearly the greatest number up to `start` at which a rising curve is at most so much."""
    low, beyond = start, Fraction(0)
    for _ in range(_MOST_HALVINGS):
        value = curve(low)
        if value <= most:
            break
        low, beyond = low / 2, value
    else:
        raise UnsupportedQuery(
            "a total must leave room for noise in the mode asked for; this one is too small. "
            "Choose mode 'approximate'."
        )
    if low == start:
        return low
    unit = low / (1 << _BITS)
    about = _about(curve, most, (low, value), (2 * low, beyond))
    return unit * (
        least_integer(lambda k: curve(unit * k) > most, 1 << _BITS, int(about / unit)) - 1
    )


def _about(
    curve: Curve, most: Fraction, one: tuple[Fraction, Fraction], other: tuple[Fraction, Fraction]
) -> Fraction:
    """Where a curve that is nearly a power meets a value: a guess, by secants of logarithms."""
    least, greatest = one[0], other[0]
    with suppress(ArithmeticError, ValueError):  # of logarithms of 0, and of what is no double
        for _ in range(_GUESSES):
            rise, share = (math.log(value / one[1]) for value in (other[1], most))
            place = one[0] * Fraction(float(other[0] / one[0]) ** (share / rise))
            place = min(max(place, least), greatest)
            one, other = other, (place, curve(place))
    return other[0]


def refuse_envelopes(envelopes: Mapping[str, Guarantee], total: Guarantee) -> None:
    """Checks that promises fixed up front keep the total together.

    Theorem: envelopes with fixed promises, each kept by its own filter, asked in any order and at
    the same time, have at most the composed loss of mechanisms that are the worst ones with those
    promises.
    Proof: docs/proofs/filters.md, "Envelopes".

    Raises:
        InvalidParameter: together they may exceed the total, or there are none.
    """
    promises = list(envelopes.values())
    if promises and (_sum_fits(promises, total) or _loss_fits(promises, total)):
        return
    raise _check.refuse(
        f"the envelopes together must keep {total!r}",
        "more" if promises else "none",
        "Make them smaller, or fewer." if promises else "Name some: {'spring': ApproxDP(…)}.",
    )


def _sum_fits(promises: list[Guarantee], total: Guarantee) -> bool:
    """Whether the numbers add up to no more than some limit that implies the total."""
    modes = (Mode.ZCDP, Mode.GDP) if usual_mode(total) is Mode.MIXED else ()
    for mode in (plain_mode(total), *modes):
        (limit,) = limits(total, mode)
        try:
            PrivacyFilter(limit).after(promises)
        except (BudgetExceeded, UnsupportedQuery):
            continue
        return True
    return False


def _loss_fits(promises: list[Guarantee], total: Guarantee) -> bool:
    from leastnoise.accounting.plan import Plan  # noqa: PLC0415 - few budgets have envelopes

    if not isinstance(total, PureDP | ApproxDP):
        return False
    losses = [_loss(promise) for promise in promises]
    return None not in losses and Plan([loss for loss in losses if loss]).within(total)


def _loss(promise: Guarantee) -> "PrivacyLoss | None":
    """The loss of the worst mechanism with a promise, where there is a single worst one."""
    from leastnoise.privacy.loss import PrivacyLoss  # noqa: PLC0415 - a forecast asks for none

    match promise:
        case PureDP():
            return PrivacyLoss.worst_case(epsilon=promise.epsilon)
        case ApproxDP():
            return PrivacyLoss.worst_case(epsilon=promise.epsilon, delta=promise.delta)
        case GDP() if promise.mu:
            return PrivacyLoss.gaussian(mu=promise.mu)
        case _:
            return None


def best_price(costs: tuple[Guarantee, ...], limit: Guarantee) -> Guarantee | None:
    """Of guarantees that all hold, the one that takes the least of a limit; None if none counts."""
    found = [(size, n) for n, cost in enumerate(costs) if (size := _size(cost, limit)) is not None]
    return costs[min(found)[1]] if found else None


def _size(cost: Guarantee, limit: Guarantee) -> tuple[bool, Fraction] | None:
    """The greatest part of the limit that a cost takes, after whether it takes too much of one."""
    try:
        amounts = price(cost, limit)
    except UnsupportedQuery:
        return None
    whole = price(limit, limit)
    parts = [a / b for a, b in zip(amounts, whole, strict=True) if b]
    beyond = any(a > b for a, b in zip(amounts, whole, strict=True))
    return beyond, max(parts, default=Fraction(0))


def part_taken(costs: tuple[Guarantee, ...], limit: Guarantee) -> Fraction | float:
    """The part of a limit that the best of these takes; infinite if none of them ever fits."""
    cost = best_price(costs, limit)
    if cost is None:
        return math.inf
    pairs = zip(price(cost, limit), price(limit, limit), strict=True)
    return max((a / b if b else math.inf if a else Fraction(0)) for a, b in pairs)
