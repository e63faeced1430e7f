"""`ThresholdSearch`: what both sparse vectors hold: a question, its noise, and the gate."""

from typing import SupportsIndex

from leastnoise._check import Exact
from leastnoise.mechanisms.thresholds.single_use import SingleUse
from leastnoise.mechanisms.thresholds.threshold_accuracy import ThresholdAccuracy, accuracy
from leastnoise.mechanisms.thresholds.threshold_gate import ThresholdGate
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.mechanisms.thresholds.threshold_question import ThresholdQuestion
from leastnoise.randomness.source import Source, checked_source


class ThresholdSearch(SingleUse):
    """Compares one question after another with a noisy threshold.

    Making one draws the threshold's noise, so all other arguments are checked before.
    """

    __slots__ = ("_gate", "_noise", "_question", "_source")

    def __init__(
        self, question: ThresholdQuestion, noise: ThresholdNoise, source: Source | None
    ) -> None:
        super().__init__()
        self._question, self._noise, self._source = question, noise, checked_source(source)
        self._gate = ThresholdGate(question, noise, self._source)

    @property
    def question(self) -> ThresholdQuestion:
        """Threshold, sensitivity and lattice."""
        return self._question

    @property
    def noise(self) -> ThresholdNoise:
        """How much noise the comparisons have, and its price."""
        return self._noise

    @property
    def positives_left(self) -> int:
        """How many more questions can pass the threshold."""
        return self._gate.left

    @property
    def is_spent(self) -> bool:
        """Whether no more questions can pass it."""
        return not self._gate.left

    def accuracy(self, *, queries: SupportsIndex, confidence: Exact) -> ThresholdAccuracy:
        """How far from the threshold every comparison is right, with the given probability."""
        return accuracy(self.question, self.noise, queries=queries, confidence=confidence)
