"""`LatticeGaussians`: independent discrete Gaussians of one parameter, next to the line."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, SupportsIndex

from flint import arb

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.normal_cdf import normal_cdf, normal_quantile

if TYPE_CHECKING:
    from leastnoise.privacy.loss import PrivacyLoss

BITS_PER_SMOOTHING = 14


@dataclass(frozen=True)
class LatticeGaussians:
    r"""m independent discrete Gaussians X of parameter V: what they cost, and how their sums err.

    Theorem: with s < V and κ = m·2^(3−14s) ≤ 1/2, the loss of X against X + w is within the bounds
    of `LatticeGaussianVariable`, and sums Σ aᵢXᵢ have the tails that `quantile` states.
    Proof: docs/proofs/correlated_noise.md, sections 3 and 4.

    Args:
        parameter: V.
        smoothing: s, an integer ≥ 1.
        coordinates: m.
    """

    parameter: Fraction
    smoothing: int
    coordinates: int

    @cached_property
    def leak(self) -> Fraction:
        """κ."""
        return Fraction(8 * self.coordinates, 1 << BITS_PER_SMOOTHING * self.smoothing)

    @cached_property
    def law(self) -> DiscreteGaussian:
        """The law of each coordinate."""
        return DiscreteGaussian(self.parameter)

    def loss(self, most: Fraction, least: Fraction, distance: SupportsIndex) -> "PrivacyLoss":
        """The price for inputs that far apart, if one step moves the vector by most, in squares.

        Args:
            most: S, the squared length of one step, or more.
            least: T, the squared length of what cannot be told from a step; for lower ends.
            distance: how many steps.
        """
        from leastnoise.privacy.loss import PrivacyLoss  # noqa: PLC0415 - a forecast asks for none
        from leastnoise.privacy.variables.lattice_gaussian_variable import LatticeGaussianVariable  # noqa: PLC0415 - a forecast asks for none

        count = _check.integer_between(distance, "distance", 1)
        variable = LatticeGaussianVariable(
            most * count**2 / self.parameter,
            least * count**2 / (self.parameter + self.smoothing),
            most * count**2 / (self.parameter - self.smoothing),
            self.leak,
        )
        return PrivacyLoss(variable, None, lambda size: self.loss(most, least, count * size))

    def variance(self, squares: balls.Computation) -> Interval:
        """The variance of Σ aᵢXᵢ, given Σ aᵢ²."""
        one = self.law.variance
        scale = balls.enclosure(squares)
        return Interval(scale.lower * one.lower, scale.upper * one.upper)

    def quantile(self, squares: balls.Computation, risk: Fraction) -> Interval:
        r"""The t with P(|Σ aᵢXᵢ| > t) = risk, given Σ aᵢ²; the upper end is sound.

        Theorem: let N = Σ aᵢXᵢ, A = Σ aᵢ², and z(p) the normal quantile, P(Z > z(p)) = p. For
        every h > 0 and c = P(Z > h): P(|N| > t) ≤ risk at
        t = √A·(√(V+s)·z(risk·(1−c)/(2+2κ)) + h√s), and P(|N| > t) ≥ risk at
        t = √A·(√(V+s)·z((risk/2+c)/(1−κ)) − h√s).
        Proof: docs/proofs/correlated_noise.md, section 4.
        """
        rare = risk / 2**30

        def end(tail: Callable[[arb], arb], side: int) -> balls.Computation:
            def compute() -> arb:
                v, s = balls.ball(self.parameter), balls.ball(self.smoothing)
                reach = normal_quantile(balls.ball(rare))
                place = (v + s).sqrt() * normal_quantile(tail(normal_cdf(-reach)))
                return squares().sqrt() * (place + side * reach * s.sqrt())

            return compute

        upper = end(lambda c: balls.ball(risk) * (1 - c) / (2 + 2 * balls.ball(self.leak)), 1)
        lower = end(lambda c: (balls.ball(risk) / 2 + c) / (1 - balls.ball(self.leak)), -1)
        low, high = balls.enclosure(lower).lower, balls.enclosure(upper).upper
        return Interval(max(Fraction(0), low), high)
