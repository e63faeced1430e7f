r"""`Participation`: in which steps of a schedule one unit may be, and what that costs."""

from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._frozen import Whole, checked, frozen

Integers = NDArray[np.int64]

_MOST_STEPS = 1 << 20
_HALF = 12  # bits: products of two such halves, 2^29 of them added up, are exact in doubles
_ENTRY = 1 << 2 * _HALF + 1
_MOST_SUM = 1 << 62


@frozen(kw_only=True)
class Participation:
    r"""One unit is in at most `most` steps, each at least `apart` after the one before.

    Theorem: let C be an integer matrix, K = CᵀC, and let a unit move the total of each of its steps
    by at most 1. It moves Cx by at most √S in length, with S the greatest Σ_{i,j∈P} |K_ij| over
    the sets P of steps that it may be in. With R_d(i) = max_{j≥i+dg} |K_ij|, L_d(i) =
    max_{j≤i−dg} |K_ij| and φ_a(i) = |K_ii| + Σ_{d=1}^{k−a} R_d(i) + Σ_{d=1}^{a−1} L_d(i), S is at
    most the greatest Σ_{a=1}^k φ_a(p_a) over all k ≤ m and p_{a+1} ≥ p_a + g.
    Proof: docs/proofs/over_time.md, section 6.

    Args:
        most: m, at least 1.
        apart: g, at least 1.

    Example:
        >>> Participation(most=2).squared_reach(np.array([[2, 0], [1, 2]]))
        13
    """

    most: Whole = checked(_check.whole(1), default=1)
    apart: Whole = checked(_check.whole(1), default=1)

    def squared_reach(self, matrix: Integers) -> int:
        """S, or a number above it: exact if m = 1, or if K vanishes g steps from its diagonal."""
        if self.times(len(matrix)) == 1:
            return _greatest_column(matrix)
        gram = np.abs(_gram(matrix))
        if int(gram.max()) * self.times(len(gram)) ** 2 >= _MOST_SUM:
            raise _check.refuse(
                "the squares of all steps of a unit must add up to less than 2^62",
                f"{self.times(len(gram))} steps of a matrix with large entries",
                "Measure with smaller integers.",
            )
        return max(_greatest_path(gram, k, self.apart) for k in range(1, self.times(len(gram)) + 1))

    def times(self, steps: SupportsIndex) -> int:
        """How often a unit can be in a schedule of so many steps."""
        return min(self.most, -(-int(steps) // self.apart))


def _greatest_column(matrix: Integers) -> int:
    """The greatest sum of squares of a column."""
    _refuse_large(matrix)
    return int(np.einsum("ts,ts->s", matrix, matrix).max())


def _gram(matrix: Integers) -> Integers:
    """CᵀC, exactly: halves of the entries are multiplied as doubles, which are exact on them."""
    _refuse_large(matrix)
    high = matrix >> _HALF
    low = matrix - (high << _HALF)
    one, other = high.astype(np.float64), low.astype(np.float64)
    mixed = one.T @ other
    parts = (one.T @ one, mixed + mixed.T, other.T @ other)
    top, middle, bottom = (part.astype(np.int64) for part in parts)
    return np.asarray((top << 2 * _HALF) + (middle << _HALF) + bottom)


def _refuse_large(matrix: Integers) -> None:
    """Larger ones might overflow, or be rounded, on the way to a price."""
    small = (
        matrix.size
        and len(matrix) <= _MOST_STEPS
        and -_ENTRY < int(matrix.min()) <= int(matrix.max()) < _ENTRY
    )
    if not small:
        raise _check.refuse(
            "a matrix over time must have at most 2^20 steps and entries below 2^25",
            "another one",
            "Measure with smaller integers.",
        )


def _greatest_path(gram: Integers, count: int, apart: int) -> int:
    """The greatest Σ φ_a(p_a) over k steps that are far enough apart; 0 if there are none."""
    steps = len(gram)
    if (count - 1) * apart >= steps:
        return 0
    right, left = _far(gram, count, apart), _far(gram[::-1, ::-1], count, apart)[:, ::-1]
    diagonal = np.diagonal(gram)
    best = np.full(steps, -1, np.int64)
    for a in range(1, count + 1):
        own = diagonal + right[count - a] + left[a - 1]
        if a == 1:
            best = own
            continue
        before = np.maximum.accumulate(best)
        reached = np.full(steps, -1, np.int64)
        reached[apart:] = np.where(before[:-apart] < 0, -1, before[:-apart] + own[apart:])
        best = reached
    return int(best.max())


def _far(gram: Integers, count: int, apart: int) -> Integers:
    """Row n: Σ_{d=1}^{n} max_{j≥i+dg} K_ij, for each i; nothing there counts as 0."""
    steps = len(gram)
    found = np.zeros((count, steps), np.int64)
    suffix = np.maximum.accumulate(gram[:, ::-1], axis=1)[:, ::-1]
    places = np.arange(steps)
    for d in range(1, count):
        at = places + d * apart
        inside = at < steps
        found[d] = found[d - 1]
        found[d, inside] += suffix[places[inside], at[inside]]
    return found
