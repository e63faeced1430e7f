"""Sums of integers that never wrap."""

import numpy as np

from leastnoise.noise.shapes.shape import Draws

_MOST = 1 << 62


def exact_sum(one: Draws, other: Draws | int) -> Draws:
    """The sum, in Python's integers where 64 bits might not hold it.

    Example:
        >>> exact_sum(np.array([2**62, 1]), 2**62).tolist()
        [9223372036854775808, 4611686018427387905]
    """
    if _is_small(one) and _is_small(other):
        return np.asarray(one + other)
    return np.asarray(one.astype(np.object_) + other)


def _is_small(numbers: Draws | int) -> bool:
    if isinstance(numbers, int):
        return abs(numbers) < _MOST
    if numbers.dtype == np.object_:
        return False
    return int(numbers.min(initial=0)) > -_MOST and int(numbers.max(initial=0)) < _MOST
