"""`even_columns`: numbers that fill a cube evenly, for sums over laws that are public."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)


def even_columns(count: int) -> Iterator[Floats]:
    r"""Columns of coordinates of points of the unit cube, one for each dimension asked for.

    Law: coordinate i of point k is 1/2 + k·√pᵢ without its whole part, pᵢ the i-th prime. The roots
    of primes are independent over the rationals, so that by Weyl's theorem every box gets its share
    of the points in the limit, and sooner than with random ones. Nothing is random here, nothing
    secret is touched: this is for sums over public laws, never for noise.

    Example:
        >>> next(even_columns(3)).round(3).tolist()
        [0.914, 0.328, 0.743]
    """
    whole = np.arange(1, count + 1)
    for prime in _PRIMES:
        yield np.asarray((0.5 + whole * np.sqrt(prime)) % 1.0)
