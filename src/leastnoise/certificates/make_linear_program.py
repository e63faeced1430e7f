r"""The linear program whose optimum is the least noise, in a size that does not grow with 1/ε.

Optimal laws repeat: but for the first Δ places and a window where they are cut off, each
probability is e^−ε times the one Δ places further in. Only the first Δ places and the window are
variables. Nothing here is trusted: what it finds is made exact and then checked.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

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
    rate = float(np.exp(-float(problem.epsilon)))
    pairs = _pairs(frame)
    copies = np.array([sum(rate**n for n in range(frame.repeats(pair))) for pair in pairs])
    places = [frame.expression(k, rate) for k in range(frame.stop + 1)]
    columns = np.array([column for column, _ in places])
    factors = np.array([factor for _, factor in places])
    counts = np.where(np.arange(len(places)) == 0, 1.0, 2.0) * factors
    prices = np.array([float(problem.price(k)) for k in range(len(places))])
    unit = float(np.average(prices, weights=counts)) or 1.0  # the solver likes costs near 1
    mass = np.bincount(columns, counts, frame.size).astype(np.float64)
    price = np.bincount(columns, counts * prices / unit, frame.size).astype(np.float64)
    result = _run(problem, frame, (pairs, copies), (columns, factors), (price, mass))
    leaks = -result.ineqlin.marginals[: len(pairs)] * unit
    scales = factors[[abs(pair.place) for pair in pairs]] * copies
    return Optimum(
        cost=float(result.fun) * unit,
        probabilities=np.maximum(result.x[columns], 0) * factors,
        level=float(result.eqlin.marginals[0]) * unit,
        pairs=tuple(pairs),
        multipliers=np.maximum(leaks, 0) / scales,
        ceiling=max(0.0, -float(result.ineqlin.marginals[-1])) * unit / math.sqrt(problem.delta),
    )


def _pairs(frame: Frame) -> list[Pair]:
    """Every pair that is not a scaled copy of another."""
    every = [
        Pair(shift, place)
        for shift in range(1, frame.sensitivity + 1)
        for place in range(-frame.stop if frame.inward else -((shift - 1) // 2), frame.stop + 1)
    ]
    return [pair for pair in every if frame.repeats(pair)]


def _run(
    problem: Problem,
    frame: Frame,
    repeated: tuple[list[Pair], Array],
    places: tuple[NDArray[np.int64], Array],
    objective: tuple[Array, Array],
) -> Any:
    # Leaks are counted in units of √δ, half way between what makes their sizes and what makes
    # their multipliers fit for the solver's tolerances.
    pairs, copies = repeated
    columns, factors = places
    price, mass = objective
    count, unit = len(pairs), math.sqrt(problem.delta)
    grown = float(np.exp(float(problem.epsilon)))
    inner = np.array([abs(pair.place) for pair in pairs])
    outer = np.array([abs(pair.place + pair.shift) for pair in pairs])
    rows = np.arange(count)
    inside = outer <= frame.stop
    scale = factors[inner]
    shifts = np.array([pair.shift for pair in pairs])
    entries = [
        (rows, columns[inner], np.ones(count)),
        (rows[inside], columns[outer[inside]], -grown * factors[outer[inside]] / scale[inside]),
        (rows, frame.size + rows, -unit / scale),
        (count + shifts - 1, frame.size + rows, copies),
    ]
    matrix = csr_matrix(
        (
            np.concatenate([values for _, _, values in entries]),
            (
                np.concatenate([row for row, _, _ in entries]),
                np.concatenate([column for _, column, _ in entries]),
            ),
        ),
        shape=(count + frame.sensitivity, frame.size + count),
    )
    limits = np.concatenate([np.zeros(count), np.full(frame.sensitivity, unit)])
    for method, presolve in _WAYS:
        result = linprog(
            np.concatenate([price, np.zeros(count)]),
            A_ub=matrix,
            b_ub=limits,
            A_eq=csr_matrix(np.concatenate([mass, np.zeros(count)])[None, :]),
            b_eq=[1.0],
            method=method,
            options=_PRECISE | {"presolve": presolve},
        )
        if result.status == 0:
            return result
    raise Undecided(f"a linear program must be solved to optimality; got: {result.message}")
