"""Vector laws summed point by point over a box: the reference for their closed forms."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from leastnoise.noise.vectors.vector_law import VectorLaw

Grid = NDArray[np.float64]


def norms(points: NDArray[Any], norm: str) -> NDArray[np.int64]:
    """The norm of each point; coordinates run along the last axis."""
    magnitudes = np.abs(points)
    return np.asarray(magnitudes.sum(axis=-1) if norm == "l1" else magnitudes.max(axis=-1))


def exponent(law: VectorLaw, norm: int) -> float:
    """−log of the weight, straight from the definition."""
    if isinstance(law, NormLaplace):
        return float(norm / law.scale)
    assert isinstance(law, NormStaircase)
    drops = range(law.width, norm + 1, law.sensitivity)
    return float(law.epsilon) * len(drops)


@dataclass(frozen=True)
class Box:
    """All points with coordinates in −reach..reach; what lies beyond must be negligible."""

    law: NormLaplace | NormStaircase
    reach: int

    @property
    def norms(self) -> NDArray[np.int64]:
        axes = np.indices((2 * self.reach + 1,) * self.law.dimension) - self.reach
        return norms(np.moveaxis(axes, 0, -1), self.law.norm)

    @property
    def pmf(self) -> Grid:
        found = self.norms
        table = np.array([exponent(self.law, m) for m in range(int(found.max()) + 1)])
        weights = np.exp(-table[found])
        return np.asarray(weights / weights.sum())

    @property
    def norm_pmf(self) -> Grid:
        found, chances = self.norms.ravel(), self.pmf.ravel()
        return np.array([chances[found == m].sum() for m in range(int(found.max()) + 1)])

    def shifts(self, distance: int) -> Iterator[tuple[int, ...]]:
        """Every shift of norm ≤ distance with coordinates ≥ 0; the laws are symmetric."""
        for shift in product(range(distance + 1), repeat=self.law.dimension):
            if int(norms(np.array(shift), self.law.norm)) <= distance:
                yield shift

    def worst_ratio(self, distance: int) -> float:
        """max log P(x)/P(x−v) over the box and all shifts, by exponents."""
        found, worst = self.norms, 0.0
        table = np.array([exponent(self.law, m) for m in range(int(found.max()) + 1)])
        for shift in self.shifts(distance):
            there, here = _pair(table[found], shift)
            worst = max(worst, float((there - here).max()))
        return worst

    def divergence(self, epsilon: float, distance: int) -> float:
        """max Σ max(0, P(x) − e^epsilon·P(x−v)) over all shifts v."""
        chances = self.pmf
        padded = np.pad(chances, distance)
        axes = tuple(range(self.law.dimension))
        return max(
            float(np.maximum(0, padded - math.exp(epsilon) * np.roll(padded, shift, axes)).sum())
            for shift in self.shifts(distance)
        )


def _pair(values: Grid, shift: tuple[int, ...]) -> tuple[Grid, Grid]:
    """values(x − shift) and values(x) wherever both lie in the box."""
    inner = tuple(slice(0, size - step) for size, step in zip(values.shape, shift, strict=True))
    outer = tuple(slice(step, size) for size, step in zip(values.shape, shift, strict=True))
    return values[inner], values[outer]
