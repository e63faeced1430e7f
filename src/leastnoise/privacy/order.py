"""Orders of Rényi divergences."""

import math
from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact

Order = Fraction | float
"""An order of a Rényi divergence: a positive rational, or math.inf."""


def renyi_order(order: Exact, name: str = "order") -> Order:
    """A positive rational or math.inf."""
    if isinstance(order, float) and order == math.inf:
        return math.inf
    return _check.positive(order, name)
