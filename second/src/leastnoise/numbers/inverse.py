"""Where a monotone question turns from no to yes: the search is free, every answer was asked."""

from collections.abc import Callable
from fractions import Fraction

from leastnoise.numbers.interval import Interval


def least_integer(holds: Callable[[int], bool], start: int, guess: int | None = None) -> int:
    """The least integer from `start` on at which a monotone question (no, then yes) holds.

    The search widens from the guess, if there is one: a bad guess costs little.

    >>> least_integer(lambda k: k * k >= 1000, 0)
    32
    """
    first, step = start if guess is None else max(start, guess), 1
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


def bracket(
    is_below: Callable[[Fraction], bool], low: Fraction, high: Fraction, bits: int = 64
) -> Interval:
    """The place in low .. high up to which `is_below` holds, within (high - low) / 2^bits.

    Args:
        is_below: true at `low`, false at `high`; not asked there.
        low: the lower end of the search.
        high: the upper end.
        bits: how often the interval is halved.

    >>> round(float(bracket(lambda x: x * x < 2, Fraction(1), Fraction(2))), 6)
    1.414214
    """
    for _ in range(bits):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return Interval(low, high)
