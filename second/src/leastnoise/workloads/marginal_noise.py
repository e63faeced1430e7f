r"""Noise for tables that have sums in common: on residuals (Gaussian) or on signed tables (pure).

A table has one axis for each attribute that it counts by, of n >= 2 values. Measured of it are, in
integers,

- *residuals* of some axes: sums along all other axes, and along each of these `contrast`: the first
  value minus the second if n = 2, else n times each value minus the sum of all;
- *signed tables* of some sign axes (n = 2) and some cell axes: first minus second value along sign
  axes, sums along axes that are neither.

Theorem. Let one unit move every table by a vector of l1 norm at most `most`, each table in its own
way. Then
(1) a residual moves by at most most * sqrt(product of same(n)) in l2 norm, with same(2) = 1 and
    same(n) = n*(n - 1), the product over its axes. So all residuals together, each measured of one
    table, with independent rounded Gaussian noise of variance most^2 * V / h on every number of one,
    h its precision, are mu-GDP with mu^2 = (sum over residuals of h * product of same(n)) / V;
(2) a signed table moves by at most `most` in l1 norm. So signed tables that share a draw of noise with
    one counter, made for moves of `most`, cost the rate of the draw, and draws add up.

Nothing is assumed about how tables agree: a row may be counted in one of them and not in another. The
price is the same for every `most`. Tables are estimated from the noisy numbers alone.
Proof page: docs/proofs/residual_planner.md.

Trusted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.joint_pure import Diamond, KNormNoise
from leastnoise.noise.laplace import discrete_laplace
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput

Axes = tuple[int, ...]
"""Numbers of attributes, increasing."""

Integers = NDArray[Any]
"""A table of Python's integers: they never overflow."""


def difference(table: Integers, axis: int) -> Integers:
    """The first value minus the second; the axis is kept, with one value."""
    first, second = np.split(table, 2, axis=axis)
    return np.asarray(first - second)


def contrast(table: Integers, axis: int) -> Integers:
    """What the values along an axis are beyond their sum, in integers.

    >>> contrast(np.array([5, 1, 0]), 0), contrast(np.array([5, 1]), 0)
    (array([ 9, -3, -6]), array([4]))
    """
    size = table.shape[axis]
    if size == 2:
        return difference(table, axis)
    return np.asarray(size * table - table.sum(axis=axis, keepdims=True))


def same(size: int) -> int:
    """The squared l2 norm of the contrast of one row."""
    return 1 if size == 2 else size * (size - 1)


@dataclass(frozen=True)
class _Tables:
    """Attributes, and the tables that count by them.

    Attributes:
        sizes: how many values each attribute has.
        tables: for each table the numbers of its attributes, increasing.
    """

    sizes: tuple[int, ...]
    tables: tuple[Axes, ...]

    def cells(self, axes: Axes) -> int:
        """How many cells a table of these attributes has."""
        return prod(self.sizes[axis] for axis in axes)

    def check_cells(self, cells: Sequence[int]) -> None:
        """Refuses other tables than those that the noise is made for."""
        if list(cells) != [self.cells(table) for table in self.tables]:
            raise InvalidInput("Noise of tables is for other tables than it was made for.")

    def _check(self, measured: Sequence[Iterable[Axes]]) -> None:
        """Refuses what are no tables, and what cannot be measured of them."""
        if not self.tables or any(type(size) is not int or size < 2 for size in self.sizes):
            raise InvalidInput("Tables count by attributes of two values or more.")
        among = [(table, tuple(range(len(self.sizes)))) for table in self.tables]
        for table, own in zip(self.tables, measured, strict=True):
            among += [(axes, table) for axes in own]
        for axes, all_ in among:
            if list(axes) != sorted({*axes} & {*all_}):
                raise InvalidInput(f"{axes} are not some of the attributes {all_}.")

    def _sums(self, place: int, cells: Sequence[int], axes: Axes) -> Integers:
        """The sums of a table, whose cells are given row by row, along all axes but some."""
        table = np.empty(len(cells), dtype=np.object_)
        table[:] = cells
        own = self.tables[place]
        others = tuple(at for at, axis in enumerate(own) if axis not in axes)
        shaped = table.reshape([self.sizes[axis] for axis in own])
        return np.asarray(shaped.sum(axis=others) if others else shaped)


@dataclass(frozen=True)
class ResidualNoise(_Tables):
    """Independent rounded Gaussian noise on residuals.

    Attributes:
        residuals: for each table those that are measured of it: their attributes and their precision.
        variance: over the precision, that of the noise on every number, for moves of 1.

    >>> law = ResidualNoise((2, 5), ((0, 1), (1,)), ((((0,), 20),), (((1,), 1),)), 80)
    >>> law.measured(0, [1, 2, 0, 0, 0, 0, 1, 0, 0, 0]), law.squared_mu()
    ([2], Fraction(1, 2))
    """

    residuals: tuple[tuple[tuple[Axes, int], ...], ...]
    variance: int

    def __post_init__(self) -> None:
        self._check([[axes for axes, _ in own] for own in self.residuals])
        numbers = [self.variance, *(precision for own in self.residuals for _, precision in own)]
        if any(type(each) is not int or each < 1 for each in numbers):
            raise InvalidInput("A variance and precisions are whole numbers above 0.")

    def squared_mu(self) -> Fraction:
        """The mu^2 of everything that is measured."""
        moves = (precision * prod(same(self.sizes[axis]) for axis in axes)
                 for own in self.residuals for axes, precision in own)  # fmt: skip
        return Fraction(sum(moves), self.variance)

    def measured(self, place: int, cells: Sequence[int]) -> list[int]:
        """The residuals of one table, whose cells are given row by row."""
        found = list[int]()
        for axes, _ in self.residuals[place]:
            table = self._sums(place, cells, axes)
            for at in range(len(axes)):
                table = contrast(table, at)
            found += map(int, table.ravel())
        return found

    def draw(self, source: Source, most: int) -> tuple[list[int], ...]:
        """Noise for all numbers of every table, of which one unit moves each by at most `most`."""
        square = self.variance * most**2
        return tuple(
            [
                int(each)
                for axes, precision in own
                for each in rounded_gaussian(Fraction(square, precision), self.count(axes), source)
            ]
            for own in self.residuals
        )

    def count(self, axes: Axes) -> int:
        """How many numbers a residual has."""
        return prod(self.sizes[axis] for axis in axes if self.sizes[axis] > 2)


@dataclass(frozen=True)
class SignedNoise(_Tables):
    """Noise on signed tables, of which those with the same number share a draw.

    The noise x of one draw has probability proportional to e^(-rate * N(x / most)), N the greatest l1
    norm of a table rounded up: `KNormNoise` with one counter. A draw for one table alone is independent
    Laplace noise.

    Attributes:
        rates: of the draws.
        signed: for each table what is measured of it: sign attributes, cell attributes, number of the
            draw.

    >>> law = SignedNoise((2, 2), ((0, 1),), (Fraction(1),), ((((), (), 0), ((0, 1), (), 0)),))
    >>> law.measured(0, [5, 1, 0, 1]), law.epsilon()
    ([7, 5], Fraction(1, 1))
    """

    rates: tuple[Fraction, ...]
    signed: tuple[tuple[tuple[Axes, Axes, int], ...], ...]

    def __post_init__(self) -> None:
        pieces = [piece for own in self.signed for piece in own]
        self._check([[tuple(sorted((*s, *cells))) for s, cells, _ in own] for own in self.signed])
        if any(type(rate) is not Fraction or rate <= 0 for rate in self.rates):
            raise InvalidInput("The rate of noise is a fraction above 0.")
        if any(self.sizes[axis] != 2 for signs, _, _ in pieces for axis in signs):
            raise InvalidInput("Signs are of two values.")
        if any(draw not in range(len(self.rates)) for _, _, draw in pieces):
            raise InvalidInput("Every signed table has a draw.")
        for draw in range(len(self.rates)):
            self.law(draw, 1)

    def epsilon(self) -> Fraction:
        """The epsilon of everything that is measured."""
        return sum(self.rates, Fraction(0))

    def measured(self, place: int, cells: Sequence[int]) -> list[int]:
        """The signed tables of one table, whose cells are given row by row."""
        found = list[int]()
        for signs, kept, _ in self.signed[place]:
            axes = tuple(sorted((*signs, *kept)))
            table = self._sums(place, cells, axes)
            for at, axis in enumerate(axes):
                table = difference(table, at) if axis in signs else table
            found += map(int, table.ravel())
        return found

    def draw(self, source: Source, most: int) -> tuple[list[int], ...]:
        """Noise for all numbers of every table, of which one unit moves each by at most `most`."""
        drawn = [iter(self._noise(number, source, most)) for number in range(len(self.rates))]
        return tuple(
            [x for _, _, number in own for x in next(drawn[number])] for own in self.signed
        )

    def widths(self, draw: int) -> list[int]:
        """How many cells the signed tables of a draw have."""
        return [self.cells(kept) for own in self.signed for _, kept, at in own if at == draw]

    def law(self, draw: int, most: int) -> KNormNoise | None:
        """The law of a draw that tables share; None if it is for one table, or none."""
        blocks = tuple(Diamond(width, most) for width in self.widths(draw))
        return KNormNoise(self.rates[draw], blocks, 1) if len(blocks) > 1 else None

    def _noise(self, draw: int, source: Source, most: int) -> Sequence[list[int]]:
        """The noise of one draw, table by table."""
        law, scale = self.law(draw, most), most / self.rates[draw]
        if law is not None:
            return law.draw(source)
        widths = self.widths(draw)
        return [[int(each) for each in discrete_laplace(scale, n, source)] for n in widths]


TableLaw = ResidualNoise | SignedNoise
"""The law of noise on what tables have in common."""
