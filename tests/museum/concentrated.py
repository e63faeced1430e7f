"""A promise of concentrated privacy for larger groups that some order of divergence breaks."""

from dataclasses import dataclass

from leastnoise.groupwise import ProportionalNoise
from leastnoise.numeric import Interval
from tests.museum.evidence import Diverging
from tests.museum.exhibit import exhibit

NOISE = ProportionalNoise(relative_error="0.1", smallest=20, order=5)


@dataclass(frozen=True)
class Grown:
    """A group of that size beside one with a person more."""

    size: int

    def renyi(self, order: int) -> Interval:
        """How far the larger group's answer diverges from the smaller one's."""
        return NOISE.law(self.size + 1).renyi(NOISE.law(self.size), order)


@exhibit(Diverging(rho="0.005", xi="0.02", order=51))
def noise_in_proportion_to_the_group() -> Grown:
    """Normal noise of standard deviation r·x on a group of x people, sold as (ξ, ρ)-zCDP with
    ρ = 1/(2r²x²) and ξ = 2·ln(1 + 1/x): true of one direction only, infinite in the other from
    order 1 + x²/(2x + 1) on. Here r = 0.1 and x = 100.

    Shown by: BunSteinke2016.
    """
    return Grown(100)
