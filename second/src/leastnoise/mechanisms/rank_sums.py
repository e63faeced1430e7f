r"""Noisy sums of the first j cells, for every j at once, from numbers that are measured with noise.

- `Tree`, for pure epsilon: the cells are the leaves of a tree, every node but the root is counted with
  discrete Laplace noise, and least squares make the counts agree (Hay, Rastogi, Miklau and Suciu 2010).
- `Signs`, for zCDP: all ranks are measured through the root of a matrix of signs, with rounded Gaussian
  noise. No matrices with Gaussian noise have a smaller worst variance of the ranks that the median sees.

Both are post-processing of whole numbers with noise of their own; solving is done in floats. Proof page:
docs/proofs/quantile_trees.md.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist

import numpy as np
from flint import fmpz_poly
from numpy.typing import NDArray

from leastnoise.noise.laws import DiscreteLaplace, RoundedGaussian
from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Draws

Floats = NDArray[np.float64]

_BITS = 32  # after the point, of the matrix of `Signs`
_SAFE = 1 + 1e-9  # more than all floats of an error lose
_TILTS = np.linspace(0.005, 0.995, 199)  # every value gives a bound


class RankSums(ABC):
    """How sums of the first cells are measured.

    Attributes:
        cells: how many there are.
    """

    cells: int

    @abstractmethod
    def measure(self, counts: Draws, source: Source) -> tuple[Floats, float]:
        """For every cell the noisy sum of all up to it, and the noisy sum of all."""

    @abstractmethod
    def reach(self, level: Fraction, risk: float) -> float:
        """(sum up to a cell) - level * (sum of all) errs by more with at most this chance, on a side.

        It holds for every cell, and for no cells at all.
        """

    @property
    def looks(self) -> int:
        """How many of these sums can mislead a search by halving that ends at a given cell."""
        return 2 * (self.cells - 1).bit_length() + 1


@dataclass(frozen=True)
class Tree(RankSums):
    """Every node has `branching` children; the leaves, `height` levels below the root, are cells.

    Attributes:
        cells: how many cells there are; empty ones fill the tree.
        branching: how many children a node has.
        height: how many levels are counted.
        law: of the noise of each count.
    """

    cells: int
    branching: int
    height: int
    law: DiscreteLaplace

    @cached_property
    def _own(self) -> list[float]:
        """The variance of a node's estimate from its own subtree, on each level, for noise of 1."""
        found = [1.0]
        for _ in range(self.height - 1):
            found.insert(0, 1 / (1 + 1 / (self.branching * found[0])))
        return found

    def measure(self, counts: Draws, source: Source) -> tuple[Floats, float]:
        """Up the tree a count is averaged with its children's; down, children are made to fit it."""
        leaves = np.zeros(self.branching**self.height, dtype=np.object_)
        leaves[: self.cells] = counts
        exact = [leaves]
        while len(exact) < self.height:
            exact.insert(0, exact[0].reshape(-1, self.branching).sum(axis=1))
        own = [(each + self.law.sample(each.size, source)).astype(np.float64) for each in exact]
        for above in range(self.height - 2, -1, -1):
            children = own[above + 1].reshape(-1, self.branching).sum(axis=1)
            own[above] = self._own[above] * own[above] + (1 - self._own[above]) * children
        fitted = own[0]
        for nodes in own[1:]:
            families = nodes.reshape(-1, self.branching)
            missing = (fitted - families.sum(axis=1)) / self.branching
            fitted = (families + missing[:, None]).ravel()
        sums = np.cumsum(fitted)
        return sums[: self.cells], float(sums[-1])

    def spread(self, level: float) -> float:
        """The greatest variance of (sum up to a cell) - level * (sum of all), for noise of 1."""
        place, part = np.arange(self.cells), np.ones(self.cells)
        variance = np.zeros(self.cells)
        for own in self._own[:0:-1]:
            place, child = np.divmod(place, self.branching)
            variance += own * (child + part**2 - (child + part) ** 2 / self.branching)
            part = (child + part) / self.branching
        top = place * (1 - level) ** 2 + (part - level) ** 2
        top += level**2 * (self.branching - 1 - place)
        nothing = level**2 * self.branching * self._own[0]
        return max(float((variance + self._own[0] * top).max()), nothing)

    def reach(self, level: Fraction, risk: float) -> float:
        """By Chernoff's bound; no noise enters with a weight above 1."""
        spread = self.spread(float(level))
        tails = (-math.log(risk) - spread * np.log1p(-(_TILTS**2))) / _TILTS
        return float(tails.min()) / float(self.law.rate) * _SAFE


def best_tree(cells: int, epsilon: Fraction, level: Fraction, risk: float) -> Tree:
    """The shape with the least error. A unit moves the counts of each level by 1."""
    found = []
    for height in range(1, max(1, (cells - 1).bit_length()) + 1):
        branching = 2
        while branching**height < cells:
            branching = max(branching + 1, int(cells ** (1 / height)))
        found.append(Tree(cells, branching, height, DiscreteLaplace(epsilon / height)))
    return min(found, key=lambda tree: tree.reach(level, risk / tree.looks))


@dataclass(frozen=True)
class Signs(RankSums):
    r"""Counts are multiplied, as polynomials modulo X^cells + 1, by whole numbers; noise is added.

    `column` is 2^32 times the polynomial with the values |1 - w|^(-1/2) at the roots w of X^cells = -1,
    each coefficient rounded. Its product with a polynomial like it is half the sum up to each cell,
    less half of the sum after it. The sum of all is measured beside, times `whole`.

    Theorem: one unit in one cell moves all that is measured by the same length, `square` squared.
    """

    cells: int
    rho: Fraction
    levels: tuple[Fraction, ...]

    @cached_property
    def _turns(self) -> NDArray[np.complex128]:
        """By which X^cells + 1 becomes X^cells - 1, which transforms know how to multiply by."""
        return np.asarray(np.exp(-1j * math.pi / self.cells * np.arange(self.cells)))

    @cached_property
    def _gaps(self) -> NDArray[np.complex128]:
        """1 - w at all roots w, precise also where it is small."""
        k = np.arange(self.cells)
        half, nearest = (
            math.pi / 2 / self.cells * (2 * j + 1) for j in (k, np.minimum(k, k[::-1]))
        )
        return np.asarray(2j * np.sin(nearest) * np.exp(-1j * half))

    @cached_property
    def column(self) -> list[int]:
        """What counts are multiplied by. Whatever these numbers are, they are priced and solved for."""
        root = np.fft.ifft(1 / np.sqrt(abs(self._gaps))) / self._turns
        return [int(each) for each in np.rint(np.ldexp(root.real, _BITS))]

    @cached_property
    def _solving(self) -> NDArray[np.complex128]:
        """By what the transform of measured numbers is multiplied to give ranks."""
        return np.asarray(1 / (self._gaps * np.fft.fft(np.array(self.column) * self._turns)))

    @cached_property
    def _rank(self) -> float:
        """The variance of a rank as the median sees it, for noise of 1."""
        return float(np.mean(abs(self._solving) ** 2))

    @cached_property
    def whole(self) -> int:
        """What the sum of all is multiplied by: best for the worst level."""
        length = math.sqrt(self._rank * sum(each**2 for each in self.column))
        off = max(abs(float(level) - 0.5) for level in self.levels)
        first = (float(max(self.levels)) - 0.25) / length  # else the sum errs more than ranks do
        return math.ceil(math.ldexp(math.sqrt(max(off, first)), _BITS))

    @cached_property
    def square(self) -> int:
        """How far one count moves all that is measured, squared."""
        return sum(each**2 for each in self.column) + self.whole**2

    @cached_property
    def law(self) -> RoundedGaussian:
        """The noise of each number that is measured."""
        return RoundedGaussian(self.square / (2 * self.rho))

    def measure(self, counts: Draws, source: Source) -> tuple[Floats, float]:
        """Exact products, noise, and the solution in floats."""
        noise = self.law.sample(self.cells + 1, source).astype(np.object_)
        product = fmpz_poly(counts.tolist()) * fmpz_poly(self.column)
        found = np.zeros(2 * self.cells, dtype=np.object_)
        for place, each in enumerate(product.coeffs()):
            found[place] = int(each)
        noisy = found[: self.cells] - found[self.cells :] + noise[1:]
        total = float(Fraction(self.whole * int(counts.sum()) + int(noise[0]), self.whole))
        solved = np.fft.ifft(np.fft.fft(noisy.astype(np.float64) * self._turns) * self._solving)
        return np.asarray((solved / self._turns).real + total / 2), total

    def reach(self, level: Fraction, risk: float) -> float:
        """A normal tail, and what rounding the noise adds at most."""
        beside = max((float(level) - 0.5) ** 2 + self.whole**2 * self._rank, float(level) ** 2)
        deviations = -NormalDist().inv_cdf(risk) * math.sqrt(self.law.variance)
        rounding = math.sqrt(self.cells + 1) / 2
        return (deviations + rounding) * math.sqrt(beside) / self.whole * _SAFE
