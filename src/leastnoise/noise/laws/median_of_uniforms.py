"""`MedianOfUniforms`: bounded noise that is bell-shaped and all rational."""

import math
from fractions import Fraction
from functools import cached_property
from math import comb

import numpy as np
from flint import arb, fmpq, fmpq_poly
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.numeric import ball as balls
from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.power_sum import power_sum
from leastnoise.numeric.proved_floats import TINY, UNIT, log
from leastnoise.numeric.real import rational_real
from leastnoise.randomness.source import Source
from leastnoise.randomness.table import LookUpTable
from leastnoise.randomness.uniform import uniform_below

_GREATEST_ORDER = 100  # binomial sums stay short
_GREATEST_RADIUS = (1 << 62) - 1  # draws fit into 64 bits
_TABLE_POINTS = 1 << 11  # a longer table costs more to make than it saves
_CHUNK = 1 << 17  # stays in the processor's cache


@frozen(repr=False)
class MedianOfUniforms(LatticeLaw):
    r"""The median of 2·order + 1 uniform integers on −radius..radius: noise with a hard bound.

    Law: (abs(k) <= radius) / (2*radius+1)**(2*order+1) * sum(
        comb(2*order+1, i) * (radius-k+1)**i * (radius+k)**(2*order+1-i)
        - comb(2*order+1, i) * (radius-k)**i * (radius+k+1)**(2*order+1-i)
        for i in range(order+1, 2*order+2))

    Nearly the density (1 − (k/radius)²)**order, so the greater the order, the thinner the ends.
    Order 0 is the uniform law.

    Theorem: for every integer query of sensitivity Δ ≥ 1, adding this law is (ε, δ)-DP exactly for
    δ ≥ P(X ≤ t) − e^ε·P(X ≤ t − Δ), where t is the greatest integer with
    P(X = t) > e^ε·P(X = t − Δ). The error never exceeds the radius.
    Proof: the weights are log-concave; docs/proofs/median_of_uniforms.md.

    Args:
        order: an integer in 0..100; the greater, the lighter the tails.
        radius: an integer in 1..2**62 − 1, the greatest error there can be.

    Raises:
        InvalidParameter: order or radius is not an integer in its range.

    Example:
        >>> MedianOfUniforms(order=1, radius=1).pmf(1)
        Interval(0.259259259259259, 0.25925925925926)
        >>> MedianOfUniforms(order=4, radius=671).sample(5).max() <= 671
        np.True_
    """

    order: Whole = checked(_check.whole(0, _GREATEST_ORDER))
    radius: Whole = checked(_check.whole(1, _GREATEST_RADIUS))

    @cached_property
    def shape(self) -> "MedianShape":
        """Counts of equally likely outcomes."""
        return MedianShape(self.order, self.radius)


@dataclass(frozen=True)
class MedianShape:
    """Counts among the (2·radius + 1)**(2·order + 1) equally likely lists of integers drawn."""

    order: int
    radius: int

    symmetric_unimodal = True

    @property
    def support(self) -> tuple[int, int]:
        """−radius and radius."""
        return -self.radius, self.radius

    @property
    def _points(self) -> int:
        return 2 * self.radius + 1

    @property
    def _draws(self) -> int:
        return 2 * self.order + 1

    @cached_property
    def _all(self) -> int:
        every: int = self._points**self._draws
        return every

    @cached_property
    def _majorities(self) -> list[int]:
        """In how many ways i of the draws can be chosen, for each i above one half."""
        return [comb(self._draws, i) for i in range(self.order + 1, self._draws + 1)]

    def _at_least(self, k: int) -> int:
        """How many lists have a median ≥ k: those with more than half of their entries there."""
        above = min(max(self.radius - k + 1, 0), self._points)
        below = self._points - above
        total, power = 0, above ** (self.order + 1)
        for choices in self._majorities:
            total, power = total * below + choices * power, power * above
        return total

    def _exactly(self, k: int) -> int:
        return self._at_least(k) - self._at_least(k + 1)

    def _share(self, outcomes: int) -> ExponentialRatio:
        return rational_real(Fraction(outcomes, self._all))

    def pmf(self, k: int) -> ExponentialRatio:
        """P(X = k)."""
        return self._share(self._exactly(k))

    def tail(self, k: int) -> ExponentialRatio:
        """P(X ≥ k)."""
        return self._share(self._at_least(k))

    def outside(self, magnitude: int) -> ExponentialRatio:
        """P(|X| > magnitude)."""
        return self._share(2 * self._at_least(magnitude + 1))

    def moment(self, order: int) -> ExponentialRatio:
        """E|X|**order = 2·Σ (k**order − (k−1)**order)·P(X ≥ k) over k = 1..radius.

        As a function of x = radius + 1 − k every term is a polynomial, for the count of lists with
        a median ≥ k is 0 at x = 0 and its derivative is draws·comb(2a, a)·(x·(points − x))**a, with
        a the order of the law.
        """
        x = fmpq_poly([0, 1])
        rate = (x * (self._points - x)) ** self.order
        at_least = self._draws * comb(2 * self.order, self.order) * rate.integral()
        steps = (self.radius + 1 - x) ** order - (self.radius - x) ** order
        return rational_real(2 * _sum_to(self.radius, at_least * steps) / self._all)

    def hockey_stick(self, epsilon: Fraction, shift: int) -> ExponentialRatio:
        """Σₖ max(0, P(X = k) − e^epsilon·P(X + shift = k)), exactly.

        By symmetry only d = |shift| matters, and by log-concavity the terms are positive up to
        some k and never after.
        """
        stop = self._half_line_stop(epsilon, abs(shift))
        kept = self._all - self._at_least(stop)
        covered = self._all - self._at_least(stop - abs(shift))
        leak = kept - ExponentialSum.exp(epsilon) * covered
        return ExponentialRatio(leak, ExponentialSum.of(self._all))

    def _half_line_stop(self, epsilon: Fraction, distance: int) -> int:
        """The first k at which the loss does not exceed epsilon."""
        factor = ExponentialSum.exp(epsilon)

        def no_leak(k: int) -> bool:
            leak = self._exactly(k) - factor * self._exactly(k - distance)
            return k > self.radius or leak.sign() <= 0

        return least_integer(no_leak, -self.radius)

    def exceedance(self, epsilon: Fraction, shift: int) -> ExponentialRatio:
        """P(loss > epsilon), exactly."""
        return self._share(self._all - self._at_least(self._half_line_stop(epsilon, abs(shift))))

    def log_pmf(self, low: int, high: int) -> NDArray[np.float64]:
        """Log P(X = k) for low ≤ k ≤ high.

        The count of lists is the integral of draws·comb(2a, a)·(x·(points − x))**a, a polynomial of
        degree 2a, over a unit of x = radius − k: Gauss–Legendre with a + 1 nodes is exact there.
        """
        x = self.radius - np.arange(low, high + 1, dtype=np.float64)
        inside = np.abs(self.radius - x) <= self.radius
        shares, weights, scale = self._quadrature
        sums = np.zeros(len(x))
        for share, weight in zip(shares, weights, strict=True):
            places = (x[inside] + share) * ((self._points - x[inside]) - share)
            sums[inside] += weight * _power(places * (4.0 / self._points**2), self.order)
        some = sums > TINY
        logs = np.full(len(x), -np.inf)
        logs[some] = log(sums[some]) + scale
        # Too small for a float: as much as nothing, and bounded by TINY.
        return logs

    @cached_property
    def _quadrature(self) -> tuple[list[float], list[float], float]:
        """Nodes and weights of Gauss–Legendre on (0, 1), and the logarithm of what is in front."""
        count = self.order + 1
        with balls.precision(balls.FIRST_PRECISION):
            found = [arb.legendre_p_root(count, k, weight=True) for k in range(count)]
            nodes = [float((1 + node) / 2) for node, _ in found]
            front = arb(self._draws * comb(2 * self.order, self.order)) / self._points
            scale = float(front.log() - self.order * arb(4).log())
            return nodes, [float(weight / 2) for _, weight in found], scale

    def log_pmf_error(self, low: int, high: int) -> float:
        """Of products of 2a factors, each good to four units, and of a logarithm."""
        del low, high
        shares, weights, scale = self._quadrature
        # The least sum has at least one term, and each factor there is at least share/points.
        least = math.log(min(weights)) + self.order * math.log(min(shares) / self._points)
        largest = abs(scale) + min(700.0, -least)
        return float((12 * self.order + 32 + 8 * largest) * UNIT)

    @cached_property
    def _table(self) -> LookUpTable:
        return LookUpTable(
            lambda n, bits: (self._at_least(n - self.radius) << bits) // self._all,
            lambda n: n - self.radius,
            self._points,
        )

    def sample(self, count: int, source: Source) -> NDArray[np.int64]:
        """`count` independent exact draws: by a table if it is short, else medians of uniforms."""
        if self._points <= _TABLE_POINTS:
            return self._table.sample(count, source)
        drawn = np.empty(count, dtype=np.int64)
        rows = _CHUNK // self._draws
        for start in range(0, count, rows):
            part = drawn[start : start + rows]
            part[:] = self._medians(part.size, source)
        return drawn

    def _medians(self, count: int, source: Source) -> NDArray[np.int64]:
        lists = uniform_below(self._points, count * self._draws, source).reshape(count, -1)
        lists.partition(self.order, axis=1)
        return lists[:, self.order] - self.radius


def _sum_to(last: int, polynomial: fmpq_poly) -> Fraction:
    """Σ polynomial(x) over x = 0..last."""
    terms = enumerate(polynomial.coeffs())
    total = sum((factor * power_sum(power, last + 1) for power, factor in terms), fmpq(0))
    return Fraction(int(total.p), int(total.q))


def _power(values: NDArray[np.float64], exponent: int) -> NDArray[np.float64]:
    """Products of so many equal factors."""
    result = np.ones_like(values)
    for _ in range(exponent):
        result *= values
    return result
