r"""What no noise on the integers can beat under (epsilon, delta), from half-lines alone.

With T(k) = P(X >= k) for a symmetric X, the event {x >= k} and the shift D (the sensitivity) ask for
T(k) <= e^epsilon * T(k + D) + delta. A cost is c(0) + 2 * sum of T(k)*(c(k) - c(k-1)), so least
tails give a lower bound. Half-lines with k > 0 link T(k), T(k+D), T(k+2D), ... into *chains*, one
for each residue; half-lines that straddle 0 link the heads of two chains:
T(j+1) + e^epsilon * T(D-j) >= 1 - delta for 0 <= j < D.

Proof page: docs/proofs/linear_program.md. Reference: Geng and Viswanath 2016, "Optimal noise adding
mechanisms for approximate differential privacy", who keep half-lines with k >= 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb

from flint import arb

from leastnoise.noise.stairs import power_sum
from leastnoise.numbers import ball as balls
from leastnoise.numbers.cost import Cost, Moment
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer

_BITS = 192
_HALVINGS = 64
_MOST_TAILS = 1 << 12
MOST_SENSITIVITY = 1 << 12

Line = tuple[arb, arb]
"""The value of a function at a place, and a ball that holds its slopes there."""


def straddling(sensitivity: int, epsilon: Fraction, delta: Fraction, cost: Cost) -> Interval:
    """The least mean cost that all half-lines allow; at sensitivity 1 there is noise that has it.

    Raises:
        InvalidInput: so many chains, or such long ones, are too much work.
    """
    if not epsilon and isinstance(cost, Moment) and cost.order.denominator == 1:
        return Interval.exactly(_without_epsilon(sensitivity, delta, int(cost.order)))
    length = _periods(sensitivity, epsilon, delta)
    total = cost.at(Fraction(0))
    with balls.precision(_BITS):
        rises = _rises(cost, sensitivity * length)
        chains = [_Chain(epsilon, delta, rises[j::sensitivity]) for j in range(sensitivity)]
        parts = [_pair(chains[j], chains[-1 - j]) for j in range((sensitivity + 1) // 2)]
    return Interval(
        total.lower + sum(part.lower for part in parts),
        total.upper + sum(part.upper for part in parts),
    )


def half_lines(sensitivity: int, epsilon: Fraction, delta: Fraction, cost: Cost) -> Interval:
    """The least mean cost that half-lines with k >= 0 allow: the program of the slides, corrected.

    With u = T(0): T(1) = 1 - u, and T(2), ... T(D) are all (u - delta)/e^epsilon at least.
    """
    length = _periods(sensitivity, epsilon, delta)
    with balls.precision(_BITS):
        rises = _rises(cost, sensitivity * length)
        periods = range(0, sensitivity * length, sensitivity)
        first = _Chain(epsilon, delta, rises[::sensitivity])
        others = [sum(rises[k + 1 : k + sensitivity], arb(0)) for k in periods]
        rest = _Chain(epsilon, delta, others)
        growth, leak = balls.ball(epsilon).exp(), balls.ball(delta)
        top = balls.interval((growth + leak) / (1 + growth))

        def both(u: Fraction) -> Line:
            mine = first.cost(1 - balls.ball(u))
            head = (balls.ball(u) - leak) / growth
            theirs = rest.cost(head.nonnegative_part())
            slope = 1 / growth if head > 0 else (1 / growth).union(arb(0))
            return mine[0] + theirs[0], theirs[1] * slope - mine[1]

        found = _least(both, Fraction(1, 2), Fraction(top.upper))
    start = cost.at(Fraction(0))
    return Interval(start.lower + found.lower, start.upper + found.upper)


def _periods(sensitivity: int, epsilon: Fraction, delta: Fraction) -> int:
    """How many tails of a chain can be positive, if the first is at most 1."""
    with balls.precision(_BITS):
        tail, shrink, leak = arb(1), (-balls.ball(epsilon)).exp(), balls.ball(delta)
        for length in range(_MOST_TAILS // sensitivity + 1):
            if tail <= 0:
                return length
            tail = (tail - leak) * shrink
    raise InvalidInput("This noise is too wide for the bound. Give a larger epsilon or delta.")


def _rises(cost: Cost, count: int) -> list[arb]:
    """2*(c(k) - c(k-1)) for k = 1 .. count."""
    prices = [cost.at(Fraction(k)) for k in range(count + 1)]
    return [
        2 * balls.ball(Fraction(high.lower - low.upper)).union(
            balls.ball(Fraction(high.upper - low.lower))
        )
        for low, high in pairwise(prices)
    ]  # fmt: skip


@dataclass(frozen=True)
class _Chain:
    """Tails one sensitivity apart, each as small as the one before allows, and what they cost."""

    epsilon: Fraction
    delta: Fraction
    rises: Sequence[arb]

    def cost(self, tail: arb) -> Line:
        """The sum of rise * tail, from the first tail on."""
        shrink, leak = (-balls.ball(self.epsilon)).exp(), balls.ball(self.delta)
        cost, slope, rate = arb(0), arb(0), arb(1)
        for rise in self.rises:
            if tail <= 0:
                break
            cost += rise * tail.nonnegative_part()
            slope += rise * (rate if tail > 0 else rate.union(arb(0)))
            tail, rate = (tail - leak) * shrink, rate * shrink
        return cost, slope


def _pair(one: _Chain, other: _Chain) -> Interval:
    """The least that two chains, or one that is its own partner, add to the cost."""
    growth, kept = balls.ball(one.epsilon).exp(), balls.ball(1 - one.delta)
    if one is other:
        return balls.interval(one.cost(kept / (1 + growth))[0])

    def both(tail: Fraction) -> Line:
        """The first tail of one, and that of the other as small as it allows."""
        flat, steep = (kept - balls.ball(tail)) / growth, kept - growth * balls.ball(tail)
        mine, theirs = one.cost(balls.ball(tail)), other.cost(flat.max(steep).nonnegative_part())
        fall = growth if steep > flat else 1 / growth if steep < flat else growth.union(1 / growth)
        return mine[0] + theirs[0], mine[1] - fall * theirs[1]

    return _least(both, Fraction(0), 1 - one.delta)


def _least(line: Callable[[Fraction], Line], low: Fraction, high: Fraction) -> Interval:
    """The least value of a convex function, from its slopes."""
    for step in range(_HALVINGS):
        share = Fraction(1, 2) if step % 2 else Fraction(3, 7)  # no corner twice in a row
        middle = low + (high - low) * share
        slope = line(middle)[1]
        if slope > 0:
            high = middle
        elif slope < 0:
            low = middle
    (left, steep), (right, _) = line(low), line(high)
    ends = balls.interval(left), balls.interval(right)
    fall = min(Fraction(0), Fraction(balls.interval(steep).lower)) * (high - low)
    return Interval(max(Fraction(0), ends[0].lower + fall), min(end.upper for end in ends))


def _without_epsilon(sensitivity: int, delta: Fraction, order: int) -> Fraction:
    """`straddling` at epsilon 0 for E|X|^order, exactly.

    The tails of a chain are then u - m*delta. Two chains cost a convex, piecewise linear function of
    u, with corners where u or 1 - delta - u is a multiple of delta.
    """
    if sensitivity > MOST_SENSITIVITY:
        raise InvalidInput(
            f"sensitivity is {sensitivity}. Give at most {MOST_SENSITIVITY} for this bound."
        )
    kept = 1 - delta

    def chain(j: int, u: Fraction) -> Fraction:
        """The sum over m of 2*((j+1+mD)^order - (j+mD)^order) * (u - m*delta)."""
        n, total = -(-u // delta), Fraction(0)
        for i in range(order):  # the coefficient of (mD)^i
            factor = comb(order, i) * ((j + 1) ** (order - i) - j ** (order - i)) * sensitivity**i
            total += factor * (u * power_sum(i, n) - delta * power_sum(i + 1, n))
        return 2 * total

    def pair(j: int) -> Fraction:
        other = sensitivity - 1 - j
        if j == other:
            return chain(j, kept / 2)

        def both(u: Fraction) -> Fraction:
            return chain(j, u) + chain(other, kept - u)

        last = int(kept / delta)
        near = last // 2
        up = least_integer(lambda n: n >= last or both(n * delta) <= both((n + 1) * delta), 0, near)
        down = least_integer(
            lambda n: n >= last or both(kept - n * delta) <= both(kept - (n + 1) * delta), 0, near
        )
        return min(both(up * delta), both(kept - down * delta))

    return sum((pair(j) for j in range((sensitivity + 1) // 2)), Fraction(0))
