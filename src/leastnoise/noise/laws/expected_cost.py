r"""The expected cost of a law: closed forms where there are any, a bracketed sum elsewhere."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, comb
from typing import Protocol

from leastnoise.errors import Undecided
from leastnoise.numeric.cost import Cost, last_free_place, whole_power
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.real import Real

_MOST_MOMENT = 64  # the highest that laws know
_MOST_TERMS = 1 << 16  # some seconds of exact sums
_NARROW = Fraction(1, 10**12)  # what is cut off, as a share of a typical cost


class Outside(Protocol):
    """The mathematics of a symmetric law on the integers, as far as it is needed here."""

    def outside(self, magnitude: int) -> Real:
        """P(|X| > magnitude), for magnitude ≥ 0."""


class SymmetricLaw(Protocol):
    """A symmetric law on the integers whose costs can be asked for: every `LatticeLaw` is one."""

    @property
    def shape(self) -> Outside:
        """The mathematics behind the answers."""

    @property
    def support(self) -> tuple[int, int] | None:
        """The least and greatest value that can be drawn; None if there is no limit."""

    def pmf(self, k: int, /) -> Interval:
        """P(X = k)."""

    def moment(self, order: int, /) -> Interval:
        """E|X|**order."""

    def quantile(self, probability: str, /) -> int:
        """The least m with P(|X| ≤ m) ≥ probability."""


def expected_cost(
    law: SymmetricLaw, cost: Cost, step: Fraction = Fraction(1), rounding: Fraction = Fraction(0)
) -> Interval:
    r"""E c(step·|X| + e) for X drawn from a symmetric law and some 0 ≤ e ≤ rounding.

    Theorem: for c non-decreasing with c(λx) ≤ λ^m·c(x) and K ≥ 1 with c(K) > 0, and any q ≥ m:
    0 ≤ E[c(|X|); |X| > K] ≤ c(K)·K^(−q)·E|X|^q.
    Proof: for |X| > K: c(|X|) ≤ (|X|/K)^m·c(K) ≤ (|X|/K)^q·c(K).

    Raises:
        Undecided: the law is so wide that the sum would take more than 2^16 terms.

    Example:
        >>> from leastnoise.noise import DiscreteLaplace
        >>> from leastnoise.numeric.cost import Moment
        >>> expected_cost(DiscreteLaplace(scale=1), Moment(1))
        Interval(0.850918128239321, 0.850918128239322)
    """
    return with_rounding(lambda more: _expected(law, cost, step, more), rounding)


def with_rounding(expected: Callable[[Fraction], Interval], rounding: Fraction) -> Interval:
    """A bracket for all sizes of rounding up to this, if the expectation grows with it."""
    least = expected(Fraction(0))
    return Interval(least.lower, expected(rounding).upper) if rounding else least


def _expected(law: SymmetricLaw, cost: Cost, step: Fraction, more: Fraction) -> Interval:
    """E c(step·|X| + more)."""
    order, last = whole_power(cost), last_free_place(cost, step, more)
    if last is not None:
        return Interval.exactly(1) if last < 0 else law.shape.outside(last).interval()
    if order is not None:
        return power_cost(law.moment, order, step, more)
    return _summed(law, cost, step, more)


def power_cost(
    moment_of: Callable[[int], Interval], order: int, step: Fraction, more: Fraction
) -> Interval:
    """E(step·|X| + more)^order by the binomial theorem: every term is positive."""
    lower = upper = Fraction(0)
    for power in range(order + 1) if more else (order,):
        factor = comb(order, power) * step**power * more ** (order - power)
        moment = moment_of(power)
        lower += factor * Fraction(moment.lower)
        upper += factor * Fraction(moment.upper)
    return Interval(lower, upper)


def _summed(law: SymmetricLaw, cost: Cost, step: Fraction, more: Fraction) -> Interval:
    last, rest = _cut(law, cost, step)
    lower = upper = Fraction(0)
    for k in range(last + 1):
        chance, price = law.pmf(k), cost.at(k * step + more)
        both = 2 if k else 1
        lower += both * Fraction(chance.lower) * Fraction(price.lower)
        upper += both * Fraction(chance.upper) * Fraction(price.upper)
    return Interval(lower, upper + rest * 2 ** ceil(cost.growth))


def _cut(law: SymmetricLaw, cost: Cost, step: Fraction) -> tuple[int, Fraction]:
    """Where to stop, and what lies beyond at most."""
    if law.support is not None:
        return _within_reach(law.support[1]), Fraction(0)
    powers = [(q, law.moment(q).upper) for q in (ceil(cost.growth) + 16, _MOST_MOMENT)]
    last = _within_reach(law.quantile("0.5") + 1)
    while True:
        price = Fraction(cost.at(last * step).upper)
        rest = price * min(Fraction(moment) / last**q for q, moment in powers)
        if price and rest <= _NARROW * cost.at(law.quantile("0.5") * step + step).lower:
            return last, rest
        last = _within_reach(2 * last)


def _within_reach(last: int) -> int:
    if last <= _MOST_TERMS:
        return last
    raise Undecided(
        f"a cost without a closed form is summed over at most {_MOST_TERMS} values; this law needs "
        "more. Use a coarser granularity, or a whole-numbered moment."
    )
