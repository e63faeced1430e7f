"""Sparse vector: which of many questions lie above a threshold, at the price of the few that do.

A noisy threshold T + r is drawn once. A question has a whole number as its value, which one privacy
unit moves by at most the sensitivity D. It is answered "above" if value + n >= T + r, with a fresh n.
After c answers "above" no more are given. Both noises are one-sided geometric:

    P(r >= m) = e^(-m * share*epsilon/D),   P(n >= m) = e^(-m * (1 - share)*epsilon/(w*c*D)),

with w = 2, or w = 1 if the questions are monotone: between two neighbours no value rises while
another falls. Counts of units are, where a unit is added or removed, but not where one is replaced.

Theorem. For all T, all neighbours, and all analysts who choose each question in view of the answers so
far, all answers together are epsilon-DP, and no smaller epsilon will do. Upward shifts of r are all
that the proof needs, so noise that is never negative suffices (Liu and others 2024), and errs less.

`SparseVector` also gives noisy values. Proof page: docs/proofs/sparse_vector.md.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log, sqrt
from threading import Lock
from typing import NoReturn

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise.mechanisms.additive import AdditiveNoise
from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.noise.distribution import integer
from leastnoise.noise.source import Source, system_source
from leastnoise.noise.uniform import Draws, geometric
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import BudgetExceeded, InvalidInput
from leastnoise.numbers.exact import Checked, Exact, inside, positive, truth_value, whole
from leastnoise.numbers.inverse import least_integer
from leastnoise.privacy.conversion import rho_of_pure
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss

_RISK = 0.05  # for which the budget is divided best
_NEARBY = 3  # places beside the best one on the real line that are tried


@dataclass(frozen=True)
class ThresholdError:
    """How far from the threshold all answers are right, with the stated confidence.

    Attributes:
        below: no question whose value is so far below the threshold, or farther, is above.
        above: all whose values are so far above it, or farther, are, while such answers are left.
    """

    below: int
    above: int

    @property
    def gap(self) -> int:
        """The distance between what is never above and what always is."""
        return self.below + self.above


@dataclass(frozen=True, kw_only=True, repr=False)
class AboveThreshold(Mechanism[Sequence[int], tuple[bool, ...]]):
    """Says of one question after another whether it lies above a threshold.

    `release` answers a row of questions, up to the last answer that is left; `start` gives an object
    that answers them one by one. Either spends the whole epsilon.

    Attributes:
        threshold: T, public.
        epsilon: of all answers together.
        sensitivity: how far one privacy unit moves a value.
        positives: c, how often the answer may be "above".
        monotone: whether one unit moves all values up, or all of them down.
        queries: about how many questions there will be; only divides epsilon well.
        share: the part of epsilon that the threshold's noise gets; about the best one if None.

    The noise is one-sided, so the threshold is not in the middle of what it tells apart: `error` says
    how far below it values stay unnoticed, and how far above it they are found.

    >>> search = above_threshold(threshold=100, epsilon=1).start()
    >>> [search.ask(value) for value in (-90, 3, 20, 500)], search.left
    ([False, False, False, True], 0)
    """

    threshold: Checked[int, int] = Checked(integer)
    epsilon: Checked[Exact, Fraction] = Checked(positive)
    sensitivity: Checked[int, int] = Checked(whole, default=1)
    positives: Checked[int, int] = Checked(whole, default=1)
    monotone: Checked[bool, bool] = Checked(truth_value, default=False)
    queries: Checked[int, int] = Checked(whole, default=1000)
    share: Exact | None = None

    def __post_init__(self) -> None:
        _ = self.threshold_share  # checks the share

    @cached_property
    def threshold_share(self) -> Fraction:
        """The least gap on the real line is at this share: docs/proofs/sparse_vector.md, section 4."""
        if self.share is not None:
            return inside(self.share, "share")
        above, below = log(self.positives) - log(_RISK), log(self.queries) - log(_RISK)
        return Fraction(round(1000 / (1 + sqrt(self._moves * below / above))) or 1, 1000)

    @property
    def _moves(self) -> int:
        """By how many times the sensitivity answers "above" move in all."""
        return self.positives * (1 if self.monotone else 2)

    @property
    def threshold_rate(self) -> Fraction:
        """P(r >= m) = e^(-m * rate)."""
        return self.threshold_share * self.epsilon / self.sensitivity

    @property
    def query_rate(self) -> Fraction:
        """P(n >= m) = e^(-m * rate)."""
        return (1 - self.threshold_share) * self.epsilon / (self._moves * self.sensitivity)

    @property
    def guarantee(self) -> PureDP:
        """The pure price of everything that one search answers."""
        return PureDP(epsilon=self.epsilon)

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """An upper bound: that of the worst mechanism with the same pure epsilon."""
        return PrivacyLoss.worst_case(epsilon=self.epsilon * whole(distance, "distance"))

    def start(self, source: Source | None = None) -> "Search":
        """A search that answers one question after another. Every start spends epsilon anew."""
        return Search(self, system_source(source))

    def _answer(self, value: Sequence[int], source: Source) -> tuple[bool, ...]:
        secret = whole_numbers(value, Fraction(1), "The row of values")
        return tuple(self.start(source).compare(secret).tolist())

    def error(self, *, queries: int, confidence: Exact = "0.95") -> ThresholdError:
        """How far from the threshold all answers are right, if that many questions are below it.

        Theorem: of k questions at T - a or lower some is above, or some question at T + b or higher
        is not, with chance at most

            k * P(n >= a + r) + P(r > b + the least of c copies of n),

        and both chances have a closed form. The least a + b found is returned. Proof page:
        docs/proofs/sparse_vector.md, section 4.

        >>> above_threshold(threshold=100, epsilon=1).error(queries=1000)
        ThresholdError(below=27, above=12)
        """
        count, risk = whole(queries, "queries"), 1 - inside(confidence, "confidence")
        first, second = self.threshold_rate, self.query_rate

        def above_wrongly(below: int) -> arb:
            falls, lone = (-balls.ball(first)).exp(), (-balls.ball(second)).exp()
            return count * lone**below * (1 - falls) / (1 - falls * lone)

        def missed(above: int) -> arb:
            falls = (-balls.ball(first)).exp()
            least = (-balls.ball(second * self.positives)).exp()
            return falls ** (above + 1) * (1 - least) / (1 - falls * least)

        def spares(below: int, part: Fraction) -> bool:
            return balls.sign(lambda: above_wrongly(below) - balls.ball(part)) < 0

        def suffices(below: int, above: int) -> bool:
            return balls.sign(lambda: above_wrongly(below) + missed(above) - balls.ball(risk)) <= 0

        # On the real line the least a + b divides the risk in proportion to the rates.
        middle = least_integer(lambda a: spares(a, risk * first / (first + second)), 0)
        places = [a for a in range(max(0, middle - _NEARBY), middle + _NEARBY) if spares(a, risk)]
        found = {a: least_integer(lambda b, a=a: suffices(a, b), 0) for a in places}  # type: ignore[misc]
        below = min(found, key=lambda a: a + found[a])
        return ThresholdError(below, found[below])


class Search:
    """A search under way: it holds the noisy threshold, which nobody may see.

    A copy would compare with the same noise again, and so would a process that was forked off; the
    answers of both together are not what was paid for. So copies, pickles and forks are refused.
    Threads take turns.

    Attributes:
        left: how many more answers may be "above".
    """

    def __init__(self, mechanism: AboveThreshold, source: Source) -> None:
        self._rate, self._source = mechanism.query_rate, source
        self._level = mechanism.threshold + int(geometric(mechanism.threshold_rate, 1, source)[0])
        self._promised, self.left = mechanism.positives, mechanism.positives
        self._process, self._lock = os.getpid(), Lock()

    def ask(self, value: int) -> bool:
        """Whether a question with this secret value lies above the threshold.

        Raises:
            BudgetExceeded: as many were above as were paid for. Nothing was drawn.
        """
        above = self.compare(whole_numbers([value], Fraction(1), "The value"))
        if not above.size:
            said = f'The search has said "above" {self._promised} times'
            raise BudgetExceeded(f"{said}. Start another one; it spends epsilon anew.")
        return bool(above[0])

    def compare(self, secret: Draws) -> NDArray[np.bool_]:
        """The same for a row of checked values, up to the last answer that is left."""
        if secret.ndim != 1:
            raise InvalidInput("The values are no row. Give one whole number for each question.")
        if self._process != os.getpid():
            raise InvalidInput("A search stays in the process that started it. Start one here.")
        with self._lock:
            noise = geometric(self._rate, secret.size if self.left else 0, self._source)
            above = np.asarray(secret[: noise.size] + noise >= self._level, dtype=np.bool_)
            passed = np.flatnonzero(above)[: self.left]
            if passed.size and passed.size == self.left:
                above = above[: int(passed[-1]) + 1]
            self.left -= passed.size
        return above

    def __reduce__(self) -> NoReturn:
        raise TypeError("A search cannot be copied or pickled: two holders would use equal noise.")


@dataclass(frozen=True, kw_only=True, repr=False)
class SparseVector(Mechanism[Sequence[int], tuple[int, ...]]):
    """Answers every question: with 0, or with the noisy value where that is far from 0.

    The test is whether |value| lies above the threshold. To compare with guesses, ask for differences
    from them: they must be public. After the last noisy value every answer is 0, or the guess.

    Theorem: all answers together lose at most what the tests (one epsilon-DP mechanism) and c
    answers with the noise lose together, though questions may depend on both kinds of answers.
    Proof page: docs/proofs/sparse_vector.md, section 5.

    Attributes:
        threshold: public: how far a value must be from the guess to be worth a noisy answer.
        epsilon: of finding such questions; their noisy values cost what `answers` promises, each.
        answers: noise for them, made for the sensitivity of the questions.
        positives: how many noisy values there may be.
        queries: about how many questions there will be; only divides epsilon well.

    >>> from leastnoise.mechanisms.additive import laplace
    >>> noise = laplace(sensitivity=1, epsilon="0.5")
    >>> vector = sparse_vector(threshold=100, epsilon=1, answers=noise, positives=2)
    >>> vector.guarantee
    PureDP(epsilon=2)
    >>> search = vector.start()
    >>> search.ask(3), search.ask(7, guess=5), abs(search.ask(-1000) + 1000) < 100
    (0, 5, True)
    """

    threshold: Checked[int, int] = Checked(integer)
    epsilon: Checked[Exact, Fraction] = Checked(positive)
    answers: AdditiveNoise
    positives: Checked[int, int] = Checked(whole)
    queries: Checked[int, int] = Checked(whole, default=1000)

    def __post_init__(self) -> None:
        if not isinstance(self.answers, AdditiveNoise) or self.answers.step != 1:
            raise InvalidInput("answers is no noise for whole numbers. Give for example "
                               "laplace(sensitivity=1, epsilon=1).")  # fmt: skip
        self.answers.release(0)  # refuses noise for several numbers

    @cached_property
    def tests(self) -> AboveThreshold:
        """Which questions are far from 0. Distances from 0 are not monotone."""
        return AboveThreshold(
            threshold=self.threshold,
            epsilon=self.epsilon,
            sensitivity=self.answers.sensitivity,
            positives=self.positives,
            queries=self.queries,
        )

    @property
    def guarantee(self) -> Guarantee:
        """The price of all answers together: that of the tests, and of c noisy values."""
        epsilon, count = self.epsilon, self.positives
        match self.answers.guarantee:
            case PureDP(epsilon=each):
                return PureDP(epsilon=epsilon + count * each)
            case ApproxDP(epsilon=each, delta=lost):
                total = min(count * lost, Fraction(1))
                return ApproxDP(epsilon=epsilon + count * each, delta=total)
            case ZCDP(rho=each):
                return ZCDP(rho=rho_of_pure(epsilon) + count * each)
            case GDP(mu=each):
                return ZCDP(rho=rho_of_pure(epsilon) + count * each**2 / 2)

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """The worst loss of the tests, composed with that of c noisy values."""
        told = self.answers.privacy(distance).self_compose(self.positives)
        return self.tests.privacy(distance).compose(told)

    def start(self, source: Source | None = None) -> "NoisySearch":
        """A search that answers one question after another. Every start spends everything anew."""
        return NoisySearch(self, system_source(source))

    def _answer(self, value: Sequence[int], source: Source) -> tuple[int, ...]:
        secret = whole_numbers(value, Fraction(1), "The row of values")
        found = [0] * secret.size
        for place in np.flatnonzero(self.tests.start(source).compare(np.asarray(np.abs(secret)))):
            found[place] = int(self.answers.release(int(secret[place]), source).value)
        return tuple(found)


class NoisySearch:
    """A search under way that tells noisy values. It is never copied, like the `Search` it holds."""

    def __init__(self, mechanism: SparseVector, source: Source) -> None:
        self._search, self._source = mechanism.tests.start(source), source
        self._answers = mechanism.answers

    @property
    def left(self) -> int:
        """How many more noisy values there will be."""
        return self._search.left

    def ask(self, value: int, guess: int = 0) -> int:
        """The guess, or the noisy value if that is far from it. The guess must be public."""
        away = int(whole_numbers(value, Fraction(1), "The value")) - integer(guess, "guess")
        above = self._search.compare(np.array([abs(away)], dtype=np.object_))
        if not above.any():
            return guess
        noisy: int = self._answers.release(away, self._source).value
        return guess + noisy


above_threshold, sparse_vector = AboveThreshold, SparseVector
