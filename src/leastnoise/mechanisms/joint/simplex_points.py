"""`simplex_points`: points that stand for the noise of some numbers of one histogram."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.part import Simplex
from leastnoise.mechanisms.joint.simplex_set import SimplexSet


@dataclass(frozen=True, eq=False)
class Pairs:
    """Both counters at many points, few of which are different.

    Attributes:
        p: one counter of each different pair.
        q: the other.
        places: for each point, which pair it has.
    """

    p: Floats
    q: Floats
    places: NDArray[np.intp]

    @classmethod
    def of(cls, up: Floats, down: Floats) -> "Pairs":
        """The different pairs are looked for."""
        pairs, places = np.unique(up + 1j * down, return_inverse=True)
        return cls(pairs.real, pairs.imag, places.ravel())


def simplex_points(
    part: Simplex, count: int, pairs: Pairs, columns: Iterator[Floats]
) -> list[Floats]:
    r"""`count` numbers of a histogram at each pair of counters.

    Of the d cells j are positive, by the numbers of points of `SimplexSet`; which ones is uniform.
    The positive values are gaps of a j-subset of 1..A, taken one after another: of those that are
    left P(G > m) = C(A−m, j)/C(A, j), here with ((A−m−c)/(A−c))^j, c = (j−1)/2, for the quotient.
    """
    up, down = (
        (np.maximum(each, 0) * float(part.total) + part.start)[pairs.places]
        for each in (pairs.p, pairs.q)
    )
    above = _positive(part, pairs, next(columns))
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


def _positive(part: Simplex, pairs: Pairs, column: Floats) -> Floats:
    """How many cells are positive, given the counters."""
    one, other = SimplexSet(part.cells, part.total, part.start).log_terms(pairs.p, pairs.q)
    terms = np.exp(one + other - (one + other).max(axis=1, keepdims=True))
    sums = np.cumsum(terms, axis=1) / terms.sum(axis=1, keepdims=True)
    found = np.zeros(len(column))
    for each in np.ascontiguousarray(sums.T):
        found += each[pairs.places] < column
    return found
