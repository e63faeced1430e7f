r"""The least variance that any mechanism without bias can have for a plan, and who says so.

A plan has vectors of totals. One unit moves all of them together, vector i within reach[i], whatever
it does to the others. Variances count with a weight w.

Theorem 1. Let a mechanism keep a budget and answer without bias on all tables. For every move v of
one unit and every u, (u*v)^2 <= C * u*Sigma*u with a covariance Sigma that is somewhere reached, and

- C = 2*sinh(epsilon/2)^2 under epsilon-DP: attained by discrete Laplace noise of one number;
- C = 4*sinh(epsilon/2)^2 + 4*cosh(epsilon/2)^2 * delta/(1 - delta) under (epsilon, delta)-DP;
- C = 4*sinh(a)^2 with 2*a*tanh(a) = rho under rho-zCDP, and under mu-GDP with rho = mu^2/2;
- C = mu^2 for all Gaussian noise, where N(0, 1) and N(mu, 1) just keep the budget.

Theorem 2. Then for every law of a random move v the weighted sum of all variances is somewhere at
least (tr A^(1/2))^2 / C, with A the matrix of sqrt(w_i*w_j) * E v_i*v_j.

Proof page: docs/proofs/plan_bound.md.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np
from flint import arb

from leastnoise.noise.joint_gaussian import Ball
from leastnoise.noise.joint_pure import Block, Box, Simplex
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.conversion import squared_mu
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

Reach = Block | Ball

_BITS = 128
_HAIR = 1 + Fraction(1, 2**40)
_HALVINGS = 80

# Theorem 1


@lru_cache(maxsize=64)
def price(budget: Guarantee) -> Fraction:
    """C of Theorem 1 for all mechanisms without bias, rounded up.

    >>> round(float(price(PureDP(epsilon=1))), 6)  # one count: 1/C = 1.8413
    0.543081
    """
    match budget:
        case PureDP(epsilon=epsilon):
            return balls.upper_end(lambda: 2 * (ball(epsilon) / 2).sinh() ** 2)
        case ApproxDP(epsilon=epsilon, delta=delta):
            odds = delta / (1 - delta)
            return balls.upper_end(
                lambda: 2 * (ball(epsilon).cosh() * ball(1 + odds) - ball(1 - odds))
            )
        case ZCDP(rho=rho):
            return _of_mean_loss(rho)
        case GDP(mu=mu):
            return _of_mean_loss(mu**2 / 2)


def _of_mean_loss(rho: Fraction) -> Fraction:
    """4*sinh(a)^2 for an a with 2*a*tanh(a) >= rho, nearly equal."""

    def is_short(a: Fraction) -> bool:
        return balls.sign(lambda: 2 * ball(a) * ball(a).tanh() - ball(rho)) < 0

    a = balls.border(is_short, rho)[1]
    return balls.upper_end(lambda: 4 * ball(a).sinh() ** 2)


def gaussian_price(budget: Guarantee) -> Fraction | None:
    """C of Theorem 1 for Gaussian noise, rounded up; None where no Gaussian noise keeps the budget."""
    match budget:
        case ZCDP(rho=rho):
            return 2 * rho
        case GDP(mu=mu):
            return mu**2
        case ApproxDP(epsilon=epsilon, delta=delta) if delta:
            return squared_mu(epsilon, delta) * _HAIR
    return None


# Theorem 2


def root_trace_squared(
    reach: Sequence[Reach], weights: Sequence[Fraction], chances: Sequence[Fraction]
) -> Fraction:
    """(tr A^(1/2))^2 for a random unit that moves each vector by itself, rounded down.

    Of a box each number gets `high` with the vector's chance, else `low`. Of a simplex, with the
    chance, a random number gets the total. Of a diamond or a ball a random number gets all there is,
    up or down.

    >>> ten = [Box(0, 1)] * 10, [Fraction(1)] * 10, [Fraction(2, 3)] * 10
    >>> round(float(root_trace_squared(*ten)), 2)
    41.01
    """
    own: dict[Fraction, int] = {}
    shared: dict[Fraction, Fraction] = {}
    for block, weight, chance in zip(reach, weights, chances, strict=True):
        if not 0 <= chance <= 1 or weight < 0:
            raise InvalidInput("A chance lies in 0 .. 1, and a weight is not negative.")
        spread, total, square = (_short(weight * each) for each in _moments(block, chance))
        own[spread] = own.get(spread, 0) + block.cells - 1
        own[total] = own.get(total, 0) + (not square or total in shared)
        if square:
            shared[total] = shared.get(total, Fraction(0)) + square
    values = [*own.items(), *((root, 1) for root in _roots(sorted(shared.items())))]
    with balls.precision(_BITS):
        trace = sum((n * ball(value).sqrt() for value, n in values), arb(0))
        return max(Fraction(0), Fraction(balls.interval(trace**2).lower))


def _moments(block: Reach, c: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """What A has of one vector: away from its sum, along it, and the squared mean there."""
    d = block.cells
    if isinstance(block, Box):
        step = block.high - block.low
        spread = c * (1 - c) * step**2
        return spread, spread, d * (block.low + c * step) ** 2
    if isinstance(block, Simplex):
        whole = Fraction(block.total**2, d)
        return c * whole, c * (1 - c) * whole, c**2 * whole
    size = isqrt(block.square) if isinstance(block, Ball) else block.total
    even = Fraction(size**2, d)
    return even, even, Fraction(0)


def _short(value: Fraction) -> Fraction:
    """About 96 bits of a number, rounded down: a lesser matrix has lesser eigenvalues."""
    shift = 96 + value.denominator.bit_length() - value.numerator.bit_length()
    return (value * Fraction(2) ** shift).__floor__() / Fraction(2) ** shift


def _roots(poles: list[tuple[Fraction, Fraction]]) -> list[Fraction]:
    """Lower bounds on the eigenvalues of a diagonal plus u*u': one above each pole, below the next.

    An eigenvalue is where 1 + the sum of u_i^2/(pole_i - x) is 0, and below it this is negative.
    """
    if not poles:
        return []
    places, squares = (np.array([float(pole[i]) for pole in poles]) for i in (0, 1))
    low, high = places.copy(), np.append(places[1:], places[-1] + squares.sum())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            below = 1 + (squares / (places - middle[:, np.newaxis])).sum(axis=1) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    found, after = [], [*(pole for pole, _ in poles[1:]), None]
    for (pole, _), above, guess in zip(poles, after, low.tolist(), strict=True):
        x = pole + (Fraction(guess) - pole) / _HAIR
        inside = x > pole and (above is None or x < above)
        found.append(x if inside and _is_below(x, poles) else pole)
    return found


def _is_below(x: Fraction, poles: list[tuple[Fraction, Fraction]]) -> bool:
    with balls.precision(_BITS):
        return bool(1 + sum((ball(u / (pole - x)) for pole, u in poles), arb(0)) < 0)
