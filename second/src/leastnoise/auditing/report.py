"""`Audit`: what an audit found out about a promise."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isinf
from textwrap import fill

from leastnoise.numbers.exact import written
from leastnoise.numbers.interval import End, Interval
from leastnoise.privacy.guarantee import Guarantee

_WIDTH = 80  # columns
_MOST_TEXT = 240  # of the event or the neighbours


@dataclass(frozen=True, repr=False)
class Audit:
    """What an audit found out about a promise. Print it.

    Attributes:
        promise: what was promised.
        violated: whether it is refuted: by a proof, or at the stated confidence.
        proved: whether the verdict is proved, for all neighbours that were looked at.
        measure: the number that is compared: epsilon, delta, mu or rho.
        at: what it belongs to, such as the epsilon of a delta.
        found: what is known of the measure; black-box audits know a lower end.
        allowed: the greatest value of the measure that the promise allows.
        how: how it is known.
        where: the event or the neighbours where the measure is greatest.
        samples: how many outputs were drawn.
    """

    promise: Guarantee
    violated: bool
    proved: bool
    measure: str
    at: str
    found: Interval
    allowed: Fraction
    how: str
    where: str
    samples: int = 0

    def __repr__(self) -> str:
        lower, upper = rounded(self.found.lower), rounded(self.found.upper, up=True)
        if self.violated:
            sign = ">=" if self.found.lower > self.allowed else ">"
            verdict, known = "violation", f"{sign} {lower}"
        elif self.proved:
            verdict, known = "no violation", f"<= {upper}"
        elif isinf(self.found.upper):
            verdict, known = "no violation found", f">= {lower} is shown"
        else:
            verdict, known = "no violation found", f"<= {upper}"
        promised = f"{self.measure} = {rounded(self.allowed, up=True)} was promised ({self.how})"
        where = self.where if len(self.where) <= _MOST_TEXT else f"{self.where[:_MOST_TEXT]}..."
        text = f"{verdict}: {self.measure} {known}{self.at} where {promised}"
        return fill(f"{text}; {where}" if where else text, _WIDTH)


def rounded(value: End, *, up: bool = False) -> str:
    """A number as four digits, rounded so that what is said with it stays true.

    >>> rounded(Fraction(2, 3)), rounded(Fraction(2, 3), up=True), rounded(Fraction(1, 10**6))
    ('0.6666', '0.6667', '1e-06')
    """
    if isinstance(value, float):
        return "infinity" if value > 0 else "-infinity"
    context = Context(prec=4, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    short = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return written(Fraction(short))
