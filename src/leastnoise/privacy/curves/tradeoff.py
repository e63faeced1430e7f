r"""The hypothesis-testing view: how well can anyone tell two neighbours apart?

A test between Q (the null) and P has a false-alarm rate a under Q and a missed-detection rate under
P. With δ(ε) = max over events of P(E) − e^ε·Q(E), for every real ε,

    least missed-detection rate T(a) = max over real ε of 1 − δ(ε) − e^ε·a,

and the maximand is concave in y = e^ε, because δ is convex in y. So one evaluation bounds T from
below, and three around the maximum bound it from above by the chords of a concave function.
"""

import math
from fractions import Fraction

from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.privacy.variables.gaussian_variable import GaussianVariable
from leastnoise.privacy.variables.loss_variable import LossVariable

_GOLDEN = (math.sqrt(5) - 1) / 2  # the section that reuses a point
_WIDTHS = (1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 0.1)  # all are sound; the best one counts


def tradeoff(directions: list[LossVariable], alarm: Fraction) -> Interval:
    """A bracket on the least missed-detection rate, for the worse direction."""
    curves = [_one_direction(variable, alarm) for variable in directions]
    return Interval(min(c.lower for c in curves), min(c.upper for c in curves))


def _one_direction(variable: LossVariable, alarm: Fraction) -> Interval:
    if alarm == 0:
        infinite = variable.infinite_mass
        return Interval(1 - infinite.upper, 1 - infinite.lower)
    if alarm == 1:
        return Interval.exactly(0)
    if isinstance(variable, GaussianVariable):
        return variable.tradeoff(alarm)
    best = Fraction(_maximiser(variable, alarm))
    top = _score(variable, alarm, best)
    lower = max(Fraction(0), top.lower)
    # No test is needed for T(a) ≤ 1 − a: accuse at random.
    upper = min(_concave_bound(variable, alarm, best, top, Fraction(w)) for w in _WIDTHS)
    return Interval(lower, max(lower, min(upper, 1 - alarm)))


def _score(variable: LossVariable, alarm: Fraction, epsilon: Fraction) -> Interval:
    """1 − δ(ε) − e^ε·alarm."""
    delta, factor = variable.delta(epsilon), _exp(epsilon)
    return Interval(1 - delta.upper - factor.upper * alarm, 1 - delta.lower - factor.lower * alarm)


def _exp(value: Fraction) -> Interval:
    return balls.enclosure(lambda: balls.ball(value).exp())


def _maximiser(variable: LossVariable, alarm: Fraction) -> float:
    """Golden-section search by floats; a poor result costs width, not truth."""

    def score(epsilon: float) -> float:
        return 1 - float(variable.delta(Fraction(epsilon))) - math.exp(epsilon) * float(alarm)

    # At the maximum e^ε·alarm ≤ 1, and below −reach nothing but e^ε changes.
    reach = 1 + math.log(alarm.denominator) - math.log(alarm.numerator)
    low, high = -reach - 8 * variable.spread, reach
    inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_inner, at_outer = score(inner), score(outer)
    while high - low > 1e-9 * max(1.0, abs(high)):
        if at_inner >= at_outer:
            high, outer, at_outer = outer, inner, at_inner
            inner = high - _GOLDEN * (high - low)
            at_inner = score(inner)
        else:
            low, inner, at_inner = inner, outer, at_outer
            outer = low + _GOLDEN * (high - low)
            at_outer = score(outer)
    return (low + high) / 2


def _concave_bound(
    variable: LossVariable, alarm: Fraction, best: Fraction, top: Interval, width: Fraction
) -> Endpoint:
    """An upper bound on the maximum of a concave function of y = e^ε from three points.

    Between the outer points the function stays below the chords prolonged beyond the middle one.
    Outside it grows no faster than the chord on that side, which is flat up to rounding or falls
    where the middle point is a maximum; and beyond y = 1/alarm it is negative.
    """
    left, right = (_score(variable, alarm, best + side * width) for side in (-1, 1))
    low, high = Fraction(_exp(best).lower), Fraction(_exp(best).upper)
    wider, narrower = Fraction(_exp(width).upper), Fraction(_exp(-width).upper)
    rising = _excess(left.upper, top.lower) / (low * (1 - narrower))
    growing = _excess(right.upper, top.lower) / (low * (Fraction(_exp(width).lower) - 1))
    from_left = _excess(top.upper, left.lower) * (wider - 1) / (1 - narrower)
    from_right = _excess(top.upper, right.lower)
    return max(
        Fraction(top.upper) + max(from_left, from_right),
        Fraction(left.upper) + rising * high,
        Fraction(right.upper) + growing / alarm,
    )


def _excess(one: Endpoint, other: Endpoint) -> Fraction:
    return max(Fraction(0), Fraction(one) - Fraction(other))
