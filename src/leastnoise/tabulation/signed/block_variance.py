"""The variance of each number of `BlockLaplace` noise, in floats: for searches and forecasts."""

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.tabulation.signed.block_laplace import BlockLaplace

Floats = NDArray[np.float64]

_POINTS_PER_SPREAD = 24
_SPREADS = 14
_LEAST_REACH = 60  # in units of 1/rate: tails fall as exp(−rate·r) in the end


def smooth_variance(width: int, numbers: int) -> float:
    """The variance at rate 1 on a fine lattice, if all blocks together have so many numbers."""
    return 2 * (numbers + 1) * (numbers + 2) / ((width + 1) * (width + 2))


@lru_cache(maxsize=256)
def block_variances(law: BlockLaplace) -> Mapping[int, float]:
    r"""Width ↦ variance of each number in a block of that width.

    Theorem: for every d ≥ 1 and r ≥ 0, let a point be uniform among those of Z^d with ‖x‖₁ ≤ r. It
    has t numbers other than 0 with weight C(d, t)·C(r, t)·2^t, and given t,
    E x₁² = (t/d)·(r+1)/(t+1)·(2(r+2)/(t+2) − 1).
    Proof: docs/proofs/pure_marginals.md, section 2.
    """
    widths = sorted(set(law.widths))
    if len(law.widths) == 1:
        return {widths[0]: float(DiscreteLaplace(scale=1 / law.rate).moment(2))}
    radii = _radii(law)
    if law.is_even:
        logs, squares = len(law.widths) * np.log1p(radii), {1: radii * (radii + 2) / 3}
    else:
        parts = {width: _ball(width, radii) for width in widths}
        logs = sum((parts[width][0] for width in law.widths), np.zeros(len(radii)))
        squares = {width: parts[width][1] for width in widths}
    chances = _shares(logs - float(law.rate) * radii)
    return {width: float(chances @ square) for width, square in squares.items()}


def _radii(law: BlockLaplace) -> Floats:
    """Radii around the likely ones, evenly spaced; all of them if the law is narrow."""
    numbers, rate = sum(law.widths), float(law.rate)
    middle, reach = numbers / rate, _SPREADS * (math.sqrt(numbers + 1) / rate + 1)
    step = max(1, law.spread // _POINTS_PER_SPREAD)
    low = max(0, int((middle - reach) // step)) * step
    return np.arange(low, middle + reach + _LEAST_REACH / rate, step, dtype=np.float64)


def _ball(width: int, radii: Floats) -> tuple[Floats, Floats]:
    """For each radius the logarithm of the number of points, and E x₁²."""
    t = np.arange(width + 1, dtype=np.float64)
    r = radii[:, np.newaxis]
    with np.errstate(divide="ignore"):
        ratios = np.log(2 * (width - t[:-1]) / (t[1:] ** 2)) + np.log(np.maximum(r - t[:-1], 0))
    logs = np.concatenate([np.zeros((len(radii), 1)), np.cumsum(ratios, axis=1)], axis=1)
    top = logs.max(axis=1)
    weights = np.exp(logs - top[:, np.newaxis])
    total = weights.sum(axis=1)
    square = t / width * (r + 1) / (t + 1) * (2 * (r + 2) / (t + 2) - 1)
    return top + np.log(total), (weights * square).sum(axis=1) / total


def _shares(logs: Floats) -> Floats:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())
