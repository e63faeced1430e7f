r"""Noise for d counts, each of which a neighbour moves by at most 1: laws, prices, errors.

Cube noise has the weight e^(-epsilon*max|y_j|) on Z^d. It is a uniform point of the cube of radius K,
P(K = k) in proportion to b^k*(2k + 1)^d, b = e^-epsilon. With W_n the sum of b^k*(2k + 1)^n:
E|Y_j| = (W_(d+1) - W_(d-1))/(4*W_d) and E Y_j^2 = (W_(d+2)/W_d - 1)/12.

Proof page: docs/proofs/one_way_marginals.md.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log, sqrt

import numpy as np
from flint import arb

from leastnoise.noise.balls import NormStaircase, differences, series
from leastnoise.noise.distribution import Distribution
from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Draws
from leastnoise.numbers import ball as balls
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.privacy.loss import PrivacyLoss


class ColumnNoise(ABC):
    """Noise for the counts of d columns, in whole numbers; each count moves by at most 1."""

    columns: int

    @abstractmethod
    def sample(self, source: Source) -> Draws:
        """One draw, a number for each column."""

    @abstractmethod
    def privacy(self, distance: int) -> PrivacyLoss:
        """The loss where each count moves by at most `distance`."""

    @abstractmethod
    def exceeds(self, t: int) -> Interval:
        """P(some column's error is above t), for t >= 0."""

    @abstractmethod
    def moment(self, order: int) -> Interval:
        """E|error|^order of one column, for orders 1 and 2."""

    def worst(self, confidence: Fraction) -> int:
        """The error that no column exceeds, with this chance."""
        guess = sqrt(float(self.moment(2).upper)) * (2 * log(self.columns + 1) + 2) ** 0.5
        return least_integer(lambda t: self.exceeds(t).upper <= 1 - confidence, 0, int(guess))


@dataclass(frozen=True)
class CubeNoise(ColumnNoise):
    """The law of Steinke and Ullman on Z^d: epsilon-DP."""

    columns: int
    epsilon: Fraction

    @cached_property
    def law(self) -> NormStaircase:
        """The law of the vector."""
        return NormStaircase(self.columns, 1, self.epsilon, 1, "linf")

    def sample(self, source: Source) -> Draws:
        """One draw."""
        return np.asarray(self.law.sample(1, source)[0])

    def privacy(self, distance: int) -> PrivacyLoss:
        """An upper bound: that of the worst mechanism with the same epsilon, which is exact."""
        return PrivacyLoss.worst_case(epsilon=self.epsilon * distance)

    def exceeds(self, t: int) -> Interval:
        """The tail of the norm."""
        return self.law.tail(t + 1)

    def worst(self, confidence: Fraction) -> int:
        """A quantile of the norm, which is about a gamma law."""
        guess = (self.columns + 2 * sqrt(self.columns)) / float(self.epsilon)
        return least_integer(lambda t: self.exceeds(t).upper <= 1 - confidence, 0, int(guess))

    def _sum(self, power: int) -> list[int]:
        return differences([(2 * k + 1) ** power for k in range(power + 1)])

    def moment(self, order: int) -> Interval:
        """In closed form."""
        here, above = self._sum(self.columns), self._sum(self.columns + order)
        below = self._sum(self.columns - 1)

        def value() -> arb:
            w, more = series(here, self.epsilon), series(above, self.epsilon)
            if order == 1:
                return (more - series(below, self.epsilon)) / (4 * w)
            return (more / w - 1) / 12

        return balls.enclosure(value)


@dataclass(frozen=True)
class IndependentNoise(ColumnNoise):
    """The same law on every column.

    Attributes:
        columns: how many.
        law: of the noise.
        mu: of Gaussian noise, which has this loss for all columns together; else None.
    """

    columns: int
    law: Distribution
    mu: Fraction | None = None

    def sample(self, source: Source) -> Draws:
        """One draw."""
        return np.asarray(self.law.sample(self.columns, source))

    def privacy(self, distance: int) -> PrivacyLoss:
        """That of rounded Gaussian noise is at most the Gaussian's; others are added up."""
        if self.mu is not None:
            return PrivacyLoss.gaussian(mu=self.mu * distance)
        return PrivacyLoss.of_noise(self.law, distance).self_compose(self.columns)

    def exceeds(self, t: int) -> Interval:
        """1 - P(|X| <= t)^d."""
        one = outside(self.law, t)
        ends = [any_of(self.columns, Fraction(end)) for end in (one.lower, one.upper)]
        return Interval(ends[0].lower, ends[1].upper)

    def moment(self, order: int) -> Interval:
        """That of the law."""
        return self.law.moment(order)


def outside(law: Distribution, t: int) -> Interval:
    """P(|X| > t) of a symmetric law."""
    above = law.tail(t + 1)
    return Interval(2 * Fraction(above.lower), min(2 * Fraction(above.upper), Fraction(1)))


def any_of(count: int, chance: Fraction) -> Interval:
    """The chance that something happens at least once in `count` independent trials."""
    if chance >= 1:
        return Interval.exactly(1)
    return balls.enclosure(lambda: -(count * (-balls.ball(chance)).log1p()).expm1())
