r"""Searches for witnesses of bounds for many answers. Nothing here is trusted."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.certificates.answers_certificate import AnswersCertificate
from leastnoise.certificates.answers_problem import AnswersProblem
from leastnoise.certificates.answers_witness import MovedCounts, PairDual, PairRow
from leastnoise.certificates.check_answers import moved_bound, pair_bound

Array = NDArray[np.float64]

_MOST_RADIUS = 40
_NEPERS = 20.0  # what lies so far out hardly counts
_MOST_STEPS = 4
_BITS = 40
_CLOSE = 1 << 20
_PRECISE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True)
class PairOptimum:
    """What the solver says: the multipliers y_v(x) of the dual, and the chances of the program."""

    multipliers: Array
    chances: Array


def answers_bound(problem: AnswersProblem, achieved: Fraction) -> AnswersCertificate | None:
    """The greatest bound that is found for the problem; None if none is."""
    made = [each for each in (_of_pairs(problem), _of_moves(problem)) if each is not None]
    if not made:
        return None
    return replace(max(made, key=lambda each: each.bound), achieved=achieved)


def pair_chances(problem: AnswersProblem) -> Array | None:
    """About the best law of two errors, on a square around 0; None where it would be too wide."""
    radius = _radius(problem)
    if radius is None:
        return None
    found = _solved(problem, _shifts(problem), -radius, _side(problem, radius))
    return None if found is None else found.chances


def _radius(problem: AnswersProblem) -> int | None:
    """How far out to look; None if it would be too far."""
    if problem.sensitivity > _MOST_STEPS or not problem.epsilon:
        return None
    radius = ceil(_NEPERS / 2 / problem.epsilon * problem.sensitivity)
    return None if radius > _MOST_RADIUS else min(_MOST_RADIUS, 2 * radius + 2)


def _side(problem: AnswersProblem, radius: int) -> int:
    return 2 * radius + 1 + int(problem.halves)


def _of_pairs(problem: AnswersProblem) -> AnswersCertificate | None:
    radius = _radius(problem)
    dual = None if radius is None else _pair_dual(problem, radius)
    if dual is None:
        return None
    bound = pair_bound(problem, dual)
    return AnswersCertificate(problem, bound, dual) if bound > 0 else None


def _shifts(problem: AnswersProblem) -> list[tuple[int, int]]:
    """By all that a unit can, or by none of it: the rest hardly binds."""
    most = (-problem.sensitivity, 0, problem.sensitivity)
    return [shift for shift in product(most, most) if problem.allows(shift)]


def _pair_dual(problem: AnswersProblem, radius: int) -> PairDual | None:
    """The solver's dual variables, rounded down; whatever they are, they prove something."""
    shifts, first = _shifts(problem), -radius
    side = _side(problem, radius)
    found = _solved(problem, shifts, first, side)
    if found is None:
        return None
    values = np.maximum(found.multipliers, 0.0).reshape(len(shifts), side, side)
    rows = tuple(
        PairRow(shift, tuple(tuple(floor(Fraction(y) * 2**_BITS) for y in line) for line in grid))
        for shift, grid in zip(shifts, values.tolist(), strict=True)
    )
    return PairDual(first, _BITS, rows)


def _solved(
    problem: AnswersProblem, shifts: list[tuple[int, int]], first: int, side: int
) -> PairOptimum | None:
    """Greatest μ − δ·Σ λ_v with μ + e^ε·Σ y_v(x − v) − Σ y_v(x) ≤ price(x) and y_v ≤ λ_v."""
    from scipy.optimize import linprog  # noqa: PLC0415 - slow to import, and seldom needed
    from scipy.sparse import coo_array, vstack  # noqa: PLC0415 - as above

    reach, cells = problem.sensitivity, side * side
    wide, known = side + 2 * reach, len(shifts) * cells
    columns = known + 1 + len(shifts)
    one, other = (axis.ravel() for axis in np.indices((side, side)))
    factor = float(problem.single.factor().upper)
    entries = [(np.arange(wide * wide), np.full(wide * wide, known), np.ones(wide * wide))]
    for place, (a, b) in enumerate(shifts):
        variables = place * cells + np.arange(cells)
        here = (one + reach) * wide + other + reach
        entries.append((here, variables, -np.ones(cells)))
        entries.append((here + a * wide + b, variables, np.full(cells, factor)))
    rows, places, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    matrix: Any = coo_array((values, (rows, places)), shape=(wide * wide, columns))
    single = np.array([float(problem.price(first - reach + i)) for i in range(wide)])
    limits = ((single[:, None] + single[None, :]) / 2).ravel()
    objective = np.zeros(columns)
    objective[known] = -1
    if problem.delta:
        matrix = vstack([matrix, _ceilings(cells, len(shifts))])
        limits = np.concatenate([limits, np.zeros(known)])
        objective[known + 1 :] = float(problem.delta)
    bounds = [(0, None)] * known + [(None, None)] + [(0, None)] * len(shifts)
    result = linprog(
        objective, A_ub=matrix, b_ub=limits, bounds=bounds, method="highs", options=_PRECISE
    )
    if result.x is None:
        return None
    chances = -np.asarray(result.ineqlin.marginals[: wide * wide]).reshape(wide, wide)
    inner = slice(reach, wide - reach)
    return PairOptimum(np.asarray(result.x[:known]), chances[inner, inner])


def _ceilings(cells: int, shifts: int) -> Any:
    """y_v(x) − λ_v ≤ 0."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - as above

    known = cells * shifts
    each = np.arange(known)
    tops = known + 1 + each // cells
    values = np.concatenate([np.ones(known), -np.ones(known)])
    places = np.concatenate([each, each]), np.concatenate([each, tops])
    return coo_array((values, places), shape=(known, known + 1 + shifts))


def _of_moves(problem: AnswersProblem) -> AnswersCertificate | None:
    chances = _best_chances(problem.count) if problem.one_sided else ()
    witness = MovedCounts(chances)
    bound = moved_bound(problem, witness)
    return None if not bound else AnswersCertificate(problem, bound, witness)


def _best_chances(count: int) -> tuple[tuple[int, Fraction], ...]:
    """The best mixture of two numbers of moved answers, all or a few of them tried.

    The bound grows with a concave function of E[m] and E[m²]: the best law has two values.
    """
    step = max(1, count // 64)
    numbers = sorted({*range(0, count + 1, step), count})
    inner = numbers[1:-1]
    pairs = [*pairwise(numbers), *((m, count) for m in inner), *((0, m) for m in inner)]
    return max((_mixture(count, low, high) for low, high in pairs), key=lambda made: made[0])[1]


def _mixture(count: int, low: int, high: int) -> tuple[float, tuple[tuple[int, Fraction], ...]]:
    shares = np.arange(257) / 256
    mean = low * (1 - shares) + high * shares
    square = low**2 * (1 - shares) + high**2 * shares
    apart = np.maximum(0.0, count * mean - square) / (count * (count - 1))
    values = (count - 1) * np.sqrt(apart) + np.sqrt(square / count)
    share = Fraction(round(float(shares[int(values.argmax())]) * _CLOSE), _CLOSE)
    return float(values.max()), ((low, 1 - share), (high, share)) if low < high else (
        (low, Fraction(1)),
    )
