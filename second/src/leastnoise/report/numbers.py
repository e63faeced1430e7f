"""Numbers as people write them: margins to two digits, values to the digit of their margin."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from math import floor, isfinite, log10


def last_digit(margin: float) -> int:
    """The power of ten of the second significant digit."""
    return floor(log10(margin)) - 1 if margin > 0 and isfinite(margin) else 0


def rounded(value: float, power: int) -> str:
    """A number to a power of ten, with commas.

    >>> rounded(57612.4, 2), rounded(7.25, -1), rounded(-0.04, -1)
    ('57,600', '7.2', '0.0')
    """
    unit = Decimal(1).scaleb(power)
    number = (Decimal(value) / unit).quantize(Decimal(1), ROUND_HALF_EVEN) * unit
    text = f"{number + 0:,.{max(0, -power)}f}"
    return text.removeprefix("-") if not number else text


def with_margin(value: float, margin: float) -> tuple[str, str]:
    """A value and its margin.

    >>> with_margin(57612, 4148), with_margin(142.31, 1.12)
    (('57,600', '4,100'), ('142.3', '1.1'))
    """
    power = last_digit(margin)
    if float(rounded(margin, power).replace(",", "")) >= 10 ** (power + 2):  # 9.96 is 10, not 10.0
        power += 1
    return rounded(value, power), rounded(margin, power)


def share_with_margin(value: float, margin: float) -> tuple[str, str]:
    """A share and its margin in per cent: whole points, one decimal below one point.

    >>> share_with_margin(0.2113, 0.062), share_with_margin(0.1823, 0.0041)
    (('21 %', '6'), ('18.2 %', '0.4'))
    """
    power = 0 if margin >= 0.00995 else min(-1, last_digit(margin * 100) + 1)
    return f"{rounded(100 * value, power)} %", rounded(100 * margin, power)


def percent(part: Fraction | float) -> str:
    """A part of a whole in per cent.

    >>> percent(Fraction(14, 100)), percent(0.0005), percent(0)
    ('14 %', '0.05 %', '0 %')
    """
    points = 100 * float(part)
    if points >= 0.995 or points <= 0:
        return f"{rounded(points, 0)} %"
    return f"{rounded(points, last_digit(points) + 1)} %"


def rounded_down(number: Fraction) -> str:
    """To two significant digits, downward, as something to type.

    >>> rounded_down(Fraction(4876, 1000)), rounded_down(Fraction(79, 1000))
    ('4.8', '0.079')
    """
    if number <= 0:
        return "0"
    exact = Decimal(number.numerator) / Decimal(number.denominator)
    power = max(-9, exact.adjusted() - 1)
    return f"{exact.quantize(Decimal(1).scaleb(min(power, 0)), ROUND_DOWN).normalize():f}"
