r"""Gaussian noise whose few largest values are found by a sparse vector and drawn anew.

Steinke and Ullman 2016, Theorem 1.3, on whole numbers: a = c + z with Gaussian z on every column; the
residuals c - a = -z are asked for their magnitudes, one after another; where a search says "above", the
column gets c + fresh noise instead, and a new search begins behind it, `repairs` times in all.

Theorem. If every count moves by at most 1, all of it loses at most what the first noise, `repairs`
epsilon_0-DP searches and `repairs` fresh draws lose together.

How the budget is divided is searched in floats; what comes of it is priced, and scaled until the price
is proved. Proof page: docs/proofs/one_way_marginals.md, section 3.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, erfc, exp, log, sqrt, tanh
from statistics import NormalDist

import numpy as np
from flint import arb

from leastnoise.mechanisms.thresholds import AboveThreshold
from leastnoise.noise.laws import RoundedGaussian
from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Draws
from leastnoise.numbers import ball as balls
from leastnoise.numbers.interval import Interval
from leastnoise.numbers.inverse import least_integer
from leastnoise.privacy.conversion import squared_mu
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.workloads.column_noise import ColumnNoise, outside

_RISK = 0.05  # of the error that is made small; each way to exceed it gets a quarter
_SEARCH_SHARES = (0.02, 0.05, 0.08, 0.12, 0.18, 0.25, 0.35)  # of the budget
_THRESHOLD_SHARE = Fraction(11, 20)  # of a search
_STEPS = 64  # of a bracket, while a chance falls by the factor e
_GROWTH = 256  # more noise by multiples of 1/256, until the price is proved


@dataclass(frozen=True)
class RepairedNoise(ColumnNoise):
    """Gaussian noise whose largest values are found by a sparse vector and drawn anew.

    Column after column, a search asks whether |z_j| is above its threshold; where it says so, fresh
    noise takes the place of z_j and a new search begins behind it, `repairs` times in all.

    Attributes:
        columns: how many.
        mu: of the first noise, on all columns together.
        search: one search, which says "above" once.
        fresh_mu: of one fresh draw.
        repairs: how many there may be.
    """

    columns: int
    mu: Fraction
    search: AboveThreshold
    fresh_mu: Fraction
    repairs: int

    @cached_property
    def first(self) -> RoundedGaussian:
        """The law of z_j."""
        return RoundedGaussian(self.columns / self.mu**2)

    @cached_property
    def fresh(self) -> RoundedGaussian:
        """The law of a fresh draw."""
        return RoundedGaussian(1 / self.fresh_mu**2)

    def sample(self, source: Source) -> Draws:
        """One draw; which columns are repaired depends on noise alone."""
        drawn = np.array(self.first.sample(self.columns, source))
        residuals, start = np.abs(drawn).astype(np.object_), 0
        for _ in range(self.repairs):
            above = self.search.start(source).compare(residuals[start:])
            if not above.any():
                break
            start += above.size
            drawn[start - 1] = self.fresh.sample(1, source)[0]
        return drawn

    def privacy(self, distance: int) -> PrivacyLoss:
        """Everything that may happen, added up."""
        search = PrivacyLoss.worst_case(epsilon=self.search.epsilon * distance)
        fresh = PrivacyLoss.gaussian(mu=self.fresh_mu * distance).compose(search)
        return PrivacyLoss.gaussian(mu=self.mu * distance).compose(fresh.self_compose(self.repairs))

    def exceeds(self, t: int) -> Interval:
        """Upper end: the better of two ways to stay within t (the proof page, section 3).

        Either no draw is above t; or no fresh draw is, no noisy threshold lets a larger value pass,
        and at most `repairs` columns reach the threshold. Lower end: only `repairs` can be mended.
        """
        with balls.precision(balls.FIRST_BITS):
            one, again = (
                balls.ball(Fraction(outside(law, t).upper)) for law in (self.first, self.fresh)
            )
            kept = (1 - again) ** self.repairs
            ways = [1 - (1 - one) ** self.columns * kept]
            slack = t - self.search.threshold + 2
            if slack >= 2:
                passes = (-balls.ball(self.search.threshold_rate * slack)).exp()
                missed = 1 - (1 - passes) ** self.repairs
                ways.append(1 - kept + missed + self._more(self._reaching))
            high = min(Fraction(1), *(Fraction(balls.interval(way).upper) for way in ways))
            least = balls.ball(Fraction(outside(self.first, t).lower))
            low = Fraction(balls.interval(self._more(least)).lower)
        return Interval(min(max(low, Fraction(0)), high), high)

    @cached_property
    def _reaching(self) -> arb:
        """P(|z| + search noise >= threshold), rounded up: |z| is moved to the upper end of a step."""
        rate, last = self.search.query_rate, self.search.threshold - 1
        step = max(1, int(1 / (_STEPS * rate)))
        beyond = balls.ball(Fraction(outside(self.first, last).upper))
        total, top = beyond, last
        while top >= 0:
            low = max(top - step, -1)
            above = balls.ball(Fraction(outside(self.first, low).upper)) if low >= 0 else arb(1)
            rest = (-balls.ball(rate * (self.search.threshold - top))).exp()
            total, beyond, top = total + (above - beyond) * rest, above, low
        return total

    def _more(self, each: arb) -> arb:
        """P(more than `repairs` columns are hit), each with this chance."""
        odds, term = each / (1 - each), (1 - each) ** self.columns
        total = term
        for hits in range(1, min(self.repairs, self.columns) + 1):
            term = term * odds * (self.columns - hits + 1) / hits
            total += term
        return 1 - total

    def moment(self, order: int) -> Interval:
        """A repair takes away at most |z|^order and adds at most the fresh noise's."""
        with balls.precision(balls.FIRST_BITS):
            chance = min(Fraction(balls.interval(self._reaching).upper), Fraction(1))
        lost = Fraction(self.first.moment(2 * order).upper) * chance
        root = balls.upper_end(lambda: balls.ball(lost).sqrt()) if lost else lost
        here, more = self.first.moment(order), chance * Fraction(self.fresh.moment(order).upper)
        return Interval(max(here.lower - root, Fraction(0)), here.upper + more)


@dataclass(frozen=True)
class Design:
    """A way to divide mu^2, as if on the real line.

    Attributes:
        columns: how many.
        square: mu^2 of everything.
        repairs: how many there may be.
        share: the part of mu^2 that the searches get.
    """

    columns: int
    square: float
    repairs: int
    share: float

    @cached_property
    def deviation(self) -> float:
        """Of the first noise."""
        return sqrt(self.columns / (self.square * (1 - self.share)))

    @cached_property
    def epsilon(self) -> float:
        """Of one search: epsilon_0 with 2*epsilon_0*tanh(epsilon_0/2) equal to its part of mu^2."""
        part, found = self.share * self.square / self.repairs, 0.0
        for _ in range(40):
            found = sqrt(part) if not found else part / (2 * tanh(found / 2))
        return found

    @cached_property
    def threshold(self) -> float:
        """Reached by more than `repairs` columns with about a quarter of the risk."""
        count, quantile = self.repairs + 1, NormalDist().inv_cdf(_RISK / 4)
        hits = count * max(1 - 1 / (9 * count) + quantile / (3 * sqrt(count)), 0.05) ** 3
        low, high = 0.0, 60 * (self.deviation + 1 / self._rate)
        for _ in range(60):
            middle = (low + high) / 2
            rare = self.columns * self._reached(middle) <= hits
            low, high = (low, middle) if rare else (middle, high)
        return high

    @property
    def _rate(self) -> float:
        return float(1 - _THRESHOLD_SHARE) * self.epsilon / 2

    def _reached(self, threshold: float) -> float:
        """P(|Z| + noise >= threshold), for normal Z and exponential noise."""
        place, rate = threshold / self.deviation, self._rate * self.deviation
        if rate > 30:  # the noise of a question is next to nothing, and the formula overflows
            return erfc((place - 1 / rate) / sqrt(2))
        far = erfc((rate - place) / sqrt(2)) - erfc(rate / sqrt(2))
        return erfc(place / sqrt(2)) + exp(rate * (rate / 2 - place)) * far

    @cached_property
    def error(self) -> float:
        """What all columns stay within, but for the fresh noise, which costs little."""
        slack = log(4 * self.repairs / _RISK) / (float(_THRESHOLD_SHARE) * self.epsilon)
        return self.threshold + slack

    def noise(self, factor: float) -> RepairedNoise:
        """The design with all its noise times a factor."""
        fresh = self.error / NormalDist().inv_cdf(1 - _RISK / (8 * self.repairs))
        scale = factor / sqrt(max(1 - self.repairs / (fresh**2 * self.square), 0.5))
        return RepairedNoise(
            self.columns,
            _short(sqrt(self.columns) / (self.deviation * scale)),
            AboveThreshold(
                threshold=ceil(scale * self.threshold),
                epsilon=_short(self.epsilon / scale),
                share=_THRESHOLD_SHARE,
            ),
            _short(1 / (scale * fresh)),
            self.repairs,
        )


def _short(value: float) -> Fraction:
    return Fraction(f"{value:.6g}")


def repaired_noise(columns: int, epsilon: Fraction, delta: Fraction) -> RepairedNoise:
    """About the least error that 95 % of draws stay within, for (epsilon, delta)-DP."""
    square = float(squared_mu(epsilon, delta))
    best = min(_designs(columns, square), key=lambda design: design.error)

    def is_proved(step: int) -> bool:
        loss = best.noise(1 + step / _GROWTH).privacy(1)
        return loss.delta(epsilon).upper <= delta

    return best.noise(1 + least_integer(is_proved, 0) / _GROWTH)


def _designs(columns: int, square: float) -> Iterator[Design]:
    for power in range(2 * max(1, columns.bit_length() - 6)):
        for share in _SEARCH_SHARES:
            yield Design(columns, square, int(2 ** (power / 2)), share)
