"""`GeneralizedGaussianShape`: the mathematics of weights between Laplace's and Gauss's."""

from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.noise.shapes.gaussian_shape import Probability
from leastnoise.noise.shapes.generalized_gaussian_sums import WeightSums
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.proved_floats import UNIT
from leastnoise.numeric.rational_root import rational_root
from leastnoise.numeric.real import Computable
from leastnoise.randomness.block_sampler import BlockSampler
from leastnoise.randomness.source import Source

_MOSTLY_ENOUGH_BITS = 256  # spares the climb from 128 bits
_CHECKED = 32 * UNIT  # to which part of themselves powers are checked
_MOST_FACTORS = 64  # longer products are not worth a check
_LARGEST_CHECKED = 1e150  # products of two such numbers are floats


@dataclass(frozen=True)
class GeneralizedGaussianShape:
    """Weights exp(−(|k|/scale)**power) on all integers k, 1 < power < 2."""

    scale: Fraction
    power: Fraction

    symmetric_unimodal = True
    support = None

    @cached_property
    def sums(self) -> WeightSums:
        """The weights and their sums."""
        return WeightSums(self.scale, self.power)

    def _share(self, weight: arb) -> arb:
        return weight / self.sums.total()

    def pmf(self, k: int) -> Probability:
        """P(X = k)."""
        return Probability(lambda: self._share(self.sums.weight(k)))

    def tail(self, k: int) -> Probability:
        """P(X ≥ k)."""
        return Probability(lambda: self._tail(k))

    def _tail(self, k: int) -> arb:
        if k > 0:
            return self._share(self.sums.beyond(k))
        return 1 - self._tail(1 - k)

    def outside(self, magnitude: int) -> Probability:
        """P(|X| > magnitude)."""
        return Probability(lambda: 2 * self._tail(magnitude + 1))

    def moment(self, order: int) -> Computable:
        """E|X|**order."""
        return Computable(lambda: 2 * self._share(self.sums.powers(order)))

    def loss(self, k: int, distance: int) -> arb:
        """log(P(X = k)/P(X + distance = k))."""
        return self.sums.exponent(k - distance) - self.sums.exponent(k)

    def hockey_stick(self, epsilon: Fraction, shift: int) -> Probability:
        r"""Σₖ max(0, P(X = k) − e^epsilon·P(X + shift = k)).

        By symmetry only d = |shift| matters. The loss at k falls with k because |x|**power is
        convex, so the sum is over a half-line.
        """
        distance = abs(shift)
        last = self._half_line(epsilon, distance)
        if last is None:
            return self._beyond_reach()

        def divergence() -> arb:
            return self._tail(-last) - balls.ball(epsilon).exp() * self._tail(distance - last)

        return Probability(divergence)

    def exceedance(self, epsilon: Fraction, shift: int) -> Probability:
        """P(loss > epsilon)."""
        last = self._half_line(epsilon, abs(shift))
        return self._beyond_reach() if last is None else self.tail(-last)

    @property
    def _reach(self) -> int:
        """A magnitude beyond which lies less than e**−2**19 of the mass."""
        return 2 + int(float(self.scale) * 2.0 ** (20 / float(self.power)))

    def _beyond_reach(self) -> Probability:
        return Probability(lambda: arb(0).union(self._tail(self._reach)))

    def _half_line(self, epsilon: Fraction, distance: int) -> int | None:
        """The last k with a loss above epsilon; None if every such k lies below −reach."""
        if not self._exceeds(-self._reach, epsilon, distance):
            return None
        # At k > d/2 the loss is negative. Minus k turns falling into rising.
        return -least_integer(
            lambda j: self._exceeds(-j, epsilon, distance),
            -(distance // 2),
            self._guess(epsilon, distance),
        )

    def _exceeds(self, k: int, epsilon: Fraction, distance: int) -> bool:
        """Whether the loss at k is above epsilon, decided."""
        with balls.precision(_MOSTLY_ENOUGH_BITS):
            excess = self.loss(k, distance) - balls.ball(epsilon)
        if excess > 0 or excess < 0:
            return bool(excess > 0)
        if self._meets(k, epsilon, distance):
            return False
        return balls.sign(lambda: self.loss(k, distance) - balls.ball(epsilon)) > 0

    def _meets(self, k: int, epsilon: Fraction, distance: int) -> bool:
        r"""Whether the loss at k *is* epsilon.

        Theorem: if B + C = 1 for real B, C ≥ 0 some powers of which are rational, then both are.
        Proof: docs/proofs/generalized_gaussian.md, section 3.
        Here B = (|k|/|k−d|)**power and C = epsilon·(scale/|k−d|)**power.
        """
        farther, degree = abs(k - distance), self.power.denominator
        parts = (
            Fraction(abs(k), farther) ** self.power.numerator,
            epsilon**degree * (self.scale / farther) ** self.power.numerator,
        )
        roots = [rational_root(part, degree) for part in parts]
        return sum(root for root in roots if root is not None) == 1 and None not in roots

    def _guess(self, epsilon: Fraction, distance: int) -> int:
        """About where the loss is epsilon, as −k, for a distance that is not large."""
        try:
            scale, power = float(self.scale), float(self.power)
            slope = float(epsilon) * scale / (power * distance)
            return min(self._reach, int(scale * slope ** (1 / (power - 1)) - distance / 2))
        except OverflowError:
            return 0

    def log_pmf(self, low: int, high: int) -> NDArray[np.float64]:
        """Log P(X = k) for low ≤ k ≤ high."""
        k = np.abs(np.arange(low, high + 1, dtype=np.float64))
        with balls.precision(balls.FIRST_PRECISION):
            log_total = float(self.sums.total().log())
        logs: NDArray[np.float64] = -self._exponents(k) - log_total
        return logs

    def _exponents(self, magnitudes: NDArray[np.float64]) -> NDArray[np.float64]:
        """(k/scale)**power for k ≥ 0, from a library that promises nothing: checked after."""
        ratios = magnitudes / float(self.scale)
        found: NDArray[np.float64] = ratios ** float(self.power)
        if not _is_power(found, ratios, self.power):
            with balls.precision(balls.FIRST_PRECISION):
                found = np.array([float(self.sums.exponent(int(k))) for k in magnitudes.tolist()])
        return found

    def log_pmf_error(self, low: int, high: int) -> float:
        """Of powers, which are checked to within `_CHECKED` of themselves, and of two roundings."""
        largest = float(self._exponents(np.array([float(max(abs(low), abs(high)))]))[0])
        with balls.precision(balls.FIRST_PRECISION):
            log_total = abs(float(self.sums.total().log()))
        return (_CHECKED + 8 * UNIT) * 2 * largest + 8 * UNIT * log_total

    @cached_property
    def _sampler(self) -> BlockSampler:
        return BlockSampler(self.sums.weight, mode=0, spread=int(self.scale))

    def sample(self, count: int, source: Source) -> Draws:
        """`count` independent exact draws."""
        return self._sampler.sample(count, source)


def _is_power(found: NDArray[np.float64], ratios: NDArray[np.float64], power: Fraction) -> bool:
    r"""Whether y = x^(a/b) to within `_CHECKED`, by y^b and x^a: products of floats.

    A product of m factors errs by at most m·u of itself, so that |y^b − x^a| ≤ c·u·x^a for floats
    implies |y − x^(a/b)| ≤ (c + a + b + 2)·u·x^(a/b)/b, up to squares of u.
    """
    above, below = power.numerator, power.denominator
    if above + below > _MOST_FACTORS:
        return False
    allowed = _CHECKED / UNIT * below - above - below - 4
    left, right = _product(found, below), _product(ratios, above)
    if not float(right.max()) < _LARGEST_CHECKED or allowed <= 0:
        return False
    some = ratios > 0
    if float(right[some].min(initial=1.0)) < 1 / _LARGEST_CHECKED or bool(found[~some].any()):
        return False
    return bool((np.abs(left - right) <= allowed * UNIT * right).all())


def _product(values: NDArray[np.float64], factors: int) -> NDArray[np.float64]:
    result = values.copy()
    for _ in range(factors - 1):
        result *= values
    return result
