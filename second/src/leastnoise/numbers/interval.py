"""`Interval`: two exact ends with the truth between them.

Trusted.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from leastnoise.numbers.errors import InvalidInput

End = Fraction | float
"""A fraction, or an infinity."""

_DIGITS = 15  # as many as a float surely has


@dataclass(frozen=True)
class Interval:
    """lower <= truth <= upper. `float(interval)` is the middle.

    Printing shows the digits that both ends share and one more, followed by dots; a number that
    is known exactly is printed in full.

    >>> Interval(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**6))
    0.333333...
    >>> Fraction(1, 3) in Interval(Fraction(0), Fraction(1))
    True
    """

    lower: End
    upper: End

    def __post_init__(self) -> None:
        try:
            is_right = bool(self.lower <= self.upper)
        except (ArithmeticError, TypeError, ValueError):
            is_right = False
        if not is_right:
            raise InvalidInput("An interval needs two numbers, the lower end first.")

    @classmethod
    def exactly(cls, value: End | int) -> "Interval":
        """The interval of one known number."""
        kept = value if isinstance(value, float) else Fraction(value)
        return cls(kept, kept)

    @property
    def width(self) -> End:
        """Upper end minus lower end."""
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    def __contains__(self, value: End | int) -> bool:
        return self.lower <= value <= self.upper

    def __float__(self) -> float:
        for end in (self.upper, self.lower):
            if isinstance(end, float) and math.isinf(end):
                return end
        try:
            return float((Fraction(self.lower) + Fraction(self.upper)) / 2)
        except OverflowError:
            return math.inf if self.lower + self.upper > 0 else -math.inf

    def __repr__(self) -> str:
        low, high = _decimal(self.lower, ROUND_FLOOR), _decimal(self.upper, ROUND_CEILING)
        if low == high:
            return low
        shared = _shared(low, high)
        return f"{shared}..." if sum(map(str.isdigit, shared)) > 2 else f"[{low}, {high}]"

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else repr(self)


def _decimal(value: End, rounding: str) -> str:
    if isinstance(value, float):
        return repr(value)
    context = Context(prec=_DIGITS, rounding=rounding, Emin=-(10**9), Emax=10**9)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    short = quotient.normalize(context)
    return f"{short:f}" if 0 <= short.adjusted() < _DIGITS else f"{short:g}"


def _shared(low: str, high: str) -> str:
    """The digits at the beginning of both, and one more of the lower; only of plain decimals."""
    if "e" in low + high.lower() or "." not in low or low.index(".") != high.find("."):
        return ""
    same = next(i for i, (a, b) in enumerate(zip(low + " ", high + " ", strict=False)) if a != b)
    return low[: same + 1].strip()
