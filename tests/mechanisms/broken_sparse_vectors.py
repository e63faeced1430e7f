"""Sparse vectors that do not keep their promise, in exact probabilities. For tests only.

Most are on the list of Lyu, Su and Li, carried over to integers and one-sided noise. Each claims
the ε of the noise it was given.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from leastnoise.mechanisms import ThresholdNoise
from leastnoise.mechanisms.thresholds.threshold_transcripts import (
    Answer,
    HonestMachine,
    Levels,
    ThresholdMachine,
    Transcript,
    TranscriptLaw,
    mixture_law,
)
from leastnoise.numeric import ball as balls

THRESHOLD = 0
SILENCE: Answer = (False, None)
ABOVE: Answer = (True, "more")


def power(rate: Fraction, count: int) -> arb:
    """P(noise ≥ count)."""
    return (-balls.ball(rate * max(0, count))).exp()


def noisy_levels(rate: Fraction) -> Levels:
    for rho in range(math.ceil(120 / rate)):
        yield THRESHOLD + rho, power(rate, rho) - power(rate, rho + 1)


def noisy_answers(rate: Fraction) -> Callable[[int, int], list[tuple[Answer, arb]]]:
    def answers(value: int, level: int) -> list[tuple[Answer, arb]]:
        chance = power(rate, level - value)
        return [(SILENCE, 1 - chance), (ABOVE, chance)]

    return answers


def bare_answers(value: int, level: int) -> list[tuple[Answer, arb]]:
    return [(ABOVE if value >= level else SILENCE, arb(1))]


@dataclass(frozen=True)
class NoThresholdNoise:
    """Fresh noise on every question and none on the threshold: silence costs, too."""

    noise: ThresholdNoise

    def law(self, values: Sequence[int]) -> TranscriptLaw:
        answers = noisy_answers(self.noise.query_rate)
        return mixture_law([(THRESHOLD, arb(1))], answers, self.noise.positives, values)


@dataclass(frozen=True)
class NoQueryNoise:
    """Noise on the threshold only (Stoddard, Chen and Machanavajjhala)."""

    noise: ThresholdNoise

    def law(self, values: Sequence[int]) -> TranscriptLaw:
        levels = noisy_levels(self.noise.threshold_rate)
        return mixture_law(levels, bare_answers, self.noise.positives, values)


@dataclass(frozen=True)
class NoLimit:
    """The noise of one "above", and no end to them (Chen and others)."""

    noise: ThresholdNoise

    def law(self, values: Sequence[int]) -> TranscriptLaw:
        levels, answers = noisy_levels(self.noise.threshold_rate), noisy_answers(self._rate)
        return mixture_law(levels, answers, math.inf, values)

    @property
    def _rate(self) -> Fraction:
        return replaced(self.noise, positives=1).query_rate


@dataclass(frozen=True)
class NoiseNotScaled:
    """As many "above" as paid for, with the noise of one (Lee and Clifton)."""

    noise: ThresholdNoise

    def law(self, values: Sequence[int]) -> TranscriptLaw:
        rate = replaced(self.noise, positives=1).query_rate
        levels = noisy_levels(self.noise.threshold_rate)
        return mixture_law(levels, noisy_answers(rate), self.noise.positives, values)


@dataclass(frozen=True)
class ThresholdDrawnAgain:
    """New noise on the threshold after every "above", paid for once."""

    noise: ThresholdNoise

    def law(self, values: Sequence[int]) -> TranscriptLaw:
        return self._law(list(values), self.noise.positives)

    def _law(self, values: list[int], left: int) -> TranscriptLaw:
        levels = noisy_levels(self.noise.threshold_rate)
        answers = noisy_answers(self.noise.query_rate)
        first = mixture_law(levels, answers, 1, values)
        law: dict[Transcript, arb] = {}
        rest = first.rest
        for transcript, chance in first.chances.items():
            if not transcript or not transcript[-1][0] or left == 1:
                law[transcript] = chance
                continue
            after = self._law(values[len(transcript) :], left - 1)
            rest = rest + after.rest
            for more, then in (after.chances or {(): arb(1)}).items():
                law[transcript + more] = chance * then
        return TranscriptLaw(law, rest)


@dataclass(frozen=True)
class NoiseToldWithValue:
    """Tells value + ν of every "above", with the ν that decided it (an early lecture note)."""

    noise: ThresholdNoise
    farthest: int = 12

    def law(self, values: Sequence[int]) -> TranscriptLaw:
        levels = noisy_levels(self.noise.threshold_rate)
        return mixture_law(levels, self._answers, self.noise.positives, values)

    def _answers(self, value: int, level: int) -> list[tuple[Answer, arb]]:
        rate, first = self.noise.query_rate, max(level, value)
        told = [
            ((True, shown), power(rate, shown - value) - power(rate, shown + 1 - value))
            for shown in range(first, self.farthest)
        ]
        more = power(rate, max(first, self.farthest) - value)
        return [(SILENCE, 1 - power(rate, level - value)), *told, (ABOVE, more)]


@dataclass(frozen=True)
class OneNoiseForAll:
    """The noise on questions is drawn once and used for all of them."""

    noise: ThresholdNoise

    def law(self, values: Sequence[int]) -> TranscriptLaw:
        most = math.ceil(120 / self.noise.query_rate)
        rate = self.noise.query_rate
        levels = [
            (level - nu, chance * (power(rate, nu) - power(rate, nu + 1)))
            for level, chance in list(noisy_levels(self.noise.threshold_rate))[:60]
            for nu in range(min(most, 60))
        ]
        return mixture_law(levels, bare_answers, self.noise.positives, values)


@dataclass(frozen=True)
class MonotoneTakenForGranted:
    """The discount for monotone questions, given to all."""

    noise: ThresholdNoise

    def law(self, values: Sequence[int]) -> TranscriptLaw:
        return HonestMachine(replaced(self.noise, monotone=True), THRESHOLD).law(values)


@dataclass(frozen=True)
class SensitivityForgotten:
    """The threshold's noise made for a sensitivity of 1."""

    noise: ThresholdNoise

    def law(self, values: Sequence[int]) -> TranscriptLaw:
        rate = self.noise.threshold_rate * self.noise.sensitivity
        answers = noisy_answers(self.noise.query_rate)
        return mixture_law(noisy_levels(rate), answers, self.noise.positives, values)


def replaced(noise: ThresholdNoise, **changes: object) -> ThresholdNoise:
    return ThresholdNoise(**{**noise.parameters, **changes})


@dataclass(frozen=True)
class Case:
    """A broken machine, and values of two neighbours that show it."""

    machine: ThresholdMachine
    one: list[int]
    other: list[int]
    noise: ThresholdNoise


def _case(
    make: Callable[[ThresholdNoise], ThresholdMachine],
    one: list[int],
    other: list[int],
    *,
    positives: int = 1,
    sensitivity: int = 1,
) -> Case:
    noise = ThresholdNoise(
        epsilon=1, sensitivity=sensitivity, positives=positives, threshold_share="0.4"
    )
    assert all(abs(a - b) <= sensitivity for a, b in zip(one, other, strict=True))
    return Case(make(noise), one, other, noise)


CASES: dict[str, Case] = {
    "no threshold noise": _case(NoThresholdNoise, [-3] * 8, [-4] * 8),
    "no query noise": _case(NoQueryNoise, [1, 1], [0, 2]),
    "no limit": _case(NoLimit, [0, -1, -1, -1], [1, -2, -2, -2]),
    "noise not scaled": _case(NoiseNotScaled, [0, -1, -1], [1, -2, -2], positives=2),
    "threshold drawn again": _case(
        ThresholdDrawnAgain, [0, -1, 0, -1], [1, -2, 1, -2], positives=2
    ),
    "noise told with value": _case(NoiseToldWithValue, [1, -1], [2, -1]),
    "one noise for all": _case(OneNoiseForAll, [1, 1], [0, 2]),
    "monotone taken for granted": _case(MonotoneTakenForGranted, [0, -1], [1, -2]),
    "sensitivity forgotten": _case(SensitivityForgotten, [0, -1], [2, -3], sensitivity=2),
}
