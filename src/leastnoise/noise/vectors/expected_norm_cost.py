r"""The expected cost of vector noise, as a function of the norm of the error."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import ceil

from leastnoise import _check
from leastnoise.errors import Undecided
from leastnoise.noise.laws.expected_cost import power_cost, with_rounding
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.numeric.cost import Cost, last_free_place, whole_power
from leastnoise.numeric.interval import Interval

_MORE_POWERS = 8  # the tail then falls with the eighth power at least
_MOST_BLOCKS = 1 << 9  # each asks for one tail
_MOST_DOUBLINGS = 200  # the moments would be outgrown before
_NARROW = Fraction(1, 10**6)  # what is cut off, as a share of a typical cost

Tail = Callable[[int], Interval]
"""m ↦ P(N ≥ m) for a random size N = 0, 1, 2, …"""


def expected_norm_cost(
    law: VectorLaw, cost: Cost, step: Fraction = Fraction(1), rounding: Fraction = Fraction(0)
) -> Interval:
    r"""E c(step·‖X‖ + e) for X drawn from a vector law and some 0 ≤ e ≤ rounding.

    Whole moments and tail probabilities have closed forms. Any other cost is summed over at most
    2^9 blocks of norms, with the theorem of `expected_cost` for what lies beyond: a narrow law
    gives a narrow bracket, a wide one a bracket of about one part in a hundred.

    Raises:
        Undecided: the cost grows too fast for the law, or is 0 wherever it was tried.

    Example:
        >>> from leastnoise.noise.vectors.norm_laplace import NormLaplace
        >>> from leastnoise.numeric.cost import Moment
        >>> expected_norm_cost(NormLaplace(3, 5, "linf"), Moment(2))
        Interval(299.584356324363, 299.584356324364)
    """
    return with_rounding(lambda more: _expected(law, cost, step, more), rounding)


def _expected(law: VectorLaw, cost: Cost, step: Fraction, more: Fraction) -> Interval:
    """E c(step·‖X‖ + more)."""
    order, last = whole_power(cost), last_free_place(cost, step, more)
    if last is not None:
        return Interval.exactly(1) if last < 0 else law.tail(last + 1)
    if order is not None:
        return power_cost(law.moment, order, step, more)

    def price(m: int) -> Interval:
        return cost.at(m * step + more)

    last, rest = _cut(law, cost, step)
    found = sum_by_blocks(law.tail, price, last)
    return Interval(found.lower, found.upper + rest * 2 ** ceil(cost.growth))


def sum_by_blocks(tail: Tail, price: Callable[[int], Interval], last: int) -> Interval:
    r"""E c(min(N, last)) from the tails of N and the prices c(m).

    Theorem: E c(N) = c(0) + Σ (c(m) − c(m−1))·P(N ≥ m) over m ≥ 1, and over a block u < m ≤ v the
    sum lies between (c(v) − c(u))·P(N ≥ v) and (c(v) − c(u))·P(N ≥ u+1), as c does not fall.
    """
    blocks = max(1, min(_MOST_BLOCKS, last))
    ends = [last * i // blocks for i in range(blocks + 1)]
    prices = [price(end) for end in ends]
    lower, upper = Fraction(prices[0].lower), Fraction(prices[0].upper)
    for (u, v), (here, there) in zip(pairwise(ends), pairwise(prices), strict=True):
        rise = Fraction(there.lower - here.upper), Fraction(there.upper - here.lower)
        if rise[1] < 0:
            raise _check.refuse(
                "`cost` must not decrease as the error grows",
                f"{float(here.lower):g} for a norm of {u}, {float(there.upper):g} for {v}",
                "Give a non-decreasing function of the error's norm.",
            )
        lower += max(Fraction(0), rise[0]) * Fraction(tail(v).lower)
        upper += rise[1] * Fraction(tail(u + 1).upper)
    return Interval(lower, upper)


def _cut(law: VectorLaw, cost: Cost, step: Fraction) -> tuple[int, Fraction]:
    """Where to stop, and what lies beyond at most; see the theorem in `expected_cost`."""
    if law.radius is not None:
        return law.radius, Fraction(0)
    power = ceil(cost.growth) + _MORE_POWERS
    moment = Fraction(law.moment(power).upper)
    typical = law.quantile("0.5") + 1
    goal = _NARROW * Fraction(cost.at(typical * step).lower)
    last = 2 * typical
    for _ in range(_MOST_DOUBLINGS):
        price = Fraction(cost.at(last * step).upper)
        rest = price * moment / Fraction(last) ** power
        if price and rest <= goal:
            return last, rest
        last += typical
    raise Undecided(
        "a cost must be positive for typical errors and must not outgrow the law's moments to be "
        "summed. Give a smaller growth, or use a whole-numbered moment."
    )
