"""`RandomizedResponse`: each person answers for themselves, and sometimes not with the truth."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.mechanisms.error_split import ErrorSplit
from leastnoise.mechanisms.release import Release
from leastnoise.mechanisms.response_frequencies import ResponseFrequencies
from leastnoise.mechanisms.secret_integers import secret_integers
from leastnoise.noise.laws.identity import Described
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.bernoulli import bernoulli
from leastnoise.randomness.source import Source, default_source
from leastnoise.randomness.uniform import uniform_below

_MOST_CATEGORIES = 1 << 62  # categories shall fit into 64 bits


@frozen(kw_only=True, repr=False)
class RandomizedResponse(Described):
    r"""The truth with probability e^ε/(e^ε + k − 1), else one of the k − 1 other categories.

    Theorem: for every person and any two categories the answer is ε-DP, exactly: no smaller ε will
    do. The privacy loss is ε, 0 and −ε with probabilities e^ε/D, (k−2)/D and 1/D, where
    D = e^ε + k − 1. Among all ε-DP mechanisms on k categories that answer with a category, none
    lies less often in the worst case.
    Proof: an output has probability e^ε/D or 1/D, whatever the input. For the rest see
    docs/proofs/randomized_response.md.

    An array holds one record per entry, and neighbours differ in one entry: a person with m
    entries is protected as `privacy(m)` says.

    Args:
        epsilon: a positive number.
        categories: how many there are, numbered from 0.

    References: Warner1965; KairouzOhViswanath2016.

    Example:
        >>> mechanism = RandomizedResponse(epsilon=1)
        >>> mechanism.release(1).guarantee
        PureDP(epsilon=1)
        >>> answers = mechanism.release([1, 0, 0, 1, 1, 0])
        >>> answers.map(mechanism.frequencies).value.records
        6
    """

    epsilon: Number = checked(_check.positive)
    categories: Whole = checked(_check.whole(2, _MOST_CATEGORIES), default=2)

    @property
    def guarantee(self) -> PureDP:
        """ε-DP when one entry is replaced."""
        return PureDP(epsilon=self.epsilon)

    @cached_property
    def _odds(self) -> ExponentialSum:
        """e^ε: how much likelier the truth is than any one lie."""
        return ExponentialSum.exp(self.epsilon)

    @cached_property
    def truth(self) -> ExponentialRatio:
        """The probability of answering with the truth."""
        return ExponentialRatio(self._odds, self._odds + (self.categories - 1))

    @cached_property
    def lie(self) -> ExponentialRatio:
        """The probability of answering with one particular other category."""
        return ExponentialRatio(ExponentialSum.of(1), self._odds + (self.categories - 1))

    def output_law(self, category: SupportsIndex) -> Mapping[int, ExponentialRatio]:
        """Answer ↦ exact probability, for a public or hypothetical category."""
        true = _check.integer_between(category, "category", 0, self.categories - 1)
        return {
            answer: self.truth if answer == true else self.lie for answer in range(self.categories)
        }

    @overload
    def release(self, value: int | np.integer, source: Source | None = None) -> Release[int]: ...
    @overload
    def release(
        self, value: ArrayLike, source: Source | None = None
    ) -> Release[NDArray[np.int64]]: ...
    def release(
        self, value: ArrayLike, source: Source | None = None
    ) -> Release[int] | Release[NDArray[np.int64]]:
        """One answer for each category given, independently of one another.

        Raises:
            InvalidParameter: a category is out of range; which one is not said.
        """
        secret = secret_integers(value, "value", self.categories)
        answers = self._answers(secret.ravel(), default_source() if source is None else source)
        if secret.ndim == 0:
            return Release(int(answers[0]), self.guarantee, repr(self))
        return Release(answers.reshape(secret.shape), self.guarantee, repr(self))

    def _answers(self, secret: NDArray[np.int64], source: Source) -> NDArray[np.int64]:
        liars = np.flatnonzero(~bernoulli(self.truth, secret.size, source))
        shift = np.zeros(secret.size, dtype=np.int64)
        # With two categories there is one lie to tell, and nothing to draw.
        lies = 0 if self.categories == 2 else uniform_below(self.categories - 1, liars.size, source)
        shift[liars] = 1 + lies
        told = secret + shift
        # As a remainder; but processors take longer to divide some numbers than others.
        answers: NDArray[np.int64] = told - self.categories * (told >= self.categories)
        return answers

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of one release for arrays that differ in `distance` entries."""
        count = _check.integer_between(distance, "distance", 1)
        entry = PrivacyLoss.randomized_response(epsilon=self.epsilon, categories=self.categories)
        loss = entry if count == 1 else entry.self_compose(count)
        return replace(loss, of_group=lambda size: self.privacy(count * size))

    def certificate(self) -> None:
        """None for now."""

    def expected_cost(self) -> Interval:
        """The probability that an answer is not the truth, (k − 1)/(e^ε + k − 1)."""
        return ExponentialRatio(self.lie.over * (self.categories - 1), self.lie.under).interval()

    def frequencies(self, responses: ArrayLike) -> ResponseFrequencies:
        """Estimates of how frequent the categories are, from released answers.

        Only answers go in, which are public: to keep the guarantee attached write
        `release.map(mechanism.frequencies)`.
        """
        answers = secret_integers(responses, "responses", self.categories)
        return ResponseFrequencies.count(self.epsilon, self.categories, answers)

    def squared_error(self, *, frequency: Exact, records: SupportsIndex) -> ErrorSplit:
        r"""E(f̂ − f)² of the unbiased estimate of a frequency f from a random sample, exactly.

        Theorem: with E = e^ε, the estimate has mean f and
        variance f(1−f)/n + (f·E·(k−1) + (1−f)·(E+k−2)) / (n·(E−1)²): sampling plus privacy.
        If f is the frequency among the n records themselves, the second term alone is the variance.
        Proof: docs/proofs/randomized_response.md.

        Example:
            >>> error = RandomizedResponse(epsilon=1).squared_error(frequency="0.3", records=1000)
            >>> float(error.sampling), round(float(error.privacy), 7)
            (0.00021, 0.0009207)
        """
        share = _check.probability(frequency, "frequency")
        count = _check.integer_between(records, "records", 1)
        others = self.categories - 1
        sampling = share * (1 - share) / count
        noise = self._odds * (share * others) + (self._odds + (others - 1)) * (1 - share)
        scale = (self._odds - 1) * (self._odds - 1) * count
        return ErrorSplit(
            sampling=Interval.exactly(sampling),
            privacy=ExponentialRatio(noise, scale).interval(),
            saved=Interval.exactly(0),
            total=ExponentialRatio(noise + scale * sampling, scale).interval(),
        )


def randomized_response(*, epsilon: Exact, categories: SupportsIndex = 2) -> RandomizedResponse:
    """Answers by chance between the truth and a lie, one per person.

    Example:
        >>> randomized_response(epsilon="0.5", categories=4)
        RandomizedResponse(epsilon=0.5, categories=4)
    """
    return RandomizedResponse(epsilon=epsilon, categories=categories)
