r"""`OffsetAverage`: a probability that depends on an independent X, averaged over X in brackets.

Theorem: let f(x) = f(−x) not grow with |x|. For a partition of the magnitudes into sets B with
least and greatest members l and g, Σ P(|X| ∈ B)·f(g) ≤ E f(X) ≤ Σ P(|X| ∈ B)·f(l).
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise

from leastnoise._dataclass import dataclass
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.variables.lattice_variable import within_unit

_LEVELS = (
    *(Fraction(part, 24) for part in range(1, 24)),
    *(1 - Fraction(1, 2**power) for power in (5, 6, 7, 8, 10, 12, 16, 24, 40, 64, 104)),
)
_NEAR = 1 - Fraction(1, 2**16)  # nearly all of the offset
_FEW = 48  # values that are taken one by one


@dataclass(frozen=True)
class _Bin:
    """Magnitudes with their probability; `greatest` is None in the last bin of an endless law."""

    least: int
    greatest: int | None
    chance: Interval


@dataclass(frozen=True)
class OffsetAverage:
    """Averages over one symmetric law of X.

    Example:
        >>> from leastnoise.noise import DiscreteLaplace
        >>> average = OffsetAverage(DiscreteLaplace(1)).of(lambda x: Interval.exactly(int(x < 2)))
        >>> print(f"{float(average):.4f}")
        0.8021
    """

    law: LatticeLaw

    @cached_property
    def _bins(self) -> list[_Bin]:
        """Magnitudes cut where the distribution function passes levels; one by one if few."""
        places = {0, *(self.law.quantile(level) for level in _LEVELS)}
        near = self.law.quantile(_NEAR)
        if near <= _FEW:
            places.update(range(near + 1))
        if self.law.support is not None:
            places.add(self.law.support[1])
        edges = sorted(places)
        outside = {edge: self.law.shape.outside(edge).interval() for edge in edges}
        bins = [_Bin(0, 0, Interval(1 - outside[0].upper, 1 - outside[0].lower))]
        for low, high in pairwise(edges):
            least = max(Fraction(0), outside[low].lower - outside[high].upper)
            chance = Interval(least, outside[low].upper - outside[high].lower)
            # With one member both ends meet; else the edge before serves, to save evaluations.
            bins.append(_Bin(high if high == low + 1 else low, high, chance))
        if self.law.support is None:
            bins.append(_Bin(edges[-1], None, outside[edges[-1]]))
        return bins

    def of(self, probability: Callable[[int], Interval]) -> Interval:
        """A bracket on E f(X), for f(x) given by brackets at x ≥ 0."""
        ends = {end for part in self._bins for end in (part.least, part.greatest)}
        known = {end: probability(end) for end in ends if end is not None}
        low = high = Fraction(0)
        for part in self._bins:
            high += Fraction(part.chance.upper * known[part.least].upper)
            if part.greatest is not None:
                low += Fraction(part.chance.lower * known[part.greatest].lower)
        return within_unit(Interval(min(low, high), high))


@lru_cache(maxsize=16)
def offset_average(law: LatticeLaw) -> OffsetAverage:
    """The averages over a law; its partition is the same for every question."""
    return OffsetAverage(law)
