r"""How near two answers of neighbouring tables can be: the price of a scope.

Theorem: let a mechanism keep the budget, be in the scope, and answer without bias. For every change
v that one unit makes to the numbers, and every u, (uᵀv)² ≤ C·uᵀΣu, where Σ is its covariance (the
mean of its two covariances, if they differ), with C

- for Gaussian noise of covariance Σ: μ², where N(0, 1) and N(μ, 1) just keep the budget;
- for unbiased mechanisms: 4·K²/(1 − K²), with K² = T² + δ·(1 − T²) and T = tanh(ε/2) under (ε, δ),
  and with K = tanh(a), 2·a·tanh(a) = ρ, under ρ-zCDP. Under μ-GDP ρ is μ²/2.

Proof: docs/proofs/plan_bound.md.
"""

import math
from enum import Enum
from fractions import Fraction

from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.privacy.gaussian import gaussian_mu
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

_HAIR = Fraction(1, 2**40)


class Scope(Enum):
    """The class of mechanisms that a bound covers, in words."""

    GAUSSIAN = "all mechanisms that add Gaussian noise, of any covariance, to these numbers"
    UNBIASED = (
        "all mechanisms that answer without bias, each at the table where its variance is greatest"
    )


def price_above(scope: Scope, budget: Guarantee) -> Fraction | None:
    """The theorem's C, rounded up; None if no C is proved.

    Example:
        >>> from leastnoise.privacy.guarantee import PureDP
        >>> price = price_above(Scope.UNBIASED, PureDP(epsilon=1))
        >>> print(f"{float(price):.6f}", price_above(Scope.GAUSSIAN, PureDP(epsilon=1)))
        1.086161 None
    """
    return _gaussian(budget) if scope is Scope.GAUSSIAN else _unbiased(budget)


def _gaussian(budget: Guarantee) -> Fraction | None:
    match budget:
        case ZCDP(delta=0):
            return 2 * budget.rho
        case GDP():
            return budget.mu**2
        case ApproxDP() if budget.delta:
            return Fraction(gaussian_mu(budget.epsilon, budget.delta).upper) ** 2
        case _:
            return None


def _unbiased(budget: Guarantee) -> Fraction | None:
    match budget:
        case PureDP():
            return _of_ratio(budget.epsilon, Fraction(0))
        case ApproxDP():
            return _of_ratio(budget.epsilon, budget.delta)
        case ZCDP(delta=0):
            return _of_mean_loss(budget.rho)
        case GDP():
            return _of_mean_loss(budget.mu**2 / 2)
        case _:
            return None


def _of_ratio(epsilon: Fraction, delta: Fraction) -> Fraction:
    """4·sinh²(ε/2) + 4·cosh²(ε/2)·δ/(1 − δ)."""

    def compute() -> arb:
        growth = balls.ball(epsilon).exp()
        both = growth + 1 / growth
        return both - 2 + (both + 2) * balls.ball(delta / (1 - delta))

    return Fraction(balls.enclosure(compute).upper)


def _of_mean_loss(rho: Fraction) -> Fraction:
    """4·sinh²(a) for an a with 2·a·tanh(a) ≥ ρ, nearly equal."""
    half = _half_width(rho)
    return Fraction(balls.enclosure(lambda: (2 * balls.ball(half).sinh()) ** 2).upper)


def _half_width(rho: Fraction) -> Fraction:
    """The guess is a float's; what is used was compared."""
    low, high = 0.0, nearest_float(rho) + 1
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if 2 * middle * math.tanh(middle) < rho else (low, middle)
    guess = Fraction(high) * (1 + _HAIR)
    enough = balls.sign(lambda: 2 * balls.ball(guess) * balls.ball(guess).tanh() - balls.ball(rho))
    return guess if enough >= 0 else rho + 1
