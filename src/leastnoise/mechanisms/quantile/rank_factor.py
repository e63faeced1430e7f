"""`RankFactor`: whole numbers by which all ranks are measured at once."""

import math
from functools import cached_property

import numpy as np
from flint import fmpz_poly
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.quantile.count_tree import Floats
from leastnoise.mechanisms.secret_counts import Counts

Measured = NDArray[np.object_]


@dataclass(frozen=True)
class RankFactor:
    r"""A square matrix whose column i is `column` moved down by i, and below it a row of `whole`.

    What is moved out at the bottom comes back at the top with the other sign: rows of counts are
    multiplied as polynomials modulo X^cells + 1. `column` is the root of (M/2), M the matrix with 1
    on and below the diagonal and −1 above, in units of 2^−`bits`, each number rounded: (M/2)·counts
    is the sum up to each cell less half of all.
    Theorem: what one unit does to all that is measured has at most `squared_reach` times its
    squared contribution, in squares; and all noisy ranks have the same variance.
    Proof: docs/proofs/quantiles.md, section 9.

    Attributes:
        cells: how many counts a row has.
        bits: of the numbers in the matrix.
        whole: what the sum of all counts is multiplied with.
    """

    cells: int
    bits: int
    whole: int

    @cached_property
    def column(self) -> tuple[int, ...]:
        """The first column. Whatever these numbers are, they are what is priced and solved for."""
        root = np.fft.ifft(1 / np.sqrt(abs(self._ones))) / self._turns
        return tuple(int(each) for each in np.rint(np.ldexp(root.real, self.bits)))

    @cached_property
    def _turns(self) -> NDArray[np.complex128]:
        """By which X^k + 1 is made X^k − 1: transforms multiply polynomials modulo the latter."""
        return np.asarray(np.exp(-1j * math.pi / self.cells * np.arange(self.cells)))

    @property
    def _ones(self) -> NDArray[np.complex128]:
        """1 − X at the roots of X^cells = −1, to nearly all digits where it is small, too."""
        k = np.arange(self.cells)
        half, nearest = (
            math.pi / 2 / self.cells * (2 * j + 1) for j in (k, np.minimum(k, k[::-1]))
        )
        return np.asarray(2j * np.sin(nearest) * np.exp(-1j * half))

    @cached_property
    def _polynomial(self) -> fmpz_poly:
        return fmpz_poly(list(self.column))

    @cached_property
    def column_square(self) -> int:
        """The squared length of each column, the sum's row aside."""
        return sum(each * each for each in self.column)

    @cached_property
    def least_product(self) -> int:
        """Of two columns, the sum's row aside: negative where they are far apart."""
        first, *rest = self.column
        turned = fmpz_poly([first, *(-each for each in reversed(rest))])
        return min(self._folded(turned * self._polynomial)[1:])

    def squared_reach(self, *, replace: bool, grouped: bool) -> int:
        """How far a unit of contribution 1 moves all that is measured, in squares."""
        one = self.column_square + self.whole**2
        if not replace:
            return one
        apart = 2 * (self.column_square - self.least_product)
        return max(apart, 2 * one if grouped else one)

    def measured(self, counts: Counts) -> tuple[Measured, Measured]:
        """The exact products with rows of counts, and those of their sums."""
        rows = counts.tolist()
        products = [self._folded(fmpz_poly(row) * self._polynomial) for row in rows]
        wholes = [self.whole * sum(row) for row in rows]
        shape = len(rows), self.cells
        return np.array(products, dtype=object).reshape(shape), np.array(wholes, dtype=object)

    def _folded(self, product: fmpz_poly) -> list[int]:
        """Modulo X^cells + 1."""
        found = [int(each) for each in product.coeffs()]
        found += [0] * (2 * self.cells - len(found))
        halves = zip(found[: self.cells], found[self.cells :], strict=True)
        return [low - high for low, high in halves]

    @cached_property
    def _quotients(self) -> NDArray[np.complex128]:
        """By what the numbers measured are multiplied, at each place."""
        column = np.array(self.column, dtype=np.float64)
        return np.asarray(1 / (self._ones * np.fft.fft(column * self._turns)))

    def told(self, noisy: Measured, wholes: Measured) -> tuple[Floats, Floats]:
        """The sum up to each cell, and of all, as noisy numbers tell them; row by row."""
        totals, turns = (wholes / self.whole).astype(np.float64), self._turns
        solved = np.fft.ifft(np.fft.fft(noisy.astype(np.float64) * turns) * self._quotients)
        return np.asarray((solved / turns).real + totals[:, np.newaxis] / 2), totals

    @cached_property
    def rank_square(self) -> float:
        """The variance of (sum up to a cell) − ½·(sum of all), if that of the noise is 1."""
        return float(np.mean(abs(self._quotients) ** 2))
