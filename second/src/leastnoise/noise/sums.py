"""Sums of noise with coefficients, for forecasts and intervals: standard deviation, tail, quantile.

For sums of Gaussian noise the normal law is used. Every other sum is given by 2^15 points, chosen
to fill the cube of their coordinates evenly: P(noise > x) is then the weight of the points beyond.

Tail error: the chance beyond `quantile(risk)` is within 4 % of `risk` from 0.01 to 0.5, and within
10 % from 0.0005 on, for totals that one unit moves by 1,000 steps or more; the tests compare with
exact laws. No promise depends on it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_tables import Columns, Floats, Law, _gaussian_variance, points

COUNT = 1 << 15

Number = tuple[int, int, int]
"""(place of the law, block, cell) of a number."""


@dataclass(frozen=True, eq=False)
class NoisePoints:
    """The noise of some numbers that come from independent draws, all at the same points.

    Attributes:
        laws: the law of each draw.
        numbers: which numbers.
    """

    laws: tuple[Law, ...]
    numbers: tuple[Number, ...]

    @property
    def _is_gaussian(self) -> bool:
        return all(isinstance(self.laws[number[0]], CentredGaussian) for number in self.numbers)

    @cached_property
    def _points(self) -> tuple[Mapping[Number, Floats], Floats]:
        """The points of every number, and their weights, which add up to 1."""
        columns, found, weights = Columns(COUNT), dict[Number, Floats](), np.ones(COUNT)
        for at in dict.fromkeys(number[0] for number in self.numbers):
            own = [number for number in self.numbers if number[0] == at]
            drawn, weight = points(self.laws[at], [number[1:] for number in own], columns)
            found |= dict(zip(own, drawn, strict=True))
            weights = weights * weight
        return found, weights / weights.sum()

    def sum(self, coefficients: Mapping[Number, float]) -> "NoiseSum":
        """The noise of a sum of the numbers with these coefficients."""
        if self._is_gaussian:
            return NoiseSum.gaussian(self._deviation(coefficients))
        found, weights = self._points
        values: Floats = np.sum([c * found[each] for each, c in coefficients.items()], axis=0)
        return NoiseSum.of_points(values, weights)

    def _deviation(self, coefficients: Mapping[Number, float]) -> float:
        square = 0.0
        for at, law in enumerate(self.laws):
            own = {number[1:]: c for number, c in coefficients.items() if number[0] == at}
            if own:
                assert isinstance(law, CentredGaussian)
                square += _gaussian_variance(law, own)
        return sqrt(square)


@dataclass(frozen=True, eq=False)
class NoiseSum:
    """The law of a sum of noise, symmetric about 0.

    Attributes:
        deviation: its standard deviation.
        magnitudes: the points, or None for the normal law.
        weights: of the points; they add up to 1.
    """

    deviation: float
    magnitudes: Floats | None = None
    weights: Floats | None = None

    @classmethod
    def gaussian(cls, deviation: float) -> "NoiseSum":
        """The normal law."""
        return cls(deviation)

    @classmethod
    def of_points(cls, values: Floats, weights: Floats) -> "NoiseSum":
        """The law of points with these weights, and of their mirror images."""
        return cls(sqrt(float(weights @ values**2)), np.abs(values), weights)

    @cached_property
    def _in_order(self) -> tuple[Floats, Floats]:
        """The points in falling order, and the chance of each and all that are greater, on one side."""
        assert self.magnitudes is not None and self.weights is not None
        order = np.argsort(-self.magnitudes, kind="stable")
        return self.magnitudes[order], np.cumsum(self.weights[order]) / 2

    def tail(self, x: Floats | float) -> Floats:
        """P(noise > x), for x >= 0."""
        if self.magnitudes is None or self.weights is None:
            from scipy.special import ndtr

            return np.asarray(ndtr(-np.asarray(x) / max(self.deviation, 1e-300)))
        if np.size(x) == 1:  # faster than to sort
            return np.reshape(self.weights @ (self.magnitudes > np.ravel(x)) / 2, np.shape(x))
        magnitudes, beyond = self._in_order
        above = np.searchsorted(-magnitudes, -np.asarray(x), side="left")
        return np.asarray(np.concatenate([[0.0], beyond])[above])

    def quantile(self, risk: float) -> float:
        """The x with P(noise > x) = risk, for a risk of at most 1/2; about, between points."""
        if self.magnitudes is None:
            from scipy.special import ndtri

            return float(self.deviation * -ndtri(risk))
        magnitudes, beyond = self._in_order
        return float(np.interp(risk, beyond, magnitudes))


def noise_of(laws: Sequence[Law], coefficients: Mapping[Number, float]) -> NoiseSum:
    """The noise of one sum.

    >>> from fractions import Fraction
    >>> from leastnoise.noise.joint_pure import Box, KNormNoise
    >>> law = KNormNoise(Fraction(1), (Box(0, 1, cells=10, start=6),))
    >>> round(noise_of([law], {(0, 0, 0): 1.0, (0, 0, 1): -1.0}).deviation, 2)
    5.52
    """
    return NoisePoints(tuple(laws), tuple(coefficients)).sum(coefficients)
