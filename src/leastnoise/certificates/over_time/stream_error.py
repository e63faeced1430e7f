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


def total_errors(matrix: Integers) -> Floats:
    """A bound on the standard deviation of each running total, for noise of variance 2^48.

    Raises:
        Undecided: the matrix is too near to one without an inverse.
    """
    scaled = np.ldexp(matrix.astype(np.float64), -SCALE)  # exact
    found = solve_triangular(scaled, np.eye(len(scaled)), lower=True)
    rest = length(np.eye(len(scaled)) - scaled @ found) + 2 * product_error(scaled, found)
    if not rest < 1 / 2:
        raise Undecided("the matrix is too near to one without an inverse")
    totals = np.cumsum(found, axis=0)
    slack = gamma(len(scaled)) * lengths(np.cumsum(np.abs(found), axis=0))
    return np.asarray((lengths(totals) + 2 * slack) / (1 - rest) * (1 + 2.0**-48))


def mean_square(errors: Floats) -> Fraction:
    """The root of the mean of squares, rounded up."""
    return Fraction(length(errors) / len(errors) ** 0.5 * (1 + 2.0**-48))
