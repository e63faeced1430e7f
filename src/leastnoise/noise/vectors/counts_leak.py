r"""What noise for counts leaks where it ends: exact numbers of points that a unit moves outward."""

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from operator import add
from typing import TypeVar

from flint import arb

Weight = TypeVar("Weight", arb, Fraction)


def outward_points(layer: int, ones: int, counts: int, start: int) -> int:
    r"""How many x with p(x) + q(x) = layer get layer + 1 if `ones` of the numbers grow by 1.

    Theorem: with w = layer + start + 1, (w^a − (w−1)^a)·((layer+1)·w^(k−a) − layer·(w−1)^(k−a)).
    Proof: docs/proofs/many_counts.md, section 2.

    Example:
        >>> [outward_points(1, ones, 2, 0) for ones in (0, 1, 2)]
        [0, 3, 3]
    """
    wide, narrow = layer + start + 1, layer + start
    others = counts - ones
    reached: int = wide**ones - narrow**ones
    kept: int = (layer + 1) * wide**others - layer * narrow**others
    return reached * kept


def leaks(falls: Mapping[int, Weight], counts: int, start: int) -> list[Weight]:
    """Σ falls[r]·outward_points(r, a) for a = 0..k, where falls[r] is what layer r has too much.

    That is f(r) − e^ε·f(r + 1) where positive: what a unit that moves a of the counts betrays,
    before the law is normalised.
    """
    return [
        reduce(add, (fall * outward_points(r, ones, counts, start) for r, fall in falls.items()))
        for ones in range(counts + 1)
    ]
