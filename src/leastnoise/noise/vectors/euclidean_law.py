"""`EuclideanLaw`: noise for vectors whose length is measured by Pythagoras, rounded to integers."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, isqrt, prod
from typing import SupportsIndex

import numpy as np
from flint import arb

from leastnoise import _check
from leastnoise._check import Exact, Size
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.shapes.shape import Draws
from leastnoise.noise.vectors.euclidean_leak import laplace_leak
from leastnoise.noise.vectors.euclidean_sampler import normals, rounded_point
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.real import Computable
from leastnoise.privacy.gaussian import gaussian_delta
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.verification import Verification
from leastnoise.randomness.source import Source, checked_source

MOST_EUCLIDEAN_DIMENSION = 1 << 16
_LARGEST = 1 << 62


@frozen(kw_only=True, repr=False)
class EuclideanLaw(Rebuilt):
    r"""A real vector with density ∝ exp(−(‖y‖/scale)^power/power), each coordinate rounded.

    Law: X = ⌊Y + 1/2⌋ in every coordinate. Power 1 is Laplace noise for the Euclidean norm, power 2
    Gaussian noise with standard deviation `scale`.

    Theorem: for every query with values in Z^d whose neighbours are at most D apart in the
    Euclidean norm, adding X leaks no more than adding Y: at power 1 it is (D/scale)-DP, and at
    either power (ε, δ)-DP with δ = `law.delta(epsilon, D).upper`.
    Proof: q + X = ⌊q + Y + 1/2⌋ for whole q, a function of q + Y. docs/proofs/optimal_vectors.md,
    section 9.

    Rounding makes the noise no worse known than Y: draw on a lattice much finer than the noise.

    Args:
        dimension: the number of coordinates d, up to 2^16.
        scale: > 0; grows with the noise.
        power: 1 or 2.

    References: HardtTalwar2010, Section 4; BalleWang2018, Theorem 8.

    Example:
        >>> law = EuclideanLaw(dimension=10, scale=873, power=1)
        >>> print(f"{float(law.delta(1, 1000)):.2g} {float(law.moment(2)) / 10 / 1000**2:.3f}")
        9.9e-06 8.383
    """

    dimension: Whole = checked(_check.whole(1, MOST_EUCLIDEAN_DIMENSION))
    scale: Number = checked(_check.positive)
    power: Whole = checked(_check.whole(1, 2))

    def delta(self, epsilon: Exact, distance: Exact) -> Interval:
        """A bracket on the least delta of Y at this Euclidean distance; X has no more."""
        wanted = _check.non_negative(epsilon, "epsilon")
        apart = _check.positive(distance, "distance")
        if self.power == 1:
            return laplace_leak(self.dimension, apart / self.scale, wanted)
        return gaussian_delta(wanted, apart / self.scale).interval()

    def verify(self, *, sensitivity: Exact, epsilon: Exact, delta: Exact = 0) -> Verification:
        """Prove that adding this law is (epsilon, delta)-DP at a Euclidean sensitivity, or say no.

        What Y leaks is at least what X does: a claim that the upper end of its bracket does not
        meet is not proved, and `attained` begins at 0.
        """
        apart = _check.positive(sensitivity, "sensitivity")
        wanted, promised = _check.non_negative(epsilon, "epsilon"), _check.delta(delta)
        leak = self.delta(wanted, apart)
        return Verification(
            holds=leak.upper <= promised,
            epsilon=wanted,
            delta=promised,
            sensitivity=ceil(apart),
            attained=Interval(Fraction(0), leak.upper),
            shift=ceil(apart),
            argument="all directions are alike, and farther is worse",
        )

    def privacy(self, distance: Exact) -> PrivacyLoss:
        """A loss that dominates adding this law to a query that moves by up to `distance`."""
        ratio = _check.positive(distance, "distance") / self.scale
        if self.power == 2:
            return PrivacyLoss.gaussian(mu=ratio)
        return PrivacyLoss.worst_case(epsilon=ratio)

    def moment(self, order: SupportsIndex) -> Interval:
        """E‖X‖**order for order 1 or 2; rounding moves ‖Y‖ by at most √d/2."""
        power = _check.integer_between(order, "order", 1, 2)
        return balls.enclosure(lambda: self._moment(power), relative_bits=0)

    def _moment(self, order: int) -> arb:
        mean, square = self._norm_moment(1), self._norm_moment(2)
        off = arb(self.dimension).sqrt() / 2
        if order == 1:
            return mean + arb(0, 1) * off
        return (square - 2 * off * mean).union(square + 2 * off * mean + off**2)

    def _norm_moment(self, order: int) -> arb:
        """E‖Y‖**order."""
        d, scale = self.dimension, balls.ball(self.scale)
        if self.power == 1:
            return scale**order * arb(prod(range(d, d + order)))
        if order == 2:
            return scale**2 * d
        half = arb(d) / 2
        return scale * arb(2).sqrt() * ((half + arb("0.5")).lgamma() - half.lgamma()).exp()

    def quantile(self, probability: Exact) -> int:
        """A bound on ‖X‖ that is kept with at least this probability, below 1."""
        level = _check.probability(probability, "probability")
        typical = ceil(Fraction(self.moment(1).upper))
        inside = least_integer(lambda m: self._within(m).compare(level) >= 0, 1, typical)
        return inside + isqrt(self.dimension - 1) // 2 + 1

    def _within(self, radius: int) -> Computable:
        """P(‖Y‖ ≤ radius): a Gamma law of ‖Y‖, or of its square."""
        ratio, d = radius / self.scale, self.dimension
        if self.power == 1:
            return Computable(lambda: balls.ball(ratio).gamma_lower(arb(d), 1))
        return Computable(lambda: balls.ball(ratio**2 / 2).gamma_lower(arb(d) / 2, 1))

    def sample(self, size: Size | None = None, source: Source | None = None) -> Draws:
        """Independent exact draws: an array of shape size + (dimension,)."""
        shape, entropy = _check.size(size), checked_source(source)
        pairs = 2 * ((self.dimension + 1) // 2)
        needed = pairs + (self.dimension if self.power == 1 else 0)
        rows = [rounded_point(self._point, needed, entropy) for _ in range(prod(shape))]
        wide = any(abs(entry) >= _LARGEST for row in rows for entry in row)
        whole = (*shape, self.dimension)
        if wide:
            return np.array(rows, dtype=np.object_).reshape(whole)
        return np.array(rows, dtype=np.int64).reshape(whole)

    def _point(self, uniforms: Sequence[arb]) -> list[arb]:
        """Y: normal numbers, or their direction with a radius that is a sum of d exponentials."""
        pairs, scale = 2 * ((self.dimension + 1) // 2), balls.ball(self.scale)
        bell = normals(uniforms[:pairs], self.dimension)
        if self.power == 2:
            return [scale * entry for entry in bell]
        length = sum((entry**2 for entry in bell), arb(0)).sqrt()
        radius = -sum((uniform.log() for uniform in uniforms[pairs:]), arb(0))
        return [scale * radius * entry / length for entry in bell]
