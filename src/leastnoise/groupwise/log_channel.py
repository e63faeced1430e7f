"""`LogChannel`: the place of a count, its logarithm as a rule, plus discrete Gaussian noise."""

from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.groupwise.count_map import CountMap
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.numeric import ball as balls
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source


@dataclass(frozen=True)
class LogChannel:
    r"""K = place(x) + N with N discrete Gaussian: log-Gaussian noise, drawn exactly.

    Theorem: for all x > map.first and all α > 1, the Rényi divergence of order α between the laws
    of K at x − 1 and at x is at most α·gap(x)²/(2·variance), both ways round; a bound that does
    not grow with x.
    Proof: the places are at most gap(x) apart (`CountMap`), and shifting discrete Gaussian noise
    by d costs at most α·d²/(2·variance): docs/proofs/discrete_gaussian.md.

    Args:
        map: where counts lie, on a lattice of M = 2**bits steps to a unit of the logarithm.
        variance: the parameter of the noise, in squares of lattice steps.
    """

    map: CountMap
    variance: int

    @cached_property
    def noise(self) -> DiscreteGaussian:
        """The law of N."""
        return DiscreteGaussian(variance=self.variance)

    @property
    def bits(self) -> int:
        """M = 2**bits."""
        return self.map.log.bits

    @property
    def offset(self) -> Fraction:
        """What is added to a count before its logarithm is taken."""
        return self.map.log.offset

    @property
    def squared_sigma(self) -> Fraction:
        """σ², the variance on the scale of logarithms."""
        return Fraction(self.variance, 1 << (2 * self.bits))

    def sigma(self) -> arb:
        """σ, at the working precision."""
        return _root(self.squared_sigma, ctx.prec)

    def blurred(self, counts: NDArray[np.int64], source: Source) -> NDArray[np.int64]:
        """K for every count."""
        return self.map.places(counts) + self.noise.sample(counts.size, source).astype(np.int64)

    def estimates(self, blurred: NDArray[np.int64], log_shift: Fraction) -> NDArray[np.float64]:
        """exp(K/M − log_shift) − a: the count that K speaks of, if it lies at its logarithm."""
        logs = np.ldexp(blurred.astype(np.float64), -self.bits) - float(log_shift)
        # An estimate beyond all floats is no better than a huge one.
        values: NDArray[np.float64] = np.exp(np.minimum(logs, 700.0)) - float(self.offset)
        return values

    def budget(self, x: int) -> Fraction:
        """The ρ of the pair x − 1 and x."""
        return Fraction(self.map.gap(x) ** 2, 2 * self.variance)

    def budgets_above(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Upper bounds on the budgets of many counts beyond the bend."""
        squares = self.map.log.gaps_above(counts) ** 2
        bounds: NDArray[np.float64] = squares / float(2 * self.variance) * (1 + 2.0**-50)
        return bounds

    def loss(self, x: int) -> PrivacyLoss:
        """The privacy loss of the pair x − 1 and x, and a bound for all pairs above it.

        By symmetry both directions are alike, and a larger shift is worse at every ε at once.
        """
        return self.noise.privacy(self.map.gap(x))


@lru_cache(maxsize=256)
def _root(square: Fraction, bits: int) -> arb:
    with balls.precision(bits):
        return balls.ball(square).sqrt()
