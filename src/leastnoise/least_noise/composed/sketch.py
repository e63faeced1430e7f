"""`Sketch`: a symmetric law in floats, and what it would leak and cost, for searches.

Nothing here carries a proof: a sketch finds parameters, and what it finds is priced again.
"""

from collections.abc import Callable
from math import ceil, floor, sqrt

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.privacy.variables.grid_cells import cells_of_atoms
from leastnoise.privacy.variables.grid_sum import GridSum
from leastnoise.privacy.variables.pooling import Floats

_MOST_NODES = 1 << 15
_EDGE_NODES = 32
_FINEST = 64
_COARSEST = 6
_FEW = 32
_MOST_CELLS = 1 << 12

Curve = Callable[[Floats], Floats]
"""A function of magnitudes, taken element by element."""


@dataclass(frozen=True)
class Sketch:
    """A law on the integers; a wide one is looked at in places only, as if on the real line.

    Args:
        exponent: minus the logarithm of the weight, by magnitude.
        radius: no greater magnitude can be drawn if bounded, or else matters.
        bounded: whether the law ends there.
    """

    exponent: Curve
    radius: float
    bounded: bool

    @property
    def _spacing(self) -> float:
        return max(1.0, 2 * self.radius / _MOST_NODES)

    def _nodes(self, distance: int) -> Floats:
        """Places to look at: all integers, or some numbers symmetric about half the distance."""
        if self._spacing == 1:
            return np.arange(-floor(self.radius), floor(self.radius) + 1, dtype=np.float64)
        half = (np.arange(ceil((self.radius + distance) / self._spacing)) + 0.5) * self._spacing
        nodes: Floats = distance / 2 + np.concatenate([-half[::-1], half])
        return nodes[np.abs(nodes) <= self.radius]

    def cost(self, price: Curve) -> float:
        """The expected price of the magnitude."""
        magnitudes = np.abs(self._nodes(0))
        weights = self._weights(magnitudes)
        return float((weights * price(magnitudes)).sum() / weights.sum())

    def _weights(self, magnitudes: Floats) -> Floats:
        exponents = self.exponent(magnitudes)
        weights: Floats = np.exp(exponents.min() - exponents)
        return weights

    def leak(self, distance: int, count: int, epsilon: float) -> float:
        """About δ at ε if `count` draws are each moved by a distance; a little too large."""
        nodes = self._nodes(distance)
        there = np.abs(nodes - distance)
        chances = self._weights(np.abs(nodes))
        chances /= chances.sum()
        met = there <= self.radius if self.bounded else np.full(len(nodes), fill_value=True)
        if not met.any():
            return 1.0
        losses = self.exponent(there[met]) - self.exponent(np.abs(nodes[met]))
        infinite = self._beyond(distance, float(chances[~met].sum())) if self.bounded else 0.0
        return _composed(losses, chances[met], infinite, count, epsilon)

    def _beyond(self, distance: int, counted: float) -> float:
        """The mass that the law moved by the distance does not reach."""
        if self._spacing == 1:
            return counted
        places = self.radius - distance * (np.arange(_EDGE_NODES) + 0.5) / _EDGE_NODES
        nodes = np.abs(self._nodes(distance))
        lowest = self.exponent(nodes).min()
        edge = np.exp(lowest - self.exponent(np.abs(places))).mean() * distance
        whole = np.exp(lowest - self.exponent(nodes)).sum() * self._spacing
        return float(edge / whole)


def _composed(losses: Floats, masses: Floats, infinite: float, count: int, epsilon: float) -> float:
    if count == 1:
        return infinite + float((masses * np.maximum(0.0, -np.expm1(epsilon - losses))).sum())
    cells = cells_of_atoms(losses, masses, _step(losses, masses, count), infinite=infinite)
    try:
        return GridSum([(cells.pessimistic(), count)]).delta_at_most(epsilon)
    except (UnsupportedQuery, OverflowError):  # next to no noise: far more is needed anyway
        return 1.0


def _step(losses: Floats, masses: Floats, count: int) -> float:
    """A part of the losses' spread that divides the likeliest of them, if stairs make it likely."""
    mean = float((masses * losses).sum())
    spread = sqrt(float((masses * (losses - mean) ** 2).sum())) or 1.0
    wanted = spread / max(_COARSEST, min(1.0, sqrt(_FEW / count)) * _FINEST)
    wanted = max(wanted, float(np.abs(losses).max()) / _MOST_CELLS)
    likeliest = abs(float(losses[int(np.argmax(masses))]))
    return likeliest / ceil(likeliest / wanted) if likeliest > wanted else wanted
