r"""The linear program whose optimum is the least noise for one number, and both sides of it made exact.

Variables are P(0), P(1), ..., P(stop) of a symmetric law and, for each shift d, the leaks
max(0, P(k) - e^epsilon * P(k + d)), which add up to at most delta. A solver in floats finds a point
near the optimum; from it come an exact law that keeps the promise and an exact dual point, which
proves what no law undercuts. Nothing here is trusted: both are checked by computing them anew.

Proof page: docs/proofs/linear_program.md.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.noise.laws import TableLaw, TruncatedLaplace, Uniform
from leastnoise.numbers.cost import Moment
from leastnoise.numbers.errors import Undecided
from leastnoise.optima.dual import Dual, Problem, Row, dual_bound, dual_slacks, leaks

Floats = NDArray[np.float64]

_MOST_ROWS = 6000  # of the solver's program: some seconds
_MOST_EPSILON = 30  # beyond, e^epsilon is more than a solver in floats tells from infinity
_DUAL_BITS = 160
_PRECISE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
_LEAST_SCALE = 1e-14
_LEAST_DELTA = Fraction(1, 10**14)
_GOOD = Fraction(1, 10**9)


@dataclass(frozen=True)
class _Optimum:
    """What the solver says.

    Attributes:
        chances: P(0), P(1), ..., P(stop).
        level: the multiplier of "they add up to 1".
        multipliers: of P(k) <= e^epsilon*P(k + d) + leak, for each (d, k).
        ceiling: the multiplier of "the leaks of the greatest shift add up to delta".
    """

    chances: Floats
    level: float
    multipliers: dict[tuple[int, int], float]
    ceiling: float


@dataclass(frozen=True)
class Solution:
    """Both sides of the program, exact.

    Attributes:
        weights: at 0, 1, 2, ... of a symmetric law that keeps the promise.
        dual: proves what no law undercuts.
    """

    weights: list[int]
    dual: Dual

    @property
    def law(self) -> TableLaw:
        """The law."""
        last = len(self.weights) - 1
        return TableLaw({k: self.weights[abs(k)] for k in range(-last, last + 1)})

    def gap(self, problem: Problem) -> Fraction:
        """By which share the law costs more than what is proved to be necessary."""
        cost, bound = self.law.expected(problem.cost).upper, dual_bound(problem, self.dual)
        return (Fraction(cost) - bound) / bound if bound and bound > 0 else Fraction(1)


def solved(problem: Problem) -> Solution | None:
    """Near the optimum; None if the program is too large for the solver, or the solver fails.

    A delta that floats do not resolve is raised for the solver. Its dual point is one for every delta.
    """
    stop = _stop(problem)
    size = stop * problem.sensitivity
    seen = replace(problem, delta=max(problem.delta, _LEAST_DELTA))
    if problem.dimension > 1 or not problem.delta or problem.epsilon > _MOST_EPSILON:
        return None
    best: Solution | None = None
    for inward in (False, True):
        if size * (1 + inward) > _MOST_ROWS:
            break
        try:
            optimum = _solve(seen, stop, inward)
        except Undecided:
            continue
        found = Solution(_exact_law(problem, optimum), _exact_dual(problem, stop, optimum))
        best = found if best is None else min(best, found, key=lambda each: each.gap(problem))
        if best.gap(problem) <= _GOOD:
            break
    return best


def _stop(problem: Problem) -> int:
    """The last place of the program: beyond the end of truncated Laplace noise, a few periods more."""
    size, epsilon, delta = problem.sensitivity, problem.epsilon, problem.delta
    if not delta:
        return 0
    law = TruncatedLaplace(size, epsilon, delta) if epsilon else Uniform(size, delta)
    assert law.support is not None
    periods = 3 if isinstance(problem.cost, Moment) else 8 + math.ceil(8 / max(float(epsilon), 1.0))
    return law.support[1] + periods * size


def _solve(problem: Problem, stop: int, inward: bool) -> _Optimum:
    """The program, scaled for the solver: P(k) = scale[k]*x[k], and leaks in units of sqrt(delta).

    Rows with |k + d| < |k| hardly ever bind, for the law falls with |k|: `inward` says whether to
    have them. That the law keeps the promise is checked with all of them.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    size, growth = problem.sensitivity, math.exp(problem.epsilon)
    unit = math.sqrt(problem.delta)
    scale = np.maximum(
        np.exp(-float(problem.epsilon) * (np.arange(stop + 1) // size)), _LEAST_SCALE
    )
    prices = np.array([float(problem.price(k)) for k in range(stop + 1)])
    twice = np.where(np.arange(stop + 1) == 0, 1.0, 2.0) * scale
    worth = float(np.average(prices, weights=twice)) or 1.0
    shifts = range(1, size + 1)
    first = {d: -stop if inward else -((d - 1) // 2) for d in shifts}
    pairs = [(d, k) for d in shifts for k in range(first[d], stop + 1)]
    shift, place = np.array(pairs).T
    rows, inner, outer = np.arange(len(pairs)), np.abs(place), np.abs(place + shift)
    met = outer <= stop
    entries = [
        (rows, inner, np.ones(len(pairs))),
        (rows[met], outer[met], -growth * scale[outer[met]] / scale[inner[met]]),
        (rows, stop + 1 + rows, -unit / scale[inner]),
        (len(pairs) + shift - 1, stop + 1 + rows, np.ones(len(pairs))),
    ]
    row, column, value = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    shape = (len(pairs) + size, stop + 1 + len(pairs))
    none = np.zeros(len(pairs))
    found: Any = linprog(
        np.concatenate([twice * prices / worth, none]),
        A_ub=csr_matrix((value, (row, column)), shape=shape),
        b_ub=np.concatenate([none, np.full(size, float(problem.delta) / unit)]),
        A_eq=np.concatenate([twice, none])[None, :],
        b_eq=[1.0],
        method="highs-ds",
        options=_PRECISE,
    )
    if found.status != 0:
        raise Undecided("The solver failed.")
    shares = np.maximum(0, -found.ineqlin.marginals) * worth
    return _Optimum(
        chances=np.maximum(0, found.x[: stop + 1]) * scale,
        level=float(found.eqlin.marginals[0]) * worth,
        multipliers=dict(zip(pairs, shares[: len(pairs)] / scale[inner], strict=True)),
        ceiling=float(shares[-1]) / unit,
    )


# The law


def _exact_law(problem: Problem, optimum: _Optimum) -> list[int]:
    """The solver's law, mixed with as little of a safe law as makes it private.

    Divergences are convex in the law: if one law exceeds delta by the share s, and another leaks
    delta/2 at most, the mixture with weight w on the other is within delta once
    (1 - w)*(1 + s) + w/2 <= 1.
    """
    unit = _unit(problem)
    wished = [floor(Fraction(float(p)) * unit) for p in optimum.chances]
    worst = max(leaks(problem, wished)) / problem.delta
    if worst > 1:
        share = (worst - 1) / (worst - Fraction(1, 2)) + Fraction(1, 2**64)
        wished = _mixture(wished, _safe(problem), share, unit)
    while not wished[-1]:
        wished.pop()
    return wished


def _safe(problem: Problem) -> list[int]:
    """A staircase in integers, cut off so far out that at most half of delta leaks."""
    factor, size = Fraction(problem.factor.lower), problem.sensitivity
    step, width = _unit(problem), max(1, round(size / (1 + math.exp(problem.epsilon / 2))))
    weights, total = [step] * width, 2 * width * step - step
    while 2 * size * step > problem.delta * total:
        step = -(-step * factor.denominator // factor.numerator)
        weights += [step] * size
        total += 2 * size * step
    return weights


def _unit(problem: Problem) -> int:
    """The weight of 1: rounding must be far below delta."""
    return 1 << 200 + problem.delta.denominator.bit_length()


def _mixture(one: list[int], other: list[int], share: Fraction, unit: int) -> list[int]:
    """(1 - share) of one law and a share of the other, rounded to integers."""
    length = max(len(one), len(other))
    padded = [weights + [0] * (length - len(weights)) for weights in (one, other)]
    totals = [2 * sum(weights) - weights[0] for weights in (one, other)]
    units = [(1 - share) * unit / totals[0], share * unit / totals[1]]
    return [floor(units[0] * a + units[1] * b) for a, b in zip(*padded, strict=True)]


# The dual point


def _exact_dual(problem: Problem, stop: int, optimum: _Optimum) -> Dual:
    """A feasible dual point near the solver's, in integers over 2^160.

    Inequalities are visited from the outside in. Where one has room, the multiplier of the greatest
    shift that draws on it is raised to fill it; where one falls short, those that draw on it are
    cut. What an inner inequality feels of either is divided by e^epsilon. What is still missing at
    the end is taken off the level.
    """
    size, factor = problem.sensitivity, Fraction(problem.factor.upper)
    level, ceiling = _whole(optimum.level), _whole(optimum.ceiling)
    far = stop + size
    flows = _Flows(far, size)
    for (d, k), value in optimum.multipliers.items():
        if value > 0 and (d < size or abs(k + d) < abs(k)):
            flows.add(d, k, _whole(value))
    spare = 2 * (_price(problem, far + 1) - level)
    beyond = max(0, ceiling if factor == 1 else min(ceiling, floor(spare / (factor - 1))))
    for j in range(far, 0, -1):
        room = (
            2 * (_price(problem, j) - level) + flows.gives[j] - math.ceil(factor * flows.takes[j])
        )
        if j + size > far:
            room += beyond
        if room < 0:
            flows.cut(j, math.ceil(-room / factor))
        elif 2 * j > size:
            flows.add(size, j - size, min(floor(room / factor), ceiling))
    rows = tuple(_row(shift, places, beyond if shift == size else 0)
                 for shift, places in sorted(flows.rows.items()) if places)  # fmt: skip
    dual = Dual(Fraction(level, 2**_DUAL_BITS), _DUAL_BITS, rows)
    slacks = dual_slacks(problem, dual)
    missing = min(slack / (2 if j else 1) for j, slack in enumerate(slacks))
    lowered = floor((dual.level + min(missing, Fraction(0))) * 2**_DUAL_BITS) - 1
    return Dual(Fraction(lowered, 2**_DUAL_BITS), _DUAL_BITS, rows)


class _Flows:
    """What every inequality j gets from multipliers, and what they take from it before e^epsilon."""

    def __init__(self, far: int, size: int) -> None:
        self.rows: dict[int, dict[int, int]] = {shift: {} for shift in range(1, size + 1)}
        self.gives, self.takes = [0] * (far + 1), [0] * (far + 1)
        self.takers: list[list[tuple[int, int]]] = [[] for _ in range(far + 1)]

    def add(self, shift: int, place: int, value: int) -> None:
        """Raise a multiplier, or lower it."""
        row, outer = self.rows[shift], abs(place + shift)
        if place not in row:
            self.takers[outer].append((shift, place))
        row[place] = row.get(place, 0) + value
        self.gives[abs(place)] += value
        self.takes[outer] += value

    def cut(self, outer: int, need: int) -> None:
        """Lower multipliers that draw on `outer` by as much in all."""
        for shift, place in self.takers[outer]:
            if abs(place) > outer:
                continue  # it gives to a place that was visited before
            less = min(need, self.rows[shift][place])
            self.add(shift, place, -less)
            need -= less


def _row(shift: int, places: dict[int, int], beyond: int) -> Row:
    first, last = min(places), max(places)
    return Row(shift, first, tuple(places.get(k, 0) for k in range(first, last + 1)), beyond)


def _price(problem: Problem, place: int) -> int:
    return math.floor(Fraction(problem.price(place).lower) * (1 << _DUAL_BITS))


def _whole(value: float) -> int:
    return math.floor(Fraction(value) * (1 << _DUAL_BITS))
