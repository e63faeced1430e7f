r"""Cells of a pair of laws that is known by its tails, some of them many steps of a grid wide.

A sampled release has a long thin tail: one that is narrow steps wide everywhere would have millions
of cells. With a and b the masses of a cell under P and under Q, spreading it to its edges l < m
gives the upper one (a − b·e^l)/(1 − e^(l−m)) and the lower one the rest; the loss of the reversed
pair gives their edges −m and −l what these have under Q: e^−loss times as much. All of it is
computed in balls.
"""

from collections.abc import Callable

import numpy as np
from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.proved_floats import UNIT, above
from leastnoise.privacy.variables.grid_cells import Cells
from leastnoise.privacy.variables.pooling import Floats, Places

Tails = Callable[[arb], tuple[arb, arb]]
"""From a loss l to balls around P(L > l) and Q(L > l), at the working precision."""

_BITS = (128, 256, 512, 2048)  # tried in turn: differences of tails cancel
_TRIED = 16  # cells that tell whether so many bits will do
_MANY = 256  # cells that take more time than these
_ACCURATE = 50  # bits of what a cell gives to its edges
_NEGLIGIBLE = 1e-42  # cells with less may be given up: far below every delta of use
ENDS_ERROR = 2.0**-49 + UNIT
"""By which part of itself what `ends` accepts may err once it is a float."""


@dataclass(frozen=True)
class CutPair:
    """A pair of laws cut at edges: what each cell gives to its edges, by tails in balls.

    Args:
        step: what edges are multiples of.
        edges: increasing.
        down: what the lower edge gets under P.
        up: what the upper edge gets under P.
        other_down: what the lower edge has of it under Q.
        other_up: what the upper edge has of it under Q.
        given_up: upper bounds on the masses of cells that were too small to be measured.
        outside: bounds on P below and above the edges, then on Q below and above.
    """

    step: float
    edges: Places
    down: Floats
    up: Floats
    other_down: Floats
    other_up: Floats
    given_up: tuple[float, float]
    outside: tuple[float, float, float, float]

    def forward(self, infinite: float = 0.0) -> Cells:
        """The loss log(P/Q) under P, with a part of the mass above at ∞ for sure."""
        below, over, _, _ = self.outside
        return Cells(
            self.step,
            self.edges,
            self.down,
            self.up,
            np.zeros(len(self.edges)),
            infinite,
            lost=max(0.0, over - infinite) + self.given_up[0],
            beneath=below,
            error=ENDS_ERROR,
        )

    def backward(self, infinite: float = 0.0) -> Cells:
        """The loss log(Q/P) under Q, with a part of the mass below at ∞ for sure."""
        _, _, below, over = self.outside
        return Cells(
            self.step,
            -self.edges[::-1],
            self.other_up[::-1],
            self.other_down[::-1],
            np.zeros(len(self.edges)),
            infinite,
            lost=max(0.0, below - infinite) + self.given_up[1],
            beneath=over,
            error=ENDS_ERROR,
        )


def ends(here: arb, there: arb, factor: arb, rest: arb) -> tuple[arb, arb] | None:
    """What a cell gives to its lower and its upper edge; None if these balls are too wide.

    Args:
        here: its mass under P.
        there: its mass under Q.
        factor: e^l with l its lower edge.
        rest: 1 − e^−w with w its width.
    """
    up = (here - there * factor) / rest
    down = here - up
    if up.rel_accuracy_bits() < _ACCURATE or down.rel_accuracy_bits() < _ACCURATE:
        return None
    return down, up


def cut_pair(tails: Tails, edges: Places, step: float) -> CutPair:
    """Masses between edges, each accurate to `_ACCURATE` bits or given up as negligible."""
    for bits in _BITS:
        with balls.precision(bits):
            found = _cut(tails, edges, step) if _will_do(tails, edges, step) else None
        if found is not None:
            return found
    raise UnsupportedQuery(
        "losses to be added up must be measurable between the steps of a grid; these are too "
        "narrow or too rare. Leave out releases that are next to nothing."
    )


def _will_do(tails: Tails, edges: Places, step: float) -> bool:
    """Whether some of the cells can be measured: if not, the time for all would be lost."""
    if len(edges) <= _MANY:
        return True
    starts = range(0, len(edges) - 1, len(edges) // _TRIED)
    return all(_cut(tails, edges[i : i + 2], step) is not None for i in starts)


def _cut(tails: Tails, edges: Places, step: float) -> CutPair | None:
    width = arb(step)
    levels = [width * place for place in edges.tolist()]
    over = [tails(level) for level in levels]
    factors = [level.exp() for level in levels]
    widths = np.diff(edges).tolist()
    rests = {w: -(-width * w).expm1() for w in set(widths)}
    rows = []
    lost_one = lost_other = 0.0
    for i, w in enumerate(widths):
        (p, q), (p_next, q_next) = over[i], over[i + 1]
        here, there = p - p_next, q - q_next
        found = ends(here, there, factors[i], rests[w])
        if found is not None:
            down, up = found
            rows.append(
                (float(down), float(up), float(down / factors[i]), float(up / factors[i + 1]))
            )
            continue
        rows.append((0.0, 0.0, 0.0, 0.0))
        most, most_other = _bound(here), _bound(there)
        # Written so that what is no number is not given up.
        if not (most <= _NEGLIGIBLE and most_other <= _NEGLIGIBLE):
            return None
        lost_one, lost_other = lost_one + most, lost_other + most_other
    (p_first, q_first), (p_last, q_last) = over[0], over[-1]
    outside = (_bound(1 - p_first), _bound(p_last), _bound(1 - q_first), _bound(q_last))
    table = np.maximum(np.array(rows), 0.0)
    given_up = (lost_one * (1 + len(rows) * UNIT), lost_other * (1 + len(rows) * UNIT))
    return CutPair(
        step,
        edges,
        table[:, 0].copy(),
        table[:, 1].copy(),
        table[:, 2].copy(),
        table[:, 3].copy(),
        given_up,
        outside,
    )


def _bound(value: arb) -> float:
    """A float that is not below the ball, nor below 0."""
    return max(0.0, above(value))
