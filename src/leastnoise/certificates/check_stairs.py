r"""What staircase laws cost, computed anew.

With drops after width, width + Δ, width + 2Δ, … places the law is a mixture of uniform laws: with
b = e^−ε, C(n) = Σ_(|k|<n) c(k) and D(m) = width + m·Δ,

    E c = Σₘ b^m·C(D(m)) / Σₘ b^m·(2·D(m) − 1).

Proof: Σₖ w(k)·c(k) = Σₘ (b^m − b^(m+1))·C(D(m)), by parts; the factor 1 − b cancels.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb

from flint import arb

from leastnoise.certificates.described_law import CutSteps
from leastnoise.certificates.problem import Problem
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.cost import last_free_place, whole_power
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.power_sum import power_sum

_MOST_TERMS = 1 << 20
_MOST_PLACES = 1 << 17  # each with a price of its own
_BITS = 256
_MOST_TIES = 32
_SHARP = 2**20


@lru_cache(maxsize=4)  # the law and the bound ask the same
def staircase_cost(problem: Problem, width: int) -> Interval:
    """A bracket on the cost of the endless staircase; its upper end is infinite if unknown."""
    power, last = whole_power(problem.cost), last_free_place(problem.cost, problem.step)
    if power is not None:
        ratio = balls.enclosure(lambda: _endless_power(problem, width, power))
        return _scaled(ratio, problem.step**power)
    if last is not None:
        return balls.enclosure(lambda: _endless_tail(problem, width, last))
    return _partial(problem, width)


def _scaled(value: Interval, factor: Fraction) -> Interval:
    return Interval(value.lower * factor, value.upper * factor)


def _rate(problem: Problem) -> arb:
    return (-balls.ball(problem.epsilon)).exp()


def _endless_power(problem: Problem, width: int, power: int) -> arb:
    """E|X|^power: both sums are of b^m times a polynomial in m."""
    b, period = _rate(problem), problem.sensitivity

    def total(polynomial: Callable[[int], int], degree: int) -> arb:
        """Σₘ b^m·P(m) = Σⱼ (Newton's differences of P at 0)·b^j/(1 − b)^(j+1)."""
        values = [polynomial(m) for m in range(degree + 1)]
        result = arb(0)
        for j in range(degree + 1):
            difference = sum((-1) ** (j - i) * comb(j, i) * values[i] for i in range(j + 1))
            result += difference * b**j / (1 - b) ** (j + 1)
        return result

    over = total(lambda m: 2 * power_sum(power, width + m * period), power + 1)
    return over / total(lambda m: 2 * (width + m * period) - 1, 1)


def _endless_mass(problem: Problem, width: int) -> arb:
    b = _rate(problem)
    return (2 * width - 1) / (1 - b) + 2 * problem.sensitivity * b / (1 - b) ** 2


def _endless_tail(problem: Problem, width: int, last: int) -> arb:
    """P(|X| > last): only the uniform laws with D(m) > last + 1 reach beyond it."""
    b, period = _rate(problem), problem.sensitivity
    steps = max(0, (last - width) // period + 1)
    first = width + steps * period - 1 - last  # how far the narrowest of them does
    outside = 2 * first / (1 - b) + 2 * period * b / (1 - b) ** 2
    return b**steps * outside / _endless_mass(problem, width)


def _partial(problem: Problem, width: int) -> Interval:
    r"""For any other cost: the first places one by one, and a bound on the rest.

    Proof of the bound: with g the cost's growth, places K − Δ ≤ k < K and n ≥ 1 have
    c(k + nΔ) ≤ c(k)·(1 + Δ/(K − Δ))^(gn) and weights that fall by b^n, if c(K − Δ) > 0.

    Raises:
        UnsupportedQuery: three periods are too many places, or cost nothing for too long.
    """
    if width + 2 * problem.sensitivity > _MOST_PLACES:
        raise _too_long()
    with balls.precision(_BITS):
        b, steps, stop = _rate(problem), 0, 0
        last_stop = _MOST_PLACES + problem.sensitivity
        if not _rest_share(problem, b, last_stop).is_finite():
            raise _too_long()  # and it is known before any place is priced
        low, high, last = arb(0), arb(0), arb(0)
        share = arb("inf")
        while stop < _MOST_PLACES:
            start, stop = stop, width + steps * problem.sensitivity
            prices = _prices(problem, start, stop)
            low += 2 * b**steps * balls.ball(sum(Fraction(price.lower) for price in prices))
            last = 2 * b**steps * balls.ball(sum(Fraction(price.upper) for price in prices))
            high, steps = high + last, steps + 1
            if steps > 2 and prices[0].lower > 0:
                share = _rest_share(problem, b, stop)
                if share * last < high * arb(2) ** -60:
                    break
        if not share.is_finite():
            raise _too_long()
        zero = problem.price(0)
        mass = (1 - b) * _endless_mass(problem, width)
        least = (low - balls.ball(Fraction(zero.lower))) / mass
        most = (high + share * last - balls.ball(Fraction(zero.upper))) / mass
        ends = balls.interval(least).lower, balls.interval(most).upper
    return Interval(max(ends[0], Fraction(0)), ends[1])


def _prices(problem: Problem, start: int, stop: int) -> list[Interval]:
    """The costs of places start..stop−1; all widths of one problem ask for the same ones."""
    known = _known_prices(problem)
    known += [problem.price(k) for k in range(len(known), stop)]
    return known[start:stop]


@lru_cache(maxsize=1)
def _known_prices(problem: Problem) -> list[Interval]:
    """Grows as it is asked for more."""
    del problem  # the key
    return []


def _rest_share(problem: Problem, b: arb, stop: int) -> arb:
    """What all places from `stop` on cost, in units of the period before; infinite if unknown."""
    period = problem.sensitivity
    ratio = b * balls.ball(Fraction(stop, stop - period)) ** balls.ball(problem.cost.growth)
    return ratio / (1 - ratio) if ratio < 1 else arb("inf")


def best_staircase_bound(problem: Problem, width: int) -> Fraction:
    r"""A lower bound on the cost of every staircase law; sharp if `width` is the best one.

    Theorem: the cost f(r) of width r first falls and then rises.
    Proof: going from r to r + 1 mixes in the average cost of the places r + mΔ, which does not
    decrease with r ≥ 1; once that average is at least f(r) it is at least f(r + 1), and so on.

    So a width on either side that costs no less bounds all widths beyond it. Ties are stepped over,
    some of them; if they go on, or cannot be seen, only c(0) is known to bound every cost.
    """
    own = staircase_cost(problem, width)
    if own.upper - own.lower > own.lower / _SHARP:
        return Fraction(problem.price(0).lower)
    costs = [own.lower]
    for step in (-1, 1):
        for near in range(width + step, width + step * (_MOST_TIES + 1), step):
            if not 1 <= near <= problem.sensitivity:
                break
            costs.append(staircase_cost(problem, near).lower)
            if costs[-1] >= own.upper:
                break
        else:
            costs.append(problem.price(0).lower)
    return Fraction(min(costs))


def cut_staircase_cost(problem: Problem, law: CutSteps) -> Fraction:
    """An upper bound on the cost of the cut staircase, with full weights at ±radius."""
    with balls.precision(_BITS):
        total, mass, below = arb(0), arb(0), _prices_below(problem, law.radius + 1)
        for weight, start, stop in _runs(problem, law):
            total += weight * balls.ball(below(stop) - below(start))
            mass += weight * _count(start, stop)
        return Fraction(balls.interval(total / mass).upper)


def cut_staircase_leak(problem: Problem, law: CutSteps) -> Fraction:
    """An upper bound on P(radius − Δ < X ≤ radius), all that leaks at any shift up to Δ."""
    with balls.precision(_BITS):
        mass, last = arb(0), arb(0)
        for weight, start, stop in _runs(problem, law):
            mass += weight * _count(start, stop)
            last += weight * max(0, stop - max(start, law.radius - problem.sensitivity + 1))
        return Fraction(balls.interval(last / mass).upper)


def _count(start: int, stop: int) -> int:
    """How many integers have magnitudes in start..stop−1."""
    return 2 * (stop - start) - (start == 0 < stop)


def _runs(problem: Problem, law: CutSteps) -> list[tuple[arb, int, int]]:
    """(weight, start, stop): magnitudes start..stop−1 have that weight."""
    b, runs, start, stop = _rate(problem), [], 0, law.width
    if (law.radius - law.width) // problem.sensitivity > _MOST_TERMS:
        raise _too_long()
    weight = arb(1)
    while start <= law.radius:
        runs.append((weight, start, min(stop, law.radius + 1)))
        start, stop, weight = stop, stop + problem.sensitivity, weight * b
    return runs


def _prices_below(problem: Problem, end: int) -> Callable[[int], Fraction]:
    """For stop ≤ end: Σ c(k) over |k| < stop, from above."""
    power, last = whole_power(problem.cost), last_free_place(problem.cost, problem.step)
    if power is not None:
        return lambda stop: 2 * power_sum(power, stop) * problem.step**power
    if last is not None:
        return lambda stop: Fraction(2 * max(0, stop - 1 - last))
    if end > _MOST_PLACES:
        raise _too_long()
    terms = ((2 if k else 1) * Fraction(problem.price(k).upper) for k in range(end))
    sums = [Fraction(0), *accumulate(terms)]
    return lambda stop: sums[stop]


def _too_long() -> UnsupportedQuery:
    return UnsupportedQuery(
        "a certificate is checked over a limited number of places; this one needs more. "
        "Use a coarser granularity, a larger epsilon, or a whole-numbered moment."
    )
