"""The exact law of what a sparse vector answers, of the right one and of known wrong ones.

A transcript is the row of answers up to the last one that is given. Where the noisy threshold lies, the
answers are independent, so its chance is a sum of products over all places of the threshold. The wrong
variants are on the list of Lyu, Su and Li 2017, carried over to whole numbers and one-sided noise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.thresholds import AboveThreshold

Floats = NDArray[np.float64]
Transcript = tuple[object, ...]
"""False for below; what else is said for above."""

Law = dict[Transcript, float]
Answers = Callable[[int, Floats], dict[object, Floats]]
"""(value, places of the threshold) to the chance of every answer, for each place."""

Variant = Callable[[AboveThreshold, Sequence[int]], Law]

_PLACES = 400  # of the threshold: e^(-rate*400) is left out


def tail(rate: Fraction, count: Floats) -> Floats:
    """P(noise >= count)."""
    return np.asarray(np.exp(-float(rate) * np.maximum(0, count)))


def law(
    places: Floats, chances: Floats, answers: Answers, positives: float, values: Sequence[int]
) -> Law:
    going: dict[Transcript, Floats] = {(): chances}
    done: Law = {}
    for value in values:
        longer = {
            (*said, answer): weight * chance
            for said, weight in going.items()
            for answer, chance in answers(value, places).items()
        }
        going = {said: w for said, w in longer.items() if sum(map(bool, said)) < positives}
        done |= {said: float(w.sum()) for said, w in longer.items() if said not in going}
    return done | {said: float(w.sum()) for said, w in going.items()}


def places_of(mechanism: AboveThreshold, rate: Fraction | None = None) -> tuple[Floats, Floats]:
    """Where the threshold may be, and with which chances."""
    rate, noise = rate or mechanism.threshold_rate, np.arange(_PLACES, dtype=np.float64)
    return mechanism.threshold + noise, tail(rate, noise) - tail(rate, noise + 1)


def noisy(rate: Fraction) -> Answers:
    def answers(value: int, places: Floats) -> dict[object, Floats]:
        above = tail(rate, places - value)
        return {False: 1 - above, True: above}

    return answers


def bare(value: int, places: Floats) -> dict[object, Floats]:
    above = (value >= places).astype(np.float64)
    return {False: 1 - above, True: above}


def right(mechanism: AboveThreshold, values: Sequence[int]) -> Law:
    return law(*places_of(mechanism), noisy(mechanism.query_rate), mechanism.positives, values)


# What is known to be wrong


def no_threshold_noise(mechanism: AboveThreshold, values: Sequence[int]) -> Law:
    """Fresh noise on every question and none on the threshold: "below" costs, too."""
    place = np.array([float(mechanism.threshold)])
    return law(place, np.ones(1), noisy(mechanism.query_rate), mechanism.positives, values)


def no_query_noise(mechanism: AboveThreshold, values: Sequence[int]) -> Law:
    """Noise on the threshold only (Stoddard, Chen and Machanavajjhala 2014)."""
    return law(*places_of(mechanism), bare, mechanism.positives, values)


def no_limit(mechanism: AboveThreshold, values: Sequence[int]) -> Law:
    """The noise of one "above", and no end to them (Chen and others 2015)."""
    return law(
        *places_of(mechanism), noisy(replace(mechanism, positives=1).query_rate), inf, values
    )


def noise_not_scaled(mechanism: AboveThreshold, values: Sequence[int]) -> Law:
    """As many "above" as paid for, with the noise of one (Lee and Clifton 2014)."""
    rate = replace(mechanism, positives=1).query_rate
    return law(*places_of(mechanism), noisy(rate), mechanism.positives, values)


def threshold_drawn_again(mechanism: AboveThreshold, values: Sequence[int]) -> Law:
    """New noise on the threshold after every "above", paid for once."""
    found: Law = {}
    for said, chance in law(*places_of(mechanism), noisy(mechanism.query_rate), 1, values).items():
        rest = values[len(said) :]
        if not (said and said[-1]) or mechanism.positives == 1 or not rest:
            found[said] = chance
            continue
        # The noise on questions stays that of the whole search.
        fewer = replace(mechanism, positives=mechanism.positives - 1)
        slower = 1 - (1 - fewer.threshold_share) * Fraction(fewer.positives, mechanism.positives)
        same = replace(fewer, share=slower, epsilon=fewer.epsilon)
        assert same.query_rate == mechanism.query_rate
        after = law(*places_of(mechanism), noisy(mechanism.query_rate), fewer.positives, rest)
        found |= {said + more: chance * then for more, then in after.items()}
    return found


def noise_told_with_value(mechanism: AboveThreshold, values: Sequence[int]) -> Law:
    """Tells value + noise of every "above", with the noise that decided it."""
    rate, farthest = mechanism.query_rate, 12

    def answers(value: int, places: Floats) -> dict[object, Floats]:
        found: dict[object, Floats] = {False: 1 - tail(rate, places - value)}
        for said in range(-farthest, farthest):
            shown = tail(rate, np.array(said - value)) - tail(rate, np.array(said + 1 - value))
            found["told", said] = np.where((places <= said) & (said >= value), shown, 0.0)
        found["more"] = tail(rate, np.maximum(places, farthest) - value)
        return found

    return law(*places_of(mechanism), answers, mechanism.positives, values)


def one_noise_for_all(mechanism: AboveThreshold, values: Sequence[int]) -> Law:
    """The noise on questions is drawn once and used for all of them."""
    places, chances = places_of(mechanism)
    _, noises = places_of(mechanism, mechanism.query_rate)
    apart = (places[:, None] - np.arange(_PLACES)[None, :]).ravel()
    return law(apart, np.outer(chances, noises).ravel(), bare, mechanism.positives, values)


def monotone_taken_for_granted(mechanism: AboveThreshold, values: Sequence[int]) -> Law:
    """The discount for monotone questions, given to all."""
    return right(replace(mechanism, monotone=True), values)


def sensitivity_forgotten(mechanism: AboveThreshold, values: Sequence[int]) -> Law:
    """The threshold's noise made for a sensitivity of 1."""
    rate = mechanism.threshold_rate * mechanism.sensitivity
    return law(
        *places_of(mechanism, rate), noisy(mechanism.query_rate), mechanism.positives, values
    )


@dataclass(frozen=True)
class Case:
    """A wrong variant, and values of two neighbours that show it."""

    variant: Variant
    one: tuple[int, ...]
    other: tuple[int, ...]
    positives: int = 1
    sensitivity: int = 1

    @property
    def mechanism(self) -> AboveThreshold:
        """What it claims to be."""
        return AboveThreshold(
            threshold=0,
            epsilon=1,
            sensitivity=self.sensitivity,
            positives=self.positives,
            share="0.4",
        )


CASES = {
    case.variant.__name__: case
    for case in (
        Case(no_threshold_noise, (-3,) * 8, (-4,) * 8),
        Case(no_query_noise, (1, 1), (0, 2)),
        Case(no_limit, (0, -1, -1, -1), (1, -2, -2, -2)),
        Case(noise_not_scaled, (0, -1, -1), (1, -2, -2), positives=2),
        Case(threshold_drawn_again, (0, -1, 0, -1), (1, -2, 1, -2), positives=2),
        Case(noise_told_with_value, (1, -1), (2, -1)),
        Case(one_noise_for_all, (1, 1), (0, 2)),
        Case(monotone_taken_for_granted, (0, -1), (1, -2)),
        Case(sensitivity_forgotten, (0, -1), (2, -3), sensitivity=2),
    )
}


# What two laws cost


def delta(one: Law, other: Law, epsilon: float) -> float:
    """The least delta at epsilon, in the worse direction."""

    def excess(p: Law, q: Law) -> float:
        return sum(
            max(0.0, p.get(said, 0.0) - exp(epsilon) * q.get(said, 0.0)) for said in {*p, *q}
        )

    return max(excess(one, other), excess(other, one))


def loss(one: Law, other: Law) -> float:
    """The greatest loss of any transcript."""

    def between(p: float, q: float) -> float:
        return 0.0 if p == q else abs(log(p / q)) if p and q else inf

    return max(between(one.get(said, 0.0), other.get(said, 0.0)) for said in {*one, *other})
