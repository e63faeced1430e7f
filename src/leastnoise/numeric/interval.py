"""`Interval`: two exact ends with the truth between them."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.numeric.nearest_float import nearest_float

Endpoint = Fraction | float
"""An exact rational, or an infinity."""

_DIGITS = 15  # as many as a float surely has


def _decimal(value: Endpoint, rounding: str) -> str:
    if isinstance(value, float):
        return repr(value)
    context = Context(prec=_DIGITS, rounding=rounding, Emin=-(10**9), Emax=10**9)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{quotient.normalize(context)}"


@dataclass(frozen=True)
class Interval:
    """A bracket: the true value lies in [lower, upper], both ends included.

    The ends are exact rationals (or infinite). Printing rounds outward, so what is shown is a
    bracket too. `float(interval)` gives the middle, for plots and tables;
    it is infinite beyond all floats.

    Example:
        >>> Interval(Fraction(1, 3), Fraction(1, 3))
        Interval(0.333333333333333, 0.333333333333334)
        >>> Fraction(1, 3) in Interval(Fraction(0), Fraction(1))
        True
    """

    lower: Endpoint
    upper: Endpoint

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise ValueError("an interval's lower end must not exceed its upper end")

    @classmethod
    def exactly(cls, value: Fraction | int) -> "Interval":
        """The interval that holds one known number."""
        return cls(Fraction(value), Fraction(value))

    @property
    def width(self) -> Endpoint:
        """Upper end minus lower end."""
        return _plus(self.upper, -self.lower)

    @property
    def is_exact(self) -> bool:
        """Whether the value is known exactly."""
        return self.lower == self.upper

    def __contains__(self, value: Endpoint | int) -> bool:
        return self.lower <= value <= self.upper

    def __float__(self) -> float:
        for end in (self.upper, self.lower):
            if isinstance(end, float) and math.isinf(end):  # a long fraction is no float
                return end
        return nearest_float((self.lower + self.upper) / 2)

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(_plus(self.lower, other.lower), _plus(self.upper, other.upper))

    def __repr__(self) -> str:
        return f"Interval({self._text()})"

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else repr(self)

    def _text(self) -> str:
        low, high = _decimal(self.lower, ROUND_FLOOR), _decimal(self.upper, ROUND_CEILING)
        return low if low == high else f"{low}, {high}"


def _plus(one: Endpoint, other: Endpoint) -> Endpoint:
    """The sum; a rational too large for a float must not meet an infinite one as a float."""
    if isinstance(one, float) or isinstance(other, float):
        return one if isinstance(one, float) and math.isinf(one) else other
    return one + other
