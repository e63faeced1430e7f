"""P(|loss| > ε): how often a release tells much in favour of either of two neighbours."""

from fractions import Fraction

from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.privacy.variables.loss_variable import LossVariable


def two_sided_tail(one: LossVariable, other: LossVariable, epsilon: Fraction) -> Interval:
    r"""P(|L| > ε) for the loss L of one direction, `other` being that of the reversed pair.

    Theorem: P(L < −ε) = e^(−ε)·(Q(L′ > ε) − δ′), where L′ = −L is the loss the other way round and
    δ′ its δ at ε.
    Proof: P(L < −ε) = E_Q[e^(−L′); L′ > ε], and δ′ = E_Q[1 − e^(ε−L′); L′ > ε].
    """
    high, seen, leak = one.tail(epsilon), other.tail(epsilon), other.delta(epsilon)
    shrink = balls.enclosure(lambda: 1 / balls.ball(epsilon).exp())
    low = _at_least_0(seen.lower - leak.upper) * shrink.lower
    top = _at_least_0(seen.upper - leak.lower) * shrink.upper
    return Interval(min(high.lower + low, Fraction(1)), min(high.upper + top, Fraction(1)))


def _at_least_0(value: Endpoint) -> Fraction:
    return max(Fraction(value), Fraction(0))
