"""What canonical noise costs, computed anew from the recursion of its tails."""

from fractions import Fraction

from flint import arb

from leastnoise.certificates.problem import Problem
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval

_MOST_TERMS = 1 << 20
_BITS = 512


def canonical_cost(problem: Problem) -> Interval:
    r"""E c(|X|) = c(0) + 2·Σ_(k≥1) P(X ≥ k)·(c(k) − c(k−1)), by parts.

    Where a ball cannot tell whether a tail has reached 0, the tail is put between 0 and the ball's
    upper end; the recursion halves nothing and forgets quickly, so that this happens once.
    """
    with balls.precision(_BITS):
        factor, leak = balls.ball(problem.epsilon).exp(), balls.ball(problem.delta)
        tail = (1 - leak) / (1 + factor)
        before = problem.price(0)
        lower, upper = Fraction(before.lower), Fraction(before.upper)
        for k in range(1, _MOST_TERMS):
            if tail <= 0:
                return Interval(lower, upper)
            chance, price = balls.interval(tail), problem.price(k)
            least = max(Fraction(0), Fraction(chance.lower))
            lower += 2 * least * max(Fraction(0), Fraction(price.lower) - Fraction(before.upper))
            upper += 2 * Fraction(chance.upper) * (Fraction(price.upper) - Fraction(before.lower))
            before, tail = price, _next(tail, factor, leak)
    raise UnsupportedQuery(
        f"a certificate is checked over at most {_MOST_TERMS} places; this law has more. "
        "Choose a larger epsilon or delta."
    )


def _next(tail: arb, factor: arb, leak: arb) -> arb:
    rest = (tail - leak) / factor
    return rest if rest > 0 or rest <= 0 else arb(0).union(rest.upper())
