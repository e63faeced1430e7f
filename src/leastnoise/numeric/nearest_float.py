"""`nearest_float`: an exact number for the eye."""

import math
from fractions import Fraction


def nearest_float(value: Fraction | float) -> float:
    """The nearest float; infinite where the number is beyond all of them.

    Example:
        >>> nearest_float(Fraction(1, 4)), nearest_float(-Fraction(10) ** 400)
        (0.25, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value > 0 or -1)
