"""Fingerprinting: whose data an answer leans to, with a bound on false accusations.

Proof page: docs/proofs/fingerprints.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise.noise.source import Source, system_source
from leastnoise.numbers import ball as balls
from leastnoise.numbers.ball import ball
from leastnoise.numbers.chance import clopper_pearson
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, exact, inside, whole
from leastnoise.numbers.interval import Interval

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]

_MOST_TRIALS = 10**6


def numbers(value: ArrayLike, name: str, low: float = -1e100, high: float = 1e100) -> Floats:
    """An array of numbers within a range; no message shows one of them."""
    try:
        found = np.asarray(value, dtype=np.float64)
    except Exception:  # a foreign object may quote the data it holds
        raise InvalidInput(f"{name} holds something else than numbers. Give numbers.") from None
    if found.size and bool((low <= found).all() and (found <= high).all()):
        return found
    raise InvalidInput(f"{name} has no number, or one outside {low:g} .. {high:g}. Give others.")


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The scores of the targets, and what an innocent one exceeds with at most the stated chance."""

    scores: Floats
    threshold: float

    @classmethod
    def of(cls, rows: NDArray[Any], weights: Floats, means: Floats, bound: float) -> "Trace":
        """Scores beyond a bound, which is raised by more than floats may lose."""
        scores = np.array([row.astype(np.float64) @ weights for row in rows]) - means @ weights
        room = 2.0**-48 * (weights.size + 8)  # 32 times what so many operations lose
        most = max(1.0, float(np.abs(rows).max()))
        return cls(scores, bound * (1 + room) + room * most * float(np.abs(weights).sum()))

    @property
    def accused(self) -> Bits:
        """For each target whether its score is above the threshold."""
        return self.scores > self.threshold

    def __repr__(self) -> str:
        return f"Trace({int(self.accused.sum())} of {self.scores.size} accused)"


def trace(
    answers: ArrayLike,
    bias: ArrayLike,
    target: ArrayLike,
    *,
    false_accusation: Exact,
    values: tuple[Exact, Exact] = (0, 1),
) -> Trace:
    r"""Accuses targets to whom published means lean: the score is the sum of (answer - bias)*(y - bias).

    Theorem: let the entries y of a target be independent of each other and of the answers, within
    low .. high, with the means `bias`. For every mechanism the score is above
    (high - low)*sqrt(|answers - bias|^2*log(1/b)/2) with a chance of at most b.

    Args:
        answers: the published means.
        bias: the means in the population.
        target: a row of data, or several.
        false_accusation: b, for each target that is not in the data.
        values: low and high.

    >>> people = np.array([[1, 0] * 40, [0, 1] * 40, [1, 1] * 40])
    >>> trace(people.mean(axis=0), [0.5] * 80, people, false_accusation="0.01").accused
    array([False, False,  True])
    """
    if not isinstance(values, tuple | list) or len(values) != 2:
        raise InvalidInput("values are two numbers, low and high. Give for example (0, 1).")
    low, high = (float(exact(value, "values")) for value in values)
    risk = inside(false_accusation, "false_accusation")
    found, means = numbers(answers, "answers"), numbers(bias, "bias", low, high)
    rows = np.atleast_2d(numbers(target, "target", low, high))
    if found.ndim != 1 or found.shape != means.shape or rows.shape[1:] != found.shape:
        raise InvalidInput("answers, bias and target differ in length. Give one number a column.")
    weights, surprise = found - means, log(risk.denominator) - log(risk.numerator)
    return Trace.of(rows, weights, means, (high - low) * sqrt(weights @ weights * surprise / 2))


@dataclass(frozen=True, kw_only=True)
class FingerprintingCode:
    """Tardos' code (2008) for n users, all of whom may work together, with the constants of his paper.

    Theorem (soundness): let an answer from 0 to 1 in each column be made without the word of some user.
    With k = ceil(log(1/b)) the sum of (2*answer - 1)*score over the 100*n^2*k columns is 20*n*k or more
    with a chance of at most e^-k <= b, whatever the answer and the biases from 1/(300*n) on. That an
    accurate answer accuses somebody (completeness) is measured, not proved.

    Attributes:
        users: n.
        false_accusation: b, for each innocent user.

    >>> code = FingerprintingCode(users=3, false_accusation="1e-6")
    >>> code.length, code.threshold, code.cutoff, code.angle
    (12600, 840, Fraction(1, 900), 0.033339509261302...)
    >>> code.score(1, "0.2"), code.score(0, "0.2")
    (2, -0.5)
    >>> drawn = code.draw()
    >>> drawn.trace(drawn.words[2]).accused
    array([False, False,  True])
    """

    users: Checked[int, int] = Checked(whole)
    false_accusation: Checked[Exact, Fraction] = Checked(inside)

    @property
    def threshold(self) -> int:
        """20*n*k: whoever scores more is accused."""
        return -20 * self.users * balls.floor(lambda: ball(self.false_accusation).log())

    @property
    def length(self) -> int:
        """100*n^2*k columns."""
        return 5 * self.users * self.threshold

    @property
    def cutoff(self) -> Fraction:
        """The least bias, and how far the greatest is below 1."""
        return Fraction(1, 300 * self.users)

    @property
    def angle(self) -> Interval:
        """Biases are sin^2 of uniform angles between this one and pi/2 less it."""
        return balls.enclosure(lambda: ball(self.cutoff).sqrt().asin())

    def score(self, bit: int, bias: Exact) -> Interval:
        """Of a user with this bit in a column of this bias; it has mean 0 and mean square 1."""
        p = exact(bias, "bias")
        if whole(bit, "bit", least=0) > 1 or not self.cutoff <= p <= 1 - self.cutoff:
            raise InvalidInput(f"Bits are 0 and 1, biases from {self.cutoff} on. Give such.")
        size, sign = ((1 - p) / p, 1) if bit else (p / (1 - p), -1)
        return balls.enclosure(lambda: sign * ball(size).sqrt())

    def draw(self, source: Source | None = None) -> "CodeWords":
        """Biases and words, drawn anew. A bias is rounded to 32 bits, and a bit has that very chance."""
        if self.users * self.length > 1 << 28:
            raise InvalidInput("The words have more than 2^28 bits. Give fewer users.")
        drawer, angle = system_source(source), float(self.angle)
        angles = angle + (pi / 2 - 2 * angle) * 2.0**-64 * drawer.words(self.length)
        least = ceil(self.cutoff * 2**32)
        biases = np.clip(np.rint(np.sin(angles) ** 2 * 2**32), least, 2**32 - least)
        words = np.stack([drawer.words(self.length, 32) < biases for _ in range(self.users)])
        return CodeWords(self, words, biases / 2**32)

    def completeness(
        self, strategy: Callable[[Bits], ArrayLike], *, trials: int, source: Source | None = None
    ) -> Interval:
        """An experiment: the chance that anybody is accused if a strategy answers, 95 % confident."""
        if not callable(strategy):
            raise InvalidInput("strategy is no function of the words. Write one that answers them.")
        count = whole(trials, "trials", most=_MOST_TRIALS)
        drawn = (self.draw(source) for _ in range(count))
        caught = sum(bool(code.trace(strategy(code.words)).accused.any()) for code in drawn)
        return clopper_pearson(caught, count, Fraction(1, 20))


@dataclass(frozen=True, eq=False)
class CodeWords:
    """One draw of a code: a row of bits for each user, and the chance of a one in each column."""

    code: FingerprintingCode
    words: Bits
    biases: Floats

    def trace(self, answer: ArrayLike) -> Trace:
        """Accuses the users to whose words an answer, from 0 to 1 in each column, leans."""
        found = numbers(answer, "answer", 0, 1)
        if found.shape != self.biases.shape:
            raise InvalidInput(f"The answer has another shape. Give {self.biases.size} numbers.")
        weights = (2 * found - 1) / np.sqrt(self.biases * (1 - self.biases))
        return Trace.of(self.words, weights, self.biases, self.code.threshold)
