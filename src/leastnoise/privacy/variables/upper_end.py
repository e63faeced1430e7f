r"""A grid that is just fine enough for one end of a sum of losses, where no other end is computed.

The pessimistic twin spreads each cell to its edges, which raises K(θ) = log E e^(θL) of a sum by
about c·h², with h the step. As δ ≈ e^(K(θ) − θε), up to a factor that hardly changes, log δ is too
large by that much at the θ of the question, and ε by that much over θ. Two grids tell c, and no
transform is needed for it.

This is an estimate that chooses a step. Any step is sound: the end is an upper one either way.
"""

import math
from collections.abc import Callable

from leastnoise.privacy.variables.grid_sum import GridSum

_COARSEST, _FINEST = 2, 8192  # cells to a deviation
_LONGEST = 1 << 21  # points of a window: transforms of more take much of a second
_AIM = 0.8  # of what is allowed

Asked = Callable[[GridSum], tuple[float, float]]
"""Of a sum, the tilt it is asked at, and by how much its log E e^(tilt·L) may be too large."""


def fine_enough(make: Callable[[int], GridSum], asked: Asked) -> GridSum:
    """A sum on a grid of as many cells to a deviation as are needed, or can be had."""
    coarse, density = make(_COARSEST), 2 * _COARSEST
    while True:
        grid = make(density)
        if grid.empty:
            return grid
        tilt, allowed = asked(grid)
        most = min(_FINEST, density * _LONGEST // grid.window(tilt).length)
        squares, finer = (coarse.step / grid.step) ** 2, 2.0  # if all parts share a lattice twice
        if squares > 1:
            excess = (coarse.log_moment(tilt) - grid.log_moment(tilt)) / (squares - 1)
            if excess <= allowed:
                return grid
            coarse, finer = grid, math.sqrt(min(excess / (_AIM * allowed), _FINEST))
        if density >= most:
            return grid
        density = min(math.ceil(density * finer), most)
