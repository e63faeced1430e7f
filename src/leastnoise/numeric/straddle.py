"""Two ends for a certified inverse, found by halving and doubling."""

from collections.abc import Callable
from fractions import Fraction


def straddle(compare: Callable[[Fraction], int], start: Fraction) -> tuple[Fraction, Fraction]:
    """A positive low and high with compare(low) ≤ 0 ≤ compare(high), for a rising function.

    `compare(x)` is the sign of f(x) − target, and must be negative near 0 and positive far out.

    Example:
        >>> straddle(lambda x: (x > 10) - (x < 10), Fraction(1))
        (Fraction(8, 1), Fraction(16, 1))
    """
    low = high = start
    if compare(start) < 0:
        while compare(high) < 0:
            low, high = high, high * 2
    else:
        while compare(low) > 0:
            low, high = low / 2, low
    return low, high
