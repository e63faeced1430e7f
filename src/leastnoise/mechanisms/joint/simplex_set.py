"""`SimplexSet`: what p units may add to a histogram and q units take away."""

from bisect import bisect_right
from itertools import accumulate
from math import comb
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.joint_part import Integers
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_integer

_FITS = 1 << 62


@dataclass(frozen=True)
class SimplexSet:
    r"""{x in Z^d : the positive cells add up to at most A, the others to at least −B}.

    It has Σⱼ C(d, j)·C(A, j)·C(B+d−j, d−j) points: j cells are positive, their sums as one goes
    along are a subset of 1..A, and those of the others, each 1 greater, a subset of 1..B+d−j.

    Args:
        cells: d.
        total: A = p·total + start, B = q·total + start.
        start: see there.
    """

    cells: int
    total: int
    start: int

    def ends(self, p: int, q: int) -> tuple[int, int]:
        """A and B."""
        return p * self.total + self.start, q * self.total + self.start

    def points(self, p: int, q: int) -> arb:
        """A ball around the number of points, term by term."""
        up, down = self.ends(p, q)
        d, term = self.cells, arb(1)
        for i in range(1, d + 1):
            term = term * (down + i) / i
        total = term
        for j in range(min(d, up)):
            term = term * ((d - j) ** 2 * (up - j)) / ((j + 1) ** 2 * (down + d - j))
            total += term
        return total

    def log_terms(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        """Logarithms of C(d, j)·C(A, j) for each p, and of C(B+d−j, d−j) for each q, roughly."""
        one, other = self._log_terms(p, q)
        return np.ascontiguousarray(one.T), np.ascontiguousarray(other.T)

    def _log_terms(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        """The same, with a row for each j: few long rows are quicker than many short ones."""
        j = np.arange(self.cells, dtype=np.float64)[:, np.newaxis]
        # Outlines look half a step beyond 0, where wide histograms have no logarithm.
        up, down = (
            np.maximum(counter, 0) * float(self.total) + float(self.start) for counter in (p, q)
        )
        with np.errstate(divide="ignore"):
            rise = np.log(np.maximum(up - j, 0)) + np.log(self.cells - j) - 2 * np.log(j + 1)
        others = np.log((down + j + 1) / (j + 1))
        return _sums_below(rise), _sums_below(others)[::-1]

    def log_points(self, p: Floats, q: Floats) -> Floats:
        """The logarithm of the number of points for pairs (p, q), roughly."""
        if (p != np.floor(p)).any():
            one, other = self._log_terms(p, q)
            return log_sum((one + other).T)
        # Whole numbers are in many pairs.
        (ups, p_places), (downs, q_places) = (np.unique(x, return_inverse=True) for x in (p, q))
        one, other = self._log_terms(ups, downs)
        return log_sum((one[:, p_places] + other[:, q_places]).T)

    def uniform(self, p: int, q: int, source: Source) -> Integers:
        """A uniform point."""
        from leastnoise.noise.vectors.cross_polytope import uniform_subset  # noqa: PLC0415 - only drawing needs it

        up, down = self.ends(p, q)
        shares = list(accumulate(self._weights(up, down)))
        positive = bisect_right(shares, uniform_integer(shares[-1], source))
        negative = self.cells - positive
        chosen = uniform_subset(positive, self.cells, source)
        point: Integers = np.zeros(self.cells, np.int64)
        if max(up, down) >= _FITS:
            point = point.astype(np.object_)
        left = np.delete(np.arange(self.cells), chosen)
        point[left] = 1 - _gaps(uniform_subset(negative, down + negative, source), point.dtype)
        point[chosen] = _gaps(uniform_subset(positive, up, source), point.dtype)
        return point

    def _weights(self, up: int, down: int) -> list[int]:
        """How many points have j positive cells, for each j."""
        d = self.cells
        term = comb(down + d, d)
        weights = [term]
        for j in range(min(d, up)):
            term = term * ((d - j) ** 2 * (up - j)) // ((j + 1) ** 2 * (down + d - j))
            weights.append(term)
        return weights


def log_sum(logs: Floats) -> Floats:
    """The logarithm of the sum of each row, of which logarithms are given."""
    top = logs.max(axis=1)
    parts = np.exp(logs - top[:, np.newaxis])
    found: Floats = top + np.log(np.ascontiguousarray(parts).sum(axis=1))
    return found


def running_sums(logs: Floats) -> Floats:
    """Sums as one goes along each row, from 0."""
    return np.ascontiguousarray(_sums_below(logs.T).T)


def _sums_below(logs: Floats) -> Floats:
    """Sums as one goes down each column, from 0: all columns one row further at once."""
    sums = np.zeros((logs.shape[0] + 1, logs.shape[1]))
    for place, row in enumerate(logs):
        np.add(sums[place], row, out=sums[place + 1])
    return sums


def _gaps(subset: list[int], kind: np.dtype[Any]) -> NDArray[Any]:
    """How far each element is above the one before."""
    return np.diff(np.array([-1, *subset], dtype=kind))
