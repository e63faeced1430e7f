"""`even_columns`: numbers that fill a cube evenly, for sums over laws that are public."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_PRIMES = (
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83,
    89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179,
    181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277,
    281, 283, 293, 307, 311, 313, 317, 331, 337, 347, 349, 353, 359, 367, 373, 379, 383, 389,
    397, 401, 409,
)  # fmt: skip


def even_columns(count: int) -> Iterator[Floats]:
    r"""Columns of coordinates of points of the unit cube, one for each dimension asked for.

    Law: coordinate i of point k is k written with the i-th prime as base, its digits mirrored at
    the point. Every box of the cube gets its share of the points but for about log(count)^d of
    them, far less than with random ones. Nothing is random here, nothing secret is touched: this is
    for sums over public laws, never for noise.

    References: Halton1960.

    Example:
        >>> next(even_columns(4)).tolist()
        [0.5, 0.25, 0.75, 0.125]
    """
    for base in _PRIMES:
        yield _mirrored(count, base)


@lru_cache(maxsize=32)
def _mirrored(count: int, base: int) -> Floats:
    column, place = np.zeros(1), 1 / base
    while len(column) <= count:  # numbers with one digit more begin with any of these
        digits = np.arange(min(base, -(-(count + 1) // len(column))))
        column = (place * digits[:, np.newaxis] + column).ravel()
        place /= base
    column = column[1 : count + 1]
    column.flags.writeable = False
    return column
