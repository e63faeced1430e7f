r"""How a budget is divided among demands, and which noise each of them gets.

Three schemes are priced and the best one is taken: mechanisms whose ε add up, mechanisms whose ρ
add up, and Gaussian noise whose μ² add up. One number alone gets the least noise there is.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from leastnoise import _check
from leastnoise.accounting.discrete_gaussian_vector_calibration import greatest_rho
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.spoken import said
from leastnoise.release.price.centred_shares import (
    Together,
    centred_prices,
    centred_rho,
    centred_squares,
)
from leastnoise.release.price.dividing import of_epsilon, shares, thresholds, weighed
from leastnoise.release.price.gaussian_shares import (
    adding_rho,
    adding_squares,
    error_at_one,
    fixed_price,
    line_prices,
)
from leastnoise.release.price.joint_blocks import joint_blocks
from leastnoise.release.price.pure_shares import (
    adding_epsilon,
    error_apart,
    least_noise,
    paid,
    sharing_draws,
)
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant


class Scheme(NamedTuple):
    """A way to divide the budget.

    Attributes:
        estimate: about the weighted error, cheap to tell.
        grants: makes the grants.
    """

    estimate: float
    grants: Callable[[], list[Grant]]


_WORTH_SPENDING = Fraction(2, 10**6)  # δ/ε below which a cut-off gains nothing that is seen
_MOST_PROGRAMMED = 32  # steps of sensitivity for which the linear program finds the optimum
_FOR_THRESHOLDS = Fraction(1, 2)  # of δ; the rest pays for Gaussian noise
_GAIN = 0.6  # the least that one centred draw leaves of the error of Gaussian noise apart
_NEAR = 1.05  # estimates are nearer than that
_LEAST = Fraction(1, 10**60)  # of epsilon or rho; what is sensible is larger by far
_HAIR = 1 - Fraction(1, 2**30)  # the gate looks for the best order itself, and may miss it


def granted(demands: Sequence[Demand], budget: Guarantee) -> list[Grant]:
    """A share for every demand such that all together keep the budget.

    Theorem: if the parts are (ε_i, δ_i)-DP with Σ ε_i ≤ ε and Σ δ_i ≤ δ, all answers together are
    (ε, δ)-DP; if they are δ_i-approximately ρ_i-zCDP with Σ ρ_i ≤ ρ, they are so with Σ δ_i and ρ.
    Among all ways to divide, ε_i ∝ √(weight·pure) has the least Σ weight·pure/ε_i, and
    ρ_i ∝ (weight·concentrated)^(2/3) the least Σ weight·concentrated/√ρ_i.
    Proof: docs/proofs/allocation.md.

    Raises:
        UnsupportedQuery: a budget of a kind that no scheme here is priced in, or private keys
            without δ.
    """
    _refuse_nothing(budget)
    _refuse_thresholds(demands, budget)
    if _is_next_to_nothing(budget):
        raise _unlike_noise(budget)
    try:
        return _granted(demands, budget)
    # Of a law whose parameters the budget makes too large or too small; or of floats that it does.
    except (InvalidParameter, OverflowError, ZeroDivisionError):
        raise _unlike_noise(budget) from None


def _unlike_noise(budget: Guarantee) -> UnsupportedQuery:
    return UnsupportedQuery(
        f"the noise must be of a size that can be drawn; {said(budget)} asks for more, or for "
        "next to none. Choose another budget, or narrower bounds of values."
    )


def _granted(demands: Sequence[Demand], budget: Guarantee) -> list[Grant]:
    match budget:
        case PureDP():
            _refuse_fixed(demands, budget)
            return _alone(demands, budget) or _cheapest(demands, _pure(demands, budget))
        case ZCDP():
            return _cheapest(demands, _concentrated(demands, budget.rho, budget.delta))
        case ApproxDP():
            if not budget.delta:
                _refuse_fixed(demands, budget)
            return _alone(demands, budget) or _cheapest(demands, _schemes(demands, budget))
        case _:
            raise UnsupportedQuery(
                f"a plan's budget must be PureDP, ApproxDP or ZCDP; got {said(budget)}. "
                "Convert it first: see leastnoise.theory."
            )


def _refuse_nothing(budget: Guarantee) -> None:
    """Perfect privacy has no noise: nothing could be released."""
    if budget in (PureDP(epsilon=0), ApproxDP(epsilon=0, delta=0)) or (
        isinstance(budget, ZCDP) and not budget.rho
    ):
        raise _check.refuse("a plan's budget must be above 0", said(budget), "Choose a larger one.")


def _is_next_to_nothing(budget: Guarantee) -> bool:
    """Whether errors, and their squares, may be beyond what doubles can tell."""
    loss = budget.rho if isinstance(budget, ZCDP) else getattr(budget, "epsilon", _LEAST)
    return bool(0 < loss < _LEAST)


def _refuse_thresholds(demands: Sequence[Demand], budget: Guarantee) -> None:
    """A group that only one unit is in may show with some probability: that is what δ pays for."""
    leak = budget.delta if isinstance(budget, ApproxDP | ZCDP) else 0
    if any(demand.threshold for demand in demands) and not leak:
        raise UnsupportedQuery(
            f"private keys need a budget with delta above 0; got {said(budget)}. "
            "Use ApproxDP, or list the keys."
        )


def _alone(demands: Sequence[Demand], budget: PureDP | ApproxDP) -> list[Grant]:
    """The least noise there is, if all that is asked is one number per unit.

    What has a stated part of ε beside it gets noise of its own for that.
    """
    free = [each for each in demands if each.stated is None]
    if len(free) != 1 or free[0].reach is None or free[0].reach.cells != 1:
        return []
    parts = shares([1.0] * len(demands), of_epsilon(demands))
    delta = budget.delta if isinstance(budget, ApproxDP) else Fraction(0)
    return [
        _least(each, budget.epsilon * share, delta, share)
        if each.stated is None
        else replace(paid(each.reach, budget.epsilon * share), share=share)
        for each, share in zip(demands, parts, strict=True)
    ]


def _least(demand: Demand, epsilon: Fraction, delta: Fraction, share: Fraction) -> Grant:
    assert demand.reach is not None, "asked of one number"
    reach = demand.reach.cell
    if delta < _WORTH_SPENDING * epsilon and reach > _MOST_PROGRAMMED:
        delta = Fraction(0)  # Cutting it off so far out gains 10^-4 at most, and takes a second.
    best = least_noise(reach, epsilon, delta)
    price = ApproxDP(epsilon=epsilon, delta=delta) if delta else PureDP(epsilon=epsilon)
    return Grant(price, share, noise=best.law, best=best)


def _cheapest(demands: Sequence[Demand], schemes: Sequence[Scheme]) -> list[Grant]:
    """The grants of the scheme with the least error; those that are surely worse are not made."""
    best, least = None, math.inf
    for scheme in sorted(schemes, key=lambda each: each.estimate):
        if scheme.estimate > _NEAR * least:
            break
        with suppress(InvalidParameter, UnsupportedQuery):  # one whose noise cannot be drawn
            made = scheme.grants()
            error = weighed(demands, made)
            if best is None or error < least:
                best, least = made, error
    return schemes[0].grants() if best is None else best


def _pure(demands: Sequence[Demand], budget: PureDP | ApproxDP) -> list[Scheme]:
    epsilon = budget.epsilon
    if not epsilon or fixed_price(demands):
        return []
    delta = budget.delta if isinstance(budget, ApproxDP) else Fraction(0)
    blocks = joint_blocks(demands)
    joint = sum(math.sqrt(block.cost) for block in blocks) ** 2 / float(epsilon)
    return [
        Scheme(error_apart(demands, epsilon), lambda: adding_epsilon(demands, epsilon, delta)),
        Scheme(joint, lambda: sharing_draws(demands, blocks, epsilon, delta)),
    ]


def _schemes(demands: Sequence[Demand], budget: ApproxDP) -> list[Scheme]:
    found = _pure(demands, budget)
    if not found or thresholds(demands) < len(demands):
        # Choices of groups alone find out by themselves whether a Gaussian is better.
        found += _gaussian(demands, budget)
    if found:
        return found
    raise UnsupportedQuery(
        f"several answers need a budget with epsilon above 0; got {said(budget)}. "
        "Choose a larger epsilon, or ask one question."
    )


def _gaussian(demands: Sequence[Demand], budget: ApproxDP) -> list[Scheme]:
    if not budget.delta:
        return []
    leak = budget.delta * _FOR_THRESHOLDS if thresholds(demands) else Fraction(0)
    rho = greatest_rho(budget.epsilon, budget.delta - leak) * _HAIR
    found = _concentrated(demands, rho, leak) if rho > 0 else []
    together = Together.of(demands)
    if together is not None:
        found += [
            Scheme(
                _GAIN * error_at_one(demands) / math.sqrt(price.square / 2),
                partial(centred_squares, demands, together, price),
            )
            for price in centred_prices(demands, together, budget)[:1]
        ]
    error = error_at_one(demands)
    return [
        *found,
        *(
            Scheme(error / math.sqrt(price.square / 2), partial(adding_squares, demands, price))
            for price in line_prices(demands, budget)
        ),
    ]


def _concentrated(demands: Sequence[Demand], rho: Fraction, delta: Fraction) -> list[Scheme]:
    """Mechanisms whose ρ add up, some of them in one draw."""
    left = rho - fixed_price(demands)
    estimate = error_at_one(demands) / math.sqrt(left) if left > 0 else math.inf
    apart = Scheme(estimate, lambda: adding_rho(demands, rho, delta))
    together = Together.of(demands)
    if together is None or left <= 0:
        return [apart]
    joint = Scheme(_GAIN * estimate, lambda: centred_rho(demands, together, rho, delta))
    return [joint, apart]


def _refuse_fixed(demands: Sequence[Demand], budget: PureDP | ApproxDP) -> None:
    if fixed_price(demands):
        raise UnsupportedQuery(
            f"relative errors need a budget with rho or delta; got {said(budget)}. "
            "Use ApproxDP with delta above 0, or ZCDP."
        )
