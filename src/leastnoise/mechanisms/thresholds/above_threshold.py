"""`AboveThreshold`: which of many questions lie above a threshold, at the price of a few."""

from fractions import Fraction
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import BudgetExceeded
from leastnoise.mechanisms.thresholds.threshold_answer import ThresholdAnswer, ThresholdAnswers
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.mechanisms.thresholds.threshold_question import ThresholdQuestion, Value
from leastnoise.mechanisms.thresholds.threshold_search import ThresholdSearch
from leastnoise.mechanisms.thresholds.threshold_share import chosen_share
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.inverse import least_integer
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source


class AboveThreshold(ThresholdSearch):
    r"""Says of one question after another whether it lies above a threshold (sparse vector).

    The whole price is paid when the object is made; questions are free until `positives` of them
    were answered "above", and then no more are answered. The next question may depend on all
    answers so far. Make one with `above_threshold`.

    Law: ρ is drawn once and ν afresh for each question, one-sided geometric as `ThresholdNoise`
    says, on the lattice of the values; "above" means value + ν ≥ threshold + ρ.

    Theorem: for all neighbours whose values differ by at most the sensitivity in every question,
    and all analysts, all answers together are ε-DP (c·ε-DP for c restarts). `accuracy` says exactly
    how far from the threshold they are right.
    Proof: docs/proofs/sparse_vector.md.

    Args:
        question: threshold, sensitivity and lattice.
        noise: how much of it, and its price.
        gap: whether to tell, with each "above", value + ν − threshold − ρ; costs nothing more.
        source: where the noise comes from.
    """

    __slots__ = ("_gap",)

    def __init__(
        self,
        question: ThresholdQuestion,
        noise: ThresholdNoise,
        *,
        gap: bool = False,
        source: Source | None = None,
    ) -> None:
        self._gap = _check.flag(gap, "gap")
        super().__init__(question, noise, source)

    @property
    def gap(self) -> bool:
        """Whether each "above" comes with its gap."""
        return self._gap

    def __repr__(self) -> str:
        return f"AboveThreshold({self.question!r}, {self.noise!r}, gap={self.gap})"

    @property
    def guarantee(self) -> PureDP:
        """The pure price of everything it will ever answer."""
        return self.noise.guarantee

    @property
    def concentrated(self) -> ZCDP:
        """The zCDP of everything it will ever answer."""
        return self.noise.concentrated

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of all answers together, if up to `distance` people change."""
        return self.noise.privacy(distance)

    def ask(self, value: Value) -> ThresholdAnswer:
        """Whether a secret value lies above the threshold.

        Raises:
            InvalidParameter: not a number of the kind agreed on; what was found is not said.
            BudgetExceeded: it is spent. Nothing was drawn.
        """
        place = self.question.place(value)
        with self._turn():
            self._require_some_left()
            excess = self._gate.excess(place)
        if excess < 0:
            return ThresholdAnswer(above=False)
        return ThresholdAnswer(above=True, gap=self.question.shown(excess) if self.gap else None)

    def ask_all(self, values: ArrayLike) -> ThresholdAnswers:
        """The same as asking about each value in order, until it is spent; much faster.

        Raises:
            InvalidParameter: not a row of such numbers; what was found is not said.
            BudgetExceeded: it is spent already. Nothing was drawn.
        """
        places = self.question.places(values)
        with self._turn():
            self._require_some_left()
            pieces = self._gate.excesses(places)
        above = [np.empty(0, dtype=np.bool_)]
        above += [np.asarray(excess >= 0, dtype=np.bool_) for excess in pieces]
        gaps = [gap for excess in pieces for gap in excess[excess >= 0].tolist()]
        shown = tuple(map(self.question.shown, gaps)) if self.gap else ()
        return ThresholdAnswers(np.concatenate(above), shown)

    def _require_some_left(self) -> None:
        if self._gate.left:
            return
        raise BudgetExceeded(
            f'a sparse vector answers until it has said "above" positives={self.noise.positives} '
            "times; got another question. Make a new one, at a price of its own.",
            requested=self.guarantee,
        )

    def gap_margin(self, confidence: Exact) -> Fraction:
        r"""The m for which value ≥ threshold + gap − m, with at least the given probability.

        Theorem: for each question, the probability that it is answered "above" with a gap of more
        than value − threshold + m is at most P(ν − ρ > m) = e^(−l₂·(m+1))·(1−b₁)/(1−b₁·b₂), where
        l₁, l₂ are the rates of ρ and ν, and b = e^−l.
        Proof: gap = value − threshold + ν − ρ; sum P(ρ = r)·P(ν ≥ m + 1 + r) over r.
        """
        risk = 1 - _check.confidence(confidence)
        first, second = self.noise.threshold_rate, self.noise.query_rate
        under = ExponentialSum.of(1) - ExponentialSum.exp(-first - second)

        def suffices(margin: int) -> bool:
            tail = ExponentialSum.exp(-second * (margin + 1))
            over = tail - tail * ExponentialSum.exp(-first)
            return ExponentialRatio(over, under).compare(risk) <= 0

        steps = least_integer(suffices, 0) * self.question.lattice.step
        return steps + self.question.threshold_moved + self.question.rounding


def above_threshold(  # noqa: PLR0913 - every one is for the user to choose
    *,
    threshold: Exact,
    epsilon: Exact,
    sensitivity: Exact,
    positives: SupportsIndex = 1,
    monotone: bool = False,
    restart: bool = False,
    gap: bool = False,
    granularity: Exact | None = None,
    queries: SupportsIndex | None = None,
    threshold_share: Exact | None = None,
    source: Source | None = None,
) -> AboveThreshold:
    """A sparse vector that tells which questions lie above a threshold.

    The noise is one-sided, so the threshold is not in the middle of what it tells apart: for
    values up to L to stay silent and values from H on to be found, H − L must be
    `accuracy(...).gap` at least, and the threshold L + `accuracy(...).below`.

    Args:
        threshold: T, public.
        epsilon: the price of all answers together; of each "above" with `restart`.
        sensitivity: the most any question's value changes between neighbours.
        positives: how often "above" may be answered.
        monotone: whether, between two neighbours, no question's value rises while another's falls;
            half the noise then suffices for the questions.
        restart: whether to draw the threshold's noise anew after each "above", and pay ε again. For
            many positives this is the better way once a δ or zCDP is allowed.
        gap: whether to tell, with each "above", value + ν − threshold − ρ; costs nothing more.
        granularity: a step on whose multiples values are put first; without one all are integers.
        queries: how many questions are expected. It is no limit: it only divides ε between
            threshold and questions for the least gap.
        threshold_share: the share of ε for the threshold, if you know better.
        source: where the noise comes from.

    Raises:
        InvalidParameter: an argument breaks a rule; nothing was drawn.

    References: DworkNaorReingoldRothblumVadhan2009; LyuSuLi2017; LiuEtAl2024.

    Example:
        >>> search = above_threshold(threshold=100, epsilon=1, sensitivity=1)
        >>> [bool(search.ask(value)) for value in (-90, 3, 20, 500)]
        [False, False, False, True]
        >>> search.is_spent, search.guarantee
        (True, PureDP(epsilon=1))
        >>> search = above_threshold(threshold=100, epsilon=1, sensitivity=1, queries=1000)
        >>> found = search.accuracy(queries=1000, confidence="0.95")
        >>> int(found.below), int(found.above), int(found.gap)
        (28, 11, 39)
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
    return AboveThreshold(question, noise, gap=gap, source=source)
