"""The law of a product of two normal variables by brute force, for comparison."""

import numpy as np
from numpy.typing import NDArray


def density(
    y: NDArray[np.float64], mean: float, sigma: float, r: float, nodes: int = 801
) -> NDArray[np.float64]:
    """The density of XZ at y ≠ 0, X ∼ N(mean, σ²), Z ∼ N(1, r²): a sum over t in X = ±w·e^t."""
    a, b = mean / sigma, 1 / r
    w = np.sqrt(np.abs(y) / (sigma * r))[:, None]
    sign = np.sign(y)[:, None]
    reach = np.log((abs(a) + b + 12) / w.ravel())[:, None]
    t = np.linspace(-1, 1, nodes)[None, :] * reach
    step = 2 * reach.ravel() / (nodes - 1)
    total = np.zeros(len(y))
    for side in (1, -1):
        p, q = w * np.exp(t) - side * a, w * np.exp(-t) - side * sign * b
        total += np.exp(-(p**2 + q**2) / 2).sum(axis=1) * step
    return total / (2 * np.pi * sigma * r)


def renyi(size: float, neighbour: float, sigma: float, r: float, order: float) -> float:
    """D_α by the midpoint rule in ln |y|, good to about 8 digits."""
    total = 0.0
    reach = order * abs(size - neighbour) / sigma + 12
    top = (max(size, neighbour) + sigma * reach) * (1 + r * reach)
    s = np.linspace(np.log(1e-12 * sigma * r), np.log(top), 1500)
    s = (s[:-1] + s[1:]) / 2
    for sign in (1, -1):
        y = sign * np.exp(s)
        p, q = (density(y, mean, sigma, r) for mean in (size, neighbour))
        kept = (p > 0) & (q > 0)
        p, q, weight = p[kept], q[kept], np.exp(s[kept]) * (s[1] - s[0])
        term = (
            p * np.log(p / q) if order == 1 else np.exp(order * np.log(p) + (1 - order) * np.log(q))
        )
        total += float(term @ weight)
    return total if order == 1 else float(np.log(total)) / (order - 1)
