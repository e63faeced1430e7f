r"""Rényi divergences of a generalised Gaussian law from its shifted copy.

Write w for the weights and l(k) ≥ 0 for the loss at k ≤ d/2. Since k ↦ d − k exchanges both laws,

    Σ p^α·q^(1−α) = Σ p(k)·(e^((α−1)·l(k)) + e^(−α·l(k))) over k < d/2, plus p(d/2),

and the Kullback–Leibler divergence is Σ p(k)·(1 − e^(−l(k)))·l(k) over k < d/2. To the left of 0
all these are log-concave in k, but for the second exponential if α > 1: there p·e^(−α·l) is at most
the weight at k − d.
Proofs: docs/proofs/generalized_gaussian.md, section 4.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.shapes.generalized_gaussian_shape import GeneralizedGaussianShape
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.log_concave import log_concave_sum
from leastnoise.privacy.laws.finite_law import at_least_0
from leastnoise.privacy.order import Order

_MOST_TERMS = 1 << 16  # some seconds

Term = Callable[[int], arb]


def generalized_gaussian_renyi(
    shape: GeneralizedGaussianShape, order: Order, distance: int
) -> Interval:
    """D_α(X ‖ X + distance) for any order α > 0, math.inf included, and distance ≥ 1."""
    if order == math.inf:
        return Interval(math.inf, math.inf)
    sums = _HalfSums(shape, Fraction(order), distance)
    if sums.length(balls.FIRST_PRECISION) > _MOST_TERMS:
        raise UnsupportedQuery(
            f"a Rényi divergence of this law is summed over at most {_MOST_TERMS} values; it needs "
            "more. Use a coarser lattice, or ask for the hockey-stick divergence."
        )
    return at_least_0(sums.divergence)


@dataclass(frozen=True)
class _HalfSums:
    """Sums over k ≤ d/2, as balls at the working precision."""

    shape: GeneralizedGaussianShape
    order: Fraction
    distance: int

    def _peak(self) -> int:
        """About where the terms to the left of 0 are greatest, as −k."""
        ahead = max(Fraction(0), (self.shape.power - 1) * (self.order - 1))
        return int(ahead * self.distance)

    def length(self, bits: int) -> int:
        """About how many terms matter."""
        spread = float(self.shape.scale) * float(bits) ** float(1 / self.shape.power)
        return self._peak() + self.distance + int(spread) + 2

    def divergence(self) -> arb:
        total = self.shape.sums.total()
        if self.order == 1:
            return self._log_concave(self._kl_term) / total
        whole = self._log_concave(lambda k: self._term(k, self.order - 1))
        whole += self._mirrored()
        if self.distance % 2 == 0:
            whole += self.shape.sums.weight(self.distance // 2)
        return (whole / total).log() / balls.ball(self.order - 1)

    def _term(self, k: int, factor: Fraction) -> arb:
        """w(k)·e^(factor·l(k))."""
        loss = self.shape.loss(k, self.distance)
        return (balls.ball(factor) * loss - self.shape.sums.exponent(k)).exp()

    def _kl_term(self, k: int) -> arb:
        loss = self.shape.loss(k, self.distance)
        return -self.shape.sums.weight(k) * (-loss).expm1() * loss

    def _inner(self, term: Term) -> arb:
        """The terms with 0 < k < d/2."""
        return sum((term(k) for k in range(1, (self.distance + 1) // 2)), arb(0))

    def _log_concave(self, term: Term) -> arb:
        return self._inner(term) + log_concave_sum(lambda j: term(-j), 0, self._peak())

    def _mirrored(self) -> arb:
        """Σ w(k)·e^(−α·l(k)) over k < d/2."""

        def term(k: int) -> arb:
            return self._term(k, -self.order)

        if self.order < 1:
            return self._log_concave(term)
        stop = self.length(ctx.prec)
        summed = sum((term(-j) for j in range(stop)), arb(0))
        rest = self.shape.sums.beyond(stop + self.distance)
        return self._inner(term) + summed + arb(0).union(rest)
