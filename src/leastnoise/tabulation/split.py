"""How much of the noise goes to the number of rows, where that is secret.

Nothing here is trusted: a share only steers the error, and whatever comes of it is priced.
"""

import math
from fractions import Fraction

_MOST_DENOMINATOR = 1 << 12  # keeps variances short


def pure_share(columns: int) -> Fraction:
    r"""The share of ε for the number of rows.

    About 1/(1 + √d) minimises d/(ε − ε₁) + 1/ε₁. A whole number in the place of √d lets all losses
    be multiples of ε₁, so that they can be added up exactly.
    """
    return Fraction(1, 1 + max(2, round(math.sqrt(columns))))


def squared_ratio(columns: int) -> Fraction:
    r"""τ², if the number of rows gets noise of size τ·s and the columns get noise of size s.

    If both are nearly normal and d/s² + 1/(τs)² is given, the mean square (s² + τ²s²)/4 is least at
    τ² = 1/√d; the expected worst error of normal noise is least close to it too.
    """
    value = 1 / math.sqrt(columns)
    scale = _MOST_DENOMINATOR * math.ceil(1 / value)
    return Fraction(round(value * scale), scale)
