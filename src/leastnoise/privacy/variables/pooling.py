r"""Cells of a loss pooled to the points of a grid: the optimistic twin.

A pool is mass whose mean of x = e^−L is that of a grid point, or less; pooling is post-processing
and never raises δ. Going up, a pool for the point g takes cells above g until those below are
balanced; going down, it is the other way round. What stays unbalanced at an end is moved to the
next lower point, which never raises δ either. That costs next to nothing in a thin tail, and much
where the law ends abruptly. Pools of cells far apart lose too. Either lowers the mean loss,
E −log x, as that is convex: of several ways the one with the greatest mean loss is taken.

Every sum is rounded to the side on which the statement stays true: what a pool has to balance is
taken for larger, what balances it for smaller, its mass for smaller. `_MORE` and `_LESS` make up
for the rounding of one operation.

Proof: docs/proofs/grids.md, "The two twins".
"""

from functools import cached_property
from math import inf

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.proved_floats import UNIT

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_MORE, _LESS = 1 + 4 * UNIT, 1 - 4 * UNIT
_LEAST_MASS = 1e-180  # cells with less are dropped: what is computed of them might underflow


def pooled(edges: Places, down: Floats, up: Floats, step: float, error: float) -> Floats:
    """Masses at the edges, in multiples of the step; one edge more than there are cells.

    `down` and `up` are what spreading a cell gives to its lower and to its upper edge, each at
    least 0 and to within `error` of itself.
    """
    assert down.min(initial=0.0) >= 0.0, "a pool would never end"
    assert up.min(initial=0.0) >= 0.0, "a pool would never end"
    filled = np.flatnonzero(down + up > _LEAST_MASS)
    if not filled.size:
        return np.zeros(len(edges))
    cells = _Cells(edges.tolist(), down.tolist(), up.tolist(), step, error, filled.tolist())
    found = [_up(cells, halved=True), _up(cells, halved=False), _down(cells)]
    best = max(found, key=lambda masses: float((masses * edges).sum()))
    return best * (1 - error - 8 * UNIT)


@dataclass(frozen=True)
class _Cells:
    """The cells that have mass, and how much each lies below a point or above it."""

    places: list[int]
    downs: list[float]
    ups: list[float]
    step: float
    error: float
    filled: list[int]

    @property
    def points(self) -> int:
        """How many edges there are."""
        return len(self.places)

    @cached_property
    def mass(self) -> list[float]:
        """Of each cell."""
        return [down + up for down, up in zip(self.downs, self.ups, strict=True)]

    @cached_property
    def _raise(self) -> float:
        return 1 + self.error + 16 * UNIT  # two products and a sum round, and an exponential does

    @cached_property
    def _lower(self) -> float:
        return 1 - self.error - 16 * UNIT

    @cached_property
    def _known(self) -> dict[int, float]:
        return {}

    def _expm1(self, steps: int) -> float:
        """e^(steps·step) − 1, rounded from a ball."""
        found = self._known.get(steps)
        if found is None:
            with balls.precision(128):
                found = self._known[steps] = float((arb(self.step) * steps).expm1())
            if found == inf:
                raise OverflowError("losses are too large for floats")
        return found

    def lift(self, i: int, target: int) -> float:
        """At least the mass of cell i times its mean of x·e^g − 1, with g the target.

        Positive if the cell lies below the target, negative if above: both ends do, so that nothing
        cancels.
        """
        places = self.places
        goal = places[target]
        lifted = self.downs[i] * self._expm1(goal - places[i])
        lifted += self.ups[i] * self._expm1(goal - places[i + 1])
        return lifted * (self._raise if lifted > 0.0 else self._lower)


def _up(cells: _Cells, *, halved: bool) -> Floats:
    """Pools from the lowest cell up.

    Half of the first cell is moved down, or the first pool is made so that it holds all of it.
    Either way later pools end in mid-cell, which is where the least is lost.
    """
    result = np.zeros(cells.points)
    rows, first = cells.filled, cells.filled[0]
    share = dict.fromkeys(rows[:3], 1.0)
    if halved:
        share[first] = 0.5
        result[first] = cells.mass[first] / 2
    else:
        _first_pool(cells, share, result, rows[:3], first + 1)
    target, held, surplus = first, 0.0, 0.0
    for i in rows:
        left = share.get(i, 1.0)
        while left > 0.0:
            lift = cells.lift(i, target)
            if lift >= 0.0:
                held = (held + left * cells.mass[i]) * _LESS
                surplus, left = (surplus + left * lift) * _MORE, 0.0
            elif surplus > 0.0:
                taken = min(left, surplus / -lift * _MORE)
                surplus = 0.0 if taken < left else max(0.0, surplus + taken * lift * _LESS) * _MORE
                held, left = (held + taken * cells.mass[i]) * _LESS, (left - taken) * _LESS
            else:
                result[target] += held
                target, held = i + 1, 0.0
    lowest = max(target - 1, first)
    result[lowest] += held
    return result


def _down(cells: _Cells) -> Floats:
    """Pools from the highest cell down."""
    result = np.zeros(cells.points)
    rows = cells.filled[::-1]
    share = dict.fromkeys(rows[:3], 1.0)
    target, held, deficit = rows[0], 0.0, 0.0
    _first_pool(cells, share, result, rows[:3], rows[0])
    for i in rows:
        left = share.get(i, 1.0)
        while left > 0.0:
            lift = cells.lift(i, target)
            if lift <= 0.0:
                held = (held + left * cells.mass[i]) * _LESS
                deficit, left = (deficit - left * lift) * _LESS, 0.0
            elif deficit > 0.0:
                taken = min(left, deficit / lift * _LESS)
                deficit = 0.0 if taken < left else max(0.0, deficit - taken * lift * _MORE) * _LESS
                held, left = (held + taken * cells.mass[i]) * _LESS, (left - taken) * _LESS
            else:
                result[target] += held
                target, held = i, 0.0
    result[target] += held
    return result


def _first_pool(
    cells: _Cells, share: dict[int, float], result: Floats, rows: list[int], target: int
) -> None:
    """A pool of one cell, half of the next and some of the third, taken from `share`; if it can be.

    With half of the second cell left over, later pools end in mid-cell.
    """
    if len(rows) < 3:
        return
    one, two, three = rows
    need = cells.lift(one, target) + cells.lift(two, target) / 2
    need *= _MORE if need > 0.0 else _LESS
    reach = cells.lift(three, target)
    if reach == 0.0 or not 0.0 <= -need / reach <= 1.0:
        return
    # Going up the third cell has to outweigh the need, going down not to exceed it.
    taken = min(1.0, -need / reach * (_MORE if need > 0.0 else _LESS))
    if need + taken * reach * (_LESS if need > 0.0 else _MORE) > 0.0:
        return
    result[target] += (cells.mass[one] + cells.mass[two] / 2 + taken * cells.mass[three]) * _LESS
    share[one], share[two], share[three] = 0.0, 0.5, (1.0 - taken) * _LESS
