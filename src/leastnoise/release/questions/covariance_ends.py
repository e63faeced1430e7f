"""`covariance_ends`: between which values a covariance lies, by the law of four noisy sums."""

from functools import lru_cache
from itertools import product

import numpy as np

from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.multilinear_reach import MultilinearReach
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.ratio_ends import Factors, ratio_ends, ratio_reach

_MEAN_SHARE = 0.04  # of the risk, for the distance of each of the two means
_SHAPE = 7, 7, 7
_FEW = 2.0  # counts of fewer times their noise tell nothing
_SPAN = -1.0, 1.0
Sums = tuple[Floats, Floats, Floats, Floats]


def covariance_ends(sums: Sums, noise: NoiseTogether, risk: float) -> tuple[Floats, Floats]:
    r"""Ends of Σyw/n − Σy/n·Σw/n, y and w in −1..1, from noisy n, Σy, Σw and Σyw.

    They hold the covariance with chance 1 − risk up to what is measured and not proved: points
    stand for the law, and of the means in question five pairs are looked at.
    Why: docs/proofs/intervals.md, section 4.

    Args:
        sums: the four noisy sums.
        noise: of the four, in that order.
        risk: the chance to be wrong.
    """
    count, both = sums[0], sums[3]
    rows, small = np.maximum(count, 1e-9), _MEAN_SHARE * risk
    means = [each / rows for each in sums[1:3]]
    ends = [_mean_ends(sums, place, noise, small) for place in (1, 2)]
    far = [np.maximum(high - at, at - low) for at, (low, high) in zip(means, ends, strict=True)]
    middle = np.clip(means[0], *_SPAN), np.clip(means[1], *_SPAN)
    one, two = np.stack([middle, *product(*ends)], axis=1)[:, :, np.newaxis]
    sizes = _sizes(noise, risk - 2 * small)

    def reach(covariance: Floats) -> Floats:
        return np.asarray(sizes(one, two, one * two - covariance).max(axis=0))

    top, more = both - rows * means[0] * means[1], rows * far[0] * far[1]
    least, most = ratio_ends(top - more, count, _SPAN, reach, greater=top + more)
    known = count > _FEW * _rows_reach(noise, small)
    return np.where(known, least, -1.0), np.where(known, most, 1.0)


def _mean_ends(sums: Sums, place: int, noise: NoiseTogether, risk: float) -> tuple[Floats, Floats]:
    first = tuple(float(each == place) for each in range(4))
    chords = ratio_reach(noise, (first, (-1.0, 0.0, 0.0, 0.0)), _SPAN, risk)
    return ratio_ends(sums[place], sums[0], _SPAN, chords)


@lru_cache(maxsize=1024)
def _rows_reach(noise: NoiseTogether, risk: float) -> float:
    return noise.quantile((1.0, 0.0, 0.0, 0.0), risk)


def _factors(one: float, two: float, rest: float) -> Factors:
    """Of Z_yw − two·Z_y − one·Z_w + rest·Z_n, one and two the means, rest their product less c."""
    return rest, -two, -one, 1.0


@lru_cache(maxsize=1024)
def _sizes(noise: NoiseTogether, risk: float) -> MultilinearReach:
    return MultilinearReach.of(noise, _factors, _SHAPE, risk)
