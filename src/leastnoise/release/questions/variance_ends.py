"""`variance_ends`: between which values a variance lies, by the joint law of three noisy sums."""

from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.ratio_ends import ratio_ends, ratio_reach

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
    sizes = _bilinear(noise, shift, risk - small)

    def reach(variance: Floats) -> Floats:
        return reduce(np.maximum, (sizes(at, variance) for at in (low, mean, high)))

    top = squares + rows * (shift - (total / rows) ** 2)
    least, _ = ratio_ends(top, count, (0.0, 1.0), reach)
    _, most = ratio_ends(top + rows * far**2, count, (0.0, 1.0), reach)
    known = count > _FEW * _rows_reach(noise, small)
    return np.where(known, least, 0.0), np.where(known, most, 1.0)


@lru_cache(maxsize=1024)
def _rows_reach(noise: NoiseTogether, risk: float) -> float:
    return noise.quantile((1.0, 0.0, 0.0), risk)


@dataclass(frozen=True, eq=False)
class _BilinearReach:
    r"""Quantiles of |Z_Q − 2m·Z_S + w·Z_N| for m in −1..1 and w = shift + m² − v, between knots.

    Convex in m and in w, so that lines between knots lie above. Rows are of w, columns of m.
    """

    sizes: Floats

    def __call__(self, mean: Floats, variance: Floats) -> Floats:
        """At each mean and variance."""
        (row, down), (column, right) = _knot(mean**2 - variance), _knot(mean)
        left, other = (
            self.sizes[row, at] * (1 - down) + self.sizes[row + 1, at] * down
            for at in (column, column + 1)
        )
        return np.asarray(left * (1 - right) + other * right)


def _knot(place: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The knot below each number of −1..1, and how far the number is on the way to the next."""
    scaled = (place + 1) / 2 * (_KNOTS - 1)
    below = np.clip(np.floor(scaled), 0, _KNOTS - 2).astype(np.intp)
    return below, scaled - below


@lru_cache(maxsize=1024)
def _bilinear(noise: NoiseTogether, shift: float, risk: float) -> _BilinearReach:
    knots = np.linspace(-1.0, 1.0, _KNOTS)
    sizes = [[noise.quantile((shift + w, -2 * m, 1.0), risk) for m in knots] for w in knots]
    return _BilinearReach(np.array(sizes))
