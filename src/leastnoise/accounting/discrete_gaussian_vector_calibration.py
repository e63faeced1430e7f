"""Discrete Gaussian noise on integer vectors: what is proved to suffice, and what to be needed."""

import math
from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import SupportsIndex, TypeVar

from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.accounting.discrete_gaussian_calibration import discrete_gaussian_variance
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

_GRID = 400  # a guess only: what it finds is priced afterwards
_REFINEMENTS = 40  # the step shrinks to a millionth

Number = TypeVar("Number", float, arb)


def discrete_gaussian_vector_variance(
    *, epsilon: Exact, delta: Exact, squared_sensitivity: SupportsIndex
) -> Interval:
    r"""A bracket on the least parameter of independent discrete Gaussians on an integer vector.

    The upper end is sound, and so is everything above it. Below the lower end some query of that
    sensitivity is not (ε, δ)-DP. The two differ because the exact divergence of a vector depends on
    the direction of the change.

    Theorem: a query with values in Z^k moves by a vector w, ‖w‖₂² ≤ S. With noise of parameter v on
    every coordinate it is S/(2v)-zCDP, hence (ε, δ)-DP if v ≥ S/(2ρ), where
    ρ = (ε + (ln δ − ln((1−1/α)^(α−1)/α))/(α−1))/α for any α > 1; the best α is searched for. A
    change of ⌊√S⌋ in one coordinate needs `discrete_gaussian_variance` at that sensitivity.
    Proof: Rényi divergences add up over independent coordinates, and each is at most
    α·wᵢ²/(2v) (docs/proofs/divergences.md); zCDP to (ε, δ): docs/proofs/implications.md.

    Args:
        epsilon: ε ≥ 0.
        delta: δ in (0, 1).
        squared_sensitivity: S, an integer ≥ 1: the square of the Euclidean sensitivity.

    References: CanonneKamathSteinke2020, Section 2 and Proposition 12.

    Example:
        >>> discrete_gaussian_vector_variance(epsilon=1, delta="1e-6", squared_sensitivity=100)
        Interval(1784.87404811102, 2052.88474496846)
    """
    exact_epsilon, target = _check.non_negative(epsilon, "epsilon"), _check.positive_delta(delta)
    square = _check.integer_between(squared_sensitivity, "squared_sensitivity", 1)
    least = discrete_gaussian_variance(
        epsilon=exact_epsilon, delta=target, sensitivity=isqrt(square)
    )
    rho = greatest_rho(exact_epsilon, target)
    most = square / (2 * rho) if rho > 0 else math.inf
    return Interval(least.lower, max(least.upper, most))


def greatest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Nearly the greatest ρ whose zCDP implies (ε, δ)-DP; 0 or less if none is known.

    The theorem's formula is evaluated in balls, at an order found by floats: any order is sound.
    """
    above = Fraction(_best_order_above_one(epsilon, delta))

    def rho() -> arb:
        return _rho(balls.ball(epsilon), balls.ball(delta).log(), balls.ball(above), arb.log)

    return Fraction(balls.enclosure(rho).lower)


def _rho(
    epsilon: Number, log_delta: Number, above: Number, log: Callable[[Number], Number]
) -> Number:
    """The theorem's ρ at α = 1 + above, in balls or in floats."""
    order = 1 + above
    return (epsilon + (log_delta + order * log(order)) / above - log(above)) / order


def _best_order_above_one(epsilon: Fraction, delta: Fraction) -> float:
    """α − 1 close to the best: a grid in its logarithm, then ternary search beside the best."""
    loss = float(min(epsilon, Fraction(10**9)))
    log_delta = math.log(delta.numerator) - math.log(delta.denominator)
    high = min(700.0, 30 - log_delta)

    def value(place: float) -> float:
        return _rho(loss, log_delta, math.exp(place), math.log)

    step = (high + 30) / _GRID
    best = max((i * step - 30 for i in range(_GRID + 1)), key=value)
    for _ in range(_REFINEMENTS):
        step *= 0.7
        best = max((best - step, best, best + step), key=value)
    return math.exp(best)
