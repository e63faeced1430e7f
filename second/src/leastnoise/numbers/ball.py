"""Real numbers as balls: precision is raised until a question is decided.

A *computation* is a function without arguments that builds an Arb ball (`flint.arb`) at the
working precision. Arb guarantees that every ball holds the true number; the functions here run a
computation again with more bits until its ball answers. So no caller ever sees rounding.

Trusted.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import RLock
from typing import TypeVar

from flint import arb, ctx, fmpq

from leastnoise.numbers.errors import Undecided
from leastnoise.numbers.interval import End, Interval

Computation = Callable[[], arb]
T = TypeVar("T")

FIRST_BITS = 128  # decides nearly every question at once
LAST_BITS = 1 << 16  # numbers that agree so far are not told apart
_LARGEST_EXPONENT = 1 << 20  # a fraction with more bits would fill memory

# The working precision of FLINT is one number for the whole process, so threads take turns.
_LOCK = RLock()


def _unlock_in_child() -> None:
    # Another thread of the parent may have held the lock. In the child nobody would release it.
    global _LOCK  # noqa: PLW0603
    _LOCK = RLock()


os.register_at_fork(after_in_child=_unlock_in_child)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with `bits` bits inside the block."""
    with _LOCK:
        before, ctx.prec = ctx.prec, bits
        try:
            yield
        finally:
            ctx.prec = before


def ball(value: Fraction | int) -> arb:
    """The smallest ball around a fraction at the working precision."""
    return arb(fmpq(value.numerator, value.denominator))


def settle(compute: Computation, answer: Callable[[arb], T | None], bits: int = FIRST_BITS) -> T:
    """What `answer` says of the ball, at `bits`, twice as many and so on, once it is not None.

    Raises:
        Undecided: it is still None at 2**16 bits.
    """
    while bits <= LAST_BITS:
        with precision(bits):
            found = answer(compute())
        if found is not None:
            return found
        bits *= 2
    raise Undecided("Two numbers are too close to compare. Change one of the parameters a little.")


def sign(compute: Computation) -> int:
    """-1, 0 or 1; 0 only for a computation that ends in an exact 0.

    >>> sign(lambda: arb(2).sqrt() - arb(99) / 70)
    -1
    """

    def answer(value: arb) -> int | None:
        if value > 0:
            return 1
        if value < 0:
            return -1
        return 0 if value.is_exact() and value.is_finite() else None

    return settle(compute, answer)


def floor(compute: Computation, bits: int = FIRST_BITS) -> int:
    """The greatest integer up to a number.

    >>> floor(lambda: arb(10).log() * 1000)
    2302
    """

    def answer(value: arb) -> int | None:
        whole = value.floor().unique_fmpz()
        return None if whole is None else int(whole)

    return settle(compute, answer, bits)


def exact_value(value: arb) -> Fraction:
    """The number of a ball of radius 0."""
    mantissa, exponent = map(int, value.man_exp())
    return Fraction(mantissa << max(exponent, 0), 1 << max(-exponent, 0))


def enclosure(compute: Computation, *, bits: int = 64) -> Interval:
    """An interval around a number, `bits` bits of it known; wider only around what may be 0."""
    return settle(compute, lambda value: interval(value) if _is_tight(value, bits) else None)


def _is_tight(value: arb, bits: int) -> bool:
    near_zero = ctx.prec >= 1 << 13 and value.rad() < arb(2) ** -(1 << 12)
    return bool(value.is_exact() or value.rel_accuracy_bits() >= bits or near_zero)


def interval(value: arb) -> Interval:
    """The interval of a ball, rounded outward."""
    return Interval(_end(value.lower(), -1), _end(value.upper(), 1))


def _end(value: arb, side: int) -> End:
    if value.is_nan():
        return side * float("inf")
    if not value.is_finite():
        return float("inf") if value > 0 else -float("inf")
    mantissa, exponent = map(int, value.man_exp())
    size = exponent + mantissa.bit_length()
    if abs(size) <= _LARGEST_EXPONENT:
        return exact_value(value)
    outward = (mantissa > 0) == (side > 0)
    if size > 0:  # too large to write out
        return side * float("inf") if outward else -side * Fraction(2) ** _LARGEST_EXPONENT
    return side * Fraction(1, 2**_LARGEST_EXPONENT) if outward else Fraction(0)


def lower_end(compute: Computation, bits: int = 64) -> Fraction:
    """A fraction of about `bits` bits that is at most the number."""
    return _rounded(compute, bits, -1)


def upper_end(compute: Computation, bits: int = 64) -> Fraction:
    """A fraction of about `bits` bits that is at least the number."""
    return _rounded(compute, bits, 1)


def _rounded(compute: Computation, bits: int, side: int) -> Fraction:
    def answer(value: arb) -> Fraction | None:
        if not value.is_finite() or not _is_tight(value, bits + 8):
            return None
        end = exact_value(value.lower() if side < 0 else value.upper())
        shift = bits - (end.numerator.bit_length() - end.denominator.bit_length())
        scaled = end * Fraction(2) ** shift
        return (scaled.__floor__() if side < 0 else scaled.__ceil__()) / Fraction(2) ** shift

    return settle(compute, answer)


def greatest(holds: Callable[[Fraction], bool], start: Fraction, bits: int = 64) -> Fraction:
    """About the greatest positive x for which `holds(x)`: the lower end of `border`."""
    return border(holds, start, bits)[0]


def border(
    holds: Callable[[Fraction], bool], start: Fraction, bits: int = 64
) -> tuple[Fraction, Fraction]:
    """Where a question changes from true to false, by bisection: `holds(x)`, and not `holds(y)`.

    x was itself asked, so it holds even if the question is not monotone. y does not hold if the
    question is monotone; it is above x by at most x / 2**(bits - 1).

    Args:
        holds: true for small positive numbers, false for large ones.
        start: where to begin the search.
        bits: how exactly to look.
    """
    low = start
    for _ in range(4096):
        if holds(low):
            break
        low /= 2
    else:
        raise Undecided("No number is small enough.")
    high = 2 * low
    for _ in range(4096):
        if not holds(high):
            break
        low, high = high, 2 * high
    else:
        raise Undecided("Every number is small enough.")
    # Both ends are short fractions on one dyadic grid from here on.
    shift = bits + high.denominator.bit_length() - high.numerator.bit_length() + 1
    unit = Fraction(2) ** -shift
    below, above = (low / unit).__floor__(), (high / unit).__ceil__()
    if not holds(below * unit):
        return low, high
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if holds(middle * unit) else (below, middle)
    return below * unit, above * unit


def normal_tail(x: arb) -> arb:
    """P(Z >= x) of a standard normal Z, accurate far out in the tail.

    >>> print(normal_tail(arb(10)).str(10, radius=False))
    7.619853024e-24
    """
    return (x / arb(2).sqrt()).erfc() / 2
