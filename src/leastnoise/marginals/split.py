"""How much of the noise goes to the number of rows, where that is secret.

With noise of size s on d sums of ±1 and of size τ·s on the number of rows, a count has an error of
about (A·s + B·τ·s)/2. The best τ is searched for nowhere: it is untrusted and only steers the
error, as whatever comes of it is priced afterwards.
"""

import math
from fractions import Fraction

from leastnoise.marginals.objective import Objective

_MOST_DENOMINATOR = 1 << 12
_MEAN_OF_ONE = math.sqrt(2 / math.pi)


def pure_share(columns: int) -> Fraction:
    """The share of ε for the number of rows: about 1/(1 + √d) minimises d/(ε − ε₁) + 1/ε₁."""
    return _short(1 / (1 + math.sqrt(columns)))


def squared_ratio(columns: int, objective: Objective) -> Fraction:
    r"""τ², if both kinds of noise are nearly normal, and d/s² + 1/(τs)² is given.

    The mean square (s² + τ²s²)/4 is least at τ² = 1/√d; A·s + B·τ·s, with A and B the expected
    largest of d magnitudes and of one, at τ³ = A/(B·d).
    """
    if objective is Objective.MAX:
        largest = math.sqrt(2 * math.log(2 * columns))
        return _short((largest / (_MEAN_OF_ONE * columns)) ** (2 / 3))
    return _short(1 / math.sqrt(columns))


def _short(value: float) -> Fraction:
    """A nearby rational of few digits, above 0."""
    scale = _MOST_DENOMINATOR * max(1, math.ceil(1 / value))
    return Fraction(max(1, round(value * scale)), scale)
