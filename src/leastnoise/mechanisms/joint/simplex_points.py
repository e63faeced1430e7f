"""`simplex_points`: points that stand for the noise of some numbers of one histogram."""

from collections.abc import Iterator

import numpy as np

from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.part import Simplex
from leastnoise.mechanisms.joint.simplex_set import SimplexSet

_AT_ONCE = 1 << 20  # numbers: some 8 MB


def simplex_points(
    part: Simplex, count: int, counters: tuple[Floats, Floats], columns: Iterator[Floats]
) -> list[Floats]:
    r"""`count` numbers of a histogram at each pair of counters.

    Of the d cells j are positive, by the numbers of points of `SimplexSet`; which ones is uniform.
    The positive values are gaps of a j-subset of 1..A, taken one after another: of those that are
    left P(G > m) = C(A−m, j)/C(A, j), here with ((A−m−c)/(A−c))^j, c = (j−1)/2, for the quotient.
    """
    up, down = (np.maximum(each, 0) * float(part.total) + part.start for each in counters)
    above = _positive(part, counters, next(columns))
    below, left = part.cells - above, np.full(len(above), float(part.cells))
    room = [up, down + below]  # the gaps of the others are each 1 too long
    found = []
    for _ in range(count):
        is_above = next(columns) * left < above
        many, space = np.where(is_above, above, below), np.where(is_above, *room)
        gap = _gap(many, space, next(columns))
        found.append(np.where(is_above, gap, 1 - gap))
        room = [room[0] - gap * is_above, room[1] - gap * ~is_above]
        above, below, left = above - is_above, below - ~is_above, left - 1
    return found


def _gap(many: Floats, space: Floats, column: Floats) -> Floats:
    """The least element of a random subset of 1..space with so many elements."""
    some = np.maximum(many, 1)
    wide = np.maximum(space - (some - 1) / 2, 1)
    return np.asarray(np.maximum(np.ceil(wide * (1 - column ** (1 / some))), 1))


def _positive(part: Simplex, counters: tuple[Floats, Floats], column: Floats) -> Floats:
    """How many cells are positive, given the counters: some rows at once, equal pairs once."""
    pairs, places = np.unique(counters[0] + 1j * counters[1], return_inverse=True)
    one, other = SimplexSet(part.cells, part.total, part.start).log_terms(pairs.real, pairs.imag)
    terms = np.exp(one + other - (one + other).max(axis=1, keepdims=True))
    sums = np.cumsum(terms, axis=1) / terms.sum(axis=1, keepdims=True)
    rows, height = places.ravel(), max(1, _AT_ONCE // (part.cells + 1))
    return np.concatenate(
        [
            (sums[rows[top : top + height]] < column[top : top + height, np.newaxis]).sum(axis=1)
            for top in range(0, len(rows), height)
        ]
    ).astype(np.float64)
