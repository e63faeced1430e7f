r"""How large the errors of running totals are, proved from the integers alone.

Theorem: let C be square, X any matrix and E = I − C·X with ‖E‖ < 1. Then C⁻¹ = X·(I − E)⁻¹, so
that row t of A·C⁻¹ has a length of at most that of row t of A·X, over 1 − ‖E‖.
Proof: C·X = I − E is invertible, hence C is, and C⁻¹·(I − E) = X.
"""

from fractions import Fraction

import numpy as np
from scipy.linalg import solve_triangular

from leastnoise.certificates.over_time.float_norms import (
    Floats,
    gamma,
    length,
    lengths,
    product_error,
)
from leastnoise.certificates.over_time.integer_stream import SCALE, Integers
from leastnoise.errors import Undecided

_BLOCK = 512  # columns at a time: memory stays that of the matrix


def total_errors(matrix: Integers) -> Floats:
    """A bound on the standard deviation of each running total, for noise of variance 2^48.

    Columns of X are made block by block: a block of E has at most the length that is found for it,
    and all of E at most the length of these; so have the rows of A·X.

    Raises:
        Undecided: the matrix is too near to one without an inverse.
    """
    scaled = matrix.astype(np.float64)
    np.ldexp(scaled, -SCALE, out=scaled)  # exact
    parts, rests = [], []
    for first in range(0, len(scaled), _BLOCK):
        part, rest = _block(scaled[first:, first:])  # above its diagonal a triangle has nothing
        parts.append(np.concatenate((np.zeros(first), part)))
        rests.append(rest)
    off = length(np.array(rests))
    if not off < 1 / 2:
        raise Undecided("the matrix is too near to one without an inverse")
    return np.asarray(lengths(np.stack(parts, axis=1)) / (1 - off) * (1 + 2.0**-48))


def _block(scaled: Floats) -> tuple[Floats, float]:
    """For the first columns: bounds on the length of each row of A·X, and on that of E."""
    start = np.eye(len(scaled), min(_BLOCK, len(scaled)))
    found = solve_triangular(scaled, start, lower=True)
    rest = length(start - scaled @ found) + 2 * product_error(scaled, found)
    slack = gamma(len(scaled)) * lengths(np.cumsum(np.abs(found), axis=0))
    return np.asarray(lengths(np.cumsum(found, axis=0)) + 2 * slack), rest


def mean_square(errors: Floats) -> Fraction:
    """The root of the mean of squares, rounded up."""
    return Fraction(length(errors) / len(errors) ** 0.5 * (1 + 2.0**-48))
