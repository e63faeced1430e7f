"""`CorrelatedGaussian`: column sums of bits with noise that the columns share."""

import math
from fractions import Fraction
from functools import cached_property
from typing import SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Whole, checked, frozen
from leastnoise.mechanisms.release import Release
from leastnoise.mechanisms.secret_integers import secret_integers
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source, checked_source
from leastnoise.tabulation.correlated_shape import CorrelatedShape
from leastnoise.tabulation.residuals.residual_counts import MOST_PEOPLE
from leastnoise.tabulation.residuals.residual_noise import (
    Budget,
    ResidualNoise,
    checked_budget,
    squared_mu,
)
from leastnoise.tabulation.summed_columns import ColumnSums

_FINEST = 1 << 26  # of the refinement times a multiplier
_LARGEST_PARAMETER = 1 << 78  # of the law that is drawn
_LARGEST_NOISE = 1 << 55  # in steps, so that sums fit into 64 bits
_WORD = 1 << 62  # products below it fit into 64 bits


@frozen(kw_only=True, repr=False)
class CorrelatedGaussian(Rebuilt):
    r"""How many people have each of d properties, with about half the noise of independent draws.

    One person may have all properties or none, so each may move all d sums. But nobody can move
    some sums up and others down: adding or removing a person moves all of them one way. Noise that
    the columns share hides that direction, and each column's own noise may be smaller.

    Law: column j carries (Z₀/g₀ + Zⱼ/g₁)/2 with independent discrete Gaussians Z of one parameter.

    Theorem: for all tables of bits and neighbours by adding or removing a row, the release meets
    the guarantee. At the μ of the guarantee, the variance of each column is at most (√d+1)²/(4μ²),
    where independent normal noise has d/μ². No Gaussian noise on the line has less than
    `lower_bound()` on average over the columns; this one has a millionth more, where μ ≥ 0.01 and
    d ≤ 10⁶.
    Proof: docs/proofs/correlated_noise.md.

    If a row may be *replaced*, the gain is gone, and independent noise is best.

    Args:
        columns: d, at least 1.
        guarantee: `ZCDP(rho=…)`, or `ApproxDP(epsilon=…, delta=…)` with δ > 0.

    References: Lebeda2025, whose variance is (√d+1)²/(4μ²); for d that are not squares this one
    has a little less.

    Example:
        >>> from leastnoise.privacy.guarantee import ZCDP
        >>> mechanism = CorrelatedGaussian(columns=100, guarantee=ZCDP(rho="0.5"))  # μ = 1
        >>> print(f"{float(mechanism.variance) ** 0.5:.4f}")  # independent noise: 10
        5.5000
        >>> mechanism.release([40, 7] * 50).value.shape
        (100,)
        >>> round(float(mechanism.error(confidence="0.95")), 4)
        10.7798
    """

    columns: Whole = checked(_check.whole(1))
    guarantee: Budget = checked(checked_budget)

    def __post_init__(self) -> None:
        _ = self.noise  # refuses what cannot be met, before any data is read

    @cached_property
    def shape(self) -> CorrelatedShape:
        """How much of the noise is shared."""
        return CorrelatedShape(self.columns)

    @cached_property
    def refinement(self) -> int:
        """G: how much finer than the counts the lattice is; what fits into 64 bits."""
        larger = max(self.shape.common, self.shape.own)
        square = self.shape.common**2 + self.columns * self.shape.own**2
        # V = G²·variance, and the noise in units of 1/(2·g₀·g₁) is about larger·G·√V.
        variance = square / Fraction(squared_mu(self.guarantee).lower)
        by_parameter = math.isqrt(int(_LARGEST_PARAMETER / variance))
        by_noise = math.isqrt(math.isqrt(int(_LARGEST_NOISE**2 / (larger**2 * variance))))
        return max(1, min(_FINEST // larger, by_parameter, by_noise))

    @property
    def common(self) -> int:
        """g₀."""
        return self.refinement * self.shape.common

    @property
    def own(self) -> int:
        """g₁."""
        return self.refinement * self.shape.own

    @cached_property
    def noise(self) -> ResidualNoise:
        """The law of Z₀ and of each Zⱼ."""
        return ResidualNoise(
            self.guarantee,
            self.shape.squared_sensitivity(self.refinement),
            self.columns + 1,
            self.shape.worst_squared_distance(self.refinement),
        )

    def release(
        self, value: ColumnSums | ArrayLike, source: Source | None = None
    ) -> Release[NDArray[np.float64]]:
        """Noisy column sums, from the exact ones: exact multiples of 1/(2·g₀·g₁), as floats.

        Raises:
            InvalidParameter: not one count for each column; nothing has been drawn then.
        """
        source, sums = checked_source(source), self._sums(value)
        drawn = self.noise.law.sample(self.columns + 1, source)
        return Release(self._noisy(sums, drawn), self.guarantee, repr(self))

    def _noisy(self, sums: NDArray[np.int64], drawn: Draws) -> NDArray[np.float64]:
        """Sums plus noise, in integers up to the last step.

        Rounding to floats is a function of the exact sum alone, and so post-processing. Adding
        Z₀/g₀ and Zⱼ/g₁ as floats would not be: it could tell how the sum came about.
        """
        unit = 2 * self.common * self.own
        farthest = max(abs(int(drawn.min())), abs(int(drawn.max())))
        if farthest * (self.common + self.own) >= _WORD or unit >= _WORD:
            drawn = drawn.astype(object)
        noise = self.own * drawn[0] + self.common * drawn[1:]
        whole = (sums + noise // unit).astype(np.float64)
        return np.asarray(whole + (noise % unit).astype(np.float64) / unit)

    def _sums(self, value: ColumnSums | ArrayLike) -> NDArray[np.int64]:
        ones = value.ones if isinstance(value, ColumnSums) else value
        sums = secret_integers(ones, "value", MOST_PEOPLE)
        if sums.shape == (self.columns,):
            return sums
        raise _check.refuse(
            f"`value` must be a row of columns={self.columns} sums",
            f"shape {sums.shape}",
            "Add up the rows of bits first: column_sums(bits).",
        )

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of one release if up to `distance` rows are added or removed."""
        return self.noise.loss(distance)

    def certificate(self) -> None:
        """None; `lower_bound` is computed and proved afresh."""

    def _squares(self) -> arb:
        return balls.ball((Fraction(1, self.common**2) + Fraction(1, self.own**2)) / 4)

    @cached_property
    def variance(self) -> Interval:
        """The variance of each column."""
        return self.noise.variance(self._squares)

    def expected_cost(self) -> Interval:
        """The mean over the columns of E(noisy − true)²."""
        return self.variance

    def lower_bound(self) -> Interval:
        """What no Gaussian noise with this guarantee on the line can fall below."""
        least, square = balls.enclosure(self.shape.least_variance), squared_mu(self.guarantee)
        return Interval(least.lower / square.upper, least.upper / square.lower)

    def error(self, *, confidence: Exact, every_column: bool = False) -> Interval:
        """A bracket on the error of a column not exceeded with the given probability.

        Promise the upper end. With `every_column` it holds for all columns at once, by the union
        bound; its lower end is then that of a single column.
        """
        risk = 1 - _check.confidence(confidence)
        one = self.noise.quantile(self._squares, risk)
        if not every_column:
            return one
        return Interval(one.lower, self.noise.quantile(self._squares, risk / self.columns).upper)
