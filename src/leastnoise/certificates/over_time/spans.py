"""Sums of consecutive steps that a claim is about, each with a weight: totals, windows, weeks."""

import numpy as np
from numpy.typing import NDArray

Span = tuple[int, int, int]
"""The first step of a sum, the last one, and how much the square of its error matters."""


def running(weights: tuple[int, ...]) -> tuple[Span, ...]:
    """The running total of each step, with a weight."""
    return tuple((1, number, weight) for number, weight in enumerate(weights, 1))


def running_weights(spans: tuple[Span, ...], steps: int) -> tuple[int, ...] | None:
    """The weights of all running totals, one after another; None if it is about other sums."""
    weights = tuple(weight for _, _, weight in spans)
    return weights if len(weights) == steps and spans == running(weights) else None


def sums(totals: NDArray[np.float64], spans: tuple[Span, ...]) -> NDArray[np.float64]:
    """Of a matrix with a row for each running total, the row of each span."""
    padded = np.vstack([np.zeros(totals.shape[1]), totals])
    first, last, _ = (np.array(each) for each in zip(*spans, strict=True))
    return np.asarray(padded[last] - padded[first - 1])
