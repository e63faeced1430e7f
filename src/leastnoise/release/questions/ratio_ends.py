"""`ratio_ends`: between which values a quotient of two noisy sums lies."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.noise_together import NoiseTogether

Truths = NDArray[np.bool_]
Reach = Callable[[Floats], Floats]
"""For each quotient θ a size that |noise of top − θ·bottom| seldom exceeds."""
Factors = tuple[float, ...]
"""What each noise is multiplied by."""

_HALVINGS = 40
_KNOTS = 17


def ratio_ends(
    top: Floats,
    bottom: Floats,
    span: tuple[float, float],
    reach: Reach,
    *,
    greater: Floats | None = None,
) -> tuple[Floats, Floats]:
    r"""The least and greatest θ of a span that the noisy sums do not rule out.

    Theorem: let the true sums have the quotient θ, and let |Z₁ − θ·Z₂| ≤ reach(θ) with chance 1 − α
    for their noises. Then θ lies between the ends with at least that chance, for every table.
    Proof: docs/proofs/intervals.md, sections 1 and 2.

    Args:
        top: noisy numerators.
        bottom: noisy denominators; where one is not positive, the whole span is left.
        span: the least and greatest quotient there can be.
        reach: see above; convex. It is asked for both ends at once, in the first axis.
        greater: the numerators for the greatest θ, where they are others.
    """
    tops = np.stack((top, top if greater is None else greater))
    outer = np.stack([np.full(top.shape, end) for end in span])
    (low, high), (low_reach, high_reach) = outer, reach(outer)
    # A quotient beyond the span by more than its noise is moved to the end: no θ would be left.
    tops = np.where(tops - high * bottom > high_reach, high * bottom, tops)
    tops = np.where(low * bottom - tops > low_reach, low * bottom, tops)
    middle = np.clip(tops / np.where(bottom > 0, bottom, 1), low, high)
    way = np.reshape((1.0, -1.0), (2, *(1 for _ in top.shape)))
    ends = _crossing(outer, middle, lambda at: way * (tops - at * bottom) > reach(at))
    lower, upper = np.where(bottom > 0, ends, outer)
    return lower, upper


def _crossing(outer: Floats, inner: Floats, ruled_out: Callable[[Floats], Truths]) -> Floats:
    """Where what is ruled out ends, from the outside; the outside if it is not ruled out."""
    open_ = ~ruled_out(outer)
    out, inside = outer, inner
    for _ in range(_HALVINGS):
        middle = (out + inside) / 2
        gone = ruled_out(middle)
        out, inside = np.where(gone, middle, out), np.where(gone, inside, middle)
    return np.where(open_, outer, out)


@dataclass(frozen=True)
class ChordReach:
    r"""Quantiles at some knots, and chords between them.

    They lie above: the quantile of |a·Z| is a convex function of a where the law of Z is symmetric
    and log-concave (docs/proofs/intervals.md, section 2).
    """

    knots: Floats
    sizes: Floats

    def __call__(self, at: Floats) -> Floats:
        """The size at each θ."""
        return np.interp(at, self.knots, self.sizes)


@lru_cache(maxsize=4096)
def ratio_reach(
    noise: NoiseTogether,
    factors: tuple[Factors, Factors],
    span: tuple[float, float],
    risk: float,
) -> ChordReach:
    """Of the combinations with the factors first + θ·second, for θ in a span."""
    first, second = map(np.array, factors)
    knots = np.linspace(*span, _KNOTS)
    sizes = [noise.quantile((first + at * second).tolist(), risk) for at in knots]
    return ChordReach(knots, np.array(sizes))
