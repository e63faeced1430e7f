"""`PrivacyCurve`: anything that trades ε against δ, and how a point of it becomes a promise."""

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Protocol

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP

_DIGITS = 15  # as many as a float surely has
_DIGITS_IN_TABLES = 6  # more would only make columns wide

NEVER = Interval(math.inf, math.inf)
"""The ε of a question that no finite ε answers."""


class PrivacyCurve(Protocol):
    """All pairs (ε, δ) that one promise implies."""

    def epsilon(self, delta: Exact) -> Interval:
        """The least ε at δ, infinite if there is none; the upper end is the sound one."""

    def delta(self, epsilon: Exact) -> Interval:
        """The least δ at ε; the upper end is the sound one."""


def sound_end(value: Interval) -> Fraction:
    """The sound end of a bracket, short enough to read: rounded up to 15 significant digits.

    Example:
        >>> sound_end(Interval(Fraction(0), Fraction(2, 3))) == Fraction("0.666666666666667")
        True
        >>> sound_end(Interval.exactly(Fraction(2, 3)))
        Fraction(2, 3)
    """
    if isinstance(value.upper, float):
        raise UnsupportedQuery(
            "a price must be finite; got an infinite one. "
            "No parameter this small can be promised: allow a larger delta."
        )
    return value.upper if value.is_exact else Fraction(_rounded_up(value.upper, _DIGITS))


def price_text(value: Interval) -> str:
    """The sound end of a bracket for a table: rounded up to 6 significant digits.

    Example:
        >>> price_text(Interval(Fraction(0), Fraction(2, 3))), price_text(NEVER)
        ('0.666667', 'inf')
    """
    if isinstance(value.upper, float):
        return str(value.upper)
    return f"{_rounded_up(value.upper, _DIGITS_IN_TABLES):g}"


def _rounded_up(value: Fraction, digits: int) -> Decimal:
    context = Context(prec=digits, rounding=ROUND_CEILING, Emin=-(10**9), Emax=10**9)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def approx_at(
    curve: PrivacyCurve, *, epsilon: Exact | None = None, delta: Exact | None = None
) -> ApproxDP:
    """The point of a curve at one given coordinate; the other is rounded up."""
    if delta is not None and epsilon is None:
        return ApproxDP(epsilon=sound_end(curve.epsilon(delta=delta)), delta=delta)
    if epsilon is not None and delta is None:
        return ApproxDP(epsilon=epsilon, delta=_promised(sound_end(curve.delta(epsilon=epsilon))))
    raise _check.refuse(
        "exactly one of `epsilon` and `delta` must be given",
        f"epsilon={_check.shown(epsilon)}, delta={_check.shown(delta)}",
        "Leave out the one that you want to know.",
    )


def _promised(delta: Fraction) -> Fraction:
    if delta < 1:
        return delta
    raise UnsupportedQuery(
        f"a promise needs a delta below 1; got {float(delta):g}. Nothing is promised there: "
        "allow a larger epsilon."
    )


def at_least_zero(value: Interval) -> Interval:
    """A bracket on max(0, x) from a bracket on x."""
    zero = Fraction(0)
    return Interval(max(value.lower, zero), max(value.upper, zero))


def at_most_one(value: Interval) -> Interval:
    """A bracket on min(1, x) from a bracket on x."""
    one = Fraction(1)
    return Interval(min(value.lower, one), min(value.upper, one))
