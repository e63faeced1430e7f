"""Which nodes to sum a product's density over: a choice in floats, judged elsewhere."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.research.product_normal.chart import Disc
from leastnoise.research.product_normal.peaks import Branch, Parabola, active_range

_DROP = 45.0  # e^-45 is below 2^-64
_WIDEST_ANGLE = 0.72  # below π/4
_STRIPS = 0.25 * 0.7 ** np.arange(24.0)  # half-widths tried
_MOST_NODES = 1 << 14  # more are out of reach
_POINTS = 65  # where the model is looked at
_FARTHEST = 300.0  # in t: nodes beyond are out of reach
_EDGES = 1.03 ** np.arange(24.0)  # strides outwards, tried together


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
    low, high = active_range(disc.floats[0], branch)
    up = np.exp(np.linspace(low, high, _POINTS))
    if model.level(up, np.zeros(1)).max() < -_DROP - 5:
        return None
    room = _WIDEST_ANGLE - math.asin(disc.radius / disc.centre)
    strips = _STRIPS[room > _STRIPS]
    if not strips.size:
        raise OutOfReach
    steps = model.steps(up, strips)
    best = int(np.argmax(steps))
    step, strip = float(steps[best]), float(strips[best])
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

    def level(self, up: NDArray[np.float64], strips: NDArray[np.float64]) -> NDArray[np.float64]:
        """The logarithm of the bound on |G| at t ± i·strip with e^t = up; a row for each strip."""
        (s, u, v), radius = self.disc.floats, self.disc.radius
        turned = up * np.exp(1j * strips)[:, np.newaxis]
        first, second = s * turned - self.branch[0], s / turned - self.branch[1]
        height = -(first**2 + second**2).real / 2 - self.scale.height
        slope = np.abs(u * first * turned + v * second / turned + self.scale.slope)
        bend = np.abs(((u * turned) ** 2 + (v / turned) ** 2) / 2 + self.scale.bend)
        return np.asarray(height + slope * radius + bend * radius**2)

    def steps(self, up: NDArray[np.float64], strips: NDArray[np.float64]) -> NDArray[np.float64]:
        """The step for each strip whose aliasing error is negligible."""
        need = _DROP + 5 + self.level(up, strips).max(axis=1)
        return np.asarray(2 * math.pi * strips / np.maximum(need, 5.0))

    def edge(self, t: float, side: int, step: float, strip: float) -> float:
        """From t outwards to where nodes may end."""
        stride = 4 * step
        while abs(t) < _FARTHEST:
            places = t + side * stride * np.concatenate(([0.0], _EDGES.cumsum()))
            places = np.clip(places, -_FARTHEST, _FARTHEST)
            small = self.level(np.exp(places), np.array([strip]))[0] <= -_DROP - 3
            if small.any():
                return float(places[int(np.argmax(small))])
            t, stride = float(places[-1]), stride * float(_EDGES[-1])
        raise OutOfReach
