"""What canonical noise costs, computed anew from the recursion of its tails."""

from fractions import Fraction
from functools import lru_cache

from flint import arb

from leastnoise.certificates.problem import Problem
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

_MOST_TERMS = 1 << 19
_MOST_WORK = 1 << 30  # places times bits
_BITS = 512


@lru_cache(maxsize=4)  # the law and the bound ask the same
def canonical_cost(problem: Problem) -> Interval:
    r"""E c(|X|) = c(0) + 2·Σ_(k≥1) P(X ≥ k)·(c(k) − c(k−1)), by parts.

    Where a ball cannot tell whether a tail has reached 0, the tail is put between 0 and the ball's
    upper end; the recursion halves nothing and forgets quickly, so that this happens once.
    Everything is a ball: the sum of many long fractions would take minutes.
    """
    if not problem.delta:
        raise _endless()
    most = min(_MOST_TERMS, _MOST_WORK // problem.price_bits)
    with balls.precision(_BITS):
        factor, leak = balls.ball(problem.epsilon).exp(), balls.ball(problem.delta)
        tail = (1 - leak) / (1 + factor)
        # P(X > k) ≥ e^(−εk)·P(X ≥ 1) − kδ: a support that is surely too long is not walked.
        if tail / factor**most > most * leak:
            raise _endless()
        before = _price(problem, 0)
        total = before
        for k in range(1, most):
            if tail <= 0:
                ends = balls.interval(total)
                return Interval(max(Fraction(0), Fraction(ends.lower)), ends.upper)
            price = _price(problem, k)
            total += 2 * tail * (price - before)
            before, tail = price, _next(tail, factor, leak)
    raise _endless()


def _price(problem: Problem, place: int) -> arb:
    price = problem.price(place)
    lower = balls.ball(Fraction(price.lower))
    return lower if price.lower == price.upper else lower.union(balls.ball(Fraction(price.upper)))


def _endless() -> UnsupportedQuery:
    return UnsupportedQuery(
        "canonical noise is checked over a limited number of places; this law has more. "
        "Choose a larger epsilon or delta, or a coarser granularity."
    )


def _next(tail: arb, factor: arb, leak: arb) -> arb:
    rest = (tail - leak) / factor
    return rest if rest > 0 or rest <= 0 else arb(0).union(rest.upper())
