"""Centred noise for a few numbers, or for equal ones, where the number of units is not shown."""

from itertools import product

import numpy as np

from leastnoise.release.price.centred_design import CentredDesign, Floats, Kinds

_MOST_CORNERS = 1 << 12
_MOST_FREE = 5
_WIDTHS = (3.0, 0.2, 0.02, 0.002, 0.0002)


def box_design(kinds: Kinds, weights: Floats) -> CentredDesign | None:
    r"""The best precisions for boxes alone, if they are equal or few; else None.

    If the number of units is not shown, a unit that moves x by v may be taken to add any c to it.
    For precisions p and centres m, and 1 for the number of units, v is then worth
    Σ p·v² − (Σ p·m·v)²/(1 + Σ p·m²): less than with one c for all.
    """
    if (kinds.cells > 1).any() or np.prod(kinds.blocks + 1) > _MOST_CORNERS:
        return None
    middle = (kinds.low + kinds.high) / 2
    if len(middle) != 1 or middle[0] == 0 or kinds.blocks[0] == 1:
        return None
    return _equal(kinds, float(middle[0]))


def _equal(kinds: Kinds, middle: float) -> CentredDesign:
    """One kind of box: which ratio of its precision to the common one is best."""
    count = float(kinds.blocks[0])
    highs = np.arange(count + 1)
    norm = highs * kinds.high[0] ** 2 + (count - highs) * kinds.low[0] ** 2
    along = highs * kinds.high[0] + (count - highs) * kinds.low[0]

    def worst(ratio: Floats) -> Floats:
        return np.max(norm - along**2 / (ratio[:, None] + count), axis=1)

    best = np.sqrt(count)
    for width in _WIDTHS:
        tried = best * np.exp(np.linspace(-width, width, 201))
        best = float(tried[np.argmin((1 + 1 / tried) * worst(tried))])
    price = float(worst(np.array([best]))[0])
    own = np.array([1.0])
    return CentredDesign(best * middle**2, own, np.array([middle]), np.zeros(1), price)
