"""From exact, secret totals to noisy, public answers."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.engine.allocation import Allotment
from leastnoise.engine.measurement import Answer, Totals
from leastnoise.engine.question import Mean, Question, step
from leastnoise.engine.released_table import ReleasedTable
from leastnoise.noise.shape import Draws
from leastnoise.randomness.source import Source

_LIMIT = 2**62
Floats = NDArray[np.float64]


def released(
    question: Question, given: Allotment, secret: Answer, confidence: Fraction, source: Source
) -> ReleasedTable:
    """The answers with noise; everything after the noise is post-processing."""
    noisy = [_noisy(total, given.law.sample(len(total), source=source)) for total in secret.totals]
    margin = given.law.quantile(confidence)
    if isinstance(question, Mean):
        # Two noisy sums: each may miss with half the risk.
        margin = given.law.quantile((1 + confidence) / 2)
        values, lower, upper = _means(question, noisy[0], noisy[1], margin)
    else:
        unit = step(question)
        values, lower, upper = (_scaled(noisy[0] + move, unit) for move in (0, -margin, margin))
    return ReleasedTable(
        name=question.name,
        columns=tuple(column.name for column in question.groups.by),
        rows=secret.rows,
        values=tuple(values.tolist()),
        lower=tuple(lower.tolist()),
        upper=tuple(upper.tolist()),
        mechanism=repr(given.law),
    )


def _noisy(total: Totals, noise: Draws) -> Totals:
    """The sum, in Python's integers where 64 bits might not hold it."""
    if _small(total) and _small(noise):
        return np.asarray(total + noise)
    return np.asarray(total.astype(np.object_) + noise.astype(np.object_))


def _small(numbers: Totals) -> bool:
    whole = numbers.dtype != np.object_
    inside = int(numbers.min(initial=0)) > -_LIMIT and int(numbers.max(initial=0)) < _LIMIT
    return bool(whole and inside)


def _scaled(numbers: Totals, unit: Fraction) -> Floats:
    return np.array([float(int(number) * unit) for number in numbers], dtype=np.float64)


def _means(
    question: Mean, below: Totals, above: Totals, margin: int
) -> tuple[Floats, Floats, Floats]:
    """Lower + range·s/(s + t), cut to the bounds; the interval moves both sums by the margin."""

    def mean(move: int) -> Floats:
        values = [
            _mean(question, int(s) + move, int(t) - move) for s, t in zip(below, above, strict=True)
        ]
        return np.array(values, dtype=np.float64)

    return mean(0), mean(-margin), mean(margin)


def _mean(question: Mean, below: int, above: int) -> float:
    grid = question.grid
    below, above = max(below, 0), max(above, 0)
    if below + above == 0:
        return float((grid.lower + grid.upper) / 2)
    return float(grid.lower + (grid.upper - grid.lower) * Fraction(below, below + above))
