"""From delta to epsilon: the least epsilon at which a loss variable leaks no more than delta."""

import math
from collections.abc import Callable
from fractions import Fraction

from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.privacy.loss_variable import LossVariable
from leastnoise.privacy.product_variable import ProductVariable

_RELATIVE = Fraction(1, 10**13)

Curve = Callable[[Fraction], Endpoint]


def least_epsilon(variable: LossVariable, delta: Fraction) -> Interval:
    """A bracket on the least epsilon ≥ 0 with variable.delta(epsilon) ≤ delta."""
    if isinstance(variable, ProductVariable):
        return variable.epsilon(delta)
    upper = _crossing(lambda epsilon: variable.delta(epsilon).upper, variable, delta)[1]
    lower = _crossing(lambda epsilon: variable.delta(epsilon).lower, variable, delta)[0]
    return Interval(min(lower, upper), upper)


def _crossing(
    curve: Curve, variable: LossVariable, delta: Fraction
) -> tuple[Endpoint, Endpoint]:
    """Neighbouring points with curve(low) > delta ≥ curve(high) for a non-increasing curve."""
    if curve(Fraction(0)) <= delta:
        return Fraction(0), Fraction(0)
    ceiling = variable.renyi(math.inf).upper
    if variable.infinite_mass.lower > delta or (ceiling == math.inf and not delta):
        return math.inf, math.inf
    low, high = Fraction(0), Fraction(variable.spread) if ceiling == math.inf else Fraction(ceiling)
    for _ in range(200):
        if curve(high) <= delta:
            return _narrowed(curve, delta, low, high)
        low, high = high, 2 * high
    return low, math.inf


def _narrowed(curve: Curve, delta: Fraction, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    while high - low > _RELATIVE * high:
        middle = _guess(curve, delta, low, high)
        low, high = (middle, high) if curve(middle) > delta else (low, middle)
    return low, high


def _guess(curve: Curve, delta: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """A short number between the ends: the middle, or from close by the secant of log(curve)."""
    middle = (low + high) / 2
    top, bottom = curve(low), curve(high)
    if high - low <= high / 8 and bottom > 0 and delta > 0:
        rise, whole = _log(top) - _log(delta), _log(top) - _log(bottom)
        share = Fraction(min(max(rise / whole, 0.0), 1.0)) if whole > 0 else Fraction(1, 2)
        nudge = _RELATIVE * high / 3
        guess = low + share * (high - low)
        guess += nudge if 2 * share < 1 else -nudge
        middle = guess if low < guess < high else middle
    digits = 52 - (high.numerator.bit_length() - high.denominator.bit_length())
    rounded = Fraction(round(middle * Fraction(2) ** digits)) / Fraction(2) ** digits
    return rounded if low < rounded < high else middle


def _log(value: Endpoint) -> float:
    fraction = Fraction(value)
    return math.log(fraction.numerator) - math.log(fraction.denominator)
