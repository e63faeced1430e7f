"""Digits: rounding to a place, and writing what is left; exact, as no float is computed with."""

import math
from collections.abc import Callable
from fractions import Fraction

UNKNOWN = "not known"
MINUS = "\N{MINUS SIGN}"
FEW_DIGITS = 3
TINY = Fraction(1, 1000)  # powers of ten below it
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MILLION_PLACE = 4  # words only where they leave at most two digits after the point,
_BILLION_PLACE = 7  # and powers of ten by the same rule

Real = int | float | Fraction


def said_count(number: int) -> str:
    """A whole number with thousands set apart.

    Example:
        >>> said_count(23959), said_count(-12)
        ('23,959', '−12')
    """
    return f"{number:,}".replace("-", MINUS)


def said_number(number: Real, digits: int = FEW_DIGITS) -> str:
    """A few digits and no zeros at the end; a power of ten if it is tiny or huge.

    Example:
        >>> said_number(0.25), said_number(Fraction(1, 3)), said_number(2250), said_number(3.2e-5)
        ('0.25', '0.333', '2,250', '3.2·10⁻⁵')
        >>> said_number(Fraction(1, 10**8)), said_number(4e-8), said_number(0), said_number(2e12)
        ('10⁻⁸', '4·10⁻⁸', '0', '2·10¹²')
    """
    if not math.isfinite(number):
        return endless(number)
    value = Fraction(number)
    if not value:
        return "0"
    place = magnitude(value) - digits + 1
    near = rounded(value, place)
    if abs(near) < TINY or abs(near) >= 10**9:
        return power(near, place)
    return trimmed(written(near, place))


def after(unit: str) -> str:
    """A unit behind its number."""
    return f" {unit}" if unit else ""


def endless(value: Real) -> str:
    """What is no number."""
    if math.isnan(value):
        return UNKNOWN
    return "∞" if value > 0 else f"{MINUS}∞"


def magnitude(value: Real) -> int:
    """The power of ten of the first digit."""
    size = abs(Fraction(value))
    if not size:
        return 0
    guess = len(str(size.numerator)) - len(str(size.denominator))
    return guess if size >= Fraction(10) ** guess else guess - 1


def nearest(value: Fraction) -> int:
    """The nearest integer; halves away from zero, as people round."""
    whole = math.floor(abs(value) + Fraction(1, 2))
    return whole if value >= 0 else -whole


def rounded(value: Real, place: int, rule: Callable[[Fraction], int] = nearest) -> Fraction:
    """The multiple of a power of ten that a rule chooses."""
    step = Fraction(10) ** place
    return rule(Fraction(value) / step) * step


def placed(value: Real, place: int | None, whole: bool, rule: Callable[[Fraction], int]) -> str:
    """A number rounded to a place; if that is not known, to three digits."""
    if place is None:
        if whole:
            return said_count(rule(Fraction(value)))
        own = magnitude(value) - FEW_DIGITS + 1 if value else 0
        return said_number(rounded(value, own, rule))
    near = rounded(value, place, rule)
    size = abs(near)
    if (size >= 10**9 and place >= _BILLION_PLACE) or 0 < size < TINY:
        return power(near, place)
    if size >= 10**7 and place >= _MILLION_PLACE:
        return f"{written(near / 10**6, place - 6)} million"
    return written(near, place)


def power(value: Fraction, place: int) -> str:
    """As a power of ten, with all digits to a place but zeros at the end."""
    top = magnitude(value)
    front = trimmed(written(value / Fraction(10) ** top, place - top))
    raised = f"10{str(top).translate(_RAISED)}"
    return {"1": raised, f"{MINUS}1": f"{MINUS}{raised}"}.get(front, f"{front}·{raised}")


def written(value: Fraction, place: int) -> str:
    """All digits of a multiple of 10^place."""
    decimals = max(-place, 0)
    scaled = int(value * 10**decimals)
    if not decimals:
        return said_count(scaled)
    digits = f"{abs(scaled):0{decimals + 1}d}"
    front = f"{int(digits[:-decimals]):,}.{digits[-decimals:]}"
    return f"{MINUS if scaled < 0 else ''}{front}"


def trimmed(text: str) -> str:
    """Without zeros at the end of decimals."""
    return text.rstrip("0").rstrip(".") if "." in text else text
