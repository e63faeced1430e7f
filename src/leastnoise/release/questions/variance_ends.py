"""`variance_ends`: between which values a variance lies, by the joint law of three noisy sums."""

from functools import lru_cache

import numpy as np

from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.multilinear_reach import MultilinearReach
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.ratio_ends import Factors, ratio_ends, ratio_reach

_MEAN_SHARE = 0.08  # of the risk, for the distance of the mean
_KNOTS = 9
_FEW = 2.0  # counts of fewer times their noise tell nothing
Sums = tuple[Floats, Floats, Floats]


def variance_ends(
    sums: Sums, noise: NoiseTogether, shift: float, risk: float
) -> tuple[Floats, Floats]:
    r"""Ends of Σy²/n − (Σy/n)², y in −1..1, from noisy n, Σy and Σ(y² − shift).

    They hold the variance with chance 1 − risk up to what is measured and not proved: points stand
    for the law, and of the means in question three are looked at.
    Why: docs/proofs/intervals.md, section 3.

    Args:
        sums: the three noisy sums.
        noise: of the three, in that order.
        shift: what is taken from each square.
        risk: the chance to be wrong.
    """
    count, total, squares = sums
    rows, small = np.maximum(count, 1e-9), _MEAN_SHARE * risk
    mean = np.clip(total / rows, -1, 1)
    chords = ratio_reach(noise, ((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)), (-1.0, 1.0), small)
    low, high = ratio_ends(total, count, (-1.0, 1.0), chords)
    far = np.maximum(high - total / rows, total / rows - low)
    sizes = _sizes(noise, shift, risk - small)

    at = np.stack((low, mean, high))[:, np.newaxis]

    def reach(variance: Floats) -> Floats:
        return np.asarray(sizes(at**2 - variance, at).max(axis=0))

    top = squares + rows * (shift - (total / rows) ** 2)
    least, most = ratio_ends(top, count, (0.0, 1.0), reach, greater=top + rows * far**2)
    known = count > _FEW * _rows_reach(noise, small)
    return np.where(known, least, 0.0), np.where(known, most, 1.0)


@lru_cache(maxsize=1024)
def _rows_reach(noise: NoiseTogether, risk: float) -> float:
    return noise.quantile((1.0, 0.0, 0.0), risk)


@lru_cache(maxsize=1024)
def _sizes(noise: NoiseTogether, shift: float, risk: float) -> MultilinearReach:
    """Of Z_Q − 2m·Z_S + (shift + w)·Z_N, for m and w = m² − v in −1..1."""

    def factors(rest: float, mean: float) -> Factors:
        return shift + rest, -2 * mean, 1.0

    return MultilinearReach.of(noise, factors, (_KNOTS, _KNOTS), risk)
