"""`RadiusLaw`: how often the counters of a joint draw add up to how much."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.growth import Growth
from leastnoise.mechanisms.joint.radius_table import RadiusTable
from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer
from leastnoise.randomness.source import Source

if TYPE_CHECKING:
    from leastnoise.randomness.block_sampler import BlockSampler


@dataclass(frozen=True)
class RadiusLaw:
    r"""P(R = r) ∝ exp(−rate·r)·∏ points(r) over the factors, for r ≥ 0.

    Each factor is log-concave, so the product is, and the exact block sampler serves.
    """

    rate: Fraction
    factors: Sequence[Growth]

    def weight(self, radius: int) -> arb:
        """A ball around the weight, not normalised."""
        weight = (-balls.ball(self.rate * radius)).exp()
        for factor in self.factors:
            weight = weight * factor.points(radius)
        return weight

    @cached_property
    def table(self) -> RadiusTable:
        """Its outline in floats, for forecasts and for guesses."""
        return RadiusTable.of(float(self.rate), self.factors)

    def _falls_after(self, radius: int) -> bool:
        return balls.sign(lambda: self.weight(radius) - self.weight(radius + 1)) > 0

    @cached_property
    def sampler(self) -> "BlockSampler":
        """Made once; drawn from often."""
        from leastnoise.randomness.block_sampler import BlockSampler  # noqa: PLC0415 - only drawing needs it

        mode = least_integer(self._falls_after, 0, guess=self.table.mode)
        spread = isqrt(int(self.table.variance))
        return BlockSampler(self.weight, mode=mode, spread=spread, least=0)

    def draw(self, source: Source) -> int:
        """One exact draw."""
        return int(self.sampler.sample(1, source)[0])
