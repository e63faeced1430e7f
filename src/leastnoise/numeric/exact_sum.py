"""Sums of integers that never wrap."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST = 1 << 62  # two such numbers add up to less than 64 bits hold

Integers = NDArray[np.int64] | NDArray[np.object_]


def exact_sum(one: Integers, other: Integers | int) -> Integers:
    """The sum, in Python's integers where 64 bits might not hold it.

    Example:
        >>> exact_sum(np.array([2**62, 1]), 2**62).tolist()
        [9223372036854775808, 4611686018427387905]
    """
    added = np.asarray(other)
    if is_small(one) and is_small(added):
        return np.asarray(one + added)
    return np.asarray(one.astype(np.object_) + added.astype(np.object_))


def is_small(numbers: NDArray[Any]) -> bool:
    """Whether all numbers are of a fixed width and lie strictly between ±2^62."""
    fixed = numbers.dtype != np.object_
    return fixed and int(numbers.min(initial=0)) > -_MOST and int(numbers.max(initial=0)) < _MOST
