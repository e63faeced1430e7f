"""`DiscreteGaussian`: Gaussian weights on the integers."""

import math
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.gaussian_shape import GaussianShape
from leastnoise.numeric.nearest_float import nearest_float

_LEAST_VARIANCE = Fraction(1, 10**6)  # below, P(X ≠ 0) < e^-500000
_GREATEST_VARIANCE = Fraction(2**80)  # draws shall fit into 64 bits


_variance = _check.limited(
    _check.positive,
    lambda variance: _LEAST_VARIANCE <= variance <= _GREATEST_VARIANCE,
    "lie in [10**-6, 2**80]",
    "Below, every draw is 0; above, use a coarser lattice.",
)


@dataclass(frozen=True, init=False, repr=False)
class DiscreteGaussian(LatticeLaw):
    r"""Gaussian noise restricted to the integers: the noise for many queries at once.

    Law: exp(-k**2/(2*variance)) / sum(exp(-j**2/(2*variance)) for j in range(-1000, 1001))

    (The sum is over all integers; the range suffices to many digits for variances up to 10**4.)

    Theorem: for every integer query of sensitivity Δ, adding this law is ρ-zCDP with
    ρ = Δ²/(2·variance), and (ε, δ)-DP exactly for δ ≥ P(X < t) − e^ε·P(X < t − Δ) with
    t = Δ/2 − ε·variance/Δ. The true variance lies below the parameter, hardly so from 1 upward:
    the noise is never wider than the Gaussian that promises the same.
    Proof: docs/proofs/discrete_gaussian.md.

    Args:
        variance: a number in [10**−6, 2**80], the σ² of the weights; held as `sigma_squared`. The
            property `variance` brackets the variance of the law itself.

    Raises:
        InvalidParameter: the variance is not a number in that range.

    References: CanonneKamathSteinke2020.

    Example:
        >>> law = DiscreteGaussian(variance=100)
        >>> law
        DiscreteGaussian(variance=100)
        >>> law.quantile("0.95")
        20
        >>> bool(law.verify(sensitivity=1, epsilon="0.5", delta="1e-6"))
        True
    """

    sigma_squared: Fraction

    def __init__(self, variance: Exact) -> None:
        keep(self, sigma_squared=_variance(variance, "variance"))

    @cached_property
    def shape(self) -> GaussianShape:
        """Gaussian weights."""
        return GaussianShape(self.sigma_squared)

    def about_quantile(self, risk: float) -> float:
        """That of the normal law."""
        return -NormalDist().inv_cdf(risk / 2) * math.sqrt(nearest_float(self.sigma_squared))
