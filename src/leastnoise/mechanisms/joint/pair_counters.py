"""`PairCounters`: the two counters where there are histograms among the parts."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.box_counters import sides
from leastnoise.mechanisms.joint.forecast import Forecast
from leastnoise.mechanisms.joint.gap_cell import GapCell
from leastnoise.mechanisms.joint.growth import Sides, gathered
from leastnoise.mechanisms.joint.pair_box_cell import PairBoxCell
from leastnoise.mechanisms.joint.pair_law import PairLaw
from leastnoise.mechanisms.joint.pair_table import PairTable
from leastnoise.mechanisms.joint.part import Box, Simplex
from leastnoise.mechanisms.joint.simplex_set import SimplexSet
from leastnoise.randomness.source import Source

if TYPE_CHECKING:
    from leastnoise.mechanisms.joint.pair_sampler import PairSampler

_BINS = 160


@lru_cache(maxsize=64)  # megabytes at most
def _table(
    rate: Fraction, boxes: tuple[Sides, ...], simplexes: tuple[tuple[SimplexSet, int], ...]
) -> PairTable:
    return PairTable.of(PairLaw(rate, boxes, dict(simplexes)))


@dataclass(frozen=True)
class PairCounters:
    """(p, q) has weight e^(−rate·(p+q)) times the number of points of all parts."""

    rate: Fraction
    parts: Sequence[Box | Simplex]

    @cached_property
    def law(self) -> PairLaw:
        """That of (p, q)."""
        boxes = gathered([sides(part) for part in self.parts if isinstance(part, Box)])
        kinds = Counter(simplex_set(part) for part in self.parts if isinstance(part, Simplex))
        return PairLaw(self.rate, boxes, kinds)

    @cached_property
    def _sampler(self) -> "PairSampler":
        from leastnoise.mechanisms.joint.pair_sampler import PairSampler  # noqa: PLC0415 - only drawing needs it

        return PairSampler(self.law)

    @cached_property
    def table(self) -> PairTable:
        """The same in floats; forecasts of one plan ask for the same law again and again."""
        law = self.law
        return _table(law.rate, tuple(law.sides), tuple(law.simplexes.items()))

    def make_ready(self) -> None:
        """Makes the squares of pairs."""
        self._sampler.make_ready()

    def draw(self, source: Source) -> tuple[int, int]:
        """By rejection."""
        return self._sampler.draw(source)

    def cell(self, part: Box | Simplex) -> Forecast:
        """The noise of one number."""
        if isinstance(part, Box):
            return PairBoxCell(self.table, part)
        return self._gap_cell(simplex_set(part))

    def _gap_cell(self, simplex: SimplexSet) -> GapCell:
        """Chances of each number of positive cells, for values of p, which are put in bins."""
        table = self.table
        one, other = simplex.log_terms(table.p, table.q)
        terms = one + other
        terms = np.exp(terms - terms.max(axis=1, keepdims=True))
        chances = terms * (table.shares / terms.sum(axis=1))[:, np.newaxis]
        order, first = _bins(table)
        shares = np.add.reduceat(table.shares[order], first)
        middles = np.add.reduceat((table.shares * table.p)[order], first) / shares
        reaches = middles * float(simplex.total) + float(simplex.start)
        return GapCell(reaches, np.add.reduceat(chances[order], first), 2, table.tolerance)


def _bins(table: PairTable) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The order of p, and where in it bins begin; whole numbers have bins of their own."""
    order = np.argsort(table.p, kind="stable")
    p = table.p[order]
    width = 1.0 if table.single else (p[-1] - p[0]) / _BINS
    return order, np.unique(np.floor((p - p[0]) / width), return_index=True)[1]


def simplex_set(part: Simplex) -> SimplexSet:
    """The points of a histogram, by p and q."""
    return SimplexSet(part.cells, part.total, part.start)
