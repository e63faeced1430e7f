"""Which nodes to sum a product's density over: a choice in floats, judged elsewhere."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leastnoise.research.product_normal.chart import Disc
from leastnoise.research.product_normal.peaks import Branch, Parabola, active_range

_DROP = 45.0  # e^-45 is below 2^-64
_WIDEST_ANGLE = 0.6  # below π/4
_STRIPS = tuple(0.25 * 0.7**k for k in range(24))  # half-widths tried
_MOST_NODES = 1 << 14  # more are out of reach
_POINTS = 257  # where the model is looked at


class OutOfReach(Exception):
    """This disc is too large for a useful bound; a smaller one may do."""


class Nodes(NamedTuple):
    """low, low + step, …, low + last·step, and the half-width of the strip to bound them in."""

    low: float
    step: float
    last: int
    strip: float

    @property
    def high(self) -> float:
        """The last node, up to rounding."""
        return self.low + self.last * self.step


def chosen_nodes(branch: Branch, disc: Disc, scale: Parabola) -> Nodes | None:
    """Nodes whose error should be negligible; None if the whole branch is.

    Raises:
        OutOfReach: there would be too many of them.
    """
    model = _Model(branch, disc, scale)
    low, high = active_range(disc.floats[0], branch, _DROP + 10)
    places = np.linspace(low, high, _POINTS)
    if model.level(places, 0.0).max() < -_DROP - 5:
        return None
    room = _WIDEST_ANGLE - math.asin(disc.radius / disc.centre)
    steps = [(model.step(places, strip), strip) for strip in _STRIPS if strip < room]
    if not steps:
        raise OutOfReach
    step, strip = max(steps)
    low, high = model.edge(low, -1, step, strip), model.edge(high, 1, step, strip)
    last = math.ceil((high - low) / step)
    if last > _MOST_NODES:
        raise OutOfReach
    return Nodes(low, step, last, strip)


@dataclass(frozen=True)
class _Model:
    """The bounds of `StripBound` in floats."""

    branch: Branch
    disc: Disc
    scale: Parabola

    def level(self, t: NDArray[np.float64], strip: float) -> NDArray[np.float64]:
        """The logarithm of the bound on |G| at t ± i·strip."""
        (s, u, v), radius = self.disc.floats, self.disc.radius
        up = np.exp(t + 1j * strip)
        first, second = s * up - self.branch[0], s / up - self.branch[1]
        height = -(first**2 + second**2).real / 2 - self.scale.height
        slope = np.abs(u * first * up + v * second / up + self.scale.slope)
        bend = np.abs(((u * up) ** 2 + (v / up) ** 2) / 2 + self.scale.bend)
        return np.asarray(height + slope * radius + bend * radius**2)

    def step(self, places: NDArray[np.float64], strip: float) -> float:
        """The step whose aliasing error is negligible."""
        need = _DROP + 5 + float(self.level(places, strip).max())
        return 2 * math.pi * strip / max(need, 5.0)

    def edge(self, t: float, side: int, step: float, strip: float) -> float:
        """From t outwards to where nodes may end."""
        stride = 4 * step
        while self.level(np.array([t]), strip)[0] > -_DROP - 3:
            t, stride = t + side * stride, stride * 1.03
            if abs(t) > 300:
                raise OutOfReach
        return t
