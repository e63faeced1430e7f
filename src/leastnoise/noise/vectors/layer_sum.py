r"""Sums over the layers of a staircase law: Σ exp(−rate·j)·count(radius + j·period)."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq, fmpq_poly

from leastnoise._dataclass import dataclass
from leastnoise.numeric.ball import ball
from leastnoise.numeric.lerch import lerch_sum
from leastnoise.numeric.log_concave import log_concave_sum

_FEW_LAYERS = 64  # few layers are summed one by one


@dataclass(frozen=True)
class LayerSum:
    """Σ exp(−rate·j)·count(radius + j·period) over j ≥ first.

    Few layers are summed one by one from the largest term outward, many of them degree by degree.

    Args:
        count: radius ↦ how much of something a ball holds; log-concave in the radius.
        polynomial: the same as a polynomial in radius + 1/2, made when needed.
        typical: about the mean and the deviation of the radius under these weights.
    """

    count: Callable[[int], arb]
    polynomial: Callable[[], fmpq_poly]
    typical: tuple[int, int]

    def over(self, rate: Fraction, radius: int, period: int, first: int) -> arb:
        """The sum, as a ball at the working precision; radius + first·period must be ≥ 0."""
        mean, deviation = self.typical
        if deviation > _FEW_LAYERS * period:
            return self._by_degree(rate, Fraction(2 * radius + 1, 2 * period), period, first)
        return log_concave_sum(
            lambda j: (-ball(rate * j)).exp() * self.count(radius + j * period),
            first,
            (mean - radius) // period,
        )

    def _by_degree(self, rate: Fraction, offset: Fraction, period: int, first: int) -> arb:
        total, scale = arb(0), ball(rate * offset).exp()
        for degree, factor in enumerate(self.polynomial().coeffs()):
            if factor != 0:
                total += arb(factor) * scale * lerch_sum(degree, rate, offset + first)
            scale *= period
        return total


def centred(polynomial: fmpq_poly) -> fmpq_poly:
    """A polynomial in r, written in r + 1/2."""
    return polynomial(fmpq_poly([fmpq(-1, 2), 1]))
