r"""The best matrix for any sums of steps, of units that are in one of them.

A search: what it finds is priced and certified from its integers, whatever it is.
"""

import numpy as np

from leastnoise.certificates.over_time.spans import Span, sums
from leastnoise.least_noise.over_time.best_law import Turns
from leastnoise.least_noise.over_time.half_inverse import Floats

_MOST_TURNS = 60
_ENOUGH = 1e-5
_POWER = 2.0  # never lowers the bound, if turns are not guessed
_RIDGE = 1e-7  # of the mean weight, for steps that no sum tells apart
_LEAST = 1e-9  # chance of a step


def dense_factor(steps: int, spans: tuple[Span, ...]) -> tuple[Floats, Floats]:
    """A lower triangular matrix with columns of length 1, and the law of steps that proves it good.

    With G = Σ θ_i·w_i·w_iᵀ over the sums and R = (D_π^½·G·D_π^½)^½, the best K is D_π^−½·R·D_π^−½
    for the law π that makes its diagonal even.
    """
    weights = np.array([weight for _, _, weight in spans], np.float64)
    rows = sums(np.tril(np.ones((steps, steps))), spans)
    gram = rows.T * (weights / weights.sum()) @ rows
    gram += _RIDGE * np.trace(gram) / steps * np.eye(steps)
    law, turns = np.full(steps, 1 / steps), Turns()
    best, least = (law, np.eye(steps)), np.inf
    for _ in range(_MOST_TURNS):
        root = np.sqrt(law)
        values, turned = np.linalg.eigh(root[:, None] * gram * root)
        half = turned * np.sqrt(np.maximum(values, 0)) @ turned.T
        squares = half / root[:, None] / root
        diagonal = np.diagonal(squares)
        gap = float(diagonal.max() / (law @ diagonal)) - 1
        if gap < least:
            best, least = (law, squares), gap
        if gap < _ENOUGH:
            break
        law = np.maximum(turns.after(law, _POWER * np.log(diagonal / (law @ diagonal))), _LEAST)
        law = law / law.sum()
    return _triangular(best[1]), best[0]


def _triangular(squares: Floats) -> Floats:
    """The lower triangular C with CᵀC = K, after K's diagonal is made 1."""
    size = 1 / np.sqrt(np.diagonal(squares))
    even = size[:, None] * squares * size
    return np.asarray(np.linalg.cholesky(even[::-1, ::-1])[::-1, ::-1].T)
