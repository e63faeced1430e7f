"""How far apart counts must lie for Gaussian noise to tell them apart; in floats, untrusted."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 60  # beyond the digits of a float
_WIDEST = 40.0  # an error of e^-200 needs no more
_FIRST_EVEN = 6  # the first few counts are far from evenly apart
_GREATEST_ERROR = 4.0  # beyond, integers matter little


def even_gaps(errors: Floats) -> Floats:
    """For each error the gap s with 2·Σ P(Z > (m − ½)·s) = error, over m ≥ 1.

    That is E|x̂ − x| if counts lie at equal distances s on a line, standard normal noise is added,
    and x̂ is the count nearest to the result.

    Example:
        >>> even_gaps(np.array([0.05, 1.0])).round(4)
        array([3.9199, 0.7774])
    """
    from scipy.special import ndtr  # noqa: PLC0415 - slow to import

    if not errors.size:
        return errors
    # The sum is at least 0.79/s − 1/2, so the gap is at least 0.79/(error + 1/2).
    low, high = 0.79 / (errors + 0.5), np.full(errors.size, _WIDEST)
    middles = np.arange(0.5, 10 / float(low.min()) + 1)
    for _ in range(_STEPS):
        gaps = (low + high) / 2
        too_wide = 2 * ndtr(-np.outer(gaps, middles)).sum(axis=1) < errors
        low, high = np.where(too_wide, low, gaps), np.where(too_wide, gaps, high)
    return high


def bent_gaps(relative_error: float, counts: Floats, sigma: float) -> Floats:
    r"""Gaps below the counts n = x + a, in standard deviations: the lesser of two kinds.

    Logarithms need ln(n/(n−1))/σ. Where the error is of order one it matters that counts are
    integers, and an even line needs less; but the first few counts are far from evenly apart.
    """
    gaps = np.log(counts / (counts - 1)) / sigma
    errors = relative_error * (counts - 0.5)
    even = (counts >= _FIRST_EVEN) & (errors <= _GREATEST_ERROR)
    gaps[even] = np.minimum(gaps[even], even_gaps(errors[even]))
    return gaps
