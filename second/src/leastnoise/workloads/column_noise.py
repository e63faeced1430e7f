r"""Noise for d counts, each of which a neighbour moves by at most 1: what is drawn, lost and wrong.

Cube noise on m columns has the weight e^(-rate*max|y_j|) on Z^m: the law of Steinke and Ullman 2016
on whole numbers. It is a uniform point of the cube of radius K, P(K = k) in proportion to
b^k*(2k + 1)^m, b = e^-rate. With W_n the sum of b^k*(2k + 1)^n:
E|Y_j| = (W_(m+1) - W_(m-1))/(4*W_m) and E Y_j^2 = (W_(m+2)/W_m - 1)/12.

Repaired noise (their Theorem 1.3): a = c + z with Gaussian z on all counts c. The residuals
c - a = -z are asked for their magnitudes, one after another; where a search says "above", the column
gets c + fresh noise instead, and a new search begins behind it, `repairs` times in all.

Theorem. If every count moves by at most 1, repaired noise loses at most what the first noise, `repairs`
searches and `repairs` fresh draws lose together.

Proof page: docs/proofs/one_way_marginals.md.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log, sqrt
from statistics import NormalDist

import numpy as np
from flint import arb

from leastnoise.mechanisms.thresholds import AboveThreshold
from leastnoise.noise.balls import NormStaircase, differences, series
from leastnoise.noise.distribution import Distribution
from leastnoise.noise.laws import DiscreteLaplace, RoundedGaussian
from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Draws
from leastnoise.numbers import ball as balls
from leastnoise.numbers.interval import End, Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.privacy.loss import PrivacyLoss

_STEEPEST = 1 << 14  # per deviation: beyond it the noise of a search is nothing


class ColumnNoise(ABC):
    """Noise for the counts of d columns, in whole numbers; each count moves by at most 1."""

    @property
    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """What all columns lose together."""

    @abstractmethod
    def sample(self, source: Source) -> Draws:
        """One draw, a number for each column."""

    @abstractmethod
    def exceeds(self, t: int) -> Interval:
        """P(some column's error is above t), for t >= 0."""

    @abstractmethod
    def moment(self, order: int) -> Interval:
        """E|error|^order of one column, for orders 1 and 2."""

    @abstractmethod
    def _about(self, confidence: Fraction) -> int:
        """Near the error that no column exceeds."""

    def worst(self, confidence: Fraction) -> int:
        """The error that no column exceeds, with this chance."""
        about = self._about(confidence)
        return least_integer(lambda t: self.exceeds(t).upper <= 1 - confidence, 0, about)


@dataclass(frozen=True)
class BlockNoise(ColumnNoise):
    """One law on every block of columns, independently; numbers beyond the last column are dropped.

    Attributes:
        columns: how many.
        law: of a block: cube noise, or the noise of a single column.
        mu: of Gaussian noise, which has this loss for all columns together.
    """

    columns: int
    law: NormStaircase | DiscreteLaplace | RoundedGaussian
    mu: Fraction = Fraction(0)

    @property
    def _blocks(self) -> int:
        return -(-self.columns // self.law.dimension)

    @property
    def loss(self) -> PrivacyLoss:
        """Of Gaussian noise before rounding; of other noise the worst with its epsilon."""
        if isinstance(self.law, RoundedGaussian):
            return PrivacyLoss.gaussian(mu=self.mu)
        return PrivacyLoss.worst_case(epsilon=self.law.rate).self_compose(self._blocks)

    def sample(self, source: Source) -> Draws:
        """One draw."""
        return np.ravel(self.law.sample(self._blocks, source))[: self.columns]

    def exceeds(self, t: int) -> Interval:
        """1 - P(a block stays within t)^blocks; the last block may be short."""
        one, full = outside(self.law, t), self.columns // self.law.dimension
        ends = _any(full, Fraction(one.lower)), _any(self._blocks, Fraction(one.upper))
        return Interval(ends[0].lower, ends[1].upper)

    def moment(self, order: int) -> Interval:
        """That of the law; of cube noise in closed form."""
        law, m = self.law, self.law.dimension
        if not isinstance(law, NormStaircase):
            return law.moment(order)

        def total(power: int) -> arb:
            return series(differences([(2 * k + 1) ** power for k in range(power + 1)]), law.rate)

        def value() -> arb:
            if order == 1:
                return (total(m + 1) - total(m - 1)) / (4 * total(m))
            return (total(m + 2) / total(m) - 1) / 12

        return balls.enclosure(value)

    def _about(self, confidence: Fraction) -> int:
        one = float(confidence) ** (1 / self._blocks)
        if not isinstance(self.law, NormStaircase):
            return int(self.law.quantile(one))
        m, z = (
            self.law.dimension,
            NormalDist().inv_cdf(min(max(one, 1e-300), 1 - 2**-53)),
        )  # about a gamma law
        return int(m * (1 - 1 / (9 * m) + z / (3 * sqrt(m))) ** 3 / self.law.rate)


def outside(law: Distribution, t: int) -> Interval:
    """P(|X| > t) of a symmetric law; of a law of vectors, of their norm."""
    above, sides = law.tail(t + 1), 1 if isinstance(law, NormStaircase) else 2
    return Interval(sides * above.lower, min(sides * Fraction(above.upper), Fraction(1)))


def _any(count: int, chance: Fraction) -> Interval:
    """The chance that something happens at least once in `count` independent trials."""
    if chance >= 1:
        return Interval.exactly(1)
    return balls.enclosure(lambda: -(count * (-balls.ball(chance)).log1p()).expm1())


def gaussian_noise(columns: int, mu: Fraction) -> BlockNoise:
    """Rounded Gaussian noise on every column, mu-GDP together."""
    return BlockNoise(columns, RoundedGaussian(columns / mu**2), mu)


@dataclass(frozen=True)
class RepairedNoise(ColumnNoise):
    """Gaussian noise whose largest values are found by a sparse vector and drawn anew.

    Attributes:
        first: the Gaussian noise, on every column.
        search: one search, which says "above" once.
        fresh: what takes the place of those that are found, a number for each.
    """

    first: BlockNoise
    search: AboveThreshold
    fresh: BlockNoise

    @property
    def loss(self) -> PrivacyLoss:
        """Everything that may happen, added up."""
        searches = self.search.privacy().self_compose(self.fresh.columns)
        return self.first.loss.compose(searches, self.fresh.loss)

    def sample(self, source: Source) -> Draws:
        """One draw; which columns are repaired depends on noise alone."""
        drawn = np.array(self.first.sample(source))
        residuals, start = np.abs(drawn).astype(np.object_), 0
        for fresh in self.fresh.sample(source):
            above = self.search.start(source).compare(residuals[start:])
            if not above.any():
                break
            start += above.size
            drawn[start - 1] = fresh
        return drawn

    def exceeds(self, t: int) -> Interval:
        """Upper end: the better of two ways to stay within t (the proof page, section 4).

        Either no draw is above t; or no fresh draw is, no noisy threshold lets a larger value pass,
        and at most as many columns as are drawn anew reach the threshold. Lower end: only so many
        can be mended.
        """
        first, fresh = (Fraction(each.exceeds(t).upper) for each in (self.first, self.fresh))
        ways: list[End] = [first + fresh, Fraction(1)]
        slack = t - self.search.threshold + 2
        with balls.precision(balls.FIRST_BITS):
            least = self._more(Fraction(outside(self.first.law, t).lower)).lower
            if slack >= 2:
                passes = (-balls.ball(self.search.threshold_rate * slack)).exp()
                missed = balls.interval(1 - (1 - passes) ** self.fresh.columns).upper
                ways.append(fresh + missed + self._more(self._reaching).upper)
        return Interval(max(least, Fraction(0)), min(ways))

    def _more(self, each: Fraction) -> Interval:
        """P(more columns are hit than are drawn anew), each with this chance."""
        if each >= 1:
            return Interval.exactly(1)
        columns, one = self.first.columns, balls.ball(each)
        term = (1 - one) ** columns
        total = term
        for hits in range(1, min(self.fresh.columns, columns) + 1):
            term = term * (one / (1 - one)) * (columns - hits + 1) / hits
            total += term
        return balls.interval(1 - total)

    @cached_property
    def _reaching(self) -> Fraction:
        """A bound on P(|z| + noise of the search >= threshold): |N| + 1/2 + an exponential number."""
        rate, place = self.search.query_rate, self.search.threshold - Fraction(1, 2)
        if place <= 0:
            return Fraction(1)

        def chance() -> arb:
            sigma = balls.ball(self.first.columns).sqrt() / balls.ball(self.first.mu)
            near, root = balls.ball(place) / sigma, arb(2).sqrt()
            fall = (balls.ball(rate) * sigma).min(
                _STEEPEST
            )  # noise that falls more slowly is larger
            far = ((fall - near) / root).erfc() - (fall / root).erfc()
            return (near / root).erfc() + (fall * (fall / 2 - near)).exp() * far

        return min(balls.upper_end(chance), Fraction(1))

    def moment(self, order: int) -> Interval:
        """A repair takes away at most |z|^order and adds at most the fresh noise's."""
        here, square = self.first.moment(order), Fraction(self.first.moment(2 * order).upper)
        lost = balls.upper_end(lambda: balls.ball(square * self._reaching).sqrt())
        more = self._reaching * Fraction(self.fresh.moment(order).upper)
        return Interval(max(here.lower - lost, Fraction(0)), here.upper + more)

    def _about(self, confidence: Fraction) -> int:
        slack = log(4 * self.fresh.columns / (1 - confidence)) / self.search.threshold_rate
        return self.search.threshold + int(slack)
