r"""How far a decoded count is off if it is rounded to an integer: sums over borders.

E|x̂ − x| = Σ_{j≥x} P(x̂ > j + ½) + Σ_{j<x} P(x̂ < j + ½). Terms near x are added up one by one; the
rest of each sum is bounded, by an integral where borders lie at logarithms, else by its greatest
term. `side` = 1 gives upper bounds, −1 lower ones.
Proofs: docs/proofs/relative_counts.md, section 5.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.groupwise.log_error import LogError

Tail = Callable[[arb, arb, int], arb]
"""(position, border, side) ↦ the chance beyond the border."""

_HALF = Fraction(1, 2)
_FAR = 9  # in standard deviations


@dataclass(frozen=True)
class RoundedError:
    """Borders between integers, and what they cost.

    Args:
        log: the errors of real-valued estimates.
    """

    log: LogError

    @cached_property
    def listed_borders(self) -> tuple[int, ...]:
        """For first ≤ j < bend: the least K that decodes to more than j, half-way between them."""
        table, shift = self.log.channel.map.table, self.log.log_shift
        steps = shift * (1 << self.log.channel.bits)
        middles = (Fraction(a + b, 2) + steps for a, b in pairwise(table))
        return tuple(-(-middle.numerator // middle.denominator) for middle in middles)

    def decoded(self, blurred: NDArray[np.int64]) -> NDArray[np.int64]:
        """The integers that K speaks of, at least `first`, at most 2**63 − 1."""
        estimates = np.floor(self.log.channel.estimates(blurred, self.log.log_shift) + 0.5)
        # The float 2**63 does not fit into 64 bits: everything from there on is cut by hand.
        huge = estimates >= 2.0**63
        whole = np.where(huge, 0.0, estimates).astype(np.int64)
        far = np.maximum(np.where(huge, np.iinfo(np.int64).max, whole), self.log.channel.map.bend)
        borders = np.array(self.listed_borders, dtype=np.int64)
        listed = np.searchsorted(borders, blurred, side="right") + self.log.channel.map.first
        return np.where(listed < self.log.channel.map.bend, listed, far)

    @property
    def borders_rise(self) -> bool:
        """Whether borders, moved by as much as they may be, follow each other in order."""
        if not self.listed_borders:
            return True
        last = self.log.channel.map.bend - 1
        rising = self.listed_borders == tuple(sorted(self.listed_borders))
        return rising and bool(self.border(last) < self.border(last + 1) - self.log.drift(2))

    def border(self, j: int) -> arb:
        """The border between j and j + 1, on the scale of logarithms."""
        counts = self.log.channel.map
        if j >= counts.bend:
            return self.log.border(j + _HALF)
        return arb(self.listed_borders[j - counts.first]) / (1 << self.log.channel.bits)

    def upward(self, x: int, side: int, terms: int) -> arb:
        """Σ P(x̂ > j + ½) over j ≥ x."""
        log, position = self.log, self.log.position(x)
        bend = log.channel.map.bend
        last = max(x, bend) + self._near(x, terms)
        total = self._sum(log.above, position, range(x, bend), side)
        total += self._sum(log.above, position, range(max(x, bend), last), side)
        rest = log.excess(position, last, side)
        # The tail is convex there: its values in the middle of cells add up to less than its
        # integral, but by no more than an eighth of its slope.
        return total + (rest if side > 0 else rest - log.density(position, last, 1) / 8)

    def downward(self, x: int, side: int, terms: int) -> arb:
        """Σ P(x̂ < j + ½) over first ≤ j < x."""
        log, bend = self.log, self.log.channel.map.bend
        listed = self.listed_downward(x, side)
        if x <= bend:
            return listed
        position, start = log.position(x), max(bend, x - self._near(x, terms))
        total = listed + self._sum(log.below, position, range(x - 1, start - 1, -1), side)
        if start == bend:
            return total
        total += log.shortfall(position, start, side) - log.shortfall(position, bend, side)
        slope = log.fall(position, bend, start) if side > 0 else -log.rise(position, bend, start)
        return total + slope / 8

    def listed_downward(self, x: int, side: int) -> arb:
        """The part of `downward` below the bend; it falls as x grows from there on."""
        counts = self.log.channel.map
        listed = range(min(x, counts.bend) - 1, counts.first - 1, -1)
        return self._sum(self.log.below, self.log.position(x), listed, side)

    def _sum(self, tail: Tail, position: arb, counts: range, side: int) -> arb:
        """Chances beyond borders; `counts` lead away from the position, so that they fall."""
        total, far = arb(0), _FAR * self.log.channel.sigma()
        for done, j in enumerate(counts, start=1):
            border = self.border(j)
            chance = tail(position, border, side)
            total += chance
            if abs(border - position) > far:
                return total + (len(counts) - done) * chance if side > 0 else total
        return total

    def _near(self, x: int, terms: int) -> int:
        """How many borders on either side get a term of their own: not more than matter."""
        spread = float(self.log.channel.squared_sigma) ** 0.5 * float(x + self.log.channel.offset)
        return min(terms, int(8 * spread) + 2)
