"""Randomized response: each person answers for themselves, and not always with the truth."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.noise.source import Source
from leastnoise.noise.stairs import uniform_array
from leastnoise.noise.uniform import Table
from leastnoise.numbers.chance import clopper_pearson
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, inside, positive, probability, whole
from leastnoise.numbers.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numbers.interval import End, Interval
from leastnoise.privacy.guarantee import PureDP
from leastnoise.privacy.loss import PrivacyLoss

_MOST_CATEGORIES, _MOST_SHOWN = 1 << 20, 20


def _categories(value: int, name: str) -> int:
    found = whole(value, name, least=2)
    if found > _MOST_CATEGORIES:
        raise InvalidInput(f"{name} is {found}. Give at most {_MOST_CATEGORIES}.")
    return found


@dataclass(frozen=True, kw_only=True, repr=False)
class RandomizedResponse(Mechanism[Any, Any]):
    """The truth with probability e^epsilon / (e^epsilon + k - 1), else one of the k - 1 others.

    Theorem: for any two categories of one person the answer is epsilon-DP, exactly. Among all
    epsilon-DP mechanisms that answer with one of k categories, none lies less often in the worst
    case. Proof: if no truth is hidden with a chance above L, each of the others is answered instead
    with chance e^-epsilon * (1 - L) at least, so L >= (k - 1) * e^-epsilon * (1 - L).
    References: Warner 1965; Kairouz, Oh and Viswanath 2016, Section 3.

    Attributes:
        epsilon: what is promised to each person. An array holds one person in each entry.
        categories: how many there are, numbered from 0.

    >>> survey = randomized_response(epsilon="0.5", categories=4)
    >>> survey, round(float(survey.expected_cost()), 4)
    (RandomizedResponse(epsilon=0.5, categories=4), 0.6453)
    """

    epsilon: Checked[Exact, Fraction] = Checked(positive)
    categories: Checked[int, int] = Checked(_categories, default=2)

    @property
    def guarantee(self) -> PureDP:
        """epsilon-DP where one entry is replaced."""
        return PureDP(epsilon=self.epsilon)

    @cached_property
    def _odds(self) -> ExponentialSum:
        return ExponentialSum.exp(self.epsilon)

    @cached_property
    def truth(self) -> ExponentialRatio:
        """The chance of answering with the truth."""
        return ExponentialRatio(self._odds, self._odds + (self.categories - 1))

    @cached_property
    def _coin(self) -> Table:
        return Table(lambda _, bits: self.truth.floor(1 << bits), 2)

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """The loss where `distance` entries are replaced."""
        one = PrivacyLoss.randomized_response(epsilon=self.epsilon, categories=self.categories)
        return one.self_compose(whole(distance, "distance"))

    def _answer(self, value: ArrayLike, source: Source) -> int | NDArray[np.int64]:
        truths = self._numbers(value, "The secret")
        flat = truths.ravel()
        lies = np.flatnonzero(self._coin.sample(flat.size, source) == 0)
        flat[lies] += 1 + uniform_array(self.categories - 1, lies.size, source)
        answers: NDArray[np.int64] = (flat % self.categories).reshape(truths.shape)
        return answers if truths.ndim else int(answers)

    def _numbers(self, given: ArrayLike, what: str) -> NDArray[np.int64]:
        found = whole_numbers(given, Fraction(1), what)
        if not all(0 <= each < self.categories for each in found.flat):
            raise InvalidInput(f"{what} has a category outside 0 .. {self.categories - 1}.")
        return found.astype(np.int64)

    def expected_cost(self) -> Interval:
        """The chance that an answer is not the truth."""
        lies = ExponentialSum.of(self.categories - 1)
        return ExponentialRatio(lies, self._odds + lies).interval()

    def frequencies(self, answers: ArrayLike) -> "Frequencies":
        """What released answers say about the frequencies of the categories."""
        found = self._numbers(answers, "The list of answers").ravel()
        if not found.size:
            raise InvalidInput("There are no answers. Ask at least one person.")
        counts = np.bincount(found, minlength=self.categories).tolist()
        return Frequencies(self.epsilon, tuple(counts))

    def squared_error(self, *, frequency: Exact, records: int) -> Interval:
        """The mean squared error of an estimated frequency f, from a random sample of n people.

        It is f*(1-f)/n for the sample, and (f*E*(k-1) + (1-f)*(E+k-2)) / (n*(E-1)^2) for privacy,
        with E = e^epsilon.

        >>> mechanism = RandomizedResponse(epsilon=1)
        >>> round(float(mechanism.squared_error(frequency="0.3", records=1000)), 7)
        0.0011307
        """
        f, n = probability(frequency, "frequency"), whole(records, "records")
        others = self.categories - 1
        noise = self._odds * (f * others) + (self._odds + (others - 1)) * (1 - f)
        scale = (self._odds - 1) * (self._odds - 1) * n
        return ExponentialRatio(noise + scale * (f * (1 - f) / n), scale).interval()


@dataclass(frozen=True, repr=False)
class Frequencies:
    """Estimates of how frequent categories are, from the answers of n people.

    A category of frequency f is answered with chance (1 + f*(E - 1)) / (E + k - 1), E = e^epsilon; the
    estimate puts the share of answers there and solves for f. It is unbiased, so it may lie outside
    0 .. 1; intervals are cut to 0 .. 1, and each speaks of one category.

    Attributes:
        epsilon: of the answers.
        counts: how many answers each category got.
    """

    epsilon: Fraction
    counts: tuple[int, ...]

    @property
    def records(self) -> int:
        """How many answers there are."""
        return sum(self.counts)

    def _solved(self, share: Fraction) -> Interval:
        odds = ExponentialSum.exp(self.epsilon)
        over = (odds + (len(self.counts) - 1)) * share - 1
        return ExponentialRatio(over, odds - 1).interval()

    def _count(self, category: int) -> int:
        place = whole(category, "category", least=0)
        if place >= len(self.counts):
            raise InvalidInput(f"category is {place}. Give one of 0 .. {len(self.counts) - 1}.")
        return self.counts[place]

    def estimate(self, category: int) -> Interval:
        """The unbiased estimate.

        >>> round(float(Frequencies(Fraction(1), (60, 40)).estimate(1)), 4)
        0.2836
        """
        return self._solved(Fraction(self._count(category), self.records))

    def interval(self, category: int, *, level: Exact = "0.95") -> Interval:
        """Holds the frequency in the population that the people are a sample of (Clopper-Pearson)."""
        found = clopper_pearson(self._count(category), self.records, 1 - inside(level, "level"))
        low, high = (self._solved(Fraction(end)) for end in (found.lower, found.upper))
        return _cut(low.lower, high.upper)

    def __repr__(self) -> str:
        lines = [f"Frequencies from {self.records} answers, with 95 % intervals"]
        for each in range(min(len(self.counts), _MOST_SHOWN)):
            found, about = self.interval(each), float(self.estimate(each))
            ends = f"{float(found.lower):.4f} to {float(found.upper):.4f}"
            lines += [f"{each:>4}  {about:7.4f}  {ends}"]
        rest = len(self.counts) - _MOST_SHOWN
        return "\n".join(lines if rest <= 0 else [*lines, f"and {rest} more categories"])


def _cut(lower: End, upper: End) -> Interval:
    zero, one = Fraction(0), Fraction(1)
    return Interval(min(max(lower, zero), one), max(min(upper, one), zero))


randomized_response = RandomizedResponse
