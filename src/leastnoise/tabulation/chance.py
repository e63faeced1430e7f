"""Probabilities as short brackets: however small they are, their ends fit into a few words."""

from fractions import Fraction

from flint import arb

from leastnoise.numeric.interval import Interval

_BITS = 128  # chances are rounded outward to this many
_WHOLE = 1 << _BITS


def chance(value: arb) -> Interval:
    """The bracket a ball stands for, rounded outward to multiples of 2**−128 and cut to [0, 1]."""
    scaled = value * _WHOLE
    low, high = scaled.lower().floor().unique_fmpz(), scaled.upper().ceil().unique_fmpz()
    least = 0 if low is None else min(max(int(low), 0), _WHOLE)
    most = _WHOLE if high is None else min(max(int(high), least), _WHOLE)
    return Interval(Fraction(least, _WHOLE), Fraction(most, _WHOLE))
