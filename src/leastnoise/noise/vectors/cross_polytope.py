"""`CrossPolytope`: the balls of the ℓ1 norm."""

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import isqrt
from typing import ClassVar

import numpy as np
from flint import arb, fmpq, fmpq_poly

from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.noise.vectors.laplace_sum import laplace_sum_tail
from leastnoise.noise.vectors.layer_sum import LayerSum, centred
from leastnoise.noise.vectors.sum_moment import sum_moment
from leastnoise.numeric.ball import ball, interval
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform import uniform_integer
from leastnoise.randomness.uniform_rows import uniform_rows

_LARGEST_RADIUS = (1 << 63) - 1  # the greatest integer of 64 bits


@dataclass(frozen=True)
class CrossPolytope:
    """{x in Z^d : Σ |xᵢ| ≤ radius}, which has Σ C(d, t)·C(radius, t)·2**t points."""

    dimension: int

    adds_coordinates: ClassVar[bool] = True

    def norm(self, x: list[int]) -> int:
        """The sum of the magnitudes."""
        return sum(map(abs, x))

    def points(self, radius: int) -> arb:
        """The sum over t, the number of coordinates that are not 0."""
        if radius < 0:
            return arb(0)
        total = term = arb(1)
        for t in range(min(self.dimension, radius)):
            term = term * (2 * (self.dimension - t) * (radius - t)) / ((t + 1) * (t + 1))
            total += term
        return total

    def count(self, radius: int) -> int:
        """The same sum in integers."""
        return _points(self, radius)

    def polynomial(self) -> fmpq_poly:
        """By the recurrence d·P_d = (2r + 1)·P_(d−1) + (d − 1)·P_(d−2)."""
        before, here = fmpq_poly([0]), fmpq_poly([1])
        for d in range(1, self.dimension + 1):
            before, here = here, (fmpq_poly([1, 2]) * here + (d - 1) * before) * fmpq(1, d)
        return here

    def uniform(self, radii: Draws, source: Source) -> Draws:
        """How many coordinates are not 0, which, how large, and their signs."""
        drawn: Draws = _zeros((len(radii), self.dimension), int(radii.max(initial=0)))
        for radius in set(radii.tolist()):
            shares = list(accumulate(self._support_weights(radius)))
            for row in np.flatnonzero(radii == radius):
                support = bisect_right(shares, uniform_integer(shares[-1], source))
                self._fill(drawn[row], support, radius, source)
        return drawn

    def _support_weights(self, radius: int) -> list[int]:
        """C(d, t)·C(radius, t)·2**t for each t."""
        weights = [1]
        for t in range(min(self.dimension, radius)):
            weights.append(
                weights[-1] * 2 * (self.dimension - t) * (radius - t) // ((t + 1) * (t + 1))
            )
        return weights

    def _fill(self, row: Draws, support: int, radius: int, source: Source) -> None:
        """Make `support` coordinates of a zero row not 0, with magnitudes of sum ≤ radius."""
        places = uniform_subset(support, self.dimension, source)
        sums = uniform_subset(support, radius, source)
        magnitudes = np.diff(np.array([-1, *sums], dtype=row.dtype))
        negative = source.bytes(support) & 1 == 1
        row[places] = np.where(negative, -magnitudes, magnitudes)

    def typical(self, rate: Fraction) -> tuple[int, int]:
        """Mean and deviation of the sum of d discrete-Laplace magnitudes."""
        sinh, cosh = ball(rate).sinh(), ball(rate).cosh()
        mean, variance = self.dimension / sinh, self.dimension * cosh / sinh**2
        return _roughly(mean), isqrt(_roughly(variance))

    def layers(self, rate: Fraction, radius: int, period: int, first: int) -> arb:
        """Term by term, but in closed form for the plain Laplace law."""
        if period == 1 and radius == 0:
            return self._laplace_layers(rate, first)
        balls = LayerSum(self.points, self._centred, self.typical(rate / period))
        return balls.over(rate, radius, period, first)

    def overlaps(self, rate: Fraction, radius: int, period: int, narrower: int) -> arb:
        """The overlap is least for a shift along an axis: two half-balls."""
        halves = LayerSum(self._half_points, self._centred_half, self.typical(rate / period))
        inner_radii = radius - (narrower + 1) // 2, radius - narrower // 2 - 1
        return sum(
            (halves.over(rate, inner, period, max(0, -(inner // period))) for inner in inner_radii),
            arb(0),
        )

    def overlap(self, radius: int, narrower: int) -> int:
        """Two half-balls."""
        inner_radii = radius - (narrower + 1) // 2, radius - narrower // 2 - 1
        return sum(self._half_count(inner) for inner in inner_radii if inner >= 0)

    def _half_count(self, radius: int) -> int:
        """How many points of the ball have a first coordinate ≥ 0, exactly."""
        return (self.count(radius) + CrossPolytope(self.dimension - 1).count(radius)) // 2

    def _half_points(self, radius: int) -> arb:
        """How many points of the ball have a first coordinate ≥ 0."""
        return (self.points(radius) + CrossPolytope(self.dimension - 1).points(radius)) / 2

    def _centred(self) -> fmpq_poly:
        return centred(self.polynomial())

    def _centred_half(self) -> fmpq_poly:
        fewer = CrossPolytope(self.dimension - 1).polynomial()
        return centred((self.polynomial() + fewer) * fmpq(1, 2))

    def _laplace_layers(self, rate: Fraction, first: int) -> arb:
        """From P(‖X‖ ≥ first) and its complement in the sum over all layers."""
        fall = (-ball(rate)).exp()
        total = ((1 + fall) / (1 - fall)) ** self.dimension
        edge = (-ball(rate * first)).exp() * self.points(first - 1)
        return (total * laplace_sum_tail(self.dimension, rate, first) + edge) / (1 - fall)

    def laplace_moment(self, rate: Fraction, order: int) -> arb:
        """The moments of a sum of d independent magnitudes, from the power of a series."""
        law = Stairs(period=1, width=1, rate=rate)
        return sum_moment([law.moment(i) for i in range(1, order + 1)], self.dimension)


@lru_cache(maxsize=1 << 13)
def _points(ball: CrossPolytope, radius: int) -> int:
    return sum(ball._support_weights(radius))


def uniform_subset(size: int, population: int, source: Source) -> list[int]:
    """A uniform subset of 0..population−1 of the given size, sorted.

    Floyd's method: for each i in population−size..population−1 draw j ≤ i and add j, or i if j is
    already in. Every subset of each stage is equally likely by induction.
    """
    tops = range(population - size, population)
    bounds = _zeros((size,), population)
    bounds[:] = [i + 1 for i in tops]
    chosen: set[int] = set()
    for i, j in zip(tops, uniform_rows(bounds, 1, source)[:, 0].tolist(), strict=True):
        chosen.add(i if j in chosen else j)
    return sorted(chosen)


def _zeros(shape: tuple[int, ...], greatest: int) -> Draws:
    """Room for integers up to `greatest`."""
    if greatest <= _LARGEST_RADIUS:
        return np.zeros(shape, dtype=np.int64)
    return np.zeros(shape, dtype=np.object_)


def _roughly(value: arb) -> int:
    return int(interval(value).lower)
