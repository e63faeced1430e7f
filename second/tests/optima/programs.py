"""Linear programs of the least noise, written down naively for a solver: what the library must match."""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog


def least_cost(
    size: int, epsilon: float, delta: float, cost: Callable[[int], float], stop: int
) -> float:
    """Over all laws on -stop .. stop, every event and every shift up to `size` in both directions."""
    places = range(-stop, stop + 1)
    count, growth = len(places), math.exp(epsilon)
    shifts = [d for d in range(-size, size + 1) if d]
    wide = stop + size
    rows = [(d, k) for d in shifts for k in range(-wide, wide + 1)]
    above = np.zeros((len(rows) + len(shifts), count + len(rows)))
    limits = np.zeros(len(above))
    for i, (d, k) in enumerate(rows):
        if abs(k) <= stop:
            above[i, k + stop] = 1
        if abs(k + d) <= stop:
            above[i, k + d + stop] -= growth
        above[i, count + i] = -1
        above[len(rows) + shifts.index(d), count + i] = 1
    limits[len(rows) :] = delta
    prices = [cost(abs(k)) for k in places] + [0.0] * len(rows)
    total = [1.0] * count + [0.0] * len(rows)
    found = linprog(prices, A_ub=above, b_ub=limits, A_eq=[total], b_eq=[1.0], method="highs")
    assert found.status == 0
    return float(found.fun)


def half_line_cost(
    size: int,
    epsilon: float,
    delta: float,
    cost: Callable[[int], float],
    stop: int,
    straddling: bool,
) -> float:
    """Over symmetric laws, half-lines {x >= k} at the shift `size` alone; k >= 0, or every k."""
    growth, rows, limits = math.exp(epsilon), [], []
    for k in range(-stop if straddling else 0, stop + 1):
        row = np.zeros(stop + 1)
        for x in range(-stop, stop + 1):
            row[abs(x)] += (x >= k) - growth * (x >= k + size)
        rows.append(row)
        limits.append(delta)
    twice = [1.0] + [2.0] * stop
    prices = [m * cost(k) for k, m in enumerate(twice)]
    found = linprog(prices, A_ub=rows, b_ub=limits, A_eq=[twice], b_eq=[1.0], method="highs")
    assert found.status == 0
    return float(found.fun)
