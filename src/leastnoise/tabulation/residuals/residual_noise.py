"""`ResidualNoise`: the least discrete Gaussian noise on an integer vector for a guarantee."""

import math
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.shapes.lattice_gaussians import BITS_PER_SMOOTHING, LatticeGaussians
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.gaussian import gaussian_mu
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

Budget: TypeAlias = ZCDP | ApproxDP
"""The guarantees that Gaussian noise on a lattice can meet without loss."""

_LEAST_SMOOTHING = 64
_LEAST_PARAMETER = 1 << 24
_GREATEST_PARAMETER = 1 << 80


@dataclass(frozen=True)
class ResidualNoise:
    r"""Independent discrete Gaussians, one for each coordinate of an integer vector.

    Theorem: let the vector move by w with ‖w‖₂² ≤ S between neighbours. With parameter
    V = S/(2ρ) on every coordinate the release is ρ-zCDP. With V = s + S/μ², where N(0, 1) and
    N(μ, 1) are (ε, (δ−κ)/(1−κ))-indistinguishable and κ = m·2^(3−14s), it is (ε, δ)-DP: with V in
    the millions, that is the noise on the real line but for a millionth.
    Proof: docs/proofs/correlated_noise.md, section 3.

    Args:
        guarantee: what is promised.
        squared_sensitivity: S, a positive integer.
        coordinates: m, how many numbers are measured.
        attained: a squared distance that some neighbours have even in what is kept of the vector;
            S if none is given. It serves the lower ends of prices only.

    Raises:
        InvalidParameter: the guarantee is none that Gaussian noise gives, or hides nothing, or all.

    References: CanonneKamathSteinke2020, Theorem 4 and Section 2; BalleWang2018, Theorem 8.

    Example:
        >>> noise = ResidualNoise(ZCDP(rho="0.5"), squared_sensitivity=10**12, coordinates=5)
        >>> noise.law
        DiscreteGaussian(variance=1000000000000)
        >>> noise.loss(1).renyi(order=2).upper
        Fraction(1, 1)
    """

    guarantee: Budget
    squared_sensitivity: int
    coordinates: int
    attained: Fraction | None = None

    def __post_init__(self) -> None:
        checked_budget(self.guarantee)
        if not self.parameter >= max(_LEAST_PARAMETER, 4 * self.smoothing):
            raise _check.refuse(
                "the guarantee must hide something",
                f"{self.guarantee!r}",
                "Release the counts as they are, or promise more.",
            )
        if not self.parameter <= _GREATEST_PARAMETER:
            raise _check.refuse(
                "the guarantee must leave something to see",
                f"{self.guarantee!r}",
                "No noise of less than 80 bits meets it: promise less, or ask for less.",
            )

    @cached_property
    def smoothing(self) -> int:
        """s: so much variance makes a lattice look like the line, but for the leak."""
        if isinstance(self.guarantee, ZCDP):
            return _LEAST_SMOOTHING
        small = self.guarantee.delta.denominator.bit_length() + self.coordinates.bit_length()
        return max(_LEAST_SMOOTHING, 8 + small // BITS_PER_SMOOTHING)

    @cached_property
    def leak(self) -> Fraction:
        """κ."""
        return Fraction(8 * self.coordinates, 1 << BITS_PER_SMOOTHING * self.smoothing)

    @cached_property
    def parameter(self) -> Fraction:
        """V."""
        if isinstance(self.guarantee, ZCDP):
            return self.squared_sensitivity / (2 * self.guarantee.rho)
        delta = (self.guarantee.delta - self.leak) / (1 - self.leak)
        mu = Fraction(gaussian_mu(self.guarantee.epsilon, delta).lower)
        # A whole number is short, and above 2**24 it is no more noise to speak of.
        return Fraction(self.smoothing + math.ceil(self.squared_sensitivity / mu**2))

    @cached_property
    def _gaussians(self) -> LatticeGaussians:
        return LatticeGaussians(self.parameter, self.smoothing, self.coordinates)

    @property
    def law(self) -> DiscreteGaussian:
        """The law of each coordinate's noise."""
        return self._gaussians.law

    def loss(self, distance: SupportsIndex) -> "PrivacyLoss":
        """The price of one release for inputs that far apart."""
        most = Fraction(self.squared_sensitivity)
        least = most if self.attained is None else self.attained
        return self._gaussians.loss(most, least, distance)

    def variance(self, squares: balls.Computation) -> Interval:
        """The variance of Σ aᵢXᵢ, given Σ aᵢ²."""
        return self._gaussians.variance(squares)

    def quantile(self, squares: balls.Computation, risk: Fraction) -> Interval:
        """The t with P(|Σ aᵢXᵢ| > t) = risk, given Σ aᵢ²; the upper end is sound."""
        return self._gaussians.quantile(squares, risk)


def squared_mu(guarantee: Budget) -> Interval:
    """The greatest μ² at which normal noise on the line meets a guarantee."""
    if isinstance(guarantee, ZCDP):
        return Interval.exactly(2 * guarantee.rho)
    mu = gaussian_mu(guarantee.epsilon, guarantee.delta)
    return Interval(Fraction(mu.lower) ** 2, Fraction(mu.upper) ** 2)


def checked_budget(guarantee: Guarantee, name: str = "guarantee") -> Budget:
    """A guarantee that Gaussian noise on a lattice meets without loss."""
    match guarantee:
        case ZCDP(delta=0) if guarantee.rho > 0:
            return guarantee
        case ApproxDP() if guarantee.delta > 0:
            return guarantee
        case _:
            raise _check.refuse(
                f"`{name}` must be ZCDP with rho > 0 and delta = 0, or ApproxDP with delta > 0",
                _check.shown(guarantee),
                "Write for example ZCDP(rho='0.5') or ApproxDP(epsilon=1, delta='1e-6').",
            )
