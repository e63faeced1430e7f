"""`ProductNoise`: a noisy count times a noisy 1, and what that really promises."""

import math
from fractions import Fraction
from functools import cached_property
from typing import Any, SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, checked, frozen
from leastnoise.groupwise.secret_counts import Counts, SecretCounts, secret_counts
from leastnoise.groupwise.truncated_zcdp import order_above_one
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import sound_end
from leastnoise.privacy.groupwise import GroupwiseZCDP
from leastnoise.privacy.guarantee import RDP, ZCDP
from leastnoise.privacy.laws.normal import Normal
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source, checked_source
from leastnoise.research.product_normal.product_normal import ProductNormal

_FINE = 1 << 8  # a deviation has at least 16 steps
_FITS = 1 << 62  # sums fit into 64 bits
_LEAST_ERROR = Fraction(1, 10**9)

LARGEST = 1 << 50
"""The largest count that is taken."""


checked_relative_error = _check.limited(
    _check.rational,
    lambda error: _LEAST_ERROR <= error <= 1,
    "lie in [10**-9, 1]",
    "Write 0.05 for 5 %.",
)


@frozen(kw_only=True, repr=False)
class ProductNoise(Rebuilt):
    r"""Algorithm 1 of the note: Y ∼ N(X, (rX)²) for X ∼ N(x, 1/(2ρ)), so Y = X·Z with Z ∼ N(1, r²).

    What is released: the product of two exact lattice variables, rounded to a whole number,
    ⌊((g·x + G)/g)·((h + H)/h) + 1/2⌋, with discrete Gaussian G of parameter g²/(2ρ) and H of
    parameter h²r², and g, h the least odd numbers that make both parameters 256 or more. The
    rounding matters: an unrounded product of two integers can be factored, and gives
    (g·x + G)/g away.

    Theorem: for all counts, the release is ρ-zCDP. Nothing much better is true for all orders: the
    law on the real line has D_α(x+1‖x)/α → at least ρ/2 as α → ∞, for every x and every r, so no
    group-wise curve below ρ/2 is valid, however large the group. What does improve with x is the
    divergence of a *fixed* order: see `at_order`. Nor is the error r·x reached by small groups:
    E|Y − x| < r·x needs x above about 1.32·σ/r, where σ² = 1/(2ρ).
    Proof: docs/proofs/document_algorithms.md, sections 1 to 3.

    Questions about divergences and errors are answered for the law on the real line, as the note
    has it, which the lattice imitates.

    Args:
        rho: ρ > 0.
        relative_error: r in [10**−9, 1].

    References: CanonneKamathSteinke2020 for the discrete Gaussian.

    Example:
        >>> noise = ProductNoise(rho="0.5", relative_error="0.1")
        >>> noise.guarantee, noise.groupwise.at(10**6)
        (ZCDP(rho='0.5'), ZCDP(rho='0.5'))
        >>> noise.floor
        Fraction(1, 4)
        >>> noise.expected_error(13)
        Interval(1.31032514075808, 1.31032514075809)
        >>> noise.keeps_relative_error(13), noise.keeps_relative_error(14)
        (False, True)
        >>> round(float(noise.renyi(101, 100, order=2)) / 2, 4)
        0.0051
    """

    rho: Number = checked(_check.positive)
    relative_error: Number = checked(checked_relative_error)

    def __post_init__(self) -> None:
        _ = self._count_noise, self._factor_noise  # extreme parameters are refused here

    @property
    def guarantee(self) -> ZCDP:
        """ρ-zCDP, by post-processing of the noisy count."""
        return ZCDP(rho=self.rho)

    @property
    def groupwise(self) -> GroupwiseZCDP:
        """The same as a curve: constant, because no falling one is valid below ρ/2."""
        return GroupwiseZCDP(v=self.rho)

    @property
    def floor(self) -> Fraction:
        """ρ/2: for no size is a smaller group-wise v valid."""
        return self.rho / 2

    # Releasing.

    @cached_property
    def _count_noise(self) -> tuple[int, DiscreteGaussian]:
        """g, and the law of G."""
        return _on_lattice(1 / (2 * self.rho))

    @cached_property
    def _factor_noise(self) -> tuple[int, DiscreteGaussian]:
        """h, and the law of H."""
        return _on_lattice(self.relative_error**2)

    def release(self, counts: Counts, source: Source | None = None) -> Release[Any]:
        """Whole numbers in the arrangement of the counts, each with noise of its own.

        Raises:
            InvalidParameter: no counts; nothing was drawn, and the message shows no data.
        """
        secret, entropy = checked_counts(counts), checked_source(source)
        (g, count_noise), (h, factor_noise) = self._count_noise, self._factor_noise
        size = len(secret.values)
        drawn = count_noise.sample(size, entropy), factor_noise.sample(size, entropy)
        released = _rounded_product(secret.values, g, drawn[0], h, drawn[1])
        return Release(secret.arranged(released), self.guarantee, repr(self))

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of the noisy count X, which bounds that of the release."""
        g, noise = self._count_noise
        return noise.privacy(g * _check.integer_between(distance, "distance", 1))

    # What the note's law is like.

    def law(self, size: SupportsIndex) -> ProductNormal:
        """The law of Y on the real line for a group of this size."""
        x = _check.integer_between(size, "size", 0)
        return ProductNormal(Normal(x, 1 / (2 * self.rho)), Normal(1, self.relative_error**2))

    def expected_error(self, size: SupportsIndex) -> Interval:
        """E|Y − x|."""
        return self.law(size).mean_absolute_deviation()

    def printed_error_bound(self, size: SupportsIndex) -> Interval:
        r"""The note's bound r·x + σ·√(1+r²) on E|Y − x|, σ² = 1/(2ρ).

        It holds, by Jensen's inequality and √(a + b) ≤ √a + √b, and is not below the r·x that the
        note asks for (errata E8); `expected_error` is the mean itself.
        """
        x = _check.integer_between(size, "size", 0)
        square = (1 + self.relative_error**2) / (2 * self.rho)
        return balls.enclosure(
            lambda: balls.ball(self.relative_error * x) + balls.ball(square).sqrt()
        )

    def keeps_relative_error(self, size: SupportsIndex) -> bool:
        """Whether E|Y − x| < r·x, which the note asks for; decided."""
        x = _check.integer_between(size, "size", 0)
        wanted = self.relative_error * x
        return balls.sign(lambda: self.law(x)._absolute_deviation() - balls.ball(wanted)) < 0

    def renyi(self, size: SupportsIndex, neighbour: SupportsIndex, *, order: Exact) -> Interval:
        """D_α of the law for one size from the law for another; order 1 gives KL."""
        return self.law(size).renyi(self.law(neighbour), order)

    def at_order(self, size: SupportsIndex, *, order: Exact) -> RDP:
        """The promise of the law on the real line at one order, to a record in a group of x.

        The greatest of D_α over the pairs (x−1, x) and (x, x+1), both ways round, rounded up. For
        an order that stays put it falls like α(1/r² + 2)/(2x²); no single order is zCDP.
        """
        x = _check.integer_between(size, "size", 0)
        neighbours = [y for y in (x - 1, x + 1) if y >= 0]
        pairs = [pair for y in neighbours for pair in ((x, y), (y, x))]
        found = [self.renyi(*pair, order=order) for pair in pairs]
        greatest = max(found, key=lambda bracket: bracket.upper)
        return RDP(order=order, epsilon=sound_end(greatest))

    def renyi_at_least(self, size: SupportsIndex, *, order: Exact) -> Interval:
        r"""A lower bound on D_α(x+1‖x) in closed form: the reason for the floor.

        Theorem: with a = (x+1)/σ, a′ = x/σ, b = 1/r and c = (αa + (1−α)a′ + b)/2 ≥ 1, (α−1)·D_α is
        at least c² − (αa² + (1−α)a′² + b²)/2 − (α−1)(a′−b)²/4 − α·ln(2√π). Divided by α(α−1) this
        tends to 1/(4σ²) = ρ/2.
        Proof: docs/proofs/document_algorithms.md, section 2.

        The lower end is the bound; the upper end is α·ρ, which D_α cannot exceed.

        Example:
            >>> noise = ProductNoise(rho="0.5", relative_error="0.1")
            >>> bool(noise.renyi_at_least(100, order=10**8).lower / 10**8 > Fraction("0.2499"))
            True
        """
        x, alpha = _check.integer_between(size, "size", 0), order_above_one(order, "order")
        bound = balls.enclosure(lambda: self._least(x, alpha))
        return Interval(max(Fraction(0), bound.lower), alpha * self.rho)

    def _least(self, x: int, alpha: Fraction) -> arb:
        sigma, order = (1 / balls.ball(2 * self.rho)).sqrt(), balls.ball(alpha)
        a, other, b = (x + 1) / sigma, x / sigma, 1 / balls.ball(self.relative_error)
        c = (order * a + (1 - order) * other + b) / 2
        if not c >= 1:
            return arb(0)
        squares = (order * a**2 + (1 - order) * other**2 + b**2) / 2
        constant = order * (2 * arb.pi().sqrt()).log()
        total = c**2 - squares - (order - 1) * (other - b) ** 2 / 4 - constant
        return total / (order - 1)


def checked_counts(counts: Counts) -> SecretCounts:
    """Counts small enough for 64-bit integers to hold what is released."""
    secret = secret_counts(counts)
    if not secret.values.size or int(secret.values.max()) <= LARGEST:
        return secret
    raise _check.refuse(
        "counts must be at most 2**50",
        "a larger one (not shown: it is data)",
        "There are not that many people.",
    )


def fine_steps(variance: Fraction) -> int:
    """The least odd number of steps per unit that make the variance 256 or more in steps.

    Odd, so that nothing lies halfway between two whole numbers and rounding has no bias.

    Example:
        >>> fine_steps(Fraction(1)), fine_steps(Fraction(10**6))
        (17, 1)
    """
    steps = math.isqrt(math.ceil(_FINE / variance) - 1) + 1
    return steps | 1


def _on_lattice(variance: Fraction) -> tuple[int, DiscreteGaussian]:
    steps = fine_steps(variance)
    return steps, DiscreteGaussian(variance=steps**2 * variance)


def _rounded_product(
    counts: NDArray[np.int64], g: int, noise: NDArray[Any], h: int, factor: NDArray[Any]
) -> NDArray[np.int64]:
    """⌊(g·x + G)(h + H)/(gh) + 1/2⌋ in whole numbers, however large the product."""
    largest = (g * _greatest(counts) + _greatest(noise)) * (h + _greatest(factor))
    kind = np.int64 if 2 * largest + g * h < _FITS else np.object_
    first = g * counts.astype(kind) + noise.astype(kind)
    product = first * (h + factor.astype(kind))
    return np.asarray((2 * product + g * h) // (2 * g * h), dtype=np.int64)


def _greatest(values: NDArray[Any]) -> int:
    return int(max(abs(int(values.min())), abs(int(values.max())))) if values.size else 0
