r"""The least variance that any mechanism can have for a plan.

One unit moves all vectors of totals together, vector i within reach[i], whatever it does to the
others. Variances count with weights w. Sigma is the covariance of all totals.

Theorem 1. Let a mechanism keep a budget and answer without bias on all tables. Some Sigma, whose
weighted trace is at most that of its worst table, has (u*v)^2 <= C * u*Sigma*u for every move v of one
unit and every u, with

- C = 2*sinh(epsilon/2)^2 under epsilon-DP: attained by discrete Laplace noise of one number;
- C = 4*sinh(epsilon/2)^2 + 4*cosh(epsilon/2)^2 * delta/(1 - delta) under (epsilon, delta)-DP;
- C = 4*sinh(a)^2 with 2*a*tanh(a) = rho under rho-zCDP, and under mu-GDP with rho = mu^2/2;
- C = mu^2 for all Gaussian noise, where N(0, 1) and N(mu, 1) just keep the budget.

Theorem 2. Then for every law of a random move v the weighted trace is at least (tr A^(1/2))^2 / C,
with A the matrix of sqrt(w_i*w_j) * E v_i*v_j.

Theorem 3. Let V hold all moves of one unit and their opposites. Under epsilon-DP, for all y >= 0, the
least over whole x of the weighted sum of x_i^2 + the sum over v in V of y_v(x) - e^epsilon*y_v(x - v)
is not undercut by the mean square of noise of whole numbers; nor, less a quarter of all weights, by
any mechanism as in Theorem 1, at its worst table.

Proof page: docs/proofs/plan_bound.md.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import fsum, isqrt, sqrt

import numpy as np

from leastnoise.noise.joint_gaussian import Ball
from leastnoise.noise.joint_pure import Block, Box, Simplex
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.conversion import rho_of_pure, squared_mu, squared_mu_of_pure
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

Reach = Block | Ball
Move = tuple[int, ...]
Dual = Mapping[Move, Mapping[Move, Fraction]]

_LEAST, _MOST = Fraction(1, 10**101), {PureDP: 512, ApproxDP: 512, ZCDP: 512, GDP: 32}
_MOST_VECTORS, _MOST_PLACES = 2000, 1 << 16


def amounts(budget: Guarantee) -> tuple[Fraction, Fraction]:
    """The epsilon and the mu^2 of noise that keeps a budget, rounded down; 0 where there is none."""
    size, *_ = vars(budget).values() if isinstance(budget, Guarantee) else [0]
    if not (size == 0 or _LEAST < size <= _MOST[type(budget)]):
        raise InvalidInput(f"budget is {budget}. Give one from 1e-100 to {_MOST[type(budget)]}.")
    match budget:
        case PureDP(epsilon=epsilon):
            return epsilon, Fraction(0)
        case ApproxDP(epsilon=epsilon, delta=delta) if delta < 1:
            return epsilon, squared_mu(epsilon, delta)
        case ZCDP(rho=rho) if rho:
            return balls.greatest(lambda e: rho_of_pure(e) <= rho, rho, 40), 2 * rho
        case GDP(mu=mu) if mu:
            return balls.greatest(lambda e: squared_mu_of_pure(e) <= mu**2, mu, 40), mu**2
        case ZCDP() | GDP():
            return Fraction(0), Fraction(0)
    raise InvalidInput("budget is no guarantee. Give PureDP, ApproxDP, ZCDP or GDP.")


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
    rho = amounts(budget)[1] / 2
    a = balls.border(
        lambda a: balls.sign(lambda: 2 * ball(a) * ball(a).tanh() - ball(rho)) < 0, rho
    )[1]
    return balls.upper_end(lambda: 4 * ball(a).sinh() ** 2)


def root_trace_squared(
    reach: Sequence[Reach], weights: Sequence[Fraction], chances: Sequence[Fraction]
) -> Fraction:
    """(tr A^(1/2))^2 for a random unit that moves each vector by itself, rounded down.

    Of a box each number gets `high` with the vector's chance, else `low`. Of a simplex, with the
    chance, a random number gets the total. Of a diamond or a ball a random number gets all there is,
    up or down. Beside what vectors add by themselves, tr A^(1/2) is the sum of the singular values of
    B = (a diagonal, one more column): at least tr(U^T*B)/|U| for a guess U, less roundings of floats.

    >>> ten = [Box(0, 1)] * 10, [Fraction(1)] * 10, [Fraction(2, 3)] * 10
    >>> round(float(root_trace_squared(*ten)), 3)  # (9*sqrt(2/9) + sqrt(42/9))^2
    40.997
    """
    apart, own, common = list[float](), list[float](), list[float]()
    kinds = Counter(zip(reach, weights, chances, strict=True))
    if len(reach) > _MOST_VECTORS or not all(0 <= c <= 1 and w > 0 for _, w, c in kinds):
        raise InvalidInput("A chance lies in 0 .. 1, a weight is above 0, a plan has 2000 vectors.")
    for (block, weight, chance), count in kinds.items():
        spread, along, mean = (sqrt(weight * each) for each in _moments(block, chance))
        apart += [count * (block.cells - 1) * spread, (count - 1) * along]
        own.append(along)
        common.append(sqrt(count) * mean)
    left, _, right = np.linalg.svd(np.column_stack([np.diag(own), common]), full_matrices=False)
    guess = left @ right
    square = float(np.abs(guess @ guess.T).sum(axis=1).max()) * (1 + 2.0**-29)  # at least |U|^2
    terms = np.concatenate([np.diag(guess) * own, guess[:, -1] * common]).tolist()
    joint = max(0.0, fsum(terms) - 2.0**-45 * fsum(map(abs, terms))) / sqrt(square)
    return Fraction(max(0.0, (fsum(apart) + joint) * (1 - 2.0**-40) - 2.0**-400)) ** 2


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


def lattice_bound(
    budget: Guarantee, reach: Sequence[Reach], weights: Sequence[Fraction], dual: Dual
) -> Fraction:
    """The least of Theorem 3, for counts: where weights y are, or just beyond them all."""
    boxes = [box for box in reach if isinstance(box, Box) and box.cells == 1]
    if not isinstance(budget, PureDP) or len(boxes) < len(reach):
        raise InvalidInput("Weights y are for counts under epsilon alone.")
    growth = balls.upper_end(lambda: ball(budget.epsilon).exp())
    slack: dict[Move, Fraction] = {}
    for move, values in dual.items():
        sides = [[box.low <= sign * a <= box.high for a, box in zip(move, boxes, strict=True)]
                 for sign in (1, -1)]  # fmt: skip
        if not any(map(all, sides)) or min(values.values()) < 0:
            raise InvalidInput("A move is not one of a unit, or a weight y is negative.")
        for x, y in values.items():
            there = tuple(a + b for a, b in zip(x, move, strict=True))
            slack[x] = slack.get(x, Fraction(0)) + y
            slack[there] = slack.get(there, Fraction(0)) - growth * y
    widest = max((abs(a) for x in slack for a in x), default=0)
    if (2 * widest + 1) ** len(boxes) > _MOST_PLACES:
        raise InvalidInput("The weights y reach too far out.")
    inside = (
        sum(w * a * a for w, a in zip(weights, x, strict=True)) + slack.get(x, Fraction(0))
        for x in product(range(-widest, widest + 1), repeat=len(boxes))
    )
    return min(*inside, min(weights) * (widest + 1) ** 2)


def bounds(
    budget: Guarantee,
    reach: Sequence[Reach],
    weights: Sequence[Fraction],
    chances: Sequence[Fraction],
    dual: Dual,
) -> dict[str, Fraction]:
    """What unbiased, Gaussian and additive rivals do not undercut."""
    trace, square = root_trace_squared(reach, weights, chances), amounts(budget)[1]
    found = {"unbiased": trace / price(budget)}
    if square:
        found["Gaussian"] = trace / square * (1 - Fraction(1, 2**40))
    if dual:
        least = lattice_bound(budget, reach, weights, dual)
        found |= {
            "unbiased": max(found["unbiased"], least - sum(weights, Fraction(0)) / 4),
            "additive": least,
        }
    return found
