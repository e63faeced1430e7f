"""From delta to epsilon: the least epsilon at which a loss variable leaks no more than delta."""

import math
from fractions import Fraction

from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.numeric.inverse import Curve, crossing
from leastnoise.privacy.variables.allocated_variable import AllocatedVariable
from leastnoise.privacy.variables.loss_variable import LossVariable
from leastnoise.privacy.variables.product_variable import ProductVariable
from leastnoise.privacy.variables.sum_laws import NoLawError

_RELATIVE = Fraction(1, 10**13)  # two digits short of a float
_MOST_DOUBLINGS = 64  # an epsilon beyond 2**64 spreads hides nothing


def least_epsilon(variable: LossVariable, delta: Fraction) -> Interval:
    """A bracket on the least epsilon ≥ 0 with variable.delta(epsilon) ≤ delta."""
    if isinstance(variable, ProductVariable):
        return variable.epsilon(delta)
    if isinstance(variable, AllocatedVariable):
        try:
            return variable.epsilon(delta)
        except NoLawError:  # no such law: who is told the step is told no less
            return Interval(Fraction(0), least_epsilon(variable.base, delta).upper)
    upper = _crossing(lambda epsilon: variable.delta(epsilon).upper, variable, delta)[1]
    lower = _crossing(lambda epsilon: variable.delta(epsilon).lower, variable, delta)[0]
    return Interval(min(lower, upper), upper)


def _crossing(curve: Curve, variable: LossVariable, delta: Fraction) -> tuple[Endpoint, Endpoint]:
    """Neighbouring points with curve(low) > delta ≥ curve(high) for a non-increasing curve."""
    if curve(Fraction(0)) <= delta:
        return Fraction(0), Fraction(0)
    ceiling = variable.renyi(math.inf).upper
    if variable.infinite_mass.lower > delta or (ceiling == math.inf and not delta):
        return math.inf, math.inf
    low, high = Fraction(0), Fraction(variable.spread) if ceiling == math.inf else Fraction(ceiling)
    for _ in range(_MOST_DOUBLINGS):
        if curve(high) <= delta:
            return crossing(curve, delta, low, high, relative=_RELATIVE)
        low, high = high, 2 * high
    return low, math.inf
