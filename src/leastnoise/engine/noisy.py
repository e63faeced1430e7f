"""From exact, secret totals to noisy, public numbers."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.engine.grant import Grant
from leastnoise.engine.measurement import Totals
from leastnoise.randomness.source import Source

Floats = NDArray[np.float64]

_LIMIT = 2**62


def noisy(total: Totals, given: Grant, source: Source) -> Totals:
    """The sum with independent noise, in Python's integers where 64 bits might not hold it."""
    noise = given.law.sample(len(total), source=source)
    if _small(total) and _small(noise):
        return np.asarray(total + noise)
    return np.asarray(total.astype(np.object_) + noise.astype(np.object_))


def moved(numbers: Totals, by: int) -> Totals:
    """All numbers moved by one, in Python's integers where 64 bits might not hold them."""
    if _small(numbers) and abs(by) < _LIMIT:
        return np.asarray(numbers + by)
    return np.asarray(numbers.astype(np.object_) + by)


def _small(numbers: Totals) -> bool:
    whole = numbers.dtype != np.object_
    inside = int(numbers.min(initial=0)) > -_LIMIT and int(numbers.max(initial=0)) < _LIMIT
    return bool(whole and inside)


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
