r"""How a budget is divided among questions, and which noise each of them gets.

Two schemes are priced and the better one is taken: noise with exponential tails, whose ε add up,
and discrete Gaussian noise, whose ρ add up. One number alone gets the least noise there is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from leastnoise import _check
from leastnoise.engine.sensitivity import Sensitivity
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.discrete_laplace import DiscreteLaplace
from leastnoise.noise.lattice_law import LatticeLaw
from leastnoise.planning.optimal import optimal_scalar
from leastnoise.privacy.approximations import zcdp_to_approx
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP

_PARTS = 2**24
_HALVINGS = 60


@dataclass(frozen=True)
class Need:
    """What one question needs: how far its cells move, and how much their errors matter.

    Attributes:
        reach: the most one unit moves the question's cells, as one vector.
        weight: the importance of one unit of error in a cell; positive.
    """

    reach: Sensitivity
    weight: Fraction


@dataclass(frozen=True)
class Allotment:
    """One question's noise and its price.

    Attributes:
        law: the noise of each cell, independent.
        price: ε, or ρ under Gaussian noise: these add up.
        share: the part of the whole.
    """

    law: LatticeLaw
    price: Guarantee
    share: Fraction


def allotted(needs: Sequence[Need], budget: Guarantee) -> list[Allotment]:
    """Noise for every need such that all together keep the budget.

    Theorem: with scales total/ε_i and Σ ε_i ≤ ε all answers together are ε-DP; with parameters
    square/(2ρ_i) and Σ ρ_i ≤ ρ they are ρ-zCDP. Among all ways to divide, ε_i ∝ √(weight·total)
    has the least Σ weight·scale, and ρ_i ∝ (weight·√square)^(2/3) the least Σ weight·σ.
    Proof: docs/proofs/allocation.md.

    Raises:
        UnsupportedQuery: a budget of a kind that no scheme here is priced in.
    """
    _refuse_nothing(budget)
    match budget:
        case PureDP():
            return _alone(needs, budget) or _exponential(needs, budget.epsilon)
        case ZCDP():
            return _gaussian(needs, budget.rho)
        case ApproxDP():
            return _alone(needs, budget) or _cheaper(needs, budget)
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


def _alone(needs: Sequence[Need], budget: PureDP | ApproxDP) -> list[Allotment]:
    """The least noise there is, if all that is asked is one number per unit."""
    if len(needs) != 1 or needs[0].reach.cells != 1:
        return []
    delta = budget.delta if isinstance(budget, ApproxDP) else 0
    chosen = optimal_scalar(
        sensitivity=needs[0].reach.cell, epsilon=budget.epsilon, delta=delta, cost="absolute"
    )
    return [Allotment(chosen.law, budget, Fraction(1))]


def _cheaper(needs: Sequence[Need], budget: ApproxDP) -> list[Allotment]:
    choices = []
    if budget.epsilon:
        choices.append(_exponential(needs, budget.epsilon))
    rho = _concentrated(budget) if budget.delta else Fraction(0)
    if rho:
        choices.append(_gaussian(needs, rho))
    if not choices:
        raise UnsupportedQuery(
            f"several answers need a budget with epsilon above 0; got {budget!r}. "
            "Choose a larger epsilon, or ask one question."
        )
    return min(choices, key=lambda choice: _weighed(needs, choice))


def _weighed(needs: Sequence[Need], choice: list[Allotment]) -> float:
    pairs = zip(needs, choice, strict=True)
    return sum(float(need.weight) * float(given.law.moment(1)) for need, given in pairs)


def _concentrated(budget: ApproxDP) -> Fraction:
    """The greatest ρ, to 60 bits, whose zCDP surely implies the budget."""
    low, high = Fraction(0), budget.epsilon
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        implied = zcdp_to_approx(ZCDP(rho=middle), delta=budget.delta)
        low, high = (middle, high) if implied.epsilon <= budget.epsilon else (low, middle)
    return low


def _exponential(needs: Sequence[Need], epsilon: Fraction) -> list[Allotment]:
    wishes = [math.sqrt(need.weight * need.reach.total) for need in needs]
    shares = _shares(wishes)
    return [
        Allotment(
            DiscreteLaplace(scale=need.reach.total / (epsilon * share)),
            PureDP(epsilon=epsilon * share),
            share,
        )
        for need, share in zip(needs, shares, strict=True)
    ]


def _gaussian(needs: Sequence[Need], rho: Fraction) -> list[Allotment]:
    wishes = [(float(need.weight) * math.sqrt(need.reach.square)) ** (2 / 3) for need in needs]
    shares = _shares(wishes)
    return [
        Allotment(
            DiscreteGaussian(need.reach.square / (2 * rho * share)), ZCDP(rho=rho * share), share
        )
        for need, share in zip(needs, shares, strict=True)
    ]


def _shares(wishes: Sequence[float]) -> list[Fraction]:
    """Positive parts of 1, near the wishes, that add up to at most 1 exactly."""
    total = math.fsum(wishes)
    parts = [max(1, math.floor(wish / total * _PARTS)) for wish in wishes]
    whole = max(_PARTS, sum(parts))
    return [Fraction(part, whole) for part in parts]
