r"""Quantiles as ranks: which cell of a public grid holds the rank q*n.

The secret is a row of counts, one for each cell; n is their sum. The distance of a cell from the rank
q*n is how many counts lie between them: 0 if the cell holds that rank. A cell at distance t holds a
quantile of a level between q - t/n and q + t/n. Three ways, of which the one with the least error is
taken before any data are seen:

- pure epsilon, few levels: a choice on distances for each level;
- pure epsilon, many levels: noisy sums of the first cells, from a `Tree` of counts;
- zCDP: such sums from all ranks, measured together through `Signs`.

Sums are searched by halving, so that few of them can mislead. They are computed in floats, from whole
numbers that have noise already.

Theorem. For all rows of counts of which one privacy unit adds at most `contribution` together, all
answers together keep the promise. Proof page: docs/proofs/quantile_trees.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
from flint import fmpz_poly
from numpy.typing import NDArray

from leastnoise.mechanisms.mechanism import Mechanism, whole_numbers
from leastnoise.mechanisms.selection import PermuteAndFlip
from leastnoise.noise.laws import DiscreteLaplace, RoundedGaussian
from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Draws
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, inside, positive, whole
from leastnoise.privacy.curve import Gaussian
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss

Floats = NDArray[np.float64]

_BITS = 32  # after the point, of the matrix of `Signs`
_SAFE = 1 + 1e-9  # more than all floats of an error lose
_TILTS = np.linspace(0.005, 0.995, 199)  # every value gives a bound
_MOST_CELLS = 1 << 20
_USUAL = Fraction(95, 100)  # the confidence at which ways are compared


@dataclass(frozen=True)
class Tree:
    """Every node has `branching` children; the leaves, `height` levels below the root, are cells.

    Every node but the root is counted with discrete Laplace noise, and least squares make the counts
    agree (Hay, Rastogi, Miklau and Suciu 2010).

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
        """For every cell the noisy sum of all up to it, and the noisy sum of all.

        Up the tree a count is averaged with its children's; down, children are made to fit it.
        """
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
        """(sum up to a cell) - level * (sum of all) errs by more with at most this chance, on a side.

        It holds for every cell, and for no cells at all. By Chernoff's bound; no noise enters with a
        weight above 1.
        """
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
    return min(found, key=lambda tree: tree.reach(level, risk / looks(cells)))


@dataclass(frozen=True)
class Signs:
    r"""Counts are multiplied, as polynomials modulo X^cells + 1, by whole numbers; noise is added.

    `column` is 2^32 times the polynomial with the values |1 - w|^(-1/2) at the roots w of X^cells = -1,
    each coefficient rounded. Its product with a polynomial like it is half the sum up to each cell,
    less half of the sum after it. The sum of all is measured beside, times `whole`.

    Theorem: one unit in one cell moves all that is measured by the same length, `square` squared. No
    matrices with Gaussian noise have a smaller worst variance of the ranks that the median sees.
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
        """The same sums from exact products, noise, and a solution in floats."""
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
        """The same reach, from a normal tail and what rounding the noise adds at most."""
        beside = max((float(level) - 0.5) ** 2 + self.whole**2 * self._rank, float(level) ** 2)
        deviations = -NormalDist().inv_cdf(risk) * math.sqrt(self.law.variance)
        rounding = math.sqrt(self.cells + 1) / 2
        return (deviations + rounding) * math.sqrt(beside) / self.whole * _SAFE


def _levels(given: Any, name: str) -> tuple[Fraction, ...]:
    each = tuple(inside(level, name) for level in np.ravel(np.asarray(given, dtype=object)))
    if not each or any(one >= other for one, other in pairwise(each)):
        raise InvalidInput(f"{name} is no rising list. Write for example levels=[0.25, 0.5, 0.75].")
    return each


def _cells(given: int, name: str) -> int:
    found = whole(given, name)
    if found > _MOST_CELLS:
        raise InvalidInput(f"{name} is {found}. Give at most {_MOST_CELLS}.")
    return found


def looks(cells: int) -> int:
    """How many of these sums can mislead a search by halving that ends at a given cell."""
    return 2 * (cells - 1).bit_length() + 1


def _searched(sums: Any, goal: float) -> int:
    """The cell that halving finds: looks at sums, not at all of them."""
    low, high = 0, len(sums) - 1
    while low < high and goal > 0:
        middle = (low + high) // 2
        low, high = (low, middle) if sums[middle] >= goal else (middle + 1, high)
    return low


def distances(counts: Draws, level: Fraction) -> Draws:
    """The distance of each cell from the quantile of level a/b, times b.

    >>> distances(np.array([2, 0, 3, 1], dtype=object), Fraction(1, 2)).tolist()
    [2, 2, 0, 4]
    """
    upto = np.cumsum(counts)
    rank, parts = level.numerator * int(upto[-1]), level.denominator
    below = (upto - counts) * parts - rank
    found: Draws = np.maximum(np.maximum(below, rank - upto * parts), 0)
    return found


@dataclass(frozen=True, kw_only=True, repr=False)
class Quantiles(Mechanism[Sequence[int], tuple[int, ...]]):
    """The cells of a grid that hold the quantiles, nearly.

    Attributes:
        levels: rising, each between 0 and 1.
        cells: how many cells the grid has; public.
        epsilon: of all answers together.
        rho: the same for zCDP. Give one of both.
        contribution: what one privacy unit adds to all counts together, at most.

    >>> ages = quantiles(levels=[0.25, 0.5, 0.75], cells=110, epsilon=1)
    >>> ages.error()
    29
    >>> [abs(a - b) <= 1 for a, b in zip(ages.release([1000] * 110).value, (27, 54, 82))]
    [True, True, True]
    """

    levels: Checked[Sequence[Exact], tuple[Fraction, ...]] = Checked(_levels)
    cells: Checked[int, int] = Checked(_cells)
    epsilon: Exact | None = None
    rho: Exact | None = None
    contribution: Checked[int, int] = Checked(whole, default=1)

    def __post_init__(self) -> None:
        _ = self.guarantee  # checks epsilon and rho

    @cached_property
    def guarantee(self) -> PureDP | ZCDP:
        """What all answers together promise about one privacy unit."""
        if self.epsilon is not None and self.rho is None:
            return PureDP(epsilon=positive(self.epsilon, "epsilon"))
        if self.epsilon is None and self.rho is not None:
            return ZCDP(rho=positive(self.rho, "rho"))
        raise InvalidInput("Give epsilon= or rho=.")

    def privacy(self, distance: int = 1) -> PrivacyLoss:
        """An upper bound: the worst loss of the pure epsilon, or that of the Gaussian noise."""
        units = whole(distance, "distance")
        if isinstance(self.guarantee, PureDP):
            return PrivacyLoss.worst_case(epsilon=self.guarantee.epsilon * units)
        return PrivacyLoss(((Gaussian(2 * self.guarantee.rho * units**2), 1),))

    @cached_property
    def choices(self) -> tuple[PermuteAndFlip, ...]:
        """For each level a choice on distances, all of them together epsilon-DP.

        One count more changes differences of distances from the rank q*n by at most q + max(q, 1 - q)
        if it lies above that rank, by at most 1 - q + max(q, 1 - q) if it lies below; and what lies
        above one rank lies above all lower ones.
        """
        assert isinstance(self.guarantee, PureDP)
        above = sum(q + max(q, 1 - q) for q in self.levels)
        below = sum(1 - q + max(q, 1 - q) for q in self.levels)
        each = self.guarantee.epsilon / max(above, below)
        made = PermuteAndFlip(candidates=self.cells, epsilon=each, monotone=True)  # for differences
        parts = (q.denominator for q in self.levels)
        return tuple(replace(made, sensitivity=self.contribution * each) for each in parts)

    @cached_property
    def sums(self) -> Tree | Signs:
        """Noisy sums, all of them together as private as promised."""
        if isinstance(self.guarantee, ZCDP):
            return Signs(self.cells, self.guarantee.rho / self.contribution**2, self.levels)
        worst = max(self.levels, key=lambda q: abs(q - Fraction(1, 2)))
        epsilon = self.guarantee.epsilon / self.contribution
        return best_tree(self.cells, epsilon, worst, float(1 - _USUAL))

    @cached_property
    def chooses(self) -> bool:
        """Whether each cell is chosen for itself: known before any data."""
        if isinstance(self.guarantee, ZCDP):
            return False
        if len(self.levels) == 1:
            return True
        return self._choosing_error(_USUAL) <= self._summing_error(_USUAL)

    def error(self, *, confidence: Exact = "0.95") -> int:
        """A distance in counts that is not exceeded with this chance, for each level, whatever the data.

        >>> quantiles(levels=[0.5], cells=2**16, epsilon=1).error()
        14
        """
        level = inside(confidence, "confidence")
        return self._choosing_error(level) if self.chooses else self._summing_error(level)

    def _choosing_error(self, confidence: Fraction) -> int:
        """All choices at once: sorting can carry the error of one level to another."""
        level = 1 - (1 - confidence) / len(self.levels)
        gaps = zip(self.choices, self.levels, strict=True)
        return max(math.ceil(Fraction(c.error(level=level), q.denominator)) for c, q in gaps)

    def _summing_error(self, confidence: Fraction) -> int:
        risk = float(1 - confidence) / looks(self.cells)
        return max(0, *(math.ceil(self.sums.reach(q, risk)) for q in self.levels))

    def _answer(self, value: Sequence[int], source: Source) -> tuple[int, ...]:
        counts = whole_numbers(value, Fraction(1), "The row of counts")
        if counts.shape != (self.cells,) or any(each < 0 for each in counts):
            raise InvalidInput(f"Give a row of {self.cells} counts, each 0 or more.")
        if self.chooses:
            ways = zip(self.choices, self.levels, strict=True)
            return tuple(sorted(way._answer(-distances(counts, q), source)[0] for way, q in ways))
        sums, total = self.sums.measure(counts, source)
        return tuple(_searched(sums, float(q) * total) for q in self.levels)


quantiles = Quantiles
