"""From delta to epsilon: the least epsilon at which a loss variable leaks no more than delta.

As a bracket; and its upper end alone, or that of delta, where the lower one would cost time.
"""

import math
from fractions import Fraction

from leastnoise import _check
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.numeric.inverse import Curve, crossing
from leastnoise.privacy.variables.allocated_variable import AllocatedVariable
from leastnoise.privacy.variables.exchanged_variable import ExchangedVariable
from leastnoise.privacy.variables.loss_variable import LossVariable
from leastnoise.privacy.variables.product_variable import ProductVariable
from leastnoise.privacy.variables.sum_laws import NoLawError

_RELATIVE = Fraction(1, 10**13)  # two digits short of a float
_MOST_DOUBLINGS = 64  # an epsilon beyond 2**64 spreads hides nothing

closeness = _check.limited(
    _check.rational,
    lambda number: Fraction(1, 10**6) <= number < 1,
    "lie in [1e-6, 1)",
    "It is a part of the answer: 1e-4 for four digits. Closer ends come as a bracket.",
)
"""How far an upper end may lie above the truth, as a part of it."""


def least_epsilon(variable: LossVariable, delta: Fraction) -> Interval:
    """A bracket on the least epsilon ≥ 0 with variable.delta(epsilon) ≤ delta."""
    if isinstance(variable, ProductVariable):
        return variable.epsilon(delta)
    if isinstance(variable, ExchangedVariable):
        return variable.epsilon(delta, least_epsilon)
    if isinstance(variable, AllocatedVariable):
        try:
            return variable.epsilon(delta)
        except NoLawError:  # no such law: who is told the step is told no less
            return Interval(Fraction(0), least_epsilon(variable.base, delta).upper)
    upper = _upper_end(variable, delta)
    lower = _crossing(lambda epsilon: variable.delta(epsilon).lower, variable, delta)[0]
    return Interval(min(lower, upper), upper)


def epsilon_at_most(variable: LossVariable, delta: Fraction, within: float) -> Endpoint:
    """An upper end of that epsilon, which may be about `within` of itself above it."""
    if isinstance(variable, ProductVariable):
        return variable.epsilon_at_most(delta, within)
    # One law in whole numbers serves both ends.
    if isinstance(variable, (AllocatedVariable, ExchangedVariable)):
        return least_epsilon(variable, delta).upper
    return _upper_end(variable, delta)


def delta_at_most(variable: LossVariable, epsilon: Fraction, within: float) -> Endpoint:
    """An upper end of delta, which may be about `within` of itself above it."""
    if isinstance(variable, ProductVariable):
        return variable.delta_at_most(epsilon, within)
    return variable.delta(epsilon).upper


def _upper_end(variable: LossVariable, delta: Fraction) -> Endpoint:
    return _crossing(lambda epsilon: variable.delta(epsilon).upper, variable, delta)[1]


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
