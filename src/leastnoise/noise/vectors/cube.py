"""`Cube`: the balls of the maximum norm."""

from fractions import Fraction
from math import comb, floor, isqrt
from typing import ClassVar

from flint import arb, fmpq_poly

from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.ball import ball
from leastnoise.numeric.lerch import lerch_sum
from leastnoise.randomness.source import Source
from leastnoise.randomness.uniform_rows import uniform_rows

_LARGEST_RADIUS = (1 << 62) - 1  # 2·radius + 1 fits into 64 bits
_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Cube:
    """{x in Z^d : max |xᵢ| ≤ radius}, which has (2·radius + 1)**d points."""

    dimension: int

    adds_coordinates: ClassVar[bool] = False

    def norm(self, x: list[int]) -> int:
        """The largest magnitude."""
        return max(map(abs, x))

    def points(self, radius: int) -> arb:
        """(2·radius + 1)**d."""
        return arb(2 * radius + 1) ** self.dimension if radius >= 0 else arb(0)

    def count(self, radius: int) -> int:
        """(2·radius + 1)**d."""
        return int((2 * radius + 1) ** self.dimension)

    def polynomial(self) -> fmpq_poly:
        """(2r + 1)**d in r."""
        return fmpq_poly([1, 2]) ** self.dimension

    def uniform(self, radii: Draws, source: Source) -> Draws:
        """Every coordinate is uniform on −radius..radius."""
        wide = int(radii.max(initial=0)) > _LARGEST_RADIUS
        exact = radii.astype(object) if wide else radii
        drawn: Draws = uniform_rows(2 * exact + 1, self.dimension, source)
        drawn -= exact[:, None]
        return drawn

    def typical(self, rate: Fraction) -> tuple[int, int]:
        """That of a Gamma law of shape d + 1."""
        return floor(self.dimension / rate), floor(isqrt(self.dimension + 1) / rate)

    def layers(self, rate: Fraction, radius: int, period: int, first: int) -> arb:
        """Σ exp(−rate·j)·(2·(radius + j·period) + 1)**d over j ≥ first."""
        return self._boxes(rate, 2 * radius + 1, 2 * period, first)

    def overlaps(self, rate: Fraction, radius: int, period: int, narrower: int) -> arb:
        """The overlap is least for a shift along a diagonal: side 2r + 1 − narrower."""
        side = 2 * radius + 1 - narrower
        return self._boxes(rate, side, 2 * period, max(0, -((side - 1) // (2 * period))))

    def overlap(self, radius: int, narrower: int) -> int:
        """A box with sides 2·radius + 1 − narrower."""
        return int(max(0, 2 * radius + 1 - narrower) ** self.dimension)

    def _boxes(self, rate: Fraction, side: int, growth: int, first: int) -> arb:
        """Σ exp(−rate·j)·(side + j·growth)**d over j ≥ first."""
        offset = Fraction(side, growth)
        scale = arb(growth) ** self.dimension * ball(rate * offset).exp()
        return scale * lerch_sum(self.dimension, rate, offset + first)

    def laplace_moment(self, rate: Fraction, order: int) -> arb:
        r"""E‖X‖**order, by summation by parts.

        With u = k + 1/2 the sum Σ k**p·((2k+1)**d − (2k−1)**d)·b**k over k equals
        2**d·Σ b**k·u**d·((u − 1/2)**p − b·(u + 1/2)**p).
        """
        fall = (-ball(rate)).exp()
        total = arb(0)
        for i in range(order + 1):
            power = _HALF ** (order - i)
            factor = ball((-1) ** (order - i) * power) - fall * ball(power)
            total += comb(order, i) * factor * lerch_sum(self.dimension + i, rate, _HALF)
        return total / (lerch_sum(self.dimension, rate, _HALF) * (1 - fall))
