"""Digits: rounding to a place, and writing what is left. Decimals, so that no digit is a guess."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

UNKNOWN = "not known"
MINUS = "\N{MINUS SIGN}"
MILLION = " million"
FEW_DIGITS = 3
NEAREST, DOWN, UP = ROUND_HALF_UP, ROUND_FLOOR, ROUND_CEILING
TINY = Decimal("0.001")  # powers of ten below it
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MILLION, _BILLION = Decimal(10**7), Decimal(10**9)  # words and powers of ten from these,
_MILLION_PLACE = 4  # but words only where they leave at most two digits after the point,
_BILLION_PLACE = 7  # and powers of ten by the same rule
# A double has up to 309 digits before the point and 1074 after it; quotients are cut there.
_WIDE = Context(prec=1500, Emin=-(10**9), Emax=10**9)
_QUOTIENT = Context(prec=60, Emin=-(10**9), Emax=10**9)

Real = int | float | Fraction


def decimal(value: Real | Decimal) -> Decimal:
    """A number as a decimal: exact, but for quotients, which get sixty digits."""
    if isinstance(value, Fraction):
        return _QUOTIENT.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Decimal(value)


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
    if isinstance(number, float) and not math.isfinite(number):
        return endless(number)
    value = decimal(number)
    if not value:
        return "0"
    near = rounded(value, value.adjusted() - digits + 1)
    return power(near) if abs(near) < TINY or abs(near) >= _BILLION else trimmed(written(near))


def after(unit: str) -> str:
    """A unit behind its number."""
    return f" {unit}" if unit else ""


def endless(value: Real) -> str:
    """What is no number."""
    if math.isnan(value):
        return UNKNOWN
    return "∞" if value > 0 else f"{MINUS}∞"


def rounded(value: Decimal, place: int, rule: str = NEAREST) -> Decimal:
    """The multiple of 10^place that a rule chooses; halves go away from zero."""
    return value.quantize(Decimal((0, (1,), place)), rule, _WIDE)


def placed(value: Real, place: int | None, whole: bool, rule: str) -> str:
    """A number rounded to a place; if that is not known, to three digits."""
    exact = decimal(value)
    if place is None:
        if whole:
            return written(rounded(exact, 0, rule))
        few = rounded(exact, exact.adjusted() - FEW_DIGITS + 1, rule) if exact else exact
        return said_number(Fraction(few))
    near = rounded(exact, place, rule)
    size = abs(near)
    if (size >= _BILLION and place >= _BILLION_PLACE) or 0 < size < TINY:
        return power(near)
    if size >= _MILLION and place >= _MILLION_PLACE:
        return _in_millions(near)
    return written(near)


def placed_ends(low: Real, high: Real, place: int | None, whole: bool) -> tuple[str, str]:
    """Two numbers rounded outward to a place; if one is told in millions, so is the other.

    Example:
        >>> placed_ends(9_864_000.0, 12_210_000.0, 4, False), placed_ends(10_000.0, 3.2e7, 5, False)
        (('9.86 million', '12.21 million'), ('0', '32.0 million'))
    """
    ends = placed(low, place, whole, DOWN), placed(high, place, whole, UP)
    if place is None or len({end.endswith(MILLION) for end in ends}) == 1:
        return ends
    nears = rounded(decimal(low), place, DOWN), rounded(decimal(high), place, UP)
    below, above = (
        _in_millions(near) if 0 < abs(near) < _MILLION else end
        for near, end in zip(nears, ends, strict=True)
    )
    return below, above


def _in_millions(near: Decimal) -> str:
    return f"{written(near.scaleb(-6, _WIDE))}{MILLION}"


def power(value: Decimal) -> str:
    """As a power of ten, without zeros at the end."""
    top = value.adjusted()
    front = trimmed(written(value.scaleb(-top, _WIDE)))
    raised = f"10{str(top).translate(_RAISED)}"
    return {"1": raised, f"{MINUS}1": f"{MINUS}{raised}"}.get(front, f"{front}·{raised}")


def written(value: Decimal) -> str:
    """All its digits, and no minus in front of zero."""
    return f"{value if value else abs(value):,f}".replace("-", MINUS)


def trimmed(text: str) -> str:
    """Without zeros at the end of decimals."""
    return text.rstrip("0").rstrip(".") if "." in text else text
