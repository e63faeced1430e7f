"""Whether draws contradict a law, with a declared rate of false alarms."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

FALSE_ALARM = 1e-9


def contradicts(
    drawn: NDArray[np.int64], beyond: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> bool:
    """Whether draws contradict P(draw > x) = `beyond(x)`, asked between integers only.

    The first draws choose classes that hold 1 in 64 or more; the others are tested.
    """
    chosen, drawn = np.split(drawn, [drawn.size // 16])
    edges, least = list[float](), 1 / 64
    quantiles = np.unique(np.quantile(chosen, np.arange(1, 64) / 64).round()) + 0.5
    last = 1.0
    for edge, tail in zip(quantiles, beyond(quantiles), strict=True):
        if last - tail >= least and tail >= least:
            edges.append(edge)
            last = tail
    tails = np.concatenate([[1.0], beyond(np.array(edges)), [0.0]])
    expected = -np.diff(tails) * drawn.size
    classes = np.searchsorted(edges, drawn)
    statistic = ((np.bincount(classes, minlength=len(expected)) - expected) ** 2 / expected).sum()
    return bool(chi2.sf(statistic, len(expected) - 1) < FALSE_ALARM)
