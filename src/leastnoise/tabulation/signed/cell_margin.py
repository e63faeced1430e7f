"""How far a cell's noise reaches, at a given confidence: in floats, for forecasts and intervals."""

import math
from functools import lru_cache

import numpy as np

from leastnoise.tabulation.residuals.residual_split import Floats
from leastnoise.tabulation.signed.block_laplace import BlockLaplace

_CUTS = 400
_RADII = 64  # the typical radius in steps of the lattice that stands for a finer one
_SPREADS = 14
_LEAST_REACH = 60
_ROUNDED = 1e-9


def smooth_margin(variance: float, squares: float, step: float, confidence: float) -> float:
    r"""An error that is exceeded with at most the remaining probability, for a sum Σ aᵢXᵢ.

    Theorem: let f be a symmetric log-concave density with variance σ², 0 < p < 1. Then
    P(|X| > cσ) ≤ 1 − p, with c the greatest p-quantile, in standard deviations, of the laws of
    density ∝ exp(−x) on 0..a, 0 < a ≤ ∞. The tables' noise has log-concave densities on fine
    lattices; on coarse ones each number is spread over its step, and half a step is added. By
    Chebyshev's inequality σ/√(1 − p) is enough too.
    Proof: docs/proofs/pure_marginals.md, section 4.

    Args:
        variance: of the sum.
        squares: Σ aᵢ².
        step: at least the largest |aᵢ|.
        confidence: p.
    """
    spread = _log_concave_reach(confidence) * math.sqrt(variance + squares / 12) + step / 2
    return min(spread, math.sqrt(variance / (1 - confidence)))


@lru_cache(maxsize=32)
def _log_concave_reach(confidence: float) -> float:
    """c: about 2.17 for 0.95, where a normal law has 1.96."""
    a = np.geomspace(0.01, 100, _CUTS)
    cut = np.exp(-a)
    quantile = -np.log1p(-confidence * (1 - cut))
    square = (2 - cut * (a * a + 2 * a + 2)) / (1 - cut)
    return float((quantile / np.sqrt(square)).max()) * 1.0001


@lru_cache(maxsize=64)
def even_margin(law: BlockLaplace, terms: int, confidence: float) -> float:
    """The same for the mean of so many numbers of a law whose numbers are all even or all odd.

    The radius is mixed over; given it the numbers are independent and uniform, and their sum has a
    characteristic function in closed form. A wide law is replaced by one that is as wide, in steps
    a hundred times finer than it, and one step is added.
    """
    numbers = len(law.widths)
    coarse = max(1.0, numbers / float(law.rate) / _RADII)
    rate = float(law.rate) * coarse
    spread = math.sqrt(numbers + 1) / rate
    most = math.ceil(numbers / rate + _SPREADS * spread + _LEAST_REACH / rate)
    radii = np.arange(most + 1, dtype=np.float64)
    logs = numbers * np.log1p(radii) - rate * radii
    chances = np.exp(logs - logs.max())
    likely = chances > chances.max() * _ROUNDED * _ROUNDED
    tail = _tail(radii[likely], chances[likely] / chances.sum(), terms)
    reach = int(np.argmax(tail <= 1 - confidence - _ROUNDED))
    return (reach + (coarse > 1)) * coarse / terms


def _tail(radii: Floats, chances: Floats, terms: int) -> Floats:
    """P(|Σ xᵢ| > t) for t = 0, 1, …, of `terms` numbers uniform on −r, −r+2, …, r."""
    most = int(radii[-1]) * terms
    length = 1 << (2 * most + 2).bit_length()
    sines = np.sin(2 * np.pi * np.arange(length) / length)  # each is looked up many times
    places = np.arange(1, length // 2)
    mixed = np.empty(length // 2 + 1)
    mixed[0] = chances.sum()  # θ = 0, and θ = π below
    mixed[-1] = (chances * (-1) ** (radii * terms)).sum()
    mixed[1:-1] = 0
    for radius, chance in zip(radii, chances, strict=True):
        turned = sines[(places * (int(radius) + 1)) & (length - 1)]
        mixed[1:-1] += chance * _power(turned / ((radius + 1) * sines[1 : length // 2]), terms)
    law = np.fft.irfft(mixed, length)
    inside = law[0] + np.concatenate([[0], np.cumsum(2 * law[1 : most + 1])])
    return np.asarray(1 - inside)


def _power(base: Floats, exponent: int) -> Floats:
    """By squaring: NumPy's own takes logarithms."""
    if exponent == 1:
        return base
    half = _power(base, exponent // 2)
    return half * half * base if exponent % 2 else half * half
