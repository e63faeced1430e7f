"""The coarsest lattice that holds several others."""

import math
from collections.abc import Iterable
from fractions import Fraction


def common_step(steps: Iterable[Fraction]) -> Fraction:
    """The greatest rational of which all the given positive ones are multiples.

    Example:
        >>> common_step([Fraction(1, 2), Fraction(1, 3)])
        Fraction(1, 6)
    """
    listed = list(steps)
    under = math.lcm(*(step.denominator for step in listed))
    return Fraction(math.gcd(*(int(step * under) for step in listed)), under)
