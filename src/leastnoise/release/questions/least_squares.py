r"""`LeastSquares`: coefficients from noisy sums of products, and what noise does to them."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.grid import Grid
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.moments import Moments, half_range

SURE = 3.0
"""Eigenvalues of fewer times the size of a matrix of noise may be noise."""


@dataclass(frozen=True, eq=False)
class LeastSquares:
    r"""Of noisy Σ z·zᵀ, z = (1, x, y): β̂ = Ã⁻¹·b̃, in units of the columns.

    Theorem: let β be the coefficients of the exact sums, Ã = A + E, b̃ = b + e. If Ã is regular,
    β̂ − β = Ã⁻¹·(e − E·β). Proof: Ã·(β̂ − β) = b̃ − Ã·β = b + e − A·β − E·β, and b = A·β.
    So a coefficient is off by a linear combination of the noises, whose factors are known but for
    β; they are taken at β̂. Why: docs/proofs/regression.md.

    Attributes:
        moments: which sums these are; the last column is explained by the others.
        sums: noisy, a row for each group, in units of what one row adds.
        spreads: the deviation of each sum's noise, in the same units.
    """

    moments: Moments
    sums: Floats
    spreads: Floats

    @cached_property
    def _matrices(self) -> Floats:
        return self.moments.matrices(self.sums)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Where no direction of the columns may be one of noise alone."""
        noise = SURE * least_seen(self.spreads, self.moments.size - 1)
        return np.asarray(np.linalg.eigvalsh(self._inner)[:, 0] > noise)

    @property
    def _inner(self) -> Floats:
        return self._matrices[:, :-1, :-1]

    @cached_property
    def _inverses(self) -> Floats:
        safe = np.where(self.known[:, None, None], self._inner, np.eye(self.moments.size - 1))
        return np.asarray(np.linalg.inv(safe))

    @cached_property
    def _scaled(self) -> Floats:
        """The coefficients for places from −1 to 1."""
        return np.asarray(np.einsum("gij,gj->gi", self._inverses, self._matrices[:, :-1, -1]))

    @cached_property
    def _turn(self) -> Floats:
        """From those of places to those of values, but for the middle of y."""
        return turn(self.moments.grids)

    @property
    def coefficients(self) -> Floats:
        """The intercept and the slopes, a row for each group."""
        found = self._scaled @ self._turn.T
        found[:, 0] += _middle(self.moments.grids[-1])
        return np.asarray(found)

    @cached_property
    def _residual(self) -> Floats:
        """(−β̂, 1): a row's product with z is what is left of its y."""
        return np.concatenate([-self._scaled, np.ones((len(self.sums), 1))], axis=1)

    def factors(self) -> Floats:
        """What each noise does to each coefficient, a row for each group and coefficient."""
        rows = np.einsum("ci,gij->gcj", self._turn, self._inverses)
        groups, count, inner = rows.shape
        left = np.concatenate([rows, np.zeros((groups, count, 1))], axis=2)
        right = np.repeat(self._residual, count, axis=0)
        return self.moments.factors(left.reshape(groups * count, inner + 1), right)

    def sampling(self) -> Floats:
        """The standard errors, were rows drawn from a large population: √(s²·A⁻¹)."""
        left = np.einsum("gi,gij,gj->g", self._residual, self._matrices, self._residual)
        free = np.maximum(self.sums[:, 0] - (self.moments.size - 1), 1)
        turned = np.einsum("ci,gij,cj->gc", self._turn, self._inverses, self._turn)
        spread = np.maximum(left, 0) / free
        return np.asarray(np.sqrt(spread[:, None] * np.maximum(turned, 0)))


def least_seen(spreads: Floats, size: int) -> float:
    """About the size of a symmetric matrix of such noise: its eigenvalues are below twice that."""
    return float(np.max(spreads)) * float(np.sqrt(size))


def turn(grids: Sequence[Grid]) -> Floats:
    """From coefficients of places to those of values, but for the middle of what is explained."""
    explained, others = float(half_range(grids[-1])), grids[:-1]
    slopes = [explained / float(half_range(each)) for each in others]
    found = np.diag([explained, *slopes])
    found[0, 1:] = [-slope * _middle(each) for slope, each in zip(slopes, others, strict=True)]
    return found


def _middle(grid: Grid) -> float:
    return float(grid.step * (grid.least + grid.most)) / 2
