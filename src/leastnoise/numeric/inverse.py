"""Certified inverses of monotone functions: the search is free, the answer is checked."""

import math
from collections.abc import Callable
from fractions import Fraction

from leastnoise.errors import Undecided
from leastnoise.numeric.interval import Endpoint, Interval


def least_integer(holds: Callable[[int], bool], start: int) -> int:
    """The least integer ≥ start at which a monotone predicate (False, then True) holds.

    Example:
        >>> least_integer(lambda k: k * k >= 1000, 0)
        32
    """
    if holds(start):
        return start
    step, low = 1, start
    while not holds(low + step):
        low, step = low + step, step * 2
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _middle(low: Fraction, high: Fraction, digits: int) -> Fraction:
    """A short dyadic strictly inside (low, high), geometric if the ends are far apart."""
    if low < 0 < high:
        return Fraction(0)
    if low > 0 and high > 4 * low:
        ratio = (high.numerator * low.denominator) // (high.denominator * low.numerator)
        return low * 2 ** (ratio.bit_length() // 2)
    scale = Fraction(2) ** (digits - _exponent(high - low))
    return Fraction(round((low + high) / 2 * scale)) / scale


def _exponent(value: Fraction) -> int:
    return value.numerator.bit_length() - value.denominator.bit_length()


def monotone_inverse(
    compare: Callable[[Fraction], int],
    lower: Fraction,
    upper: Fraction,
    *,
    relative: Fraction = Fraction(1, 2**60),
) -> Interval:
    """A bracket on the point where a non-decreasing function reaches a target.

    `compare(x)` is the rigorous sign of f(x) − target. The result [a, b] satisfies
    f(a) ≤ target ≤ f(b) with b − a ≤ relative · b, or a = b where f meets the target exactly.
    For a decreasing f pass the negated sign. The caller picks the sound end: the one on the side
    of more noise or higher price.

    Raises:
        ValueError: the target is not bracketed by f(lower) and f(upper).

    Example:
        >>> root = monotone_inverse(lambda x: (x * x > 2) - (x * x < 2), Fraction(1), Fraction(2))
        >>> bool(root.lower**2 <= 2 <= root.upper**2), float(root)
        (True, 1.4142135623730951)
    """
    low, high = lower, upper
    ends = compare(low), compare(high)
    if ends[0] > 0 or ends[1] < 0:
        raise ValueError("the target must lie between the function's values at the two ends")
    if 0 in ends:
        return Interval.exactly(low if ends[0] == 0 else high)
    while high - low > relative * abs(high):
        middle = _middle(low, high, 8)
        try:
            side = compare(middle)
        except Undecided:
            # Too close to call means as close as anyone can ask: any other point will do.
            middle = (middle + high) / 2
            side = compare(middle)
        if side == 0:
            return Interval.exactly(middle)
        low, high = (middle, high) if side < 0 else (low, middle)
    return Interval(low, high)


Curve = Callable[[Fraction], Endpoint]


def crossing(
    curve: Curve, target: Fraction, low: Fraction, high: Fraction, *, relative: Fraction
) -> tuple[Fraction, Fraction]:
    """Neighbours with curve(low) > target ≥ curve(high), for a non-increasing positive curve.

    The ends given must be so already. Steps alternate between the secant of log(curve), which is
    nearly straight for tails, and bisection, which is sure. All points tried have at most 53 bits,
    so that they are floats too.
    """
    top, bottom = curve(low), curve(high)
    by_secant = False
    while high - low > relative * high:
        middle = _short(_secant(low, high, top, bottom, target, relative * high), low, high)
        if not by_secant or middle is None:
            middle = _short((low + high) / 2, low, high)
        if middle is None:
            break
        by_secant = not by_secant
        value = curve(middle)
        if value > target:
            low, top = middle, value
        else:
            high, bottom = middle, value
    return low, high


def _secant(
    low: Fraction, high: Fraction, top: Endpoint, bottom: Endpoint, target: Fraction, step: Fraction
) -> Fraction:
    """Where a straight line in log(curve) meets the target, and a little further to the far side."""
    drop = _log(top) - _log(bottom) if bottom > 0 and target > 0 else 0.0
    if not drop > 0:
        return (low + high) / 2
    share = (_log(top) - _log(target)) / drop
    place = low + Fraction(min(max(share, 0.0), 1.0)) * (high - low)
    return place + step / 3 if place - low < high - place else place - step / 3


def _log(value: Endpoint) -> float:
    fraction = Fraction(value)
    return math.log(fraction.numerator) - math.log(fraction.denominator)


def _short(value: Fraction, low: Fraction, high: Fraction) -> Fraction | None:
    """A number of at most 53 bits strictly between the ends, near the value; None if there is none."""
    scale = Fraction(2) ** (52 - _exponent(high))
    rounded = Fraction(round(value * scale)) / scale
    return rounded if low < rounded < high else None
