"""`Audit`: what an audit found out about a promise."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isinf

from leastnoise.numbers.exact import written
from leastnoise.numbers.interval import End, Interval
from leastnoise.privacy.guarantee import Guarantee

_MOST_TEXT = 240  # of the event or the neighbours
_INFINITY = float("inf")


@dataclass(frozen=True, repr=False)
class Audit:
    """What an audit found out about a promise. Print it.

    Attributes:
        promise: what was promised.
        violated: whether it is refuted: proved, or at the stated confidence.
        proved: whether it is proved, for all neighbours that were looked at.
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
        promised = f"{self.at} where {self.measure} = {rounded(self.allowed, up=True)} was promised"
        known = f"{promised} ({self.how})"
        where = f"; {shortened(self.where)}" if self.where else ""
        lower = rounded(self.found.lower)
        if self.violated:
            sign = ">=" if self.found.lower > self.allowed else ">"
            return f"violation: {self.measure} {sign} {lower}{known}{where}"
        if self.proved:
            return f"no violation: {self.measure} <= {rounded(self.found.upper, up=True)}{known}"
        if not isinf(self.found.upper):
            lower = f"at most {rounded(self.found.upper, up=True)}"
            return f"no violation found: {self.measure} is {lower}{known}"
        return f"no violation found: {self.measure} >= {lower} is shown{known}{where}"


def rounded(value: End, *, up: bool = False) -> str:
    """A number as four digits, rounded so that what is said with it stays true.

    >>> rounded(Fraction(2, 3)), rounded(Fraction(2, 3), up=True), rounded(Fraction(1, 10**6))
    ('0.6666', '0.6667', '1e-06')
    """
    if isinstance(value, float):
        return "infinity" if value == _INFINITY else repr(value)
    context = Context(prec=4, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    short = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return written(Fraction(short))


def shortened(text: str) -> str:
    """A text on a few lines at most."""
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 3]}..."
