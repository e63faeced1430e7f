"""A floor under the loss at one size that no mechanism with a relative error can pass."""

from fractions import Fraction
from math import ceil

import numpy as np
from flint import arb

from leastnoise.numeric import ball as balls

_WIDEST = 6  # the best distance is about 4.5 times the error


def least_budget(relative_error: Fraction, size: Fraction) -> Fraction:
    r"""A lower bound on v(x) of any mechanism, from the sizes x − 1 and x − 1 + k for some k.

    Theorem: let v not grow, let M be v-group-wise zCDP, and let any estimate from M have
    E|x̂ − y| ≤ r·(y + a) at y = x − 1 and at y = x − 1 + k. With t = 1 − r·(2(x − 1 + a) + k)/k > 0,
    v(x) ≥ t·ln((1+t)/(1−t))/k².
    Proof: docs/proofs/relative_lower_bound.md, section 1.

    Args:
        relative_error: r.
        size: x + a, above 1.

    References: BunSteinke2016, Proposition 1.9, for k² (arXiv 1605.02065v1).

    Example:
        >>> round(float(least_budget(Fraction(1, 20), Fraction(2))), 4)
        2.1355
    """
    below = size - 1
    most = ceil(_WIDEST * relative_error * 2 * below / (1 - relative_error)) + 1
    distances = np.unique(np.geomspace(1, most, 200).astype(np.int64))
    shares = 1 - float(relative_error) * (2 * float(below) + distances) / distances
    usable = shares > 0
    if not usable.any():
        return Fraction(0)
    t, k = shares[usable], distances[usable]
    best = int(k[np.argmax(t * np.log((1 + t) / np.maximum(1 - t, 1e-300)) / k.astype(float) ** 2)])
    return _floor(1 - relative_error * (2 * below + best) / best, best)


def _floor(share: Fraction, distance: int) -> Fraction:
    if share <= 0:
        return Fraction(0)

    def bound() -> arb:
        return balls.ball(share) * balls.ball((1 + share) / (1 - share)).log() / distance**2

    return Fraction(balls.enclosure(bound).lower)
