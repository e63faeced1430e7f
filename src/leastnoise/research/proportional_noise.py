"""`ProportionalNoise`: noise in proportion to the count itself, and why it is not zCDP."""

import math
from fractions import Fraction
from typing import Any, NoReturn, SupportsIndex

import numpy as np
from flint import arb

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.errors import UnsupportedQuery
from leastnoise.groupwise.secret_counts import Counts
from leastnoise.groupwise.truncated_zcdp import TruncatedZCDP, order_above_one
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.theta import theta
from leastnoise.privacy.guarantee import RDP, exact_text
from leastnoise.privacy.laws.normal import Normal
from leastnoise.randomness.source import Source, checked_source
from leastnoise.research.forward_bounds import ForwardBounds
from leastnoise.research.product_noise import (
    LARGEST,
    checked_counts,
    checked_relative_error,
    fine_steps,
)

_TINY = Fraction(1, 2**64)  # the share of the range that is left out at either end


@frozen(kw_only=True, repr=False)
class ProportionalNoise(Rebuilt):
    r"""Algorithm 2 of the note: N(x, (rx)²) for a count x. The noise itself depends on the data.

    What is released: ⌊(g·x + G)/g + 1/2⌋ with discrete Gaussian G of parameter (g·r·x)², exact;
    g is the least odd number with g·r·smallest ≥ 16. Counts below `smallest` are raised to it.

    Theorem: it is not zCDP, group-wise or otherwise: D_α(x+1‖x) is infinite from the order
    1 + x²/(2x+1) on, so that no v and ξ satisfy D_α ≤ αv + ξ for all α. Up to an order ω below
    that, for counts y ≥ smallest and both directions of every pair (y, y+1),
    D_α ≤ α·(1/(2r²) + (1 + 1/(2y))²)/((1−θ)·y²) for 1 < α ≤ ω, where θ = (ω−1)(2y+1)/y² < 1.
    This holds on the real line, and for the lattice as well.
    Proof: docs/proofs/document_algorithms.md, sections 7 and 8.

    Use a mechanism whose noise does not depend on the data where you can.

    Args:
        relative_error: r in [10**−9, 1]: the standard deviation is r·x, the mean error √(2/π)·r·x.
        smallest: at least 1; groups of 0 would get no noise at all.
        order: ω, the order up to which a promise is wanted.

    References: GilAlajajiLinder2013 for the divergence of two normal laws.

    Example:
        >>> noise = ProportionalNoise(relative_error="0.1", smallest=100, order=20)
        >>> noise.promise(100).rho, noise.promise(10_000).rho < Fraction("0.000001")
        (Fraction(2040401, 247240000), True)
        >>> noise.guarantee == noise.promise(100).at_order(20)
        True
        >>> noise.law(101).renyi(noise.law(100), Fraction(51))
        Interval(inf)
        >>> noise.law(101).renyi(noise.law(100), Fraction(50))
        Interval(16.5891273918667, 16.5891273918668)
        >>> noise.groupwise
        Traceback (most recent call last):
        leastnoise.errors.UnsupportedQuery: noise in proportion to the count is not group-wise
        zCDP for any v and ξ; got ProportionalNoise(relative_error='0.1', smallest=100,
        order=20), whose divergence is infinite from order 10201/201 on. Ask for `promise`,
        which holds up to an order, or use a mechanism whose noise does not depend on the data.
    """

    relative_error: Number = checked(checked_relative_error)
    smallest: Whole = checked(_check.whole(1, LARGEST))
    order: Number = checked(_check.rational)

    def __post_init__(self) -> None:
        _check_order(self.order, self.smallest)
        self._noise(self.smallest)  # extreme parameters are refused here

    # Promises.

    @property
    def guarantee(self) -> RDP:
        """(ω, ·)-RDP, the promise to the smallest group; larger ones have `promise`."""
        return self.promise(self.smallest).at_order(self.order)

    @property
    def groupwise(self) -> NoReturn:
        """Refused: there is no such guarantee.

        Raises:
            UnsupportedQuery: always.
        """
        raise UnsupportedQuery(
            "noise in proportion to the count is not group-wise zCDP for any v and ξ; got "
            f"{self!r}, whose divergence is infinite from order "
            f"{exact_text(infinite_from(self.smallest))} on. Ask for `promise`, which holds up to "
            "an order, or use a mechanism whose noise does not depend on the data."
        )

    def promise(self, size: SupportsIndex) -> TruncatedZCDP:
        """What a record in a group of this (public) size is promised, for orders up to ω."""
        y = max(self._size(size) - 1, self.smallest)
        theta_ = (self.order - 1) * Fraction(2 * y + 1, y * y)
        height = 1 / (2 * self.relative_error**2) + (1 + Fraction(1, 2 * y)) ** 2
        return TruncatedZCDP(rho=height / ((1 - theta_) * y * y), order=self.order)

    def renyi(self, size: SupportsIndex, neighbour: SupportsIndex, *, order: Exact) -> Interval:
        r"""D_α of what is drawn for one size from what is drawn for another, before rounding.

        Theorem: let m, m′ be the centres and V, V′ the parameters of two discrete Gaussians,
        T(V, μ) = Σ exp(−(k−μ)²/(2V)), s = αV′ + (1−α)V, S = VV′/s and μ = S·(αm/V + (1−α)m′/V′).
        If s > 0 then (α−1)·D_α = ln T(S, μ) − α·ln T(V, 0) + (α−1)·ln T(V′, 0)
        + α(α−1)(m−m′)²/(2s), else D_α = ∞.
        Proof: complete the square.

        For the law on the real line ask `law(size).renyi(law(neighbour), order)`.
        """
        alpha = order_above_one(order, "order")
        p, q = (_Lattice.of(self, max(self._size(x), self.smallest)) for x in (size, neighbour))
        return p.renyi(q, alpha)

    def forward_bounds(self, size: SupportsIndex, *, order: Exact) -> ForwardBounds:
        """D_α(x‖x+1) on the real line, with the note's formula and bounds; one direction only.

        Example:
            >>> noise = ProportionalNoise(relative_error="0.5", smallest=5, order=2)
            >>> found = noise.forward_bounds(5, order=2)
            >>> print(f"{found.exact:.5f} {found.printed:.5f}")
            0.13411 0.31644
            >>> print(f"{found.bound:.5f} {found.printed_bound:.5f} {found.flat_bound:.5f}")
            0.34232 0.52464 0.36414
        """
        x = max(self._size(size), self.smallest)
        return ForwardBounds.of(self.relative_error, x, order_above_one(order, "order"))

    # Releasing.

    def law(self, size: SupportsIndex) -> Normal:
        """The note's law on the real line, N(x, (rx)²), for a group of at least `smallest`."""
        x = max(self._size(size), self.smallest)
        return Normal(x, (self.relative_error * x) ** 2)

    def expected_error(self, size: SupportsIndex) -> Interval:
        """E|X − x| = √(2/π)·r·x on the real line."""
        x = max(self._size(size), self.smallest)
        return balls.enclosure(lambda: balls.ball(self.relative_error * x) * (2 / arb.pi()).sqrt())

    @property
    def steps(self) -> int:
        """g: the lattice's steps per unit."""
        return fine_steps((self.relative_error * self.smallest) ** 2)

    def release(self, counts: Counts, source: Source | None = None) -> Release[Any]:
        """Whole numbers in the arrangement of the counts, each with noise of its own.

        Every different count needs a law of its own, about 10 ms: that time, too, depends on the
        data.

        Raises:
            InvalidParameter: no counts; nothing was drawn, and the message shows no data.
        """
        secret, entropy = checked_counts(counts), checked_source(source)
        raised = np.maximum(secret.values, self.smallest)
        released = np.zeros(raised.shape, dtype=np.int64)
        for count in np.unique(raised).tolist():
            chosen = raised == count
            drawn = self._noise(count).sample(int(chosen.sum()), entropy)
            released[chosen] = count + (2 * drawn + self.steps) // (2 * self.steps)
        return Release(secret.arranged(released), self.guarantee, repr(self))

    def _noise(self, count: int) -> DiscreteGaussian:
        return DiscreteGaussian(variance=(self.steps * self.relative_error * count) ** 2)

    def _size(self, size: SupportsIndex) -> int:
        return _check.integer_between(size, "size", 0, LARGEST)


def infinite_from(size: SupportsIndex) -> Fraction:
    """1 + x²/(2x+1): from this order on D_α(x+1‖x) is infinite.

    Example:
        >>> infinite_from(5)
        Fraction(36, 11)
    """
    x = _check.integer_between(size, "size", 0)
    return 1 + Fraction(x * x, 2 * x + 1)


def _check_order(alpha: Fraction, smallest: int) -> None:
    limit = infinite_from(smallest)
    share = (alpha - 1) / (limit - 1)
    if _TINY <= share <= 1 - _TINY:
        return
    raise _check.refuse(
        f"`order` must lie between 1 and {exact_text(limit)}, where the divergence of "
        f"smallest={smallest} becomes infinite",
        f"order={exact_text(alpha)}",
        "Choose a smaller order, or promise larger groups.",
    )


@dataclass(frozen=True)
class _Lattice:
    """A discrete Gaussian with a whole centre."""

    centre: int
    variance: Fraction

    @classmethod
    def of(cls, noise: ProportionalNoise, count: int) -> "_Lattice":
        return cls(noise.steps * count, noise._noise(count).sigma_squared)

    def renyi(self, other: "_Lattice", alpha: Fraction) -> Interval:
        """D_α from another, infinite where the tilted variance is."""
        if self == other:
            return Interval.exactly(0)
        mixed = alpha * other.variance + (1 - alpha) * self.variance
        if mixed <= 0:
            return Interval(math.inf, math.inf)
        tilted = self.variance * other.variance / mixed
        place = tilted * (
            alpha * self.centre / self.variance + (1 - alpha) * other.centre / other.variance
        )
        lift = alpha * (alpha - 1) * (self.centre - other.centre) ** 2 / (2 * mixed)

        def divergence() -> arb:
            logs = [_log_sum(law.variance, Fraction(0)) for law in (self, other)]
            order, whole = balls.ball(alpha), balls.ball(lift) + _log_sum(tilted, place)
            return (whole - order * logs[0] + (order - 1) * logs[1]) / (order - 1)

        return balls.enclosure(divergence)


def _log_sum(variance: Fraction, place: Fraction) -> arb:
    return theta(balls.ball(1 / (2 * variance)), place).log()
