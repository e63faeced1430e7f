"""`BlockLaplace`: Laplace noise for several rows of numbers, all of which one unit may move."""

from collections import Counter
from fractions import Fraction
from functools import cached_property, lru_cache
from math import isqrt
from typing import TYPE_CHECKING

from flint import arb

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform_rows import uniform_rows

if TYPE_CHECKING:
    from leastnoise.randomness.block_sampler import BlockSampler

_GREATEST_SPREAD = 1 << 56  # counts and noise shall add up within 64 bits


@dataclass(frozen=True)
class BlockLaplace:
    r"""Noise whose probability falls with the largest of the blocks' sums of magnitudes.

    Law: P(X = x) ∝ exp(−rate·max‖xᵢ‖₁) over blocks xᵢ in Z^widthᵢ. If there are two blocks or
    more, all of one number, only x whose numbers are all even or all odd occur.

    Theorem: for all rates and widths, if neighbours move every block by at most Δ in ℓ1 (and, where
    all blocks are one number, all numbers by even or all by odd amounts), adding X is rate·Δ-DP.
    Proof: max‖·‖₁ is a norm, and moves by at most Δ; the points that occur are carried to points
    that occur. docs/proofs/pure_marginals.md, section 1.

    Drawn exactly: a radius r with weight exp(−rate·r)·(points of radius ≤ r), then each block
    uniform in its ball, independently. The radius must stay secret.

    Args:
        widths: how many numbers each block has.
        rate: how fast probability falls, positive.

    Raises:
        UnsupportedQuery: so small a rate that draws do not fit into 64 bits.

    References: HardtTalwar2010, Section 4.

    Example:
        >>> law = BlockLaplace((1, 1, 3), rate=Fraction(1, 2))
        >>> [block.shape for block in law.draw(Source())]
        [(1,), (1,), (3,)]
    """

    widths: tuple[int, ...]
    rate: Fraction

    def __post_init__(self) -> None:
        if self.spread > _GREATEST_SPREAD:
            raise UnsupportedQuery(
                f"noise must spread over at most 2**56 numbers to be drawn; got "
                f"{_check.shown(self.spread)}. Spend more, or count in coarser units."
            )

    @property
    def is_even(self) -> bool:
        """Whether only numbers occur that are all even or all odd."""
        return set(self.widths) == {1} and len(self.widths) > 1

    @property
    def spread(self) -> int:
        """About one standard deviation of the radius."""
        return int(isqrt(sum(self.widths) + 1) / self.rate)

    @cached_property
    def _times(self) -> list[tuple[int, int]]:
        """Each width with the number of blocks that have it."""
        return sorted(Counter(self.widths).items())

    def points(self, radius: int) -> arb:
        """How many points occur whose blocks have at most this sum, of the radius's parity."""
        if self.is_even:
            return arb(radius + 1) ** len(self.widths)
        sizes = _ball_sizes(radius, self._times[-1][0])
        product = arb(1)
        for width, times in self._times:
            product *= sizes[width] ** times
        return product

    def _weight(self, radius: int) -> arb:
        return (-balls.ball(self.rate * radius)).exp() * self.points(radius)

    def _falls_after(self, radius: int) -> bool:
        return balls.sign(lambda: self._weight(radius) - self._weight(radius + 1)) > 0

    @cached_property
    def _radius(self) -> "BlockSampler":
        from leastnoise.randomness.block_sampler import BlockSampler  # noqa: PLC0415 - only drawing needs it

        mode = least_integer(self._falls_after, 0)
        return BlockSampler(self._weight, mode=mode, spread=self.spread, least=0)

    def make_ready(self) -> None:
        """Makes the tables that noise is drawn from; draws nothing."""
        if len(self.widths) > 1:
            _ = self._radius
        else:
            _laplace(self.rate).sample(0)

    def draw(self, source: Source) -> list[Draws]:
        """One draw of all blocks."""
        if len(self.widths) == 1:  # independent Laplace noise in every number
            return [_laplace(self.rate).sample(self.widths[0], source)]
        radius = self._radius.sample(1, source)
        if self.is_even:
            drawn = 2 * uniform_rows(radius + 1, len(self.widths), source)[0] - radius
            return list(drawn.reshape(-1, 1))
        return self._uniform(radius, source)

    def _uniform(self, radius: Draws, source: Source) -> list[Draws]:
        from leastnoise.noise.vectors.cross_polytope import CrossPolytope  # noqa: PLC0415 - only drawing needs it
        from leastnoise.noise.vectors.cube import Cube  # noqa: PLC0415 - only drawing needs it

        found: dict[int, list[Draws]] = {}
        for width, times in self._times:
            if width == 1:
                found[1] = list(Cube(times).uniform(radius, source).reshape(-1, 1))
            else:
                found[width] = list(CrossPolytope(width).uniform(radius.repeat(times), source))
        return [found[width].pop() for width in self.widths]


def _ball_sizes(radius: int, widest: int) -> list[arb]:
    """How many points of Z^d have ‖x‖₁ ≤ radius, for d = 0..widest, all at once.

    By the recurrence d·P_d = (2r + 1)·P_(d−1) + (d − 1)·P_(d−2): docs/proofs/pure_marginals.md.
    """
    side = arb(2 * radius + 1)
    sizes = [arb(1), side]
    for d in range(2, widest + 1):
        sizes.append((side * sizes[-1] + (d - 1) * sizes[-2]) / d)
    return sizes


@lru_cache(maxsize=32)
def _laplace(rate: Fraction) -> DiscreteLaplace:
    """Many tables may have the same noise: one sampler serves them."""
    return DiscreteLaplace(scale=1 / rate)
