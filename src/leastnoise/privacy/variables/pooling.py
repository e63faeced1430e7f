r"""Cells of a loss pooled to the points of a grid: the optimistic twin.

A pool is mass whose mean of x = e^−L is that of a grid point; pooling is post-processing and never
raises δ. Going up, a pool for the point g takes cells above g until those below are balanced;
going down, it is the other way round. What stays unbalanced at an end is moved to the next lower
point, which never raises δ either. That costs next to nothing in a thin tail, and much where the
law ends abruptly. Pools of cells far apart lose too. Either lowers the mean loss, E −log x, as
that is convex: of several ways the one with the greatest mean loss is taken.

Proof: docs/proofs/grids.md, "The two twins".
"""

from math import expm1

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


def pooled(edges: Places, mass: Floats, depth: Floats, step: float) -> Floats:
    """Masses at the edges, in multiples of the step; one edge more than there are cells.

    `depth` is −log(mean of e^−L in the cell) minus the cell's lower end.
    """
    filled = np.flatnonzero(mass)
    if not filled.size:
        return np.zeros(len(edges))
    cells = _Cells(edges, mass, depth, step, filled.tolist())
    found = [_up(cells, halved=True), _up(cells, halved=False), _down(cells)]
    return max(found, key=lambda masses: float(masses @ edges))


class _Cells:
    """The cells that have mass, and how far each lies below a point."""

    def __init__(
        self, edges: Places, mass: Floats, depth: Floats, step: float, filled: list[int]
    ) -> None:
        self.filled = filled
        self.points = len(edges)
        self.places: list[int] = edges.tolist()
        self.mass: list[float] = mass.tolist()
        self.depth: list[float] = depth.tolist()
        self.step = step

    def lift(self, i: int, target: int) -> float:
        """Mean of x·e^g − 1 in cell i, with g the target: positive if the cell lies below it."""
        return expm1((self.places[target] - self.places[i]) * self.step - self.depth[i])


def _up(cells: _Cells, *, halved: bool) -> Floats:
    """Pools from the lowest cell up.

    Half of the first cell is moved down, or the first pool is made so that it holds all of it.
    Either way later pools end in mid-cell, which is where the least is lost.
    """
    result = np.zeros(cells.points)
    mass, rows = cells.mass.copy(), cells.filled
    first = rows[0]
    if halved:
        mass[first] /= 2
        result[first] = mass[first]
    else:
        _first_pool(cells, mass, result, rows[:3], first + 1)
    target, held, surplus = first, 0.0, 0.0
    for i in rows:
        left = mass[i]
        while left > 0.0:
            lift = cells.lift(i, target)
            if lift >= 0.0:
                held, surplus, left = held + left, surplus + left * lift, 0.0
            elif surplus > 0.0:
                taken = min(left, surplus / -lift)
                surplus = 0.0 if taken < left else max(0.0, surplus + taken * lift)
                held, left = held + taken, left - taken
            else:
                result[target] += held
                target, held = max(target, i) + 1, 0.0
    lowest = max(target - 1, first)
    result[lowest] += held
    return result


def _down(cells: _Cells) -> Floats:
    """Pools from the highest cell down."""
    result = np.zeros(cells.points)
    mass, rows = cells.mass.copy(), cells.filled[::-1]
    target, held, deficit = rows[0], 0.0, 0.0
    _first_pool(cells, mass, result, rows[:3], rows[0])
    for i in rows:
        left = mass[i]
        while left > 0.0:
            lift = cells.lift(i, target)
            if lift <= 0.0:
                held, deficit, left = held + left, deficit - left * lift, 0.0
            elif deficit > 0.0:
                taken = min(left, deficit / lift)
                deficit = 0.0 if taken < left else max(0.0, deficit - taken * lift)
                held, left = held + taken, left - taken
            else:
                result[target] += held
                target, held = i, 0.0
    result[target] += held
    return result


def _first_pool(
    cells: _Cells, mass: list[float], result: Floats, rows: list[int], target: int
) -> None:
    """A pool of one cell, half of the next and some of the third, taken from `mass`; if it can be.

    With half of the second cell left over, later pools end in mid-cell.
    """
    if len(rows) < 3:
        return
    one, two, three = rows
    need = mass[one] * cells.lift(one, target) + mass[two] / 2 * cells.lift(two, target)
    reach = mass[three] * cells.lift(three, target)
    if reach == 0.0 or not 0.0 <= -need / reach <= 1.0:
        return
    taken = -need / reach * mass[three]
    result[target] += mass[one] + mass[two] / 2 + taken
    mass[one], mass[two], mass[three] = 0.0, mass[two] / 2, mass[three] - taken
