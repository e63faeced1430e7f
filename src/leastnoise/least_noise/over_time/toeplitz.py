r"""Good matrices for units that are in several steps: equal along diagonals, then scaled.

A search: what it finds is priced by `Participation`, whatever it is.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.signal import lfilter

from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.spans import Span, sums
from leastnoise.least_noise.over_time.half_inverse import Floats

_MOST_TURNS = 400
_SCALINGS = 60
_DAMPED = 0.25


def toeplitz_factor(steps: int, allowed: Participation, spans: tuple[Span, ...]) -> Floats:
    """A lower triangular matrix whose first column falls: early steps in a row cost most."""
    start = _square_root(steps)
    quotients = start[1:] / start[:-1]
    first = np.log(quotients / (1 - quotients))
    pattern = np.zeros(steps)
    pattern[: allowed.apart * (allowed.times(steps) - 1) + 1 : allowed.apart] = 1
    found = minimize(
        _cost,
        first,
        args=(pattern, _squares(steps, spans)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _MOST_TURNS, "maxcor": 20},
    )
    column = _column(found.x)
    places = np.subtract.outer(np.arange(steps), np.arange(steps))
    matrix = np.where(places >= 0, column[np.abs(places)], 0.0)
    return _scaled(matrix, allowed, spans) if allowed.apart == 1 else matrix


def _squares(steps: int, spans: tuple[Span, ...]) -> Floats:
    """The matrix M: the mean variance is sᵀMs, s being the sums of the inverse's first column.

    Noise at step u is in a sum from i to j with the number s_{j−u} − s_{i−1−u}.
    """
    found = np.zeros((steps, steps))
    diagonal = found.reshape(-1)[:: steps + 1]
    for first, last, weight in spans:
        width = last - first + 1
        diagonal[:last] += weight
        diagonal[: first - 1] += weight
        both = np.arange(first - 1)
        found[both, both + width] -= weight
        found[both + width, both] -= weight
    return found / sum(weight for _, _, weight in spans)


def _square_root(steps: int) -> Floats:
    """The first column of the root of the matrix of ones below the diagonal."""
    k = np.arange(1, steps)
    return np.concatenate(([1.0], np.cumprod((2 * k - 1) / (2 * k))))


def _column(free: Floats) -> Floats:
    """From any numbers to a column that falls from 1."""
    return np.concatenate(([1.0], np.cumprod(1 / (1 + np.exp(-free)))))


def _cost(free: Floats, pattern: Floats, squares: Floats) -> tuple[float, Floats]:
    """Ln of the mean variance times the squared reach, and its gradient."""
    steps = len(pattern)
    column = _column(free)
    inverse = _inverse(column)
    totals = np.cumsum(inverse)
    pulled = squares @ totals
    variance = float(totals @ pulled)
    moved = np.convolve(column, pattern)[:steps]
    reach = float(moved @ moved)
    both = np.convolve(totals, inverse)[:steps]
    by_variance = -_correlated(2 * pulled, both) / variance
    by_reach = _correlated(2 * moved, pattern) / reach
    by_column = (by_variance + by_reach) * column
    by_free = np.cumsum(by_column[::-1])[::-1][1:] / (1 + np.exp(free))
    return float(np.log(variance * reach)), np.asarray(by_free)


def _correlated(one: Floats, other: Floats) -> Floats:
    """Σ_k one[k]·other[k − j] for each j."""
    return np.asarray(np.convolve(one, other[::-1])[len(one) - 1 :])


def _inverse(column: Floats) -> Floats:
    """The coefficients of 1 over the power series."""
    one = np.zeros(len(column))
    one[0] = 1
    return np.asarray(lfilter([1.0], column, one))


def _scaled(matrix: Floats, allowed: Participation, spans: tuple[Span, ...]) -> Floats:
    """Columns multiplied until all rows of steps that a unit may be in cost about the same."""
    steps, times = len(matrix), allowed.times(len(matrix))
    best, least = matrix, np.inf
    weights = np.array([weight for _, _, weight in spans], np.float64)
    for _ in range(_SCALINGS):
        windows = np.cumsum(np.pad(matrix, ((0, 0), (1, 0))), axis=1)
        blocks = ((windows[:, times:] - windows[:, :-times]) ** 2).sum(axis=0)
        inverse = np.linalg.solve(matrix, np.eye(steps))
        rows = sums(np.cumsum(inverse, axis=0), spans)
        cost = float(blocks.max() * (weights @ (rows**2).sum(axis=1)))
        if cost >= least * (1 - 1e-6):
            break
        best, least = matrix, cost
        around = np.convolve(
            np.pad(blocks, times - 1, mode="edge"), np.ones(times) / times, "valid"
        )
        matrix = matrix * (blocks.max() / around) ** _DAMPED
    return np.asarray(best / np.sqrt((best**2).sum(axis=0).max()))
