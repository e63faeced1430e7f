r"""`UnevenCells`: a loss cut into cells of which some are many steps of a grid wide.

A sampled release has a long thin tail: one that is narrow steps wide everywhere would have millions
of cells. The twins are those of `Cells`; their points are the cells' edges, all on the grid.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flint import arb

from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.privacy.variables.grid_cells import GridMasses
from leastnoise.privacy.variables.pooling import Floats, Places, pooled

Tails = Callable[[arb], tuple[arb, arb]]
"""From a loss l to balls around P(L > l) and Q(L > l), at the working precision."""

_BITS = (192, 512, 2048)  # tried in turn: differences of tails cancel
_ACCURATE = 48  # bits of a mass, and of the mean loss in a cell: 4e-15
_NEGLIGIBLE = 1e-36  # cells with less may be given up: far below every delta of use
_MOST_CELLS = 1 << 23  # between the ends of a grid: 64 MB of floats


@dataclass(frozen=True)
class UnevenCells:
    """Masses of the loss in the cells (edges[i]·step, edges[i+1]·step].

    Args:
        step: what edges are multiples of.
        edges: increasing, one more than there are cells.
        mass: mass of each cell under P, to within `RELATIVE_ERROR`.
        depth: −log(mean of e^−L in the cell) minus the cell's lower end.
        infinite: mass at ∞.
        lost: an upper bound on mass left out of all of these.
        beneath: an upper bound on mass left out that lies below the first edge.
    """

    step: float
    edges: Places
    mass: Floats
    depth: Floats
    infinite: float
    lost: float
    beneath: float

    def pessimistic(self) -> GridMasses:
        """Each cell spread to its ends; what was left out goes up, to the first edge or to ∞."""
        upper = np.expm1(-self.depth) / np.expm1(-self.step * np.diff(self.edges))
        points = np.zeros(len(self.edges))
        points[:-1] += self.mass * (1 - upper)
        points[1:] += self.mass * upper
        points[0] += self.beneath
        return self._on_grid(points, self.infinite + self.lost)

    def optimistic(self) -> GridMasses:
        """Neighbouring cells pooled; what was left out stays out."""
        points = pooled(self.edges, self.mass, self.depth, self.step)
        return self._on_grid(points, self.infinite)

    def _on_grid(self, points: Floats, infinite: float) -> GridMasses:
        first = int(self.edges[0])
        length = int(self.edges[-1]) - first + 1
        if length > _MOST_CELLS:
            raise UnsupportedQuery(
                "sampled losses that are added up must not have a tail of more than "
                f"{_MOST_CELLS} steps; this one has {length}. Use a larger rate or more noise."
            )
        mass = np.zeros(length)
        mass[self.edges - first] = points
        return GridMasses(self.step, first, mass, infinite)


@dataclass(frozen=True)
class CutPair:
    """A pair of laws cut at edges: what each cell has under either law, by tails in balls.

    Args:
        step: what edges are multiples of.
        edges: increasing.
        one: masses of the cells under P.
        other: masses under Q.
        depth: −log(Q/P) of each cell minus its lower end.
        given_up: upper bounds on the masses of cells that were too small to be measured.
        outside: bounds on P below and above the edges, then on Q below and above.
    """

    step: float
    edges: Places
    one: Floats
    other: Floats
    depth: Floats
    given_up: tuple[float, float]
    outside: tuple[float, float, float, float]

    def forward(self, infinite: float = 0.0) -> UnevenCells:
        """The loss log(P/Q) under P, with a part of the mass above at ∞ for sure."""
        below, above, _, _ = self.outside
        lost = max(0.0, above - infinite) + self.given_up[0]
        return UnevenCells(self.step, self.edges, self.one, self.depth, infinite, lost, below)

    def backward(self, infinite: float = 0.0) -> UnevenCells:
        """The loss log(Q/P) under Q, with a part of the mass below at ∞ for sure."""
        _, _, below, above = self.outside
        depth = self.step * np.diff(self.edges) - self.depth
        lost = max(0.0, below - infinite) + self.given_up[1]
        return UnevenCells(
            self.step, -self.edges[::-1], self.other[::-1], depth[::-1], infinite, lost, above
        )


def cut_pair(tails: Tails, edges: Places, step: float) -> CutPair:
    """Masses between edges, each accurate to `_ACCURATE` bits or given up as negligible."""
    for bits in _BITS:
        with balls.precision(bits):
            found = _cut(tails, edges, step)
        if found is not None:
            return found
    raise UnsupportedQuery(
        "losses to be added up must be measurable between the steps of a grid; these are too "
        "narrow or too rare. Leave out releases that are next to nothing."
    )


def _cut(tails: Tails, edges: Places, step: float) -> CutPair | None:
    width = arb(step)
    levels = [width * place for place in edges.tolist()]
    above = [tails(level) for level in levels]
    one, other, depth = np.zeros((3, len(levels) - 1))
    lost_one = lost_other = 0.0
    for i, level in enumerate(levels[:-1]):
        (p, q), (p_next, q_next) = above[i], above[i + 1]
        here, there = p - p_next, q - q_next
        if here.rel_accuracy_bits() > _ACCURATE and there.rel_accuracy_bits() > _ACCURATE:
            inside = (here / there).log() - level
            one[i], other[i], depth[i] = float(here), float(there), float(inside)
            if inside.rad() < _LEAST_DEPTH:
                continue
            one[i] = other[i] = depth[i] = 0.0
        most, most_other = _up(here), _up(there)
        # Written so that what is no number is not given up.
        if not (most <= _NEGLIGIBLE and most_other <= _NEGLIGIBLE):
            return None
        lost_one, lost_other = lost_one + most, lost_other + most_other
    whole = step * np.diff(edges)
    (p_first, q_first), (p_last, q_last) = above[0], above[-1]
    outside = (_up(1 - p_first), _up(p_last), _up(1 - q_first), _up(q_last))
    return CutPair(
        step, edges, one, other, np.clip(depth, 0.0, whole), (lost_one, lost_other), outside
    )


_LEAST_DEPTH = 1e-15  # to which the mean loss of a cell is known, far below RELATIVE_ERROR


def _up(value: arb) -> float:
    """A float that is not below the ball."""
    most = float(value.upper())
    return max(0.0, math.nextafter(most, math.inf)) if most else 0.0
