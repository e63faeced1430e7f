"""A bounded law on Z^d as an array, and its divergence from every shifted copy."""

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tests.noise.norm_reference import norms

Grid = NDArray[np.float64]


def box_norms(dimension: int, reach: int, norm: str) -> NDArray[np.int64]:
    """The norm of every point with coordinates in −reach..reach."""
    axes = np.indices((2 * reach + 1,) * dimension) - reach
    return norms(np.moveaxis(axes, 0, -1), norm)


def divergences(
    chances: Grid, norm: str, epsilon: float, distance: int
) -> dict[tuple[int, ...], float]:
    """Σ max(0, p(x) − e^epsilon·p(x − v)) by shift v ≥ 0 of norm ≤ distance; p is symmetric."""
    padded, axes = np.pad(chances, distance), tuple(range(chances.ndim))
    return {
        shift: float(np.maximum(0, padded - math.exp(epsilon) * np.roll(padded, shift, axes)).sum())
        for shift in product(range(distance + 1), repeat=chances.ndim)
        if 0 < int(norms(np.array(shift), norm)) <= distance
    }
