"""`CorrelatedShape`: how much noise the columns share, at its best; it knows no budget."""

import math
from fractions import Fraction
from functools import cached_property

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls

_LARGEST_PART = 1 << 12  # of a multiplier


@dataclass(frozen=True)
class CorrelatedShape:
    r"""Noise (Z₀/g₀ + Zⱼ/g₁)/2 on column j, with g₀ = G·γ₀ and g₁ = G·γ₁.

    Theorem: let u = γ₀²/γ₁², d the number of columns, and J(u) = (1 + 1/u)·max (k − k²/(u+d)) over
    k = 0 … d. With independent Z of variance V, the noise has variance
    (1/g₀² + 1/g₁²)·V/4 per column; a row of k ones moves it, in units of its own covariance, by
    4·g₁²·(k − k²/(u+d))/V squared. So at μ² = 1 the variance is J(u), and no Gaussian noise has a
    smaller mean variance than min J. With t ≤ √d the greatest integer with t ≡ d+1 mod 2,
    k = (t+1+d)/2 and r = √((d−k)/(k·(d−1))), the minimum is at d·r/(1−r) cut to [t, t+2]. It is at
    most (√d+1)²/4, with equality for square numbers d.
    Proof: docs/proofs/correlated_noise.md, section 2.

    Args:
        columns: d ≥ 1.

    References: Lebeda2025, for u = √d and (√d+1)²/4 (arXiv 2408.06853v3); JosephYu2024, for optimal
    ellipses around rows with a bounded number of ones.

    Example:
        >>> CorrelatedShape(100).common, CorrelatedShape(100).own
        (3001, 949)
        >>> float(balls.enclosure(CorrelatedShape(100).least_variance))
        30.25
        >>> float(balls.enclosure(CorrelatedShape(2).least_variance)), (2**0.5 + 1) ** 2 / 4
        (1.3333333333333333, 1.4571067811865475)
    """

    columns: int

    @cached_property
    def _tie(self) -> int:
        """The t of the theorem."""
        root = math.isqrt(self.columns)
        return root - (root - self.columns - 1) % 2

    @cached_property
    def _ones(self) -> int:
        """The k of the theorem."""
        return (self._tie + 1 + self.columns) // 2

    @cached_property
    def best_ratio(self) -> float:
        """The best u, in floats: it is a choice, not a proof."""
        d, k = self.columns, self._ones
        if d == 1:
            return 1.0
        r = math.sqrt((d - k) / (k * (d - 1)))
        return min(max(d * r / (1 - r), self._tie), self._tie + 2)

    @cached_property
    def _ratio(self) -> Fraction:
        root = math.sqrt(self.best_ratio)
        return Fraction(root).limit_denominator(_LARGEST_PART // math.ceil(root) or 1)

    @property
    def common(self) -> int:
        """γ₀, of the noise all columns share: the larger, the less noise."""
        return self._ratio.numerator

    @property
    def own(self) -> int:
        """γ₁, of the noise each column has for itself."""
        return self._ratio.denominator

    def squared_distance(self, ones: int, refinement: int) -> Fraction:
        """The squared distance of a row of so many ones, least over all real shifts: T."""
        u = self._ratio**2
        return 4 * (refinement * self.own) ** 2 * (ones - ones**2 / (u + self.columns))

    def worst_squared_distance(self, refinement: int) -> Fraction:
        """The greatest of all rows."""
        top = (self._ratio**2 + self.columns) / 2
        near = {min(math.floor(top), self.columns), min(math.ceil(top), self.columns)}
        return max(self.squared_distance(ones, refinement) for ones in near)

    def squared_sensitivity(self, refinement: int) -> int:
        r"""A bound on the squared length of an integer shift that does the same as any row.

        Theorem: for every row there is an integer shift of (Z₀, …, Z_d) that changes the noise as
        the row changes the sums, with squared length at most T + (γ₀² + d·γ₁²)/4.
        Proof: docs/proofs/correlated_noise.md, section 1.
        """
        rounding = Fraction(self.common**2 + self.columns * self.own**2, 4)
        return math.floor(self.worst_squared_distance(refinement) + rounding)

    def least_variance(self) -> arb:
        r"""The least mean variance of Gaussian noise at μ² = 1, as a ball: min J.

        Theorem: for every law of a row b in {0, 1}^d whose k = Σ bⱼ takes two neighbouring values,
        and uniform given k, the mean variance of noise with max bᵀΣ⁻¹b ≤ 1 is at least
        ((d−1)·√α + √β)²/d with α = (d·Ek − Ek²)/(d(d−1)) and β = Ek²/d.
        Proof: docs/proofs/correlated_noise.md, section 2.
        """
        mean, square = self._worst_rows
        d = self.columns
        beta = balls.ball(square / d).sqrt()
        alpha = balls.ball((d * mean - square) / (d * (d - 1))).sqrt() if d > 1 else arb(0)
        return ((d - 1) * alpha + beta) ** 2 / d

    @cached_property
    def _worst_rows(self) -> tuple[Fraction, Fraction]:
        """Ek and Ek² of the worst rows: one k if the best u is no tie, else a mixture of two."""
        d = self.columns
        if d == 1:
            return Fraction(1), Fraction(1)
        if self._tie < self.best_ratio < self._tie + 2:
            return Fraction(self._ones), Fraction(self._ones**2)
        tie = round(self.best_ratio)
        k, m = (tie + d - 1) // 2, tie + d
        growth = Fraction(m, tie) ** 2
        share = (growth * (d * k - k**2) - (d - 1) * k**2) / ((d - 1) * m + growth * tie)
        share = min(max(share, Fraction(0)), Fraction(1))
        return k + share, k**2 + share * m
