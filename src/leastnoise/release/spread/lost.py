"""`Lost`: what the bounds left out of all units, between limits that hold with a stated chance."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from statistics import NormalDist

from leastnoise._dataclass import dataclass
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.simultaneous import simultaneous_reach

Capped = Callable[[int, int], int | Fraction]
"""A function of what one unit lost and of what is counted of it at most."""

_STEEP = 4  # a false step of the climb has a chance of e^−4, less by the factor that it costs


@dataclass(frozen=True, eq=False)
class Lost:
    r"""Σ_u min(ℓ_u, most), ℓ_u what the bounds leave out of unit u.

    Theorem: `upper(risk)` and `lower(risk)` each hold with chance 1 − risk at least, for every
    table, and so does `beyond(risk)`. If a cap is declared, `most` is the most that a unit can
    lose; if not, it is chosen from the same noisy numbers, and each limit holds for all choices.
    Proof: docs/proofs/cut_intervals.md, sections 3 and 5.

    Attributes:
        hats: of ℓ_u, noisy.
        declared: whether no unit can lose more than the last knot.
        rounding: in each group in which rows of a unit weigh less, what rounding takes, in rows.
        pairs: in at most so many groups of a unit rows weigh less; a power of two.
    """

    hats: Hats
    declared: bool
    rounding: Fraction = Fraction(0)
    pairs: int = 1

    @cached_property
    def most(self) -> int:
        """What is counted of one unit's loss at most."""
        knots = self.hats.knots
        return knots[-1] if self.declared else knots[min(_top(self.hats) + 1, len(knots) - 1)]

    @property
    def value(self) -> float:
        """The sum, with noise."""
        return self.hats.total(lambda x: low(x, self.most))

    @property
    def high(self) -> "_High":
        """Of one unit, with all that rounding may have taken, by weights or on knots."""
        return _High(self.hats.knots, self.hats.weight, self.rounding, self.pairs)

    def upper(self, risk: float) -> float:
        """Above the sum, but for this chance."""
        found = self.hats.total(lambda x: self.high(x, self.most))
        return max(0.0, found + self._reach(self.high, risk))

    def lower(self, risk: float) -> float:
        """Below the sum, but for this chance."""
        return max(0.0, self.value - self._reach(low, risk))

    def beyond(self, risk: float) -> float:
        """At most so many units lost more than `most`, but for this chance."""
        if self.declared:
            return 0.0
        found = self.hats.total(lambda x: _counted(x, self.most))
        return max(0.0, found + self._reach(_counted, risk))

    def _reach(self, curve: Capped, risk: float) -> float:
        """What the noise of its sum seldom exceeds; without a cap, for all choices of `most`."""
        knots = self.hats.knots
        own = [Fraction(curve(x, self.most)) for x in knots]
        noise = self.hats.noise(own)
        if self.declared:
            return noise.above(risk)
        rows = _for_every_cap(curve, knots)
        # Noise on integers is within 1 of noise on the line.
        away = simultaneous_reach(rows, self.hats.law, risk) * noise.deviation
        return away + float(sum(own) / self.hats.weight)


@dataclass(frozen=True)
class _High:
    """See `Lost.high`; equal ones are the same curve."""

    knots: tuple[int, ...]
    weight: int
    rounding: Fraction
    pairs: int

    def __call__(self, x: int, most: int) -> Fraction:
        gaps = [after - before for before, after in pairwise(self.knots) if before <= x]
        own = min(x, most)
        return own + self.rounding * min(own, self.pairs) + Fraction(gaps[-1], self.weight)


@lru_cache(maxsize=64)  # many questions have the same knots
def _for_every_cap(curve: Capped, knots: tuple[int, ...]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(curve(x, most)) for x in knots) for most in knots[1:])


def low(x: int, most: int) -> int:
    """Of one unit: weights on knots are rounded down."""
    return min(x, most)


def _counted(x: int, most: int) -> int:
    """A unit that lost more than `most` has all of its weight here."""
    return int(x >= most)


def _top(hats: Hats) -> int:
    """The place of the last knot that stands out from its noise, climbing from the second one."""
    top, deviation = 1, hats.noise([1, *[0] * (len(hats.knots) - 1)]).deviation
    for place in range(2, len(hats.knots)):
        weight = int(hats.values[place]) / hats.weight
        if weight > deviation * _height(hats, math.log(hats.knots[place] / hats.knots[top])):
            top = place
    return top


def _height(hats: Hats, steep: float) -> float:
    """How many standard deviations are as unlikely as e^(−4 − steep), to one side."""
    chance = math.exp(-_STEEP - steep) / 2
    if isinstance(hats.law, DiscreteGaussian):
        return -NormalDist().inv_cdf(chance)
    return -math.log(2 * chance) / math.sqrt(2)
