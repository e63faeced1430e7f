r"""The linear program of the slides: only events that are half-lines, only the greatest shift.

Its optimum bounds the cost of every (ε, δ)-DP law on the integers from below. It is exact at
sensitivity 1; beyond that the program over all events is stronger (`optimal`).
"""

from fractions import Fraction
from functools import lru_cache

from flint import arb

from leastnoise.certificates.problem import Problem
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

_BITS = 320
_HALVINGS = 120  # (2/3)^120 is below 2^-70
_MOST_TERMS = 1 << 17  # each is computed 240 times


def half_line_bound(problem: Problem) -> Interval:
    r"""The least cost under P(X ≥ k) ≤ e^ε·P(X ≥ k + Δ) + δ for all k ≥ 0, X symmetric.

    Theorem: with T(k) = P(X ≥ k) and u = T(0) in [1/2, (e^ε + δ)/(1 + e^ε)] the least tails are
    T(1) = 1 − u, T(2) = … = T(Δ) = e^−ε·(u − δ)₊ and T(k + Δ) = e^−ε·(T(k) − δ)₊; the cost
    c(0) + 2·Σ T(k)·(c(k) − c(k−1)) is convex in u.
    Proof: docs/proofs/noise_bounds.md.

    The minimum over u is bracketed by ternary search, and by the slope, at most 2·c(last).
    """
    with balls.precision(_BITS):
        factor = balls.ball(problem.epsilon).exp()
        high = balls.interval((factor + balls.ball(problem.delta)) / (1 + factor))
        low, top = Fraction(1, 2), Fraction(high.upper)
        for _ in range(_HALVINGS):
            third = (top - low) / 3
            left, right = _cost(problem, low + third)[0], _cost(problem, top - third)[0]
            if left.upper <= right.upper:
                top = top - third
            else:
                low = low + third
        cost, slope = _cost(problem, (low + top) / 2)
    width = top - low
    return Interval(max(Fraction(0), cost.lower - slope * width), cost.upper)


def _cost(problem: Problem, head: Fraction) -> tuple[Interval, Fraction]:
    """The cost at u = head, and a bound on its slope there."""
    leak, shrink = balls.ball(problem.delta), (-balls.ball(problem.epsilon)).exp()
    period = problem.sensitivity
    tails = [balls.ball(head), balls.ball(1 - head)]
    second = _positive((tails[0] - leak) * shrink)
    tails += [second] * (period - 1)
    total, k = arb(balls.ball(Fraction(problem.price(0).lower))), 1
    while not tails[k] <= 0 or any(not tail <= 0 for tail in tails[k : k + period]):
        total += 2 * tails[k] * rise(problem, k)
        tails.append(_positive((tails[k] - leak) * shrink))
        k += 1
        if k > _MOST_TERMS:
            raise UnsupportedQuery(
                f"the half-line program is solved over at most {_MOST_TERMS} places; this one "
                "needs more. Choose a larger epsilon or delta."
            )
    return balls.interval(total), 2 * Fraction(problem.price(k).upper)


@lru_cache(maxsize=1 << 17)  # a search asks for each of them hundreds of times
def rise(problem: Problem, place: int) -> arb:
    """c(k) − c(k−1), as a ball."""
    above, below = problem.price(place), problem.price(place - 1)
    low = Fraction(above.lower) - Fraction(below.upper)
    high = Fraction(above.upper) - Fraction(below.lower)
    return balls.ball(low).union(balls.ball(high))


def _positive(value: arb) -> arb:
    """max(0, value)."""
    if value > 0:
        return value
    return arb(0) if value <= 0 else arb(0).union(value.upper())
