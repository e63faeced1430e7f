"""The least noise, the most steps and the largest rate of a training run that keep a promise.

Each bisects on the upper end of a bracket, so that what it returns keeps the promise; how near to
the best it is depends on the bracket alone.
"""

from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.accounting.training import MOST_STEPS, Training
from leastnoise.errors import InvalidParameter
from leastnoise.privacy.sampling import Neighbours

_PLACES = 1000  # noise is told to three places
_LEAST_NOISE = _PLACES // 8  # with less there is hardly a promise left
_LEAST_RATE = Fraction(1, 10**7)
_MOST_NOISE = 1 << 12  # beyond this hardly anything is learnt


def most_steps(
    *,
    noise: Exact,
    rate: Exact,
    epsilon: Exact,
    delta: Exact,
    neighbours: Neighbours = "add_remove",
) -> int:
    """The most steps on Poisson samples that are sure to keep (epsilon, delta)."""
    most = _check.positive_delta(delta)

    def keeps(steps: int) -> bool:
        return Training(noise, rate, steps, neighbours).delta(epsilon).upper <= most

    if not keeps(1):
        raise _not_one_step("Use more noise, a smaller rate or a larger epsilon.")
    low, high = 1, 2
    while high < MOST_STEPS and keeps(high):
        low, high = high, 2 * high
    while high - low > max(1, low // _PLACES):
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low


def largest_rate(
    *,
    noise: Exact,
    steps: int,
    epsilon: Exact,
    delta: Exact,
    neighbours: Neighbours = "add_remove",
) -> Fraction:
    """The largest rate of Poisson samples, to three digits, that is sure to keep (epsilon, delta).

    Below one in ten million it is not looked for.
    """
    most = _check.positive_delta(delta)

    def keeps(rate: Fraction) -> bool:
        return Training(noise, rate, steps, neighbours).delta(epsilon).upper <= most

    if keeps(Fraction(1)):
        return Fraction(1)
    place = Fraction(1, 10)
    while not keeps(place):
        place /= 10
        if place < _LEAST_RATE:
            raise _not_one_step("Use more noise, fewer steps or a larger epsilon.")
    unit = place / (_PLACES // 10)
    low, high = _PLACES // 10, _PLACES
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(middle * unit) else (low, middle)
    return low * unit


def least_noise(
    *, rate: Exact, steps: int, epsilon: Exact, delta: Exact, neighbours: Neighbours = "add_remove"
) -> Fraction:
    """The least noise multiplier, in thousandths, that is sure to keep (epsilon, delta).

    Below an eighth it is not looked for: hardly a promise is left there.
    """
    most = _check.positive_delta(delta)

    def keeps(thousandths: int) -> bool:
        noise = Fraction(thousandths, _PLACES)
        return Training(noise, rate, steps, neighbours).delta(epsilon).upper <= most

    high = _PLACES
    while not keeps(high):
        high *= 2
        if high > _MOST_NOISE * _PLACES:
            raise _not_one_step("Use fewer steps, a smaller rate or a larger epsilon.")
    low = high // 2
    while high == 2 * low and low > _LEAST_NOISE and keeps(low):
        low, high = low // 2, low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps(middle) else (middle, high)
    return Fraction(high, _PLACES)


def _not_one_step(remedy: str) -> InvalidParameter:
    return _check.refuse(
        "the promise must allow a step of training", "one that allows none", remedy
    )
