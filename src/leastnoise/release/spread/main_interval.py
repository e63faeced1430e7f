"""Main intervals: they hold what the whole table has, with what the bounds left out of it."""

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.spread.lost import Lost, low
from leastnoise.release.spread.noise_sum import NoiseSum

Floats = NDArray[np.float64]

_KEPT, _ALL, _ABOVE = 0.4, 0.1, 0.5  # of the risk: both ways to a lower end, and the upper end


@dataclass(frozen=True)
class MainInterval:
    """Of one total.

    Attributes:
        value: the noisy number that was kept; with what was left out where that is surely more
            than nothing.
        deviation: the standard deviation of its noise.
        lower: the lower end.
        upper: the upper end.
    """

    value: float
    deviation: float
    lower: float
    upper: float


def total_interval(kept: float, noise: NoiseSum, lost: Lost, risk: float) -> MainInterval:
    r"""Between which numbers a count of all rows lies.

    Theorem: Σ_u (kept_u + min(ℓ_u, most)) lies between the ends with chance 1 − risk at least, for
    every table. Proof: docs/proofs/cut_intervals.md, section 4.

    Args:
        kept: the number of rows that the bounds kept, with noise.
        noise: that noise; independent of that of the hats.
        lost: what they left out.
        risk: that the ends do not hold it.
    """
    ends = _declared_ends if lost.declared else _chosen_ends
    at_least, surely, upper = ends(kept, noise, lost, risk)
    if surely <= at_least:
        return MainInterval(kept, noise.deviation, at_least, max(upper, kept))
    value = kept + lost.value
    deviation = (noise + lost.hats.noise_of(lambda x: low(x, lost.most))).deviation
    return MainInterval(value, deviation, min(surely, value), max(upper, value))


def _declared_ends(
    kept: float, noise: NoiseSum, lost: Lost, risk: float
) -> tuple[float, float, float]:
    """Two lower ends, of what was kept and of all, and the upper end: all by the law of the sum."""
    both = noise + lost.hats.noise_of(lambda x: low(x, lost.most))
    rounded = noise + lost.hats.noise_of(lambda x: lost.high(x, lost.most))
    highest = kept + lost.hats.total(lambda x: lost.high(x, lost.most))
    at_least = kept - noise.above(_KEPT * risk)
    surely = kept + lost.value - both.above(_ALL * risk)
    return at_least, surely, max(highest + rounded.above(_ABOVE * risk), at_least)


def _chosen_ends(
    kept: float, noise: NoiseSum, lost: Lost, risk: float
) -> tuple[float, float, float]:
    """The same, where limits of what was left out hold for all choices of `most` at once."""
    at_least = kept - noise.above(_KEPT * risk)
    surely = at_least + lost.lower(_ALL * risk)
    return at_least, surely, kept + noise.above(_ALL * risk) + lost.upper(_KEPT * risk)


def stretched(
    lower: Floats, upper: Floats, lost: float, span: tuple[float, float]
) -> tuple[Floats, Floats]:
    r"""Ends of sums that hold what was left out: at most `lost` rows, each with a value in a span.

    Theorem: if S_k lies between its ends for a group k, the sum over all of its rows lies between
    the new ones. Proof: what was left out of group k is at most what was left out of all.
    """
    return lower + min(span[0], 0.0) * lost, upper + max(span[1], 0.0) * lost


def mean_stretched(
    ends: tuple[Floats, Floats], kept: Floats, lost: float, slack: float = 0.0
) -> tuple[Floats, Floats]:
    r"""Ends of places in 0..1 that hold what was left out.

    Theorem: if the mean place of the kept rows lies between its ends, at least `kept` rows were
    kept and at most `lost` were left out, the mean place of all lies between the new ends.
    Proof: docs/proofs/cut_intervals.md, section 6.

    Args:
        ends: of the means of what was kept.
        kept: for each mean.
        lost: of all groups together.
        slack: by how much a row may seem to lie outside of 0..1, by rounding.
    """
    rows = np.maximum(kept, 0.0)
    part = rows / np.maximum(rows + lost, 1e-300)
    outside = slack * (1 - part)
    return ends[0] * part - outside, 1 - (1 - ends[1]) * part + outside


def kept_share(kept: tuple[float, float], lost: tuple[float, float]) -> tuple[float, float]:
    """Between which numbers kept/(kept + lost) lies, given between which both lie."""
    low_, high = max(kept[0], 0.0), max(kept[1], 0.0)
    least = low_ / (low_ + lost[1]) if low_ else 0.0
    return least, high / (high + lost[0]) if high else 1.0
