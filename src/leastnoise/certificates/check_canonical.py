"""What canonical noise costs, computed anew from the recursion of its tails."""

from fractions import Fraction

from flint import arb

from leastnoise.certificates.problem import Problem
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

_MOST_TERMS = 1 << 20
_MOST_WORK = 1 << 30  # places times bits
_BITS = 512


def canonical_cost(problem: Problem) -> Interval:
    r"""E c(|X|) = c(0) + 2·Σ_(k≥1) P(X ≥ k)·(c(k) − c(k−1)), by parts.

    Where a ball cannot tell whether a tail has reached 0, the tail is put between 0 and the ball's
    upper end; the recursion halves nothing and forgets quickly, so that this happens once.
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
        before = problem.price(0)
        lower, upper = Fraction(before.lower), Fraction(before.upper)
        for k in range(1, most):
            if tail <= 0:
                return Interval(lower, upper)
            chance, price = balls.interval(tail), problem.price(k)
            least = max(Fraction(0), Fraction(chance.lower))
            lower += 2 * least * max(Fraction(0), Fraction(price.lower) - Fraction(before.upper))
            upper += 2 * Fraction(chance.upper) * (Fraction(price.upper) - Fraction(before.lower))
            before, tail = price, _next(tail, factor, leak)
    raise _endless()


def _endless() -> UnsupportedQuery:
    return UnsupportedQuery(
        "canonical noise is checked over a limited number of places; this law has more. "
        "Choose a larger epsilon or delta, or a coarser granularity."
    )


def _next(tail: arb, factor: arb, leak: arb) -> arb:
    rest = (tail - leak) / factor
    return rest if rest > 0 or rest <= 0 else arb(0).union(rest.upper())
