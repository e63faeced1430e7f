"""Grades: how reliable an answer is, in one letter, as official statistics print it."""

import math

from leastnoise.people.digits import Real

GRADES = {"A": "reliable", "B": "good", "C": "use with care", "D": "do not rely on"}
"""Each grade and its word."""
_LIMITS = {"A": 0.05, "B": 0.15, "C": 0.25}


def grade(value: Real, low: Real, high: Real, *, bound: bool = False) -> str:
    """How reliable an answer is, by half the width of its 95 % interval over its size.

    Args:
        value: the answer.
        low: the lower end of the main interval, for noise and cut.
        high: the upper end.
        bound: whether the answer is a bound only.

    Returns:
        A to 5 %, B to 15 %, C to 25 %; D above it, and where an end is not known or the interval
        holds 0.

    Example:
        >>> grade(1000, 960, 1040), grade(1000, 900, 1100), grade(10, -5, 25), grade(0, 0, 0)
        ('A', 'B', 'D', 'A')
    """
    if bound or not all(map(math.isfinite, (value, low, high))):
        return "D"
    half, size = float(high) / 2 - float(low) / 2, abs(float(value))
    if half and low <= 0 <= high:
        return "D"
    return next((letter for letter, most in _LIMITS.items() if half <= most * size), "D")
