r"""What joint noise is like, in floats: variances, and points that stand for its law.

For forecasts and intervals only; no promise depends on it. The counters of `KNormNoise` are tabled:
all pairs if they are few, else pairs at the middles of equal blocks. Given the counters, blocks are
independent, and every number has a simple law. Variances are within 1 % of the truth, and within
0.01 % where all pairs are listed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log, sqrt

import numpy as np
from numpy.typing import NDArray

from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import Block, Box, Diamond, KNormNoise, Simplex
from leastnoise.noise.vector_laplace import LaplaceNoise

Floats = NDArray[np.float64]
Law = KNormNoise | LaplaceNoise | CentredGaussian

_FAR = 45.0  # weights below e**-45 of the greatest are left out
_SUMS, _SIDE = 4096, 200  # lengths of a table of sums, and of a side of a table of pairs


@dataclass(frozen=True, eq=False)
class CounterTable:
    """Values of the counters, with shares that add up to 1.

    Attributes:
        p: the first counter, or p + q if only that matters; then the first is uniform given it.
        q: the second counter, or None.
        shares: how likely they are.
    """

    p: Floats
    q: Floats | None
    shares: Floats

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, law: KNormNoise) -> "CounterTable":
        """The table of a law."""
        if not any(isinstance(block, Simplex) for block in law.blocks):
            p = _grid(law, _SUMS)
            logs = _log_sides(law, p) + (np.log1p(p) if law.counters == 2 else 0)
            return cls._kept(p, None, logs)
        line = _grid(law, _SIDE)
        p, q = (each.ravel() for each in np.meshgrid(line, line))
        p, q = p[p + q <= line[-1]], q[p + q <= line[-1]]
        logs = _log_sides(law, p + q)
        for block, count in Counter(law.blocks).items():
            if isinstance(block, Simplex):
                logs = logs + count * _log_sum(_log_by_positive(block, p, q))
        return cls._kept(p, q, logs)

    @classmethod
    def _kept(cls, p: Floats, q: Floats | None, logs: Floats) -> "CounterTable":
        kept = logs > logs.max() - _FAR
        shares = np.exp(logs[kept] - logs.max())
        return cls(p[kept], None if q is None else q[kept], shares / shares.sum())

    @property
    def sums(self) -> Floats:
        """p + q."""
        return self.p if self.q is None else self.p + self.q


def _grid(law: KNormNoise, length: int) -> Floats:
    """Middles of blocks that reach to where the weight is below e**-45 of the greatest.

    The logarithm of F(r) rises by at most D/r, so the weight at x*(D + 1)/rate is at most
    e^((D + 1)*(1 + log x - x)) of that at (D + 1)/rate.
    """
    degree, factor = law.cells + 1, 2.0
    for _ in range(50):  # to the root above 1 of x - 1 - log x = _FAR / degree
        factor = 1 + log(factor) + _FAR / degree
    step = ceil(degree * factor / float(law.rate) / length)
    return np.asarray(np.arange(length) * float(step) + (step - 1) / 2)


def _log_sides(law: KNormNoise, sums: Floats) -> Floats:
    """The logarithm of e^(-rate*r) times the number of points of boxes and diamonds."""
    logs = -float(law.rate) * sums
    for block, count in Counter(law.blocks).items():
        if isinstance(block, Box):
            side = sums * float(block.high - block.low) + float(block.start + 1)
            logs = logs + count * block.cells * np.log(side)
        elif isinstance(block, Diamond):
            logs = logs + count * _log_sum(_log_by_size(block, sums))
    return logs


def _log_choose(n: Floats, k: Floats) -> Floats:
    """log C(n, k), minus infinity where n < k."""
    from scipy.special import gammaln

    rest = np.maximum(n - k, 0)
    # Stirling's series for large n: gammaln(n) - gammaln(n - k) would lose all its digits there.
    near = gammaln(n + 1) - gammaln(rest + 1)
    far = k * np.log(np.maximum(n - (k - 1) / 2, 1))
    logs: Floats = np.where(n > 1e6, far, near) - gammaln(k + 1)
    return np.where(n < k, -np.inf, logs)


def _log_sum(logs: Floats) -> Floats:
    top = logs.max(axis=-1)
    found: Floats = top + np.log(np.exp(logs - top[..., np.newaxis]).sum(axis=-1))
    return found


def _log_by_positive(block: Simplex, p: Floats, q: Floats) -> Floats:
    """The logarithm of how many points have j positive numbers, a row for each pair."""
    j = np.arange(block.cells + 1.0)
    rest, places = block.cells - j, _log_choose(np.full(j.shape, float(block.cells)), j)
    counters, where = np.unique(np.concatenate([p, q]), return_inverse=True)
    reach = (counters * float(block.total) + float(block.start))[:, np.newaxis]
    up, down = _log_choose(reach, j) + places, _log_choose(reach + rest, rest)
    found: Floats = up[where[: p.size]] + down[where[p.size :]]
    return found


def _log_by_size(block: Diamond, sums: Floats) -> Floats:
    """The logarithm of how many points have j numbers that are not 0."""
    j = np.arange(block.cells + 1.0)
    reach = (sums * float(block.total) + float(block.start))[:, np.newaxis]
    places = _log_choose(np.full(j.shape, float(block.cells)), j) + j * np.log(2)
    found: Floats = places + _log_choose(reach, j)
    return found


def _chances(logs: Floats) -> Floats:
    """Shares of each row, from logarithms."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    found: Floats = weights / weights.sum(axis=1, keepdims=True)
    return found


# Variances


def variance(law: Law, place: int) -> float:
    """Of the noise of each number of a block.

    >>> from fractions import Fraction
    >>> round(variance(KNormNoise(Fraction(1), (Box(0, 1, cells=10, start=6),)), 0), 3)
    20.317
    """
    if isinstance(law, LaplaceNoise):
        return float(1 / (2 * np.sinh(0.5 / law.scale) ** 2))
    if isinstance(law, CentredGaussian):
        return _gaussian_variance(law, {(place, 0): 1.0})
    table, block = CounterTable.of(law), law.blocks[place]
    if isinstance(block, Box):
        sums, centre = table.sums, float(block.low + block.high)
        long = sums * float(block.high - block.low) + float(block.start)
        if table.q is None:
            shift = centre**2 * sums * (sums + 2)
        else:
            shift = 3 * centre**2 * (table.p - table.q) ** 2
        return float(table.shares @ (long * (long + 2) + shift)) / 12
    return float(table.shares @ _mean_squares(block, table))


def _mean_squares(block: Simplex | Diamond, table: CounterTable) -> Floats:
    """The mean square of one number, given the counters."""
    j, d = np.arange(block.cells + 1.0), block.cells
    if isinstance(block, Diamond):
        chances = _chances(_log_by_size(block, table.sums))
        reach = (table.sums * float(block.total) + float(block.start))[:, np.newaxis]
        return np.asarray((chances * _gap_square(reach, j)[0] * j / d).sum(axis=1))
    assert table.q is not None, "a simplex has two counters"
    chances = _chances(_log_by_positive(block, table.p, table.q))
    up, down = (
        (each * float(block.total) + float(block.start))[:, np.newaxis]
        for each in (table.p, table.q)
    )
    rises, (falls, fall) = _gap_square(up, j)[0], _gap_square(down + d - j, d - j)
    squares = rises * j / d + (falls - 2 * fall + 1) * (d - j) / d
    return np.asarray((chances * squares).sum(axis=1))


def _gap_square(reach: Floats, size: Floats) -> tuple[Floats, Floats]:
    """E G^2 and E G of a gap of a random subset of 1 .. reach: P(G > m) = C(reach - m, size)/...."""
    mean = (reach + 1) / (size + 1)
    return 2 * (reach + 2) * (reach + 1) / ((size + 1) * (size + 2)) - mean, mean


def _gaussian_variance(law: CentredGaussian, coefficients: dict[tuple[int, int], float]) -> float:
    """Of a sum of numbers, rounding included as if it were independent."""
    shared = own = rounding = 0.0
    for (place, _), coefficient in coefficients.items():
        block, weight = law.blocks[place], law.weights[place]
        half = 2 if isinstance(block, Box) else 1
        centre = block.low + block.high if isinstance(block, Box) else 0
        shared += coefficient * centre / (half * law.common) if centre else 0.0
        own += (coefficient / (half * weight)) ** 2 if weight else 0.0
        rounding += coefficient**2 / 12
    return law.variance * (shared**2 + own) + rounding


# Points


class Columns(Iterator[Floats]):
    """Columns of a table of points that fill a cube evenly: multiples of square roots of primes."""

    def __init__(self, count: int) -> None:
        self._places, self._last = np.arange(count) + 0.5, 1

    def __next__(self) -> Floats:
        self._last += 1
        while any(self._last % divisor == 0 for divisor in range(2, int(sqrt(self._last)) + 1)):
            self._last += 1
        return np.asarray(self._places * sqrt(self._last) % 1)


def points(
    law: Law, numbers: Sequence[tuple[int, int]], columns: Columns
) -> tuple[list[Floats], Floats]:
    """Points that stand for the noise of some numbers of one draw, and the weights of the points.

    Args:
        law: the law of the draw.
        numbers: (block, cell) of each number, all different.
        columns: coordinates of the points.
    """
    if isinstance(law, CentredGaussian):
        found = _gaussian_points(law, numbers, columns)
        return found, np.ones_like(found[0])
    if isinstance(law, LaplaceNoise):
        found = [_laplace_point(law.scale, next(columns)) for _ in numbers]
        return found, np.ones_like(found[0])
    p, q, weights = _counter_points(law, columns)
    drawn: dict[tuple[int, int], Floats] = {}
    for place in dict.fromkeys(place for place, _ in numbers):
        own = [number for number in numbers if number[0] == place]
        block = law.blocks[place]
        drawn |= dict(zip(own, _block_points(block, len(own), p, q, columns), strict=True))
    return [drawn[number] for number in numbers], weights


def _gaussian_points(
    law: CentredGaussian, numbers: Sequence[tuple[int, int]], columns: Columns
) -> list[Floats]:
    from scipy.special import ndtri

    scale, found = sqrt(law.variance), list[Floats]()
    shared = scale * ndtri(next(columns))
    for place, _ in numbers:
        block, weight = law.blocks[place], law.weights[place]
        noise = scale * ndtri(next(columns)) / weight if weight else 0 * shared
        if isinstance(block, Box):
            noise = noise + shared * ((block.low + block.high) / (law.common or 1))
            noise = noise / 2
        found.append(np.floor(noise + 0.5))
    return found


def _laplace_point(scale: int, column: Floats) -> Floats:
    """From P(|X| >= m) = 2*p^m/(1 + p), p = e^(-1/scale)."""
    tail = 2 * np.minimum(column, 1 - column)
    magnitude = np.floor(-scale * (np.log(tail / 2) + np.log1p(np.exp(-1 / scale))))
    return np.asarray(np.copysign(np.maximum(magnitude, 0), column - 0.5))


def _counter_points(law: KNormNoise, columns: Columns) -> tuple[Floats, Floats, Floats]:
    """Both counters, and weights. Rare large sums have more points, each with less weight."""
    table, column = CounterTable.of(law), next(columns)
    order = np.argsort(-table.sums, kind="stable")
    sums = np.cumsum(table.shares[order])
    rows = order[np.minimum(np.searchsorted(sums, column**3), len(order) - 1)]
    if table.q is not None:
        return table.p[rows], table.q[rows], 3 * column**2
    p = np.floor(next(columns) * (table.p[rows] + 1)) if law.counters == 2 else table.p[rows]
    return p, table.p[rows] - p, 3 * column**2


def _block_points(block: Block, count: int, p: Floats, q: Floats, columns: Columns) -> list[Floats]:
    """`count` numbers of a block, given the counters."""
    if isinstance(block, Box):
        lowest = p * float(block.low) - q * float(block.high) - block.start // 2
        side = (p + q) * float(block.high - block.low) + float(block.start + 1)
        return [np.floor(lowest + next(columns) * side) for _ in range(count)]
    if isinstance(block, Diamond):
        return _diamond_points(block, count, p + q, columns)
    pairs, where = np.unique(p + 1j * q, return_inverse=True)
    chances = _chances(_log_by_positive(block, pairs.real, pairs.imag))
    above = _picked(chances, where, next(columns))
    below, left = block.cells - above, np.full(above.shape, float(block.cells))
    room = [each * float(block.total) + float(block.start) for each in (p, q)]
    room[1] = room[1] + below
    found = []
    for _ in range(count):
        is_above = next(columns) * left < above
        gap = _gap(np.where(is_above, above, below), np.where(is_above, *room), next(columns))
        found.append(np.where(is_above, gap, 1 - gap))
        room = [room[0] - gap * is_above, room[1] - gap * ~is_above]
        above, below, left = above - is_above, below - ~is_above, left - 1
    return found


def _diamond_points(block: Diamond, count: int, sums: Floats, columns: Columns) -> list[Floats]:
    different, where = np.unique(sums, return_inverse=True)
    used = _picked(_chances(_log_by_size(block, different)), where, next(columns))
    left, room = np.full(used.shape, float(block.cells)), sums * float(block.total) + block.start
    found = []
    for _ in range(count):
        is_used = next(columns) * left < used
        gap = _gap(used, room, next(columns)) * is_used
        found.append(gap * np.sign(next(columns) - 0.5))
        room, used, left = room - gap, used - is_used, left - 1
    return found


def _picked(chances: Floats, where: NDArray[np.intp], column: Floats) -> Floats:
    """A place of each row by its chances; rows are shared by many points."""
    sums = np.cumsum(chances, axis=1)
    found = np.zeros(column.shape)
    for each in sums.T[:-1]:
        found += each[where] < column
    return found


def _gap(size: Floats, reach: Floats, column: Floats) -> Floats:
    """The least of a random subset of 1 .. reach: P(G > m) = C(reach - m, size)/C(reach, size).

    With c = (size - 1)/2 the quotient is nearly ((reach - m - c)/(reach - c))^size.
    """
    some = np.maximum(size, 1)
    wide = np.maximum(reach - (some - 1) / 2, 1)
    return np.asarray(np.maximum(np.ceil(wide * (1 - column ** (1 / some))), 1))
