"""Rigorous real arithmetic through Arb: precision is raised until a question is decided.

A *computation* is a function without arguments that builds a ball (`flint.arb`) at the working
precision. The functions here run it at growing precision until its ball is small enough, so a
caller never sees rounding. Arb guarantees that each ball contains the true number.
"""

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import RLock
from typing import TypeVar

from flint import arb, ctx, fmpq

from leastnoise.errors import Undecided
from leastnoise.numeric.interval import Endpoint, Interval

T = TypeVar("T")

Computation = Callable[[], arb]

FIRST_PRECISION = 128  # decides nearly every question at once
LAST_PRECISION = 1 << 17  # numbers that agree so far are not told apart
_PRECISION_NEAR_ZERO = 1 << 14  # a value that may be 0 has no relative accuracy to wait for
_LARGEST_EXPONENT = 1 << 22  # a rational with more bits would fill memory

# FLINT's working precision is one number for the whole process. A second thread that lowered it
# midway would not make a ball wrong, only wide; the lock keeps the loops below from spinning.
_LOCK = RLock()


def _after_fork_in_child() -> None:
    # Another thread of the parent may have held the lock; in the child nobody would free it.
    global _LOCK
    _LOCK = RLock()


os.register_at_fork(after_in_child=_after_fork_in_child)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work at `bits` of precision inside the block."""
    with _LOCK:
        saved = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = saved


def settle(
    compute: Computation, decide: Callable[[arb], T | None], bits: int = FIRST_PRECISION
) -> T | None:
    """The first answer `decide` gives to the ball, at 128, 256, … bits; None if it never does.

    Who knows that more bits are needed begins with them.
    """
    while bits <= LAST_PRECISION:
        with precision(bits):
            answer = decide(compute())
        if answer is not None:
            return answer
        bits *= 2
    return None


def ball(value: Fraction | int) -> arb:
    """The smallest ball around a rational at the working precision."""
    fraction = value if type(value) is Fraction else Fraction(value)
    return arb(fmpq(fraction.numerator, fraction.denominator))


def exact(value: arb) -> Fraction:
    """The number a ball of radius 0 stands for."""
    mantissa, exponent = map(int, value.man_exp())
    return Fraction(mantissa << max(exponent, 0), 1 << max(-exponent, 0))


def floor_of(value: arb) -> int:
    """The integer part of the number that a ball of radius 0 stands for."""
    mantissa, exponent = map(int, value.man_exp())
    return mantissa << exponent if exponent > 0 else mantissa >> -exponent


def _endpoint(value: arb, side: int) -> Endpoint:
    """An end of a ball as an exact number, rounded to `side` where it is too large to write out."""
    if value.is_nan():
        return side * math.inf
    if not value.is_finite():
        return math.inf if value > 0 else -math.inf
    mantissa, exponent = value.man_exp()
    sign, size = int(mantissa > 0) - int(mantissa < 0), int(exponent) + int(mantissa).bit_length()
    if size > _LARGEST_EXPONENT:
        return side * math.inf if sign == side else sign * Fraction(2) ** _LARGEST_EXPONENT
    if size < -_LARGEST_EXPONENT:
        return side * Fraction(1, 2**_LARGEST_EXPONENT) if sign == side else Fraction(0)
    return exact(value)


def interval(value: arb) -> Interval:
    """The interval a ball stands for, rounded outward to the working precision."""
    return Interval(_endpoint(value.lower(), -1), _endpoint(value.upper(), 1))


def enclosure(compute: Computation, *, relative_bits: int = 80) -> Interval:
    """An interval around a real number, narrower than 2**-relative_bits of it.

    A number that may be 0 has no relative precision: the interval is then sound but only narrow.
    """

    def decide(value: arb) -> Interval | None:
        tight = value.is_exact() or value.rel_accuracy_bits() > relative_bits
        return interval(value) if tight or ctx.prec >= _PRECISION_NEAR_ZERO else None

    answer = settle(compute, decide)
    assert answer is not None  # the last precision always answers
    return answer


def _sign(value: arb) -> int | None:
    if value > 0:
        return 1
    if value < 0:
        return -1
    return 0 if value.is_exact() and value.is_finite() else None


def sign(compute: Computation) -> int:
    """-1, 0 or 1; 0 only if the computation ends in an exact zero.

    Raises:
        Undecided: the number is too close to 0 for the highest precision.
    """
    answer = settle(compute, _sign)
    if answer is None:
        raise Undecided(
            f"two numbers must differ to be compared; they agree to {LAST_PRECISION} bits. "
            "Move one of the parameters a little."
        )
    return answer


def _floor(value: arb) -> int | None:
    whole = value.floor().unique_fmpz()
    return None if whole is None else int(whole)


def floor(compute: Computation) -> int:
    """The integer part, decided.

    Raises:
        Undecided: the number is too close to an integer for the highest precision.
    """
    answer = settle(compute, _floor)
    if answer is None:
        raise Undecided(
            "a number must differ from an integer to be rounded down; it agrees to "
            f"{LAST_PRECISION} bits. Move one of the parameters a little."
        )
    return answer
