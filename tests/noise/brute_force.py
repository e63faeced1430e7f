"""Straightforward sums over a window, in 40-digit arithmetic: the reference for closed forms."""

from fractions import Fraction

from mpmath import exp, mpf

from leastnoise.noise import LatticeLaw
from leastnoise.numeric.interval import Interval


def number(value: Fraction | float) -> mpf:
    fraction = Fraction(value)
    return mpf(fraction.numerator) / fraction.denominator


def middle(interval: Interval) -> mpf:
    return (number(interval.lower) + number(interval.upper)) / 2


def pmf(law: LatticeLaw, window: int) -> dict[int, mpf]:
    """P(X = k) for |k| ≤ window; asks for the upper half only, the laws here are symmetric."""
    half = [middle(law.pmf(k)) for k in range(window + 1)]
    return {k: half[abs(k)] for k in range(-window, window + 1)}


def hockey_stick(chances: dict[int, mpf], epsilon: Fraction, shift: int) -> mpf:
    factor = exp(number(epsilon))
    return sum(
        max(mpf(0), chance - factor * chances.get(k - shift, mpf(0)))
        for k, chance in chances.items()
    )
