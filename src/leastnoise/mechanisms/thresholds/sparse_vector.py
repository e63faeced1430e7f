"""`SparseVector`: numbers for the few questions that need one, guesses for all the others."""

import math
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.mechanisms.thresholds.threshold_question import ThresholdQuestion, Value
from leastnoise.mechanisms.thresholds.threshold_search import ThresholdSearch
from leastnoise.mechanisms.thresholds.threshold_share import chosen_share
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.exact_sum import exact_sum
from leastnoise.privacy.curves.curve import sound_end
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source

Number = int | float


class SparseVector(ThresholdSearch):
    r"""Answers every question: with a public guess, or with the noisy value where that is far off.

    A question comes with a guess h that the analyst knows beforehand, 0 unless told otherwise. If
    |value − h| passes the noisy threshold the answer is the value plus fresh noise, else it is h.
    After `positives` noisy values the answer to every question is its guess: it never halts, and
    never costs more than was paid when it was made. `accuracy` is about that comparison; the error
    of a noisy value is another matter: `answers.quantile`. Make one with `sparse_vector`.

    Theorem: for all neighbours whose values differ by at most the sensitivity in every question,
    and all analysts: all the answers together lose at most what the tests (one ε-DP release, or
    one for each restart) and `positives` releases with the given noise lose together, each priced
    by its own `PrivacyLoss`.
    Proof: docs/proofs/sparse_vector.md, section 7.

    Args:
        question: threshold, sensitivity and lattice.
        noise: of the threshold and of the questions, and its price.
        answers: the law of the noise on answers, on the lattice.
        two_sided: whether to compare |value − h| with the threshold, or value − h.
        source: where the noise comes from.

    References: DworkRoth2014, Section 3.6; SteinkeUllman2016, Theorem 4.2; VadhanZhang2023, for
    questions that depend on both kinds of answers.
    """

    __slots__ = ("_answers", "_guarantee", "_two_sided")

    def __init__(
        self,
        question: ThresholdQuestion,
        noise: ThresholdNoise,
        answers: LatticeLaw,
        *,
        two_sided: bool = True,
        source: Source | None = None,
    ) -> None:
        if _check.flag(two_sided, "two_sided") and noise.monotone:
            raise _check.refuse(
                "`monotone` needs `two_sided=False`, since distances rise and fall with one value",
                "monotone=True, two_sided=True",
                "Give up one of them.",
            )
        self._guarantee = _total(noise, answers, question)
        self._answers, self._two_sided = answers, two_sided
        super().__init__(question, noise, source)

    @property
    def answers(self) -> LatticeLaw:
        """The law of the noise on answers."""
        return self._answers

    @property
    def two_sided(self) -> bool:
        """Whether a value below its hypothesis is as far off as one above."""
        return self._two_sided

    @property
    def guarantee(self) -> PureDP | ZCDP:
        """The price of everything it will ever answer."""
        return self._guarantee

    def __repr__(self) -> str:
        return (
            f"SparseVector({self.question!r}, {self.noise!r}, {self.answers!r}, "
            f"two_sided={self.two_sided})"
        )

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of all answers together, if up to `distance` people change."""
        people = _check.integer_between(distance, "distance", 1)
        told = self.answers.privacy(self.question.reach * people)
        return self.noise.privacy(people).compose(told.self_compose(self.noise.positives))

    def ask(self, value: Value, hypothesis: Exact = 0) -> Number | Exact:
        """A noisy value if the hypothesis is far off, else the hypothesis as it was given.

        Raises:
            InvalidParameter: not a number of the kind agreed on; of the value it is not said what
                was found.
        """
        guess = self.question.public_place(self.question.public(hypothesis, "hypothesis"))
        place = self.question.place(value)
        with self._turn():
            if self.is_spent or self._gate.excess(self._away(place - guess)) < 0:
                return hypothesis
            drawn = self.answers.sample(source=self._source)
        return self.question.shown(place + drawn)

    def _away(self, difference: int) -> int:
        return abs(difference) if self.two_sided else difference

    def ask_all(self, values: ArrayLike, hypotheses: ArrayLike = 0) -> NDArray[np.generic]:
        """The same as asking about each value in order, in one array; much faster.

        Args:
            values: a row of secret values.
            hypotheses: a row of guesses, or one for all.
        """
        places = self.question.places(values)
        told = _broadcast(hypotheses, places.shape)
        away = self._all_away(exact_sum(places, -self.question.places(told)))
        with self._turn():
            pieces = [] if self.is_spent else self._gate.excesses(away)
            passed = np.flatnonzero(np.concatenate([[], *(piece >= 0 for piece in pieces)]))
            drawn = self.answers.sample(len(passed), source=self._source)
        noisy = self.question.all_shown(exact_sum(places[passed], drawn))
        told = told.astype(np.result_type(told, noisy))
        told[passed] = noisy
        return told

    def _all_away(self, differences: Draws) -> Draws:
        return np.asarray(np.abs(differences)) if self.two_sided else differences


def _broadcast(hypotheses: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.generic]:
    given = np.asarray(hypotheses)
    try:
        return np.array(np.broadcast_to(given, shape))
    except ValueError:
        raise _check.refuse(
            "`hypotheses` must be one number or as many as there are values",
            f"an array of shape {given.shape}",
            "Give one hypothesis for each value.",
        ) from None


def _total(
    noise: ThresholdNoise, answers: LatticeLaw, question: ThresholdQuestion
) -> PureDP | ZCDP:
    """The price of everything, in the words that fit the noise on answers."""
    rule = "`answers` must be a law of noise on the integers"
    _check.kind(answers, LatticeLaw, rule, "Give for example DiscreteLaplace(scale=10).")
    reach, count = question.reach, noise.positives
    if isinstance(answers, DiscreteGaussian):
        each = reach**2 / (2 * answers.sigma_squared)
        return ZCDP(rho=noise.concentrated.rho + count * each)
    greatest = answers.privacy(reach).renyi(math.inf)
    if greatest.upper < math.inf:
        return PureDP(epsilon=noise.guarantee.epsilon + count * sound_end(greatest))
    raise _check.refuse(
        "`answers` must be a law with a bounded loss or a DiscreteGaussian",
        _check.shown(answers),
        "Others leak with some probability δ: give for example DiscreteLaplace(scale=10).",
    )


def sparse_vector(  # noqa: PLR0913 - every one is for the user to choose
    *,
    threshold: Exact,
    epsilon: Exact,
    sensitivity: Exact,
    answers: LatticeLaw,
    positives: SupportsIndex,
    two_sided: bool = True,
    monotone: bool = False,
    restart: bool = False,
    granularity: Exact | None = None,
    queries: SupportsIndex | None = None,
    threshold_share: Exact | None = None,
    source: Source | None = None,
) -> SparseVector:
    """A sparse vector that answers with numbers and never halts.

    Args:
        threshold: T, public: how far a value must be from its hypothesis to be worth a number.
        epsilon: the price of finding such questions; the noisy values are paid for besides.
        sensitivity: the most any question's value changes between neighbours.
        answers: the law of the noise on answers, on the lattice of the values.
        positives: how many noisy values it gives.
        two_sided: whether to compare |value − hypothesis| with the threshold, or the difference.
        monotone: as for `above_threshold`; needs `two_sided=False`.
        restart: as for `above_threshold`; ε is then the price of each noisy value's finding.
        granularity: a step on whose multiples values are put first; without one all are integers.
        queries: how many questions are expected; it only divides ε, as for `above_threshold`.
        threshold_share: the share of ε for the threshold, if you know better.
        source: where the noise comes from.

    Raises:
        InvalidParameter: an argument breaks a rule; nothing was drawn.

    Example:
        >>> from leastnoise.noise import DiscreteLaplace
        >>> law = DiscreteLaplace(scale=2)
        >>> vector = sparse_vector(
        ...     threshold=100, epsilon=1, sensitivity=1, answers=law, positives=2
        ... )
        >>> vector.guarantee
        PureDP(epsilon=2)
        >>> vector.ask(3), abs(vector.ask(-1000) + 1000) < 100, vector.ask(7, hypothesis=5)
        (0, True, 5)
    """
    question = ThresholdQuestion(
        threshold=threshold, sensitivity=sensitivity, granularity=granularity
    )
    noise = ThresholdNoise(
        epsilon=epsilon,
        sensitivity=question.reach,
        positives=positives,
        monotone=monotone,
        restart=restart,
        threshold_share=chosen_share(
            queries, threshold_share, positives, monotone=monotone, restart=restart
        ),
    )
    return SparseVector(question, noise, answers, two_sided=two_sided, source=source)
