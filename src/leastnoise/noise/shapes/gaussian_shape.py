"""`GaussianShape`: the mathematics of the discrete Gaussian."""

from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt
from typing import TYPE_CHECKING

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.gaussian_sums import (
    gaussian_weight,
    gaussian_weights,
    powers_sum,
    total_weight,
    weight_from,
)
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.proved_floats import UNIT
from leastnoise.numeric.real import Computable
from leastnoise.randomness.source import Source

if TYPE_CHECKING:
    from leastnoise.randomness.block_sampler import BlockSampler

_TINY = Fraction(1, 2**16384)  # smaller probabilities are only said to be so


@dataclass(frozen=True)
class Probability(Computable):
    """A computable number in [0, 1], however small."""

    def interval(self) -> Interval:
        """A bracket within [0, 1]; tight, save that below 2**−16384 only that much is told.

        Smaller numbers than this are easily asked for, and do not fit into memory as fractions.
        """
        with balls.precision(balls.FIRST_PRECISION):
            if self.compute() < balls.ball(_TINY):
                return Interval(Fraction(0), _TINY)
        bracket = balls.enclosure(self.compute)
        return Interval(max(bracket.lower, Fraction(0)), min(bracket.upper, Fraction(1)))


@dataclass(frozen=True)
class GaussianShape:
    """Weights exp(−k²/(2·sigma_squared)) on all integers k."""

    sigma_squared: Fraction

    symmetric_unimodal = True
    support = None

    def _share(self, weight: arb) -> arb:
        return weight / total_weight(self.sigma_squared)

    def pmf(self, k: int) -> Probability:
        """P(X = k)."""
        return Probability(lambda: self._share(gaussian_weight(self.sigma_squared, k)))

    def pmf_balls(self, most: int) -> list[arb]:
        """P(X = k) for 0 ≤ k ≤ most, at the working precision."""
        total = total_weight(self.sigma_squared)
        return [weight / total for weight in gaussian_weights(self.sigma_squared, most)]

    def tail(self, k: int) -> Probability:
        """P(X ≥ k)."""
        return Probability(lambda: self._tail(k))

    def _tail(self, k: int) -> arb:
        if k > 0:
            return self._share(weight_from(self.sigma_squared, k))
        return 1 - self._tail(1 - k)

    def outside(self, magnitude: int) -> Probability:
        """P(|X| > magnitude)."""
        return Probability(lambda: 2 * self._tail(magnitude + 1))

    def moment(self, order: int) -> Computable:
        """E|X|**order."""
        return Computable(lambda: 2 * self._share(powers_sum(self.sigma_squared, order)))

    def hockey_stick(self, epsilon: Fraction, shift: int) -> Probability:
        r"""Σₖ max(0, P(X = k) − e^epsilon·P(X + shift = k)).

        By symmetry only d = |shift| matters. P(X = k)/P(X = k−d) = exp((d² − 2kd)/(2σ²)) falls
        with k and exceeds e^epsilon exactly for k < (d² − 2σ²·epsilon)/(2d), so the sum is over a
        half-line.
        """
        first = self._half_line(epsilon, abs(shift))

        def divergence() -> arb:
            return self._tail(first) - balls.ball(epsilon).exp() * self._tail(first + abs(shift))

        return Probability(divergence)

    def _half_line(self, epsilon: Fraction, distance: int) -> int:
        """Minus the last k at which the loss exceeds epsilon."""
        return 1 - ceil((distance**2 - 2 * self.sigma_squared * epsilon) / (2 * distance))

    def exceedance(self, epsilon: Fraction, shift: int) -> Computable:
        """P(loss > epsilon)."""
        return self.tail(self._half_line(epsilon, abs(shift)))

    def log_pmf(self, low: int, high: int) -> NDArray[np.float64]:
        """Log P(X = k) for low ≤ k ≤ high."""
        k = np.arange(low, high + 1, dtype=np.float64)
        with balls.precision(balls.FIRST_PRECISION):
            log_total = float(total_weight(self.sigma_squared).log())
        return -k * k / float(2 * self.sigma_squared) - log_total

    def log_pmf_error(self, low: int, high: int) -> float:
        """Four roundings of numbers that are at most so large; squares below 2**53 are exact."""
        largest = max(low * low, high * high)
        with balls.precision(balls.FIRST_PRECISION):
            log_total = abs(float(total_weight(self.sigma_squared).log()))
        return 8 * UNIT * (largest / float(2 * self.sigma_squared) + log_total)

    @cached_property
    def _sampler(self) -> "BlockSampler":
        from leastnoise.randomness.block_sampler import BlockSampler  # noqa: PLC0415 - only drawing needs it

        return BlockSampler(
            lambda k: gaussian_weight(self.sigma_squared, k),
            mode=0,
            spread=isqrt(int(self.sigma_squared)),
        )

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent exact draws."""
        return self._sampler.sample(count, source)
