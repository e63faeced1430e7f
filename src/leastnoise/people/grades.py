"""Grades: how reliable an answer is, in one letter, as official statistics print it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from leastnoise.people.digits import Real

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


def every_grade(
    values: NDArray[np.int64] | NDArray[np.float64],
    lows: NDArray[np.float64],
    highs: NDArray[np.float64],
    bounds: NDArray[np.bool_],
) -> list[str]:
    """What `grade` says of each of many answers.

    Example:
        >>> import numpy as np
        >>> ends = np.array([960.0, -5.0]), np.array([1040.0, 25.0])
        >>> every_grade(np.array([1000, 10]), *ends, np.array([False, False]))
        ['A', 'D']
    """
    letters = list(GRADES)
    return [letters[place] for place in grade_places(values, lows, highs, bounds).tolist()]


def grade_places(
    values: NDArray[np.int64] | NDArray[np.float64],
    lows: NDArray[np.float64],
    highs: NDArray[np.float64],
    bounds: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """The same, each as its place among the grades."""
    import numpy as np  # noqa: PLC0415 - a command that only tells its help need not wait for it

    with np.errstate(invalid="ignore", over="ignore"):
        half, size = highs / 2 - lows / 2, np.abs(values.astype(np.float64))
        within = [half <= most * size for most in _LIMITS.values()]
        holds = (half != 0) & (lows <= 0) & (highs >= 0)
    known = np.isfinite(values) & np.isfinite(lows) & np.isfinite(highs)
    places = np.select(within, range(len(within)), len(within))
    places[bounds | ~known | holds] = len(within)
    return places
