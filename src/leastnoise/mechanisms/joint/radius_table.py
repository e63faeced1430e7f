"""`RadiusTable`: the outline of a law of counters in floats, for forecasts only."""

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.growth import Floats, Growth

_DEPTH = 40.0  # weights below e**-40 of the greatest are left out
_MOST_SINGLE = 540  # so many radii are all listed; more are taken in blocks
_BLOCKS = 180
_POWERS = np.concatenate(([0.0], 2.0 ** np.arange(90)))
_GRIDS = _POWERS[:25], _POWERS  # counters are seldom above 2**23
_FINE, _COARSE = np.arange(33.0), np.arange(17.0)  # steps from one end to the other

LogWeight = Callable[[Floats], Floats]


@dataclass(frozen=True)
class RadiusTable:
    r"""Some radii with weights that add up to 1, which stand for all.

    Neighbouring radii are taken together in blocks of an odd number K, about a twentieth of a
    standard deviation. A block is the three radii middle − x, middle, middle + x, with the weights
    (K²−1)/(24x²) for the outer two: sums over cubic polynomials are then exact, and for x near
    √((3K²−7)/20) nearly those of degree 5.

    Attributes:
        radii: whole numbers.
        shares: their weights.
        step: K; 1 if all radii are listed.
    """

    radii: Floats
    shares: Floats
    step: int

    @classmethod
    def of(cls, rate: float, factors: Sequence[Growth]) -> "RadiusTable":
        """The outline of exp(−rate·r)·∏ points(r)."""

        def log_weight(radii: Floats) -> Floats:
            total = -rate * radii
            for factor in factors:
                total = total + factor.log_points(radii)
            return total

        return cls.outline(log_weight)

    @classmethod
    def outline(cls, log_weight: LogWeight) -> "RadiusTable":
        """The outline of weights whose logarithms are concave."""
        low, high = ends(log_weight)
        step = 1 if high - low < _MOST_SINGLE else int((high - low) / _BLOCKS) | 1
        radii, parts = in_blocks(low, high, step)
        logs = log_weight(radii)
        weights = parts * np.exp(logs - logs.max())
        return cls(radii, weights / weights.sum(), step)

    @property
    def tolerance(self) -> float:
        """How far a mean taken from the table may be from the truth, relatively."""
        return 1e-10 if self.step == 1 else 2e-4

    @property
    def mode(self) -> int:
        """A radius near the likeliest one."""
        return int(self.radii[np.argmax(self.shares)])

    def mean(self, values: Floats) -> float:
        """The mean of a function of the radius, given at the listed ones."""
        return float(values @ self.shares)

    @property
    def variance(self) -> float:
        """Of the radius."""
        return self.mean((self.radii - self.mean(self.radii)) ** 2)


def peak(log_weight: LogWeight) -> float:
    """Where a concave function on 0.. is greatest."""
    for grid in _GRIDS:
        best = int(log_weight(grid).argmax())
        if best < len(grid) - 1:
            break
    low, high = grid[max(best - 1, 0)], grid[best + 1]
    for _ in range(8):
        inner = _between(low, high, _FINE)
        at = int(log_weight(inner).argmax())
        low, high = inner[max(at - 1, 0)], inner[min(at + 1, 32)]
    return float(low + high) / 2


def ends(log_weight: LogWeight) -> tuple[float, float]:
    """Around the mode, where the weights are e**-40 of the greatest; whole numbers."""
    mode = peak(log_weight)
    top = float(log_weight(np.array([mode]))[0]) - _DEPTH
    for grid in _GRIDS:
        below = log_weight(mode + grid) < top
        if below.any():
            break
    beyond = mode + grid[np.argmax(below)]
    low, high = (_crossing(log_weight, top, outer, mode) for outer in (0.0, float(beyond)))
    return float(np.floor(low)), float(np.ceil(high))


def _crossing(log_weight: LogWeight, level: float, outer: float, inner: float) -> float:
    """A point a little outside of where the weights fall below a level."""
    for _ in range(4):
        points = _between(outer, inner, _COARSE)
        above = int((log_weight(points) >= level).argmax())
        outer, inner = points[max(above - 1, 0)], points[above]
    return float(outer)


def _between(first: float, last: float, steps: Floats) -> Floats:
    """`np.linspace`, to the last bit, in a third of its time."""
    points: Floats = steps * ((last - first) / steps[-1]) + first
    points[-1] = last
    return points


def in_blocks(low: float, high: float, step: int) -> tuple[Floats, Floats]:
    """Whole numbers that stand for all of low..high, and for how many each stands."""
    if step == 1:
        radii = np.arange(low, high + 1)
        return radii, np.ones_like(radii)
    out = float(round(sqrt((3 * step * step - 7) / 20)))
    middles = low + step // 2 + step * np.arange((high - low) // step + 1)
    outer = step * (step * step - 1) / (24 * out * out)
    radii = np.concatenate((middles - out, middles, middles + out))
    return radii, np.repeat([outer, step - 2 * outer, outer], middles.size)
