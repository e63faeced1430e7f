r"""Where the product of two normal variables has its mass: floats, trusted by nobody.

With p ∼ N(A, 1) and q ∼ N(B, 1) positive, write p = w·e^t and q = w·e^−t, so that pq = w². The
functions here look for the t that matter at a given w, and how ln ∫ exp(exponent) dt bends with a
chart's variable. They choose nodes, windows and scales; what is computed with these choices is
bounded elsewhere.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from leastnoise.research.product_normal.chart import Disc

Branch = tuple[float, float]
"""The means (A, B) of two normal variables of variance 1."""

_NEWTON_STEPS = 60
_LONGEST_STEP = 0.3  # in t, so that Newton does not run away
_POINTS = 160  # samples of the exponent
NEGLIGIBLE = 55.0
"""Below the highest exponent by so much, nothing matters: e^-55 is below 2^-79."""


class Parabola(NamedTuple):
    """δ ↦ height + slope·δ + bend·δ², with floats taken at their exact values."""

    height: float
    slope: float
    bend: float

    def greatest_change(self, radius: float) -> float:
        """A bound on |slope·δ + bend·δ²| for complex |δ| ≤ radius, up to rounding."""
        return abs(self.slope) * radius + abs(self.bend) * radius**2


def exponent(t: float, w: float, branch: Branch) -> float:
    """−((w·e^t − A)² + (w·e^−t − B)²)/2."""
    return -((w * math.exp(t) - branch[0]) ** 2 + (w * math.exp(-t) - branch[1]) ** 2) / 2


@lru_cache(maxsize=64)
def active_range(w: float, branch: Branch, drop: float = NEGLIGIBLE) -> tuple[float, float]:
    """An interval of t that reaches down to `drop` below the highest exponent, roughly."""
    peaks = [_climb(start, w, branch) for start in _starts(w, branch)]
    top = max(exponent(t, w, branch) for t in peaks)
    high_ones = [t for t in peaks if exponent(t, w, branch) >= top - drop]
    low = min(_descend(t, -1, top - drop, w, branch) for t in high_ones)
    high = max(_descend(t, 1, top - drop, w, branch) for t in high_ones)
    return low, high


def _starts(w: float, branch: Branch) -> list[float]:
    """Start at t = 0, and where p or q has its mean."""
    found = [0.0]
    if branch[0] > 0:
        found.append(math.log(branch[0] / w))
    if branch[1] > 0:
        found.append(-math.log(branch[1] / w))
    return found


def _climb(t: float, w: float, branch: Branch) -> float:
    """Newton's method towards a peak of the exponent."""
    for _ in range(_NEWTON_STEPS):
        p, q = w * math.exp(t), w * math.exp(-t)
        slope = -(p - branch[0]) * p + (q - branch[1]) * q
        bend = (2 * p - branch[0]) * p + (2 * q - branch[1]) * q
        step = slope / (bend if bend > 0 else p * p + q * q + 1)
        t += max(-_LONGEST_STEP, min(_LONGEST_STEP, step))
        if abs(step) < 1e-12:
            break
    return t


def _descend(t: float, side: int, level: float, w: float, branch: Branch) -> float:
    step = 1 / math.sqrt(1 + (w * math.exp(t)) ** 2 + (w * math.exp(-t)) ** 2)
    while exponent(t, w, branch) > level:
        t, step = t + side * step, step * 1.1
    return t


def log_parabola(branches: Sequence[Branch], disc: Disc) -> Parabola:
    """δ ↦ ln Σ ∫ exp(exponent) dt to second order, the sum over the branches."""
    parts = [_sampled(disc, branch) for branch in branches]
    logs, slopes, bends = (np.concatenate(column) for column in zip(*parts, strict=True))
    top = float(logs.max())
    weights = np.exp(logs - top)
    total = float(weights.sum())
    slope = float(weights @ slopes) / total
    spread = float(weights @ (slopes - slope) ** 2) / total
    return Parabola(top + math.log(total), slope, spread / 2 - float(weights @ bends) / total)


def _sampled(disc: Disc, branch: Branch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The exponent (with the step's logarithm), its slope and minus its bend in δ, along t."""
    s, u, v = disc.floats
    t, step = np.linspace(*active_range(s, branch), _POINTS, retstep=True)
    up, down = np.exp(t), np.exp(-t)
    first, second = s * up - branch[0], s * down - branch[1]
    logs = -(first**2 + second**2) / 2 + math.log(step)
    return logs, -u * first * up - v * second * down, ((u * up) ** 2 + (v * down) ** 2) / 2
