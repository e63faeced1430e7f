r"""Renyi divergences of a curve: in closed form, or as an integral of H between bounds.

For s = order - 1 > 0, E e^(s*loss) = s*(s+1) * integral of a^(s-1)*H(a) over a > 0, and
E loss = integral of (H(a) - max(0, 1 - a))/a. In each cell H lies below its chord and above its
tangent, both of which integrate in closed form.
"""

import itertools
from fractions import Fraction
from functools import lru_cache
from math import inf

from flint import arb

from leastnoise.numbers.ball import ball, enclosure, interval, precision
from leastnoise.numbers.interval import End, Interval
from leastnoise.privacy.curve import Curve, Gaussian, Reversed
from leastnoise.privacy.lattice import Shifted
from leastnoise.privacy.sampling import Allocated, Sampled, WithoutReplacement

_CELLS = 4000
_BITS = 192
_NOTHING = 2.0**-60


@lru_cache(maxsize=256)
def renyi_divergence(curve: Curve, order: End) -> Interval:
    """The Renyi divergence of an order from 1 on, infinity included."""
    if curve.infinite:
        return Interval.exactly(inf)
    if isinstance(curve, Gaussian) and order < inf:
        return Interval.exactly(Fraction(order) * curve.square / 2)
    if order == inf:
        if curve.highest is not None:
            return Interval.exactly(curve.highest)
        top = curve.ends()[1]
        return enclosure(lambda: curve.ends()[1]) if top.is_finite() else Interval.exactly(inf)
    exact = Fraction(order)
    if exact == 1 and (mean := curve.mean()):
        return enclosure(mean)
    if exact > 1 and (power := curve.power_mean(exact)):
        return enclosure(lambda: power().log() / ball(exact - 1))
    if isinstance(curve, Shifted):
        return curve.law.renyi(exact, curve.shift)
    if not curve.is_exact:  # who is told the step, or that all are in the sample, is told no less
        base = curve.base if isinstance(curve, Allocated | Sampled | WithoutReplacement) else None
        if isinstance(curve, Reversed):
            base = getattr(curve.base, "base", curve.base).reversed()
        return Interval(Fraction(0), renyi_divergence(base, order).upper if base else inf)
    with precision(_BITS):
        low, high = _ends(curve, exact - 1)
        if exact > 1:
            low, high = (each.log() / ball(exact - 1) for each in (low, high))
        ends = interval(low), interval(high)
    return Interval(max(ends[0].lower, Fraction(0)), max(ends[1].upper, Fraction(0)))


def _ends(curve: Curve, power: Fraction) -> tuple[arb, arb]:
    """Balls below and above E e^(power*loss), or E loss for power 0."""
    first, last = _reach(curve, power)
    rise = ball(last - first) / _CELLS
    s = ball(power)

    def integral(value: arb, slope: arb, at: arb, left: arb, right: arb) -> arb:
        """Of a^(s-1) times the line through (at, value)."""
        constant = value - slope * at
        if not power:
            return constant * (right / left).log() + slope * (right - left)
        powers = [(end.log() * s).exp() for end in (left, right)]
        first_part = constant * (powers[1] - powers[0]) / s
        return first_part + slope * (powers[1] * right - powers[0] * left) / (s + 1)

    alphas = [(ball(first) + j * rise).exp() for j in range(_CELLS + 1)]
    start = curve.at(alphas[0])[0]
    values = [curve.at(alpha)[0] for alpha in alphas]
    low = high = arb(0)
    for j, (left, right) in enumerate(itertools.pairwise(alphas)):
        chord = (values[j + 1] - values[j]) / (right - left)
        high += integral(values[j], chord, left, left, right)
        middle = (left + right) / 2
        low += integral(*curve.at(middle), middle, left, right)
    # Below the first point H is between 1 - a and the chord from (0, 1).
    zero, end = arb(0), alphas[0]
    if power:
        share = (end.log() * s).exp()
        low += share / s - share * end / (s + 1)
        high += share / s + share * (start - 1) / (s + 1)
        low, high = low * s * (s + 1), high * s * (s + 1)
    else:
        # The integral of (1 - a)/a from the first point to 1 is taken off.
        off = -end.log() - 1 + end
        low, high = low - off, high - off + (start - 1 + end)
    return low.max(zero), high + _beyond(curve, power, last)


def _beyond(curve: Curve, power: Fraction, last: Fraction) -> arb:
    """A bound on E e^(power*loss), or E loss, where the loss is above `last`."""
    if curve.ends()[1] <= ball(last):
        return arb(0)
    far = Fraction(last) if last > 0 else Fraction(1)
    best = arb.pos_inf()
    for more in (1, 2, 4, 8, 16, 32):
        bound = curve.power_bound(power + 1 + more) * (-ball(far) * more).exp()
        best = best.min(bound if power else bound * (1 + ball(far)))
    return best


def _reach(curve: Curve, power: Fraction) -> tuple[Fraction, Fraction]:
    """Losses between which nearly everything lies."""
    low, high = curve.ends()
    if low.is_finite():
        first = Fraction(float(low.lower())) - Fraction(1, 2**40)
    else:
        first = Fraction(-1)
        while _left(curve, first) > _NOTHING and first > -256:
            first *= Fraction(5, 4)
    if high.is_finite():
        return first, Fraction(float(high.upper())) + Fraction(1, 2**40)
    last = Fraction(1)
    while last < 4096 and not float(_beyond(curve, power, last).upper()) < _NOTHING:
        last *= Fraction(5, 4)
    return first, last


def _left(curve: Curve, first: Fraction) -> float:
    alpha = ball(first).exp()
    return float((curve.at(alpha)[0] - 1 + alpha).upper())
