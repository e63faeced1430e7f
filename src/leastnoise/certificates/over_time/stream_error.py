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
from leastnoise.certificates.over_time.spans import Span, sums
from leastnoise.errors import Undecided

_COLUMNS = 512  # of X at a time: memory stays that of the matrix
_ROWS = 128  # of a block of them, found together by one product of matrices


def total_errors(matrix: Integers, spans: tuple[Span, ...] = ()) -> Floats:
    """A bound on the standard deviation of each running total, for noise of variance 2^48.

    With `spans`, on that of each of these sums of steps.

    Columns of X are made block by block: a block of E has at most the length that is found for it,
    and all of E at most the length of these; so have the rows of A·X.

    Raises:
        Undecided: the matrix is too near to one without an inverse.
    """
    parts, rests = [], []
    for first in range(0, len(matrix), _COLUMNS):
        # Above its diagonal a triangle has nothing.
        totals, slack, rest = _block(matrix[first:, first:])
        none = np.zeros((first, totals.shape[1] if spans else 1))
        own = sums(np.vstack([none, totals]), spans) if spans else totals
        part = lengths(own) + 4 * slack
        parts.append(part if spans else np.concatenate((none[:, 0], part)))
        rests.append(rest)
    off = length(np.array(rests))
    if not off < 1 / 2:
        raise Undecided("the matrix is too near to one without an inverse")
    return np.asarray(lengths(np.stack(parts, axis=1)) / (1 - off) * (1 + 2.0**-48))


def _block(matrix: Integers) -> tuple[Floats, float, float]:
    """For the first columns: A·X, by how much each row of it may be off, and the length of E.

    Some rows of X at a time, by those above: with R what is left of I after these, the rows are X =
    Y·R, and R − D·X of E, for the block D of C on its diagonal and any Y near to its inverse. So no
    product is made but those that find X, and E is what they left, up to their rounding.
    """
    steps, columns = len(matrix), min(_COLUMNS, len(matrix))
    found, rests = np.zeros((steps, columns)), []
    for top in range(0, steps, _ROWS):
        end = min(top + _ROWS, steps)
        above, own = _scaled(matrix[top:end, :top]), _scaled(matrix[top:end, top:end])
        left = np.eye(end - top, columns, top) - above @ found[:top]
        rows = solve_triangular(own, np.eye(len(own)), lower=True) @ left  # trusted for nothing
        found[top:end] = rows
        rounded = 2 * product_error(above, found[:top]) + 2 * product_error(own, rows)
        rests.append(length(left - own @ rows) + rounded)
    slack = gamma(steps) * length(np.abs(found).sum(axis=0))  # of any row
    np.cumsum(found, axis=0, out=found)
    return found, slack, length(np.array(rests))


def _scaled(matrix: Integers) -> Floats:
    """In units of 1: exact."""
    return np.asarray(np.ldexp(matrix.astype(np.float64), -SCALE))


def weighted_mean_square(errors: Floats, weights: tuple[int, ...]) -> Fraction:
    """The root of the mean of squares by their weights, rounded up."""
    shares = np.sqrt(np.array(weights, np.float64))
    return Fraction(length(errors * shares) / float(sum(weights)) ** 0.5 * (1 + 2.0**-46))


def mean_square(errors: Floats) -> Fraction:
    """The root of the mean of squares, rounded up."""
    return Fraction(length(errors) / len(errors) ** 0.5 * (1 + 2.0**-48))
