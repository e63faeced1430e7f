"""`ResponseFrequencies`: what randomized answers tell about the truth, and how surely."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.clopper_pearson import clopper_pearson
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Endpoint, Interval


@dataclass(frozen=True)
class ResponseFrequencies:
    r"""Unbiased estimates of the frequencies of categories, from the answers of n people.

    With E = e^ε and D = E + k − 1, a category of frequency f is answered with probability
    λ = (1 + f·(E − 1))/D; the estimate puts the share of answers in the place of λ and solves for
    f. It is unbiased, so it may fall outside [0, 1]; the confidence intervals are cut to [0, 1].

    Two truths can be meant by f. *Population*: the n people are an independent random sample, and
    f is the frequency where they come from. *Records*: f is the frequency among the n themselves.

    ===================  ============  =========================================================
    interval             covers        how surely
    ===================  ============  =========================================================
    `clopper_pearson`    population    at least the stated confidence, always (a proof)
    `hoeffding`          both          at least the stated confidence, always (a proof); wider
    `normal`             population    about the stated confidence if n is large: no proof, and
                                       of width 0 if all or none of the answers are the category
    ===================  ============  =========================================================

    Each speaks of one category. For all k of them at once ask for confidence 1 − (1 − c)/k.

    Example:
        >>> from leastnoise.mechanisms import RandomizedResponse
        >>> answers = [1] * 40 + [0] * 60
        >>> result = RandomizedResponse(epsilon=1).frequencies(answers)
        >>> round(float(result.estimate(1)), 4)
        0.2836
        >>> result.clopper_pearson(1, confidence="0.95").lower < result.estimate(1).lower
        True
    """

    epsilon: Fraction
    categories: int
    counts: tuple[tuple[int, int], ...]
    records: int

    @classmethod
    def count(
        cls, epsilon: Fraction, categories: int, answers: NDArray[np.int64]
    ) -> "ResponseFrequencies":
        """Count the answers; at least one is needed."""
        if not answers.size:
            raise _check.refuse("`responses` must not be empty", "none", "Ask at least one person.")
        values, counts = np.unique(answers, return_counts=True)
        pairs = tuple(zip(values.tolist(), counts.tolist(), strict=True))
        return cls(epsilon, categories, pairs, answers.size)

    @cached_property
    def _odds(self) -> ExponentialSum:
        return ExponentialSum.exp(self.epsilon)

    @cached_property
    def _counts(self) -> dict[int, int]:
        return dict(self.counts)

    def answered(self, category: SupportsIndex) -> int:
        """How many answers were this category."""
        index = _check.integer_between(category, "category", 0, self.categories - 1)
        return self._counts.get(index, 0)

    def _frequency(self, share: Fraction) -> Interval:
        """The f at which the category is answered with probability `share`."""
        over = (self._odds + (self.categories - 1)) * share - 1
        return ExponentialRatio(over, self._odds - 1).interval()

    def estimate(self, category: SupportsIndex) -> Interval:
        """The unbiased estimate (share·D − 1)/(E − 1), exactly."""
        return self._frequency(Fraction(self.answered(category), self.records))

    def variance(self, category: SupportsIndex) -> Interval:
        r"""An unbiased estimate of the estimate's variance, for a random sample.

        Theorem: s(1−s)/((n−1)·(p−q)²) with s the share of answers has expectation
        λ(1−λ)/(n·(p−q)²), the variance. Proof: E[s(1−s)] = λ(1−λ)·(n−1)/n for binomial counts.
        """
        if self.records < 2:
            raise _check.refuse("a variance needs two responses", "one", "Ask at least two people.")
        share = Fraction(self.answered(category), self.records)
        spread = self._odds + (self.categories - 1)
        contrast = (self._odds - 1) * (self._odds - 1) * (self.records - 1)
        return ExponentialRatio(spread * spread * (share * (1 - share)), contrast).interval()

    def clopper_pearson(self, category: SupportsIndex, *, confidence: Exact) -> Interval:
        """Covers the population's frequency with at least the given probability.

        The answers that are the category are binomial with parameters n and λ, and f grows with
        λ: the exact binomial interval for λ is carried over to f.
        """
        risk = 1 - _check.confidence(confidence)
        low, high = clopper_pearson(self.answered(category), self.records, risk)
        return _cut(self._frequency(low).lower, self._frequency(high).upper)

    def hoeffding(self, category: SupportsIndex, *, confidence: Exact) -> Interval:
        """Covers either frequency with at least the given probability.

        The answers are independent, so their share is farther than t = √(log(2/α)/(2n)) from its
        mean with probability at most α (Hoeffding); t/(p − q) is that distance in terms of f.
        """
        risk = 1 - _check.confidence(confidence)
        return self._around(category, lambda: arb.sqrt(balls.ball(2 / risk).log() / 2))

    def normal(self, category: SupportsIndex, *, confidence: Exact) -> Interval:
        """Covers the population's frequency with about the given probability: an approximation."""
        risk = 1 - _check.confidence(confidence)
        share = Fraction(self.answered(category), self.records)
        return self._around(
            category,
            lambda: (2 * balls.ball(share * (1 - share))).sqrt() * balls.ball(risk).erfcinv(),
        )

    def _around(self, category: SupportsIndex, reach: Callable[[], arb]) -> Interval:
        """The estimate ± reach/(√n·(p − q)), cut to [0, 1]."""

        def reach_in_frequency() -> arb:
            contrast = (self._odds - 1).ball() / (self._odds + (self.categories - 1)).ball()
            return reach() / (balls.ball(self.records).sqrt() * contrast)

        middle, width = self.estimate(category), balls.enclosure(reach_in_frequency).upper
        return _cut(middle.lower - width, middle.upper + width)


def _cut(lower: Endpoint, upper: Endpoint) -> Interval:
    """What lies within [0, 1]; its nearest point where nothing does."""
    zero, one = Fraction(0), Fraction(1)
    return Interval(min(max(lower, zero), one), max(min(upper, one), zero))
