r"""The mean M of T independent ratios Y = dP/dQ of one step, under Q: its law from both sides.

Proof: docs/proofs/sampling.md, section 6.
"""

import math
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.variables.loss_variable import LossVariable
from leastnoise.privacy.variables.pooling import Floats
from leastnoise.privacy.variables.ratio_cells import Fineness, RatioGrid, ratio_cells
from leastnoise.privacy.variables.sum_laws import Bounds, SumLaw, pooled_law, spread_law

_MARGIN = 14  # bits by which what is left out is below a delta
_DENSITY = 1024  # grid points to a deviation of one ratio, at most


@dataclass(frozen=True)
class Wanted:
    """What a law of M is for.

    Args:
        sixteenths: puts up to 2^(sixteenths/16) are asked for.
        depth: of deltas down to 2^−depth.
        points: how many points a law may have.
        lifted: whether puts are asked for, and not calls.
    """

    sixteenths: int
    depth: int
    points: int
    lifted: bool = True


@dataclass(frozen=True)
class _Puts:
    """Σ mass·(x − place)₊ for every x, from sums made once."""

    first: int
    masses: list[int]
    moments: list[int]

    @classmethod
    def of(cls, law: SumLaw) -> "_Puts":
        """Sums of masses and of masses times places."""
        places = range(law.first, law.first + len(law.mass))
        moments = (mass * place for mass, place in zip(law.mass, places, strict=True))
        return cls(law.first, list(accumulate(law.mass)), list(accumulate(moments)))

    def at(self, floor: int) -> tuple[int, int]:
        """Sums of masses, and of masses times places, over the places up to here."""
        last = min(floor - self.first, len(self.masses) - 1)
        return (0, 0) if last < 0 else (self.masses[last], self.moments[last])


@dataclass(frozen=True)
class MeanRatio:
    """The law of M from both sides, on points (copies·origin + place·step)/copies.

    Args:
        grid: where the points are.
        top: puts with a strike up to it can be told.
        above: masses whose puts are not too small.
        below: masses whose puts are not too large.
    """

    grid: RatioGrid
    top: Fraction
    above: SumLaw
    below: SumLaw

    @cached_property
    def _puts(self) -> tuple[_Puts, _Puts]:
        return _Puts.of(self.below), _Puts.of(self.above)

    @cached_property
    def place(self) -> tuple[Interval, Interval]:
        """The grid's origin and its step."""
        return balls.enclosure(self.grid.origin), balls.enclosure(self.grid.step)

    def put(self, strike: Interval) -> Interval:
        """E(strike − M)₊."""
        assert strike.upper <= self.top  # what lies above is not in the laws
        origin, step = self.place
        copies = self.above.copies
        # In steps of level 0 above the least sum.
        low = (strike.lower - origin.upper) * copies / step.upper
        high = (strike.upper - origin.lower) * copies / step.lower
        ends = []
        for law, sums, at, sign in (
            (self.below, self._puts[0], Fraction(low), -1),
            (self.above, self._puts[1], Fraction(high), 1),
        ):
            grain = 1 << law.level
            masses, moments = sums.at(math.floor(at / grain))
            units = at * masses - moments * grain + sign * law.moved
            if sign > 0:
                units += max(Fraction(0), at) * law.outside
            size = step.upper if sign > 0 else step.lower
            ends.append(max(Fraction(0), units) * size / copies / 2**law.bits)
        return Interval(min(ends), ends[1])

    def points(self, law: SumLaw) -> tuple[Floats, Floats]:
        """Values of M, and masses under Q."""
        origin, step = (float(end.lower) for end in self.place)
        places = np.arange(law.first, law.first + len(law.mass), dtype=np.float64)
        ratios = origin + places * (step * 2.0**law.level / law.copies)
        return ratios, np.array([math.ldexp(float(mass), -law.bits) for mass in law.mass])


@lru_cache(maxsize=64)
def mean_ratio(base: LossVariable, reverse: LossVariable, steps: int, wanted: Wanted) -> MeanRatio:
    """The law of M for the loss `base` of the law with the record, and its reverse."""
    products = 2 * steps.bit_length()
    # Bits of what one product may cut off from the sum.
    small = wanted.depth + _MARGIN + abs(wanted.sixteenths) // 16 + products.bit_length()
    bits = small + steps.bit_length() + wanted.points.bit_length() + 4
    rare = 2.0 ** -(wanted.depth + _MARGIN + steps.bit_length())
    top = 2.0 ** (wanted.sixteenths / 16) * steps
    fine = Fineness(bits, top, rare, wanted.points, _DENSITY)
    grid, cells = ratio_cells(base, reverse, fine)
    origin, step = balls.enclosure(grid.origin), balls.enclosure(grid.step)
    limit = math.ceil((Fraction(top) - steps * origin.lower) / step.lower) + 1
    longest = wanted.points + wanted.points // 4
    bounds = Bounds(max(1, limit), 1 << (bits - small), longest, steps)
    above, below = spread_law(cells, bounds), pooled_law(cells, bounds, lifted=wanted.lifted)
    return MeanRatio(grid, Fraction(top) / steps, above, below)
