r"""Cells of losses whose density is c·e^(l/2) between two bounds, in closed form.

Between jh and (j+1)h lies the mass 2c·e^(jh/2)·(e^(h/2) − 1), of which spreading gives the share
1/(1 + e^(−h/2)) to the upper edge: under the other law the density is e^−l times as large, so that
the two together are symmetric. Cells at the bounds are cut off, and may hold an atom: they go by
the tails of both laws.

Proof: docs/proofs/grids.md, "Closed forms".
"""

import math
from fractions import Fraction
from typing import Protocol

import numpy as np
from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.proved_floats import EXP_ERROR, TINY, UNIT, above, geometric
from leastnoise.privacy.variables.grid_cells import Cells, even_edges
from leastnoise.privacy.variables.pooling import Floats
from leastnoise.privacy.variables.uneven_cells import ENDS_ERROR, ends

_BITS = (192, 512, 2048)  # tried in turn for the cells at the bounds
_ERROR = ENDS_ERROR + EXP_ERROR + 4 * UNIT  # of what a cell gives to an edge
_ALIGNED = Fraction(4, 2**53)  # a bound this close to a grid point, relatively, is put onto it


class ExponentialLaw(Protocol):
    """A loss with the density `height`·e^((l − bound)/2) for |l| < bound."""

    def height(self, bound: arb) -> arb:
        """The density at the upper bound, from below."""

    def inner_tails(self, loss: arb, bound: arb) -> tuple[arb, arb]:
        """P(L > loss) and Q(L > loss) for |loss| < bound."""

    def bound_atoms(self, bound: arb) -> tuple[arb, arb]:
        """The chances of −bound and of bound itself."""


def exponential_cells(law: ExponentialLaw, bound: Fraction, step: float) -> Cells:
    """Cells between −bound and bound."""
    grid = Fraction(step)
    nearest = round(bound / grid)
    off = abs(bound - nearest * grid)
    if nearest and off <= _ALIGNED * bound:
        # The law of the nearest grid point instead: no loss moves by more than twice as much.
        return _aligned(law, nearest, step, shift=2 * float(off) * (1 + 4 * UNIT))
    return _cut_off(law, bound, math.ceil(bound / grid), step)


def _aligned(law: ExponentialLaw, last: int, step: float, shift: float) -> Cells:
    on_grid = np.zeros(2 * last + 1)
    with balls.precision(_BITS[0]):
        bound = arb(step) * last
        down, up = _inside(law, bound, -last, last, step)
        low, high = law.bound_atoms(bound)
    on_grid[0], on_grid[-1] = float(low), float(high)
    edges, lost = even_edges(-last, last), _underflow(down, up)
    return Cells(step, edges, down, up, on_grid, 0.0, lost, 0.0, _ERROR, shift)


def _cut_off(law: ExponentialLaw, bound: Fraction, last: int, step: float) -> Cells:
    down, up, on_grid = np.zeros(2 * last), np.zeros(2 * last), np.zeros(2 * last + 1)
    if last > 1:
        with balls.precision(_BITS[0]):
            inner = _inside(law, balls.ball(bound), 1 - last, last - 1, step)
        down[1:-1], up[1:-1] = inner
    for bits in _BITS:
        with balls.precision(bits):
            width, limit = arb(step), balls.ball(bound)
            rest = -(-width).expm1()
            one, other = law.inner_tails(width * (1 - last), limit)
            low = ends(1 - one, 1 - other, (-width * last).exp(), rest)
            one, other = law.inner_tails(width * (last - 1), limit)
            high = ends(one, other, (width * (last - 1)).exp(), rest)
        if low is not None and high is not None:
            break
    else:
        # Hardly any of the law lies there: to be sure all of it is taken for lost.
        lost = above(1 - one + other) * 2
    if low is not None and high is not None:
        down[0], up[0], down[-1], up[-1] = (float(part) for part in (*low, *high))
        lost = 0.0
    lost += _underflow(down, up)
    return Cells(step, even_edges(-last, last), down, up, on_grid, 0.0, lost, 0.0, _ERROR)


def _underflow(down: Floats, up: Floats) -> float:
    """A bound on mass that is too small for floats."""
    least = min(down.min(initial=1.0), up.min(initial=1.0))
    return 0.0 if least > TINY else 2 * len(down) * TINY


def _inside(
    law: ExponentialLaw, bound: arb, first: int, last: int, step: float
) -> tuple[Floats, Floats]:
    """What the cells between two places give to their lower and to their upper edges."""
    half = arb(step) / 2
    whole = 2 * law.height(bound) * (half * last - bound / 2).exp() * -(-half).expm1()
    share = 1 / (1 + (-half).exp())
    powers = geometric(half, first - last + 1, last - first)
    return powers * float(whole * (1 - share)), powers * float(whole * share)
