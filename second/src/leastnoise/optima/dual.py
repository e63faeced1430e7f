r"""The linear program of the least noise, both sides: is a law private, what does a dual point prove?

Everything is decided in fractions. e^epsilon is replaced by a fraction below it where a law is
judged, and by one above it where a dual point is: a yes is a proof.

Proof page: docs/proofs/linear_program.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from leastnoise.numbers import ball as balls
from leastnoise.numbers.cost import Cost
from leastnoise.numbers.interval import Interval

MOST_WORK = 1 << 20
"""Pairs of places, or multipliers, that are looked at."""

_MOST_BITS = 1024


@dataclass(frozen=True)
class Problem:
    """Which noise is asked for.

    Attributes:
        sensitivity: how far neighbours' values are apart, in `norm`.
        epsilon: of the promise.
        delta: of the promise.
        cost: what an error costs; of a vector, its norm.
        dimension: how many numbers.
        norm: "l1" or "linf".
    """

    sensitivity: int
    epsilon: Fraction
    delta: Fraction
    cost: Cost
    dimension: int = 1
    norm: str = "l1"

    def price(self, place: int) -> Interval:
        """The cost of an error of that size."""
        if place not in self._prices:
            self._prices[place] = self.cost.at(Fraction(place))
        return self._prices[place]

    @cached_property
    def _prices(self) -> dict[int, Interval]:
        return {}

    @cached_property
    def factor(self) -> Interval:
        """e^epsilon between two fractions."""
        if not self.epsilon:
            return Interval.exactly(1)
        return balls.enclosure(lambda: balls.ball(self.epsilon).exp(), bits=192)


def leaks(problem: Problem, weights: list[int]) -> Iterator[Fraction]:
    """Upper bounds on the divergences at the shifts that matter.

    e^epsilon is replaced by a fraction below it. Weights that never rise leak most at the greatest
    shift, and once the shifted copy lies clear of the law a larger shift changes nothing.
    """
    factor = Fraction(problem.factor.lower)
    here = [weight * factor.denominator for weight in [*weights[:0:-1], *weights]]
    there = [weight * factor.numerator for weight in [*weights[:0:-1], *weights]]
    greatest = min(problem.sensitivity, len(here))
    falls = all(one >= two for one, two in pairwise(weights))
    for shift in range(greatest if falls else 1, greatest + 1):
        excess = sum(one - two for one, two in zip(here, there[shift:], strict=False) if one > two)
        yield Fraction(excess + sum(here[max(0, len(here) - shift) :]), sum(here))


@dataclass(frozen=True)
class Row:
    """Multipliers of one shift: `values` at places first, first + 1, ..., and `beyond` at all later."""

    shift: int
    first: int
    values: tuple[int, ...]
    beyond: int


@dataclass(frozen=True)
class Dual:
    """A point of the dual program: a level, and multipliers in units of 2^-bits."""

    level: Fraction
    bits: int
    rows: tuple[Row, ...]

    @property
    def reach(self) -> int:
        """Beyond it every row has its endless value, at the place itself and one shift before."""
        ends = [max(-row.first, row.first + len(row.values) + row.shift) for row in self.rows]
        return max(ends, default=0)


def dual_slacks(problem: Problem, dual: Dual) -> list[Fraction]:
    """What each inequality of the dual program has to spare, up to `reach`.

    For j >= 0: m_j*(c(j) - level) + the sum of y_d(k) over |k| = j - e^epsilon * the sum of y_d(k)
    over |k + d| = j, with m_0 = 1 and else 2, and with a fraction above e^epsilon.
    """
    reach = dual.reach
    gives, takes = [0] * (reach + 1), [0] * (reach + 1)
    for row in dual.rows:
        later = [row.beyond] * (reach + 1 - row.first - len(row.values))
        for k, value in enumerate([*row.values, *later], row.first):
            gives[abs(k)] += value
            if abs(k + row.shift) <= reach:
                takes[abs(k + row.shift)] += value
    factor, unit = Fraction(problem.factor.upper), Fraction(1, 2**dual.bits)
    return [
        (2 if j else 1) * (Fraction(problem.price(j).lower) - dual.level)
        + (give - factor * take) * unit
        for j, (give, take) in enumerate(zip(gives, takes, strict=True))
    ]


def dual_bound(problem: Problem, dual: Dual) -> Fraction | None:
    """level - delta * the sum over shifts of the greatest multiplier; None if it is not feasible.

    Beyond `reach` the inequalities read 2*(c(j) - level) >= (e^epsilon - 1) * the sum of all
    `beyond`. As c does not fall, the first of them settles the endless rest.
    """
    shifts = [row.shift for row in dual.rows]
    values = [value for row in dual.rows for value in (*row.values, row.beyond)]
    well_formed = (
        0 <= dual.bits <= _MOST_BITS
        and (dual.reach + 1) * max(1, len(dual.rows)) <= MOST_WORK
        and len(set(shifts)) == len(shifts)
        and all(1 <= shift <= problem.sensitivity for shift in shifts)
        and min(values, default=0) >= 0
    )
    if not well_formed:
        return None
    slacks = dual_slacks(problem, dual)
    endless = sum(row.beyond for row in dual.rows) * (Fraction(problem.factor.upper) - 1)
    rest = 2 * (problem.price(len(slacks)).lower - dual.level) - endless / 2**dual.bits
    if min(slacks) < 0 or rest < 0:
        return None
    tops = sum(max((*row.values, row.beyond)) for row in dual.rows)
    return dual.level - problem.delta * Fraction(tops, 2**dual.bits)
