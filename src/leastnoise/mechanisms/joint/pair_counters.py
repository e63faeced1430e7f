"""`PairCounters`: the two counters where there are histograms among the parts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from leastnoise.mechanisms.joint.box_counters import sides
from leastnoise.mechanisms.joint.forecast import Forecast
from leastnoise.mechanisms.joint.gap_cell import GapCell
from leastnoise.mechanisms.joint.growth import gathered
from leastnoise.mechanisms.joint.pair_box_cell import PairBoxCell
from leastnoise.mechanisms.joint.pair_law import PairLaw
from leastnoise.mechanisms.joint.pair_sampler import PairSampler
from leastnoise.mechanisms.joint.pair_table import PairTable
from leastnoise.mechanisms.joint.part import Box, Simplex
from leastnoise.mechanisms.joint.simplex_set import SimplexSet
from leastnoise.randomness.source import Source


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
    def _sampler(self) -> PairSampler:
        return PairSampler(self.law)

    @cached_property
    def _table(self) -> PairTable:
        return PairTable.of(self.law)

    def make_ready(self) -> None:
        """Makes the squares of pairs."""
        self._sampler.make_ready()

    def draw(self, source: Source) -> tuple[int, int]:
        """By rejection."""
        return self._sampler.draw(source)

    def cell(self, part: Box | Simplex) -> Forecast:
        """The noise of one number."""
        if isinstance(part, Box):
            return PairBoxCell(self._table, part)
        return self._gap_cell(simplex_set(part))

    def _gap_cell(self, simplex: SimplexSet) -> GapCell:
        """Chances of each number of positive cells, summed over q."""
        table = self._table
        ups, first, p_places = np.unique(table.p, return_index=True, return_inverse=True)
        downs, q_places = np.unique(table.q, return_inverse=True)
        one, other = simplex.log_terms(ups, downs)
        terms = one[p_places] + other[q_places]
        terms = np.exp(terms - terms.max(axis=1, keepdims=True))
        chances = terms * (table.shares / terms.sum(axis=1))[:, np.newaxis]
        reaches = ups * float(simplex.total) + float(simplex.start)
        return GapCell(reaches, np.add.reduceat(chances, first), 2, table.tolerance)


def simplex_set(part: Simplex) -> SimplexSet:
    """The points of a histogram, by p and q."""
    return SimplexSet(part.cells, part.total, part.start)
