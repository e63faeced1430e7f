r"""Norms of matrices of doubles, rounded up: what IEEE arithmetic says of them, and no more.

Assumed: float64 additions and multiplications round to nearest, and a sum of n products is added up
in some order. Then it is off by at most γ_n·Σ|products| with γ_n = n·u/(1 − n·u), u = 2^−53.
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_UNIT = 2.0**-53


def gamma(count: int) -> float:
    """γ_n, rounded up."""
    return _above(count * _UNIT / (1 - count * _UNIT))


def length(values: Floats) -> float:
    """The root of the sum of squares, rounded up."""
    flat = np.ravel(values)
    squares = float(flat @ flat) * (1 + 2 * gamma(flat.size + 4))
    return _above(math.sqrt(_above(squares, 3)), 2)


def lengths(rows: Floats) -> Floats:
    """The same for each row."""
    squares = np.einsum("ij,ij->i", rows, rows)
    return np.asarray(np.sqrt(squares) * (1 + 2 * gamma(rows.shape[1] + 4)))


def product_error(one: Floats, other: Floats) -> float:
    """How far a product of two matrices, as the machine has it, is from the true one, in length."""
    return _above(gamma(one.shape[1] + 1) * length(one) * length(other), 4)


def _above(value: float, units: int = 2) -> float:
    """More than a positive number that was rounded so many times."""
    return value * (1 + 4 * units * _UNIT) + 5e-324
