r"""How a budget is divided among demands, and which noise each of them gets.

Three schemes are priced and the best one is taken: mechanisms whose ε add up, mechanisms whose ρ
add up, and Gaussian noise whose μ² add up. One number alone gets the least noise there is.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from leastnoise import _check
from leastnoise.accounting.discrete_gaussian_vector_calibration import greatest_rho
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.least_noise.optimal import optimal_scalar
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.price.gaussian_price import GaussianPrice, gaussian_prices, shortened_up
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.sensitivity import Sensitivity

_PARTS = 2**24
_WORTH_SPENDING = Fraction(2, 10**6)
_MOST_PROGRAMMED = 32  # steps of sensitivity for which the linear program finds the optimum
_FOR_THRESHOLDS = Fraction(1, 2)
_HAIR = 1 - Fraction(1, 2**30)


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
    try:
        return _granted(demands, budget)
    except InvalidParameter:  # of a law whose parameters the budget makes too large or too small
        raise UnsupportedQuery(
            f"the noise must be of a size that can be drawn; {budget!r} asks for more, or for next "
            "to none. Choose another budget, or narrower bounds of values."
        ) from None


def _granted(demands: Sequence[Demand], budget: Guarantee) -> list[Grant]:
    match budget:
        case PureDP():
            _refuse_fixed(demands, budget)
            return _alone(demands, budget) or _adding_epsilon(demands, budget.epsilon, Fraction(0))
        case ZCDP():
            return _adding_rho(demands, budget.rho, budget.delta)
        case ApproxDP():
            if not budget.delta:
                _refuse_fixed(demands, budget)
            return _alone(demands, budget) or _cheaper(demands, budget)
        case _:
            raise UnsupportedQuery(
                f"a plan's budget must be PureDP, ApproxDP or ZCDP; got {budget!r}. "
                "Convert it first: see leastnoise.theory."
            )


def _refuse_nothing(budget: Guarantee) -> None:
    """Perfect privacy has no noise: nothing could be released."""
    if budget in (PureDP(epsilon=0), ApproxDP(epsilon=0, delta=0)) or (
        isinstance(budget, ZCDP) and not budget.rho
    ):
        raise _check.refuse("a plan's budget must be above 0", repr(budget), "Choose a larger one.")


def _refuse_thresholds(demands: Sequence[Demand], budget: Guarantee) -> None:
    """A group that only one unit is in may show with some probability: that is what δ pays for."""
    leak = budget.delta if isinstance(budget, ApproxDP | ZCDP) else 0
    if any(demand.threshold for demand in demands) and not leak:
        raise UnsupportedQuery(
            f"private keys need a budget with delta above 0; got {budget!r}. "
            "Use ApproxDP, or list the keys."
        )


def _alone(demands: Sequence[Demand], budget: PureDP | ApproxDP) -> list[Grant]:
    """The least noise there is, if all that is asked is one number per unit."""
    if len(demands) != 1 or demands[0].reach is None or demands[0].reach.cells != 1:
        return []
    delta = budget.delta if isinstance(budget, ApproxDP) else Fraction(0)
    reach = demands[0].reach.cell
    if delta < _WORTH_SPENDING * budget.epsilon and reach > _MOST_PROGRAMMED:
        # Cutting the staircase off so far out gains a part in 10^4 at most, and takes a second.
        best = _least_noise(reach, budget.epsilon, Fraction(0))
        return [Grant(PureDP(epsilon=budget.epsilon), Fraction(1), noise=best.law, best=best)]
    best = _least_noise(reach, budget.epsilon, delta)
    return [Grant(budget, Fraction(1), noise=best.law, best=best)]


@lru_cache(maxsize=1024)
def _least_noise(sensitivity: int, epsilon: Fraction, delta: Fraction) -> OptimalNoise:
    """Searched for once: the preview, its advice and the release all ask for the same."""
    return optimal_scalar(sensitivity=sensitivity, epsilon=epsilon, delta=delta, cost="absolute")


def _cheaper(demands: Sequence[Demand], budget: ApproxDP) -> list[Grant]:
    schemes = _schemes(demands, budget)
    if not schemes:
        raise UnsupportedQuery(
            f"several answers need a budget with epsilon above 0; got {budget!r}. "
            "Choose a larger epsilon, or ask one question."
        )
    choices: list[list[Grant]] = []
    for scheme in schemes:
        with suppress(InvalidParameter):  # one whose noise would be too large to draw
            choices.append(scheme())
    if not choices:
        return schemes[0]()
    return min(choices, key=lambda choice: _weighed(demands, choice))


def _schemes(demands: Sequence[Demand], budget: ApproxDP) -> list[Callable[[], list[Grant]]]:
    found: list[Callable[[], list[Grant]]] = []
    if budget.epsilon and not _fixed(demands):
        found.append(lambda: _adding_epsilon(demands, budget.epsilon, budget.delta))
    if not budget.delta:
        return found
    leak = budget.delta * _FOR_THRESHOLDS if _thresholds(demands) else Fraction(0)
    # Less by a hair: the gate looks for the best order by itself, and need not find the same.
    rho = greatest_rho(budget.epsilon, budget.delta - leak) * _HAIR
    if rho > 0:
        found.append(lambda: _adding_rho(demands, rho, leak))
    return [*found, *_adding_squares(demands, budget)]


def _thresholds(demands: Sequence[Demand]) -> int:
    return sum(demand.threshold for demand in demands)


def _weighed(demands: Sequence[Demand], choice: list[Grant]) -> float:
    return sum(
        float(demand.weight) * expected_error(demand, given)
        for demand, given in zip(demands, choice, strict=True)
    )


def expected_error(demand: Demand, given: Grant) -> float:
    """The mean error of one number, in the engine's integers."""
    if given.noise is not None:
        return float(given.noise.moment(1))
    if isinstance(given.price, ZCDP):
        return demand.concentrated / math.sqrt(given.price.rho)
    return demand.pure / float(given.price.epsilon)


def _adding_epsilon(demands: Sequence[Demand], epsilon: Fraction, delta: Fraction) -> list[Grant]:
    wishes = [math.sqrt(float(demand.weight) * demand.pure) for demand in demands]
    return _divided(demands, wishes, delta, lambda reach, share: _paid(reach, epsilon * share))


def _paid(reach: Sensitivity | None, epsilon: Fraction) -> Grant:
    price = PureDP(epsilon=epsilon)
    if reach is None:
        return Grant(price, Fraction(0))
    if reach.cells == 1:
        best = _least_noise(reach.cell, epsilon, Fraction(0))
        return Grant(price, Fraction(0), noise=best.law, best=best)
    return Grant(price, Fraction(0), noise=DiscreteLaplace(scale=reach.total / epsilon))


def _adding_rho(demands: Sequence[Demand], rho: Fraction, delta: Fraction) -> list[Grant]:
    """Fixed prices first; the others share what is left."""
    left = rho - _fixed(demands)
    free = [demand for demand in demands if demand.fixed is None]
    if left < 0 or (free and not left):
        raise UnsupportedQuery(
            f"the errors asked for cost rho={float(_fixed(demands)):.4g}, and the budget is worth "
            f"{float(rho):.4g}. Allow larger errors or a larger smallest group."
        )
    wishes = [(float(demand.weight) * demand.concentrated) ** (2 / 3) for demand in free]
    shared = iter(
        _divided(free, wishes, delta, lambda reach, share: _smoothed(reach, left * share))
    )
    return [
        replace(given, share=given.price.rho / rho) if isinstance(given.price, ZCDP) else given
        for given in (
            next(shared) if demand.fixed is None else Grant(ZCDP(rho=demand.fixed), Fraction(0))
            for demand in demands
        )
    ]


def _adding_squares(demands: Sequence[Demand], budget: ApproxDP) -> list[Callable[[], list[Grant]]]:
    """Gaussian noise for everything, priced as on the line; nothing if something else is asked."""
    changed = [demand.reach.cells if demand.reach else demand.smooth for demand in demands]
    touched = [count for count in changed if count is not None]
    if len(touched) < len(demands) or not budget.delta or not budget.epsilon:
        return []
    shares = _shares([(float(each.weight) * each.concentrated) ** (2 / 3) for each in demands])
    pairs = list(zip(demands, shares, strict=True))
    return [
        lambda price=price: [_smooth(demand, price, share) for demand, share in pairs]  # type: ignore[misc]
        for price in gaussian_prices(budget.epsilon, budget.delta, sum(touched))
    ]


def _smooth(demand: Demand, price: GaussianPrice, share: Fraction) -> Grant:
    if demand.reach is None:
        return Grant(ZCDP(rho=price.fine(share)), share)
    law = DiscreteGaussian(price.parameter(demand.reach.square, share))
    return Grant(ZCDP(rho=demand.reach.square / (2 * law.sigma_squared)), share, noise=law)


def _fixed(demands: Sequence[Demand]) -> Fraction:
    return sum((demand.fixed for demand in demands if demand.fixed is not None), Fraction(0))


def _refuse_fixed(demands: Sequence[Demand], budget: PureDP | ApproxDP) -> None:
    if _fixed(demands):
        raise UnsupportedQuery(
            f"relative errors need a budget with rho or delta; got {budget!r}. "
            "Use ApproxDP with delta above 0, or ZCDP."
        )


def _smoothed(reach: Sensitivity | None, rho: Fraction) -> Grant:
    if reach is None:
        return Grant(ZCDP(rho=1 / shortened_up(1 / rho)), Fraction(0))
    noise = DiscreteGaussian(shortened_up(reach.square / (2 * rho)))
    return Grant(ZCDP(rho=rho), Fraction(0), noise=noise)


def _divided(
    demands: Sequence[Demand],
    wishes: Sequence[float],
    delta: Fraction,
    grant: Callable[[Sensitivity | None, Fraction], Grant],
) -> list[Grant]:
    leak = delta / max(_thresholds(demands), 1)
    pairs = zip(demands, _shares(wishes), strict=True)
    return [
        replace(
            grant(demand.reach, share), share=share, delta=leak if demand.threshold else Fraction(0)
        )
        for demand, share in pairs
    ]


def _shares(wishes: Sequence[float]) -> list[Fraction]:
    """Positive parts of 1, near the wishes, that add up to at most 1 exactly."""
    total = math.fsum(wishes) or 1.0  # questions without error wish for nothing
    parts = [max(1, math.floor(wish / total * _PARTS)) for wish in wishes]
    whole = max(_PARTS, sum(parts))
    return [Fraction(part, whole) for part in parts]
