"""One chi-square test for the samplers here, with a declared rate of false alarms."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

FALSE_ALARM = 1e-6


def rejects(drawn: NDArray[np.int64], probabilities: Sequence[float]) -> bool:
    """Whether draws of 0, 1, … contradict the law; the last class takes all greater values."""
    classes = len(probabilities)
    observed = np.bincount(np.minimum(drawn, classes - 1), minlength=classes)
    expected = np.asarray(probabilities) * drawn.size
    assert abs(sum(probabilities) - 1) < 1e-12
    assert expected.min() > 20, "the approximation by chi-square needs fuller classes"
    statistic = ((observed - expected) ** 2 / expected).sum()
    return bool(chi2.sf(statistic, classes - 1) < FALSE_ALARM)
