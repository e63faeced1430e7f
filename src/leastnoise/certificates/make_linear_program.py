r"""The linear program whose optimum is the least noise, in a size that does not grow with 1/ε.

Optimal laws repeat: but for the first Δ places and a window where they are cut off, each
probability is e^−ε times the one Δ places further in. Only the first Δ places and the window are
variables. Nothing here is trusted: what it finds is made exact and then checked.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.certificates.problem import Problem
from leastnoise.errors import Undecided

Array = NDArray[np.float64]

_PRECISE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
_WAYS = (("highs-ds", True), ("highs-ds", False), ("highs-ipm", True))


@dataclass(frozen=True)
class Frame:
    """Which places are variables: 0..head−1, and start..stop; in between the law repeats.

    Pairs whose second place lies further in hardly ever bind; `inward` says whether to have them.
    """

    sensitivity: int
    head: int
    start: int
    stop: int
    inward: bool = False

    def expression(self, place: int, rate: float) -> tuple[int, float]:
        """(variable, factor) with probability = factor·variable."""
        factor = max(rate ** (place // self.sensitivity), 1e-14)
        if place < self.head:
            return place, factor
        if place < self.start:
            return self.head - self.sensitivity + (place - self.head) % self.sensitivity, factor
        return self.head + place - self.start, factor

    @property
    def size(self) -> int:
        """The number of variables."""
        return self.head + max(0, self.stop - self.start + 1)

    def repeats(self, pair: "Pair") -> int:
        """How many scaled copies a pair stands for; 0 if it is a copy, or holds by repetition."""
        near, far = sorted((abs(pair.place), abs(pair.place + pair.shift)))
        crossing = pair.place < 0 < pair.place + pair.shift
        if crossing or far >= self.start or near < self.head - self.sensitivity:
            return 1
        if near >= self.head or pair.shift == self.sensitivity:
            return 0
        return (self.start - 1 - far) // self.sensitivity + 1

    def copies(self, pair: "Pair") -> range:
        """The places of a pair and its copies."""
        step = self.sensitivity if pair.place >= 0 else -self.sensitivity
        return range(pair.place, pair.place + step * self.repeats(pair), step)


@dataclass(frozen=True)
class Pair:
    """One inequality p(place) − e^ε·p(place + shift) ≤ t, and perhaps scaled copies of it."""

    shift: int
    place: int


@dataclass(frozen=True)
class Optimum:
    """What the solver says: probabilities of 0, 1, 2, …, and the multiplier of each pair.

    `ceiling` bounds the multipliers of the greatest shift.
    """

    cost: float
    probabilities: Array
    level: float
    pairs: tuple[Pair, ...]
    multipliers: Array
    ceiling: float


def solved(problem: Problem, frame: Frame) -> Optimum:
    """The optimum over laws that repeat between the head and the window.

    Raises:
        Undecided: the solver gave up.
    """
    program = _Program.of(problem, frame)
    result = _run(program)
    leaks = -result.ineqlin.marginals[: len(program.pairs)] * program.unit
    scales = program.factors[program.inner] * program.copies
    most = max(0.0, -float(result.ineqlin.marginals[-1])) * program.unit
    return Optimum(
        cost=float(result.fun) * program.unit,
        probabilities=np.maximum(result.x[program.columns], 0) * program.factors,
        level=float(result.eqlin.marginals[0]) * program.unit,
        pairs=program.pairs,
        multipliers=np.maximum(leaks, 0) / scales,
        ceiling=most / program.leak,
    )


@dataclass(frozen=True)
class _Program:
    """The program in numbers.

    Place k has probability factors[k]·x[columns[k]]. Costs are counted in units of `unit`, near
    which the solver likes them. Leaks are counted in units of `leak` = √δ, half way between what
    makes their sizes and what makes their multipliers fit for the solver's tolerances.
    """

    frame: Frame
    growth: float
    leak: float
    unit: float
    pairs: tuple[Pair, ...]
    copies: Array
    columns: NDArray[np.int64]
    factors: Array
    prices: Array

    @classmethod
    def of(cls, problem: Problem, frame: Frame) -> "_Program":
        rate = math.exp(-problem.epsilon)
        pairs = tuple(_pairs(frame))
        places = [frame.expression(k, rate) for k in range(frame.stop + 1)]
        factors = np.array([factor for _, factor in places])
        prices = np.array([float(problem.price(k)) for k in range(len(places))])
        unit = float(np.average(prices, weights=factors)) or 1.0
        return cls(
            frame=frame,
            growth=math.exp(problem.epsilon),
            leak=math.sqrt(problem.delta),
            unit=unit,
            pairs=pairs,
            copies=np.array([_geometric(rate, frame.repeats(pair)) for pair in pairs]),
            columns=np.array([column for column, _ in places]),
            factors=factors,
            prices=prices / unit,
        )

    @property
    def inner(self) -> NDArray[np.int64]:
        """The magnitude of each pair's first place."""
        return np.array([abs(pair.place) for pair in self.pairs])

    @property
    def outer(self) -> NDArray[np.int64]:
        """The magnitude of each pair's second place."""
        return np.array([abs(pair.place + pair.shift) for pair in self.pairs])

    def per_variable(self, values: Array) -> Array:
        """Σ values[k]·P(|X| = k) as a row of coefficients, leaks included."""
        signs = np.where(np.arange(len(values)) == 0, 1.0, 2.0)
        weights = signs * self.factors * values
        row = np.bincount(self.columns, weights, self.frame.size).astype(np.float64)
        return np.concatenate([row, np.zeros(len(self.pairs))])


def _geometric(rate: float, terms: int) -> float:
    return sum(rate**n for n in range(terms))


def _pairs(frame: Frame) -> list[Pair]:
    """Every pair that is not a scaled copy of another."""
    every = [
        Pair(shift, place)
        for shift in range(1, frame.sensitivity + 1)
        for place in _places(frame, shift)
    ]
    return [pair for pair in every if frame.repeats(pair)]


def _places(frame: Frame, shift: int) -> list[int]:
    """Where pairs begin; those that lie between the head and the window are copies."""
    first = -frame.stop if frame.inward else -((shift - 1) // 2)
    window = max(frame.head, frame.start - shift)
    return [*range(first, min(frame.head, frame.stop + 1)), *range(window, frame.stop + 1)]


def _inequalities(program: _Program) -> Any:
    """One row per pair, p(inner) − e^ε·p(outer) − t ≤ 0, then one per shift, Σ t ≤ δ."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415 - heavy, and few calls need it

    frame, columns, factors = program.frame, program.columns, program.factors
    count, inner, outer = len(program.pairs), program.inner, program.outer
    rows, inside, scale = np.arange(count), outer <= frame.stop, factors[inner]
    met = outer[inside]
    budgets = count - 1 + np.array([pair.shift for pair in program.pairs])
    entries = [
        (rows, columns[inner], np.ones(count)),
        (rows[inside], columns[met], -program.growth * factors[met] / scale[inside]),
        (rows, frame.size + rows, -program.leak / scale),
        (budgets, frame.size + rows, program.copies),
    ]
    row, column, value = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    shape = (count + frame.sensitivity, frame.size + count)
    return csr_matrix((value, (row, column)), shape=shape)


def _run(program: _Program) -> Any:
    from scipy.optimize import linprog  # noqa: PLC0415 - heavy, and few calls need it

    count, shifts = len(program.pairs), program.frame.sensitivity
    limits = np.concatenate([np.zeros(count), np.full(shifts, program.leak)])
    for method, presolve in _WAYS:
        result = linprog(
            program.per_variable(program.prices),
            A_ub=_inequalities(program),
            b_ub=limits,
            A_eq=program.per_variable(np.ones(len(program.prices)))[None, :],
            b_eq=[1.0],
            method=method,
            options=_PRECISE | {"presolve": presolve},
        )
        if result.status == 0:
            return result
    raise Undecided(f"a linear program must be solved to optimality; got: {result.message}")
