"""Noisy, public integers as numbers of the answer."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.numeric.exact_sum import is_small
from leastnoise.release.step.secret_totals import Totals

Floats = NDArray[np.float64]

_LIMIT = 2**62  # two such numbers add up within 64 bits


def moved(numbers: Totals, by: int) -> Totals:
    """All numbers moved by one, in Python's integers where 64 bits might not hold them."""
    if is_small(numbers) and abs(by) < _LIMIT:
        return np.asarray(numbers + by)
    return np.asarray(numbers.astype(np.object_) + by)


def scaled(numbers: Totals, step: Fraction) -> Floats:
    """Integers in steps of the lattice as numbers, each to the nearest double."""
    if numbers.dtype != np.object_ and step.denominator * step.numerator == 1:
        return numbers.astype(np.float64)
    if numbers.dtype != np.object_ and _is_double(step):
        return numbers.astype(np.float64) * float(step)
    return np.array([_double(int(number) * step) for number in numbers], dtype=np.float64)


def _is_double(step: Fraction) -> bool:
    """A power of two that scales any 64-bit integer without a second rounding."""
    top, bottom = step.numerator, step.denominator
    return top & (top - 1) == 0 and bottom & (bottom - 1) == 0 and max(top, bottom) < 2**900


def _double(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
