"""References for small cases, by summing over everything that can happen, in floats."""

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def cube_law(columns: int, scale: float, reach: int) -> dict[tuple[int, ...], float]:
    """P(Y = y) ∝ exp(−max|yⱼ|/scale) on a box that holds nearly all of it."""
    points = list(product(range(-reach, reach + 1), repeat=columns))
    weights = [math.exp(-max(map(abs, y)) / scale) for y in points]
    total = math.fsum(weights)
    return {y: weight / total for y, weight in zip(points, weights, strict=True)}


def laplace_law(scale: float, reach: int) -> dict[int, float]:
    q = math.exp(-1 / scale)
    return {x: (1 - q) / (1 + q) * q ** abs(x) for x in range(-reach, reach + 1)}


def gaussian_law(variance: float, reach: int) -> dict[int, float]:
    weights = {x: math.exp(-x * x / (2 * variance)) for x in range(-reach, reach + 1)}
    total = math.fsum(weights.values())
    return {x: weight / total for x, weight in weights.items()}


def hockey_stick(
    one: dict[tuple[int, ...], float], other: dict[tuple[int, ...], float], epsilon: float
) -> float:
    factor = math.exp(epsilon)
    return math.fsum(max(0.0, p - factor * other.get(y, 0.0)) for y, p in one.items())


def shifted(law: dict[tuple[int, ...], float], by: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    return {tuple(a + b for a, b in zip(y, by, strict=True)): p for y, p in law.items()}
