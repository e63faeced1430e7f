"""`GeneralizedGaussian`: noise between Laplace's and Gauss's, for a moderate number of queries."""

from fractions import Fraction
from functools import cached_property

from leastnoise import _check
from leastnoise._frozen import Number, checked, frozen
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.noise.shapes.gaussian_shape import GaussianShape
from leastnoise.noise.shapes.generalized_gaussian_shape import GeneralizedGaussianShape
from leastnoise.noise.shapes.stairs import Stairs

_LEAST_SCALE = Fraction(1, 1000)  # below, P(X ≠ 0) < e^-999
_GREATEST_SCALE = Fraction(2**40)  # draws shall fit into 64 bits
_FINEST_POWER = 1 << 10  # the bits of k^power grow with the denominator


_scale = _check.limited(
    _check.positive,
    lambda scale: _LEAST_SCALE <= scale <= _GREATEST_SCALE,
    "lie in [1/1000, 2**40]",
    "Below, every draw is 0; above, use a coarser lattice.",
)


_power = _check.limited(
    _check.rational,
    lambda power: 1 <= power <= 2 and power.denominator <= _FINEST_POWER,
    f"lie in [1, 2] and have a denominator of at most {_FINEST_POWER}",
    "Write for example '3/2' or '1.5'.",
)


@frozen(repr=False)
class GeneralizedGaussian(LatticeLaw):
    r"""Noise with weights exp(−(|k|/scale)**power) on the integers, 1 ≤ power ≤ 2.

    Law: exp(-(abs(k)/scale)**power) / sum(exp(-(abs(j)/scale)**power) for j in range(-1000, 1001))

    (The sum is over all integers; the range suffices to many digits for scales up to 20.)

    Power 1 is the discrete Laplace law of this scale, power 2 the discrete Gaussian with
    σ² = scale²/2. In between lies the least noise for some ten to fifty independent answers.

    Theorem: for every integer query of sensitivity Δ ≥ 1, adding this law is (ε, δ)-DP exactly for
    δ ≥ P(X ≤ t) − e^ε·P(X ≤ t − Δ), where t is the greatest integer with
    |t − Δ|**power − |t|**power > ε·scale**power. For power > 1 no ε suffices with δ = 0.
    Proof: the weights are log-concave; docs/proofs/generalized_gaussian.md.

    Args:
        scale: a number in [1/1000, 2**40]; grows with the noise.
        power: a number in [1, 2] with a denominator of at most 1024.

    Raises:
        InvalidParameter: scale or power is not a number in its range.

    References: Subbotin1923 for the density on the real line.

    Example:
        >>> law = GeneralizedGaussian(scale=10, power="3/2")
        >>> law.quantile("0.95"), round(float(law.variance), 4)
        (17, 73.8422)
        >>> bool(law.verify(sensitivity=1, epsilon="0.5", delta="1e-6"))
        True
    """

    scale: Number = checked(_scale)
    power: Number = checked(_power)

    @cached_property
    def shape(self) -> Stairs | GaussianShape | GeneralizedGaussianShape:
        """The two ends have shapes of their own, which compose exactly."""
        if self.power == 1:
            return Stairs(period=1, width=1, rate=1 / self.scale)
        if self.power == 2:
            return GaussianShape(self.scale**2 / 2)
        return GeneralizedGaussianShape(self.scale, self.power)
