"""`ResidualAxis`: one attribute of a table, split into its sum and what the sum leaves open."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass

TableArray = NDArray[Any]
"""Integers, floats or Fractions, one axis for each attribute."""


@dataclass(frozen=True)
class ResidualAxis:
    r"""The integer map B along an axis of n values, and the map R that undoes it.

    For n = 2, B takes the difference x₀ − x₁: one number. For n > 2, B takes n·x − Σx, which are n
    numbers that add up to 0. In both cases R = B⁺ gives back what x is beyond its mean:
    R·B = I − J/n, with J all ones.

    Theorem: for all values c, c′ of the attribute, with unit vectors e, the inner product of B·e_c
    and B·e_c′ is `product(same=c == c′)`; and every diagonal entry of R·Rᵀ is `spread`.
    Proof: docs/proofs/residual_planner.md, section 2.

    Args:
        size: n ≥ 2.

    Example:
        >>> axis = ResidualAxis(3)
        >>> axis.contrast(np.array([5, 1, 0]), 0)
        array([ 9, -3, -6])
        >>> axis.recover(np.array([9, -3, -6]), 0) + 2
        array([5., 1., 0.])
    """

    size: int

    @property
    def kept(self) -> int:
        """How many numbers B keeps."""
        return 1 if self.size == 2 else self.size

    def product(self, *, same: bool) -> int:
        """The inner product of the images of two people's values, the same or not."""
        if self.size == 2:
            return 1 if same else -1
        return self.size * (self.size - 1) if same else -self.size

    @property
    def spread(self) -> Fraction:
        """The variance in each cell if every kept number has noise of variance 1."""
        return Fraction(1, 4) if self.size == 2 else Fraction(self.size - 1, self.size**3)

    @property
    def growth(self) -> int:
        """The largest magnitude in B."""
        return self.size - 1

    def contrast(self, table: TableArray, place: int) -> TableArray:
        """B along the axis at a place: integers to integers."""
        if self.size == 2:
            first, second = np.split(table, 2, axis=place)
            return np.asarray(first - second)
        return np.asarray(self.size * table - table.sum(axis=place, keepdims=True))

    def recover(self, residual: TableArray, place: int) -> TableArray:
        """R along the axis at a place: of floats in floats, of Fractions exactly."""
        if self.size == 2:
            return np.concatenate([residual, -residual], axis=place) / 2
        centred = self.size * residual - residual.sum(axis=place, keepdims=True)
        return np.asarray(centred / self.size**2)
