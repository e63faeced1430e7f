"""The least discrete Gaussian noise for a target, for one integer or for an integer vector."""

import math
from fractions import Fraction
from math import isqrt
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.numeric.interval import Interval

_LEAST = Fraction(1, 2**19)  # where every draw is 0
_FINEST = Fraction(1, 2**40)  # finer than the digits shown


def discrete_gaussian_variance(
    *, epsilon: Exact, delta: Exact, sensitivity: SupportsIndex
) -> Interval:
    r"""The least parameter at which discrete Gaussian noise on an integer query is (ε, δ)-DP.

    The upper end passes `DiscreteGaussian.verify`; every parameter below the lower end fails it
    (parameters under 2**-19, where every draw is 0, are left out). Take the upper end as it is: the
    δ of a narrow discrete Gaussian is *not* monotone in its parameter, and a larger one may fail.

    Theorem: let δ(v) be the least δ at parameter v and f = ⌈εv/Δ − Δ/2⌉. For all u ≤ v,
    δ(u) ≥ δ(v) if f ≤ 0, and δ(u) ≥ δ(v)·(1 − K·(v−u)/(2u²)) with
    K = (f+1)² + 2(f+1)√(πv/2) + 2v if f > 0.
    Proof: docs/proofs/gaussian.md, section 4.
    So one evaluation refutes a whole interval, and a walk upwards finds the least parameter.

    Args:
        epsilon: ε ≥ 0.
        delta: δ in (0, 1).
        sensitivity: Δ, an integer ≥ 1.

    References: CanonneKamathSteinke2020, Theorem 7 for δ(v).

    Example:
        >>> round(float(discrete_gaussian_variance(epsilon=1, delta="1e-6", sensitivity=1)), 4)
        17.8995
    """
    return _Walk(
        _check.non_negative(epsilon, "epsilon"),
        _check.positive_delta(delta),
        _check.integer_between(sensitivity, "sensitivity", 1),
    ).least()


class _Walk:
    """A walk from small parameters to the first that passes, never over one that might."""

    def __init__(self, epsilon: Fraction, delta: Fraction, sensitivity: int) -> None:
        self._epsilon, self._delta, self._sensitivity = epsilon, delta, sensitivity

    def least(self) -> Interval:
        place, doubtful = _LEAST, None
        step = place
        while True:
            leak = DiscreteGaussian(place + step).hockey_stick(self._epsilon, self._sensitivity)
            if leak.lower * self._kept(place, place + step) > self._delta:
                place, step = place + step, step * 2
            elif step > place * _FINEST:
                step /= 2
            elif leak.upper <= self._delta:
                return Interval(place if doubtful is None else doubtful, place + step)
            else:
                doubtful = place if doubtful is None else doubtful
                place += step

    def _kept(self, low: Fraction, high: Fraction) -> Fraction:
        """The theorem's lower bound on δ(v)/δ(high) for all v in [low, high]."""
        first = math.ceil(self._epsilon * high / self._sensitivity - Fraction(self._sensitivity, 2))
        if first <= 0:
            return Fraction(1)
        # √(πv/2) < 1.2534·√v; the integer root of 2**20·v, plus 1, bounds 2**10·√v.
        root = Fraction(12534, 10000) * Fraction(isqrt(math.ceil(high * 2**20)) + 1, 2**10)
        curve = (first + 1) ** 2 + 2 * (first + 1) * root + 2 * high
        return 1 - curve * (high - low) / (2 * low * low)
