"""`CubeCoordinate`: one coordinate of a law on Z^d that depends on the maximum norm alone."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache

from flint import arb, ctx, fmpq, fmpq_poly

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.noise.vectors.ball_moment import running_sum
from leastnoise.noise.vectors.ball_stairs import BallStairs
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.lerch import lerch_sum
from leastnoise.numeric.real import Computable


@dataclass(frozen=True)
class CubeCoordinate:
    r"""X₁ for X with weights exp(−rate·level(max|Xᵢ|)) on Z^d, d ≥ 2.

    Theorem: X is a uniform point of the cube of radius r_J, P(J = j) ∝ b**j·(2·r_j + 1)**d,
    b = exp(−rate); so given J the coordinates are independent and uniform on −r_J..r_J, and

        P(X₁ = k) = Σ b**j·(2·r_j + 1)**(d−1) over r_j ≥ |k|, divided by Σ b**j·(2·r_j + 1)**d.

    Proof: `BallStairs`, mixture of balls; a cube is a product.

    Args:
        stairs: the law of the vector; its balls must be cubes.
    """

    stairs: BallStairs

    support = None

    @property
    def shape(self) -> "CubeCoordinate":
        """Its own mathematics."""
        return self

    @property
    def _sides(self) -> int:
        return self.stairs.ball.dimension

    @cached_property
    def _layers(self) -> Callable[[int, int, int], arb]:
        """Σ b**j·(2·r_j + 1)**degree over j ≥ first, kept for each working precision."""
        return lru_cache(maxsize=1024)(lambda degree, first, _bits: self._summed(degree, first))

    def _summed(self, degree: int, first: int) -> arb:
        rate, growth = self.stairs.rate, 2 * self.stairs.period
        offset = Fraction(2 * self.stairs.width - 1, growth)
        scale = arb(growth) ** degree * balls.ball(rate * offset).exp()
        return scale * lerch_sum(degree, rate, offset + first)

    def _share(self, *terms: tuple[int, Fraction], first: int = 0) -> Computable:
        """Σ b**j·Σ factor·(2·r_j + 1)**degree over j ≥ first, as a share of the whole."""

        def share() -> arb:
            parts = (
                balls.ball(factor) * self._layers(degree, first, ctx.prec)
                for degree, factor in terms
            )
            return sum(parts, arb(0)) / self._layers(self._sides, 0, ctx.prec)

        return Computable(share)

    def pmf(self, k: int) -> Interval:
        """P(X₁ = k)."""
        first = self.stairs.level(abs(k))
        return self._share((self._sides - 1, Fraction(1)), first=first).interval()

    def outside(self, magnitude: int) -> Computable:
        """P(|X₁| > magnitude): a coordinate uniform on −r..r is with chance 2(r − m)/(2r + 1)."""
        kept = -Fraction(2 * magnitude + 1)
        return self._share(
            (self._sides, Fraction(1)),
            (self._sides - 1, kept),
            first=self.stairs.level(magnitude + 1),
        )

    def moment(self, order: int) -> Interval:
        """E|X₁|**order for order ≥ 0: 2·Σ i**order over 1 ≤ i ≤ r is a polynomial in 2r + 1."""
        if not order:
            return Interval.exactly(1)
        summed = 2 * running_sum(fmpq_poly([0, 1]) ** order)
        in_side = summed(fmpq_poly([fmpq(1, 2), fmpq(1, 2)]))
        terms = (
            (self._sides - 1 + power, Fraction(int(factor.p), int(factor.q)))
            for power, factor in enumerate(in_side.coeffs())
            if factor != 0
        )
        return self._share(*terms).interval()

    def quantile(self, probability: Exact) -> int:
        """The least m with P(|X₁| ≤ m) ≥ probability, which must be below 1."""
        level = _check.probability(probability, "probability")
        return least_integer(lambda m: self.outside(m).compare(1 - level) <= 0, 0)
