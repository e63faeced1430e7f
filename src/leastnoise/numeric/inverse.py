"""Certified inverses of monotone functions: the search is free, the answer is checked."""

import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction

from leastnoise.errors import Undecided
from leastnoise.numeric.interval import Endpoint, Interval


def least_integer(holds: Callable[[int], bool], start: int, guess: int | None = None) -> int:
    """The least integer ≥ start at which a monotone predicate (False, then True) holds.

    The search widens from the guess, if there is one: a good guess saves time, a bad one costs
    little and changes nothing.

    Example:
        >>> least_integer(lambda k: k * k >= 1000, 0)
        32
        >>> least_integer(lambda k: k * k >= 10**20, 0, guess=10**10 + 3)
        10000000000
    """
    first, step = start if guess is None else max(start, guess), 2
    if holds(first):
        low, high = first - 1, first
        while low >= start and holds(low):
            low, high, step = low - step, low, step * 2
        low = max(low, start - 1)
    else:
        low, high = first, first + 1
        while not holds(high):
            low, high, step = high, high + step, step * 2
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
        return low * (1 << (ratio.bit_length() // 2))
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
    guess: Fraction | None = None,
) -> Interval:
    """A bracket on the point where a non-decreasing function reaches a target.

    `compare(x)` is the rigorous sign of f(x) − target. The result [a, b] satisfies
    f(a) ≤ target ≤ f(b) with b − a ≤ relative · b, or a = b where f meets the target exactly.
    For a decreasing f pass the negated sign. The caller picks the sound end: the one on the side
    of more noise or higher price. A good guess saves nearly the whole search, a bad one costs two
    comparisons and changes nothing else.

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
    if guess is not None:
        low, high = _around(guess, relative / 4, compare, (low, high))
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


def _around(
    guess: Fraction,
    room: Fraction,
    compare: Callable[[Fraction], int],
    ends: tuple[Fraction, Fraction],
) -> tuple[Fraction, Fraction]:
    """The ends, moved next to a guess where signs say that the point stays between them."""
    low, high = ends
    below, above = guess - room * abs(guess), guess + room * abs(guess)
    with suppress(Undecided):
        if low < below < high and compare(below) < 0:
            low = below
        if low < above < high and compare(above) > 0:
            high = above
    return low, high


Curve = Callable[[Fraction], Endpoint]


def crossing(
    curve: Curve, target: Fraction, low: Fraction, high: Fraction, *, relative: Fraction
) -> tuple[Fraction, Fraction]:
    """Neighbours with curve(low) > target ≥ curve(high), for a non-increasing positive curve.

    The ends given must be so already. Steps alternate between the secant of log(curve), which is
    nearly straight for tails, and bisection, which is sure. All points tried have at most 53 bits,
    so that they are floats too.
    """
    logs = [_log(curve(low)), _log(curve(high))]
    straight = True
    while high - low > relative * high:
        place, straight = (low + high) / 2, not straight
        if straight and math.isfinite(logs[1]):
            place = _secant((low, high), (logs[0], logs[1]), _log(target))
            # A little further, so that the far end follows.
            nudge = relative * high / 3
            place += nudge if place - low < high - place else -nudge
        middle = _short(place, low, high) or _short((low + high) / 2, low, high)
        if middle is None:
            break
        value = curve(middle)
        if value > target:
            low, logs[0] = middle, _log(value)
        else:
            high, logs[1] = middle, _log(value)
    return low, high


def _secant(ends: tuple[Fraction, Fraction], logs: tuple[float, float], goal: float) -> Fraction:
    """Where a straight line between the logs at two ends meets the goal."""
    drop = logs[0] - logs[1]
    share = (logs[0] - goal) / drop if drop > 0 else 0.5
    return ends[0] + Fraction(min(max(share, 0.0), 1.0)) * (ends[1] - ends[0])


def _log(value: Endpoint) -> float:
    if not value > 0:
        return -math.inf
    fraction = Fraction(value)
    return math.log(fraction.numerator) - math.log(fraction.denominator)


def _short(value: Fraction, low: Fraction, high: Fraction) -> Fraction | None:
    """A number of at most 53 bits strictly between the ends, near the value, if there is one."""
    scale = Fraction(2) ** (52 - _exponent(high))
    rounded = Fraction(round(value * scale)) / scale
    return rounded if low < rounded < high else None


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
