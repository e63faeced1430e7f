r"""What is measured of marginals, in integers: residuals and signed tables, and how far they move.

A table has one axis for each attribute that it counts by, of n >= 2 values. Measured of it are

- *residuals* of some axes: sums along all other axes, and along each of these `contrast`: the first
  value minus the second if n = 2, else n times each value minus the sum of all;
- *signed tables* of some sign axes (n = 2) and some cell axes: first minus second value along sign
  axes, sums along axes that are neither.

Theorem. Let one unit move every table by a vector of l1 norm at most `most`, each table in its own
way. Then
(1) a residual moves by at most most * sqrt(product of same(n)) in l2 norm, with same(2) = 1 and
    same(n) = n*(n - 1), the product over its axes. So all residuals together, each measured of one
    table, with independent rounded Gaussian noise of variance most^2 * V / h on every number of one,
    h its precision, are mu-GDP with mu^2 = (sum over residuals of h * product of same(n)) / V;
(2) a signed table moves by at most `most` in l1 norm. So signed tables that share a draw of noise with
    one counter, made for moves of `most`, cost the rate of the draw, and draws add up.

Nothing is assumed about how the tables agree: a row may be counted in one of them and not in another.
Proof pages: docs/proofs/residual_planner.md, docs/proofs/signed_marginals.md. Reference: Xiao, He,
Zhang and Kifer 2023, An optimal and scalable matrix mechanism for noisy marginals.

Trusted.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Axes = tuple[int, ...]
"""Numbers of axes, increasing."""

Integers = NDArray[Any]
"""A table of Python's integers: they never overflow."""


def contrast(table: Integers, axis: int) -> Integers:
    """What the values along an axis are beyond their sum, in integers.

    >>> contrast(np.array([5, 1, 0]), 0), contrast(np.array([5, 1]), 0)
    (array([ 9, -3, -6]), array([4]))
    """
    size = table.shape[axis]
    if size == 2:
        return difference(table, axis)
    return np.asarray(size * table - table.sum(axis=axis, keepdims=True))


def difference(table: Integers, axis: int) -> Integers:
    """The first value minus the second; the axis is kept, with one value."""
    first, second = np.split(table, 2, axis=axis)
    return np.asarray(first - second)


def residual(table: Integers, axes: Axes) -> Integers:
    """The residual of some axes of a table."""
    found = _summed(table, axes)
    for axis in range(len(axes)):
        found = contrast(found, axis)
    return found


def signed_table(table: Integers, signs: Axes, cells: Axes) -> Integers:
    """The signed table of some axes; sign axes are kept, with one value.

    >>> signed_table(np.array([[5, 1, 0], [2, 2, 2]]), (0,), (1,))
    array([[ 3, -1, -2]])
    """
    axes = tuple(sorted((*signs, *cells)))
    found = _summed(table, axes)
    for place, axis in enumerate(axes):
        found = difference(found, place) if axis in signs else found
    return found


def _summed(table: Integers, axes: Axes) -> Integers:
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    return np.asarray(table.sum(axis=others) if others else table)


def same(size: int) -> int:
    """The squared l2 norm of the contrast of one row."""
    return 1 if size == 2 else size * (size - 1)
