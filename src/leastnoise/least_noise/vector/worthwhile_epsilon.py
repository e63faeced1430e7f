"""From which ε on the staircase in R^d is worth having beside the Laplace law."""

from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.least_noise.staircase.staircase_problem import (
    MOST_DIMENSION,
    MOST_EPSILON,
    MOST_MOMENT,
)
from leastnoise.least_noise.staircase.staircase_theory import staircase
from leastnoise.numeric.interval import Interval

_NARROW = Fraction(1, 1 << 10)


def worthwhile_epsilon(
    *, dimension: SupportsIndex, saving: Exact = "0.01", moment: SupportsIndex = 1
) -> Interval:
    r"""Between which two ε the best staircase begins to save a share of the Laplace law's cost.

    At the lower end it saves less, at the upper end as much or more; they are within 1/1000. For
    small ε it saves about (ε/2π)^(d+1) of the cost (docs/proofs/staircase.md, section 6).

    Measured for moment 1 and d = 2..128: a saving of 1 % needs more than min(d/2, 1.6·√d). (The
    rule "nothing to gain below d/2" fails from d = 12 on: d = 100 saves 1 % at ε = 21.9.)

    Args:
        dimension: d, an integer in 1..128.
        saving: a share in (0, 1).
        moment: p, an integer in 1..64.

    Example:
        >>> [round(float(worthwhile_epsilon(dimension=d)), 1) for d in (1, 2, 5, 10, 20)]
        [0.5, 1.1, 2.9, 5.1, 8.3]
    """
    size = _check.integer_between(dimension, "dimension", 1, MOST_DIMENSION)
    power = _check.integer_between(moment, "moment", 1, MOST_MOMENT)
    share = _check.positive_delta(saving, "saving")
    low, high = Fraction(1, 1 << 20), Fraction(1)
    while high < MOST_EPSILON and not _saves(high, size, power, share):
        low, high = high, 2 * high
    while high - low > _NARROW * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _saves(middle, size, power, share) else (middle, high)
    return Interval(low, high)


def _saves(epsilon: Fraction, dimension: int, moment: int, share: Fraction) -> bool:
    ratio = staircase(epsilon=epsilon, dimension=dimension, moment=moment).ratio
    return ratio.upper <= 1 - share
