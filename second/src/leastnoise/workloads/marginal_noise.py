r"""Noise for tables that are measured together: on residuals (Gaussian) or signed tables (pure).

Both laws know the attributes, which of them each table counts by, and what is measured of which
table. `measured` takes the cells of a table to the numbers that are measured of it, `draw` gives the
noise of all numbers, made for a unit that moves every table by at most `most` in l1 norm. The price
is the same for every `most`: it is that of the theorem in `residual_price`. Tables are estimated from
the noisy numbers alone, which costs nothing.

Trusted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.joint_pure import Diamond, KNormNoise
from leastnoise.noise.laplace import discrete_laplace
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.workloads.residual_price import Axes, Integers, residual, same, signed_table


@dataclass(frozen=True)
class _Tables:
    """Attributes, and the tables that count by them.

    Attributes:
        sizes: how many values each attribute has.
        tables: for each table the numbers of its attributes, increasing.
    """

    sizes: tuple[int, ...]
    tables: tuple[Axes, ...]

    def __post_init__(self) -> None:
        if not self.tables or any(type(size) is not int or size < 2 for size in self.sizes):
            raise InvalidInput("Tables count by attributes of two values or more.")
        for table in self.tables:
            _check(table, range(len(self.sizes)))

    def cells(self, axes: Axes) -> int:
        """How many cells a table of these attributes has."""
        return prod(self.sizes[axis] for axis in axes)

    def _check_measured(self, axes: Sequence[Iterable[Axes]]) -> None:
        """Refuses what cannot be measured of the tables."""
        if len(axes) != len(self.tables):
            raise InvalidInput("Of every table something is measured, or an empty list.")
        for table, own in zip(self.tables, axes, strict=True):
            for each in own:
                _check(each, table)

    def _table(self, place: int, cells: Sequence[int]) -> Integers:
        found = np.empty(len(cells), dtype=np.object_)
        found[:] = cells
        return found.reshape([self.sizes[axis] for axis in self.tables[place]])

    def _inside(self, place: int, axes: Axes) -> Axes:
        """The places of attributes among those of a table."""
        return tuple(self.tables[place].index(axis) for axis in axes)


def _check(axes: Axes, among: Sequence[int]) -> None:
    if list(axes) != sorted(set(axes) & set(among)):
        raise InvalidInput(f"{axes} are not some of the attributes {tuple(among)}, in order.")


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
        super().__post_init__()
        self._check_measured([[axes for axes, _ in own] for own in self.residuals])
        numbers = [self.variance, *(precision for own in self.residuals for _, precision in own)]
        if any(type(each) is not int or each < 1 for each in numbers):
            raise InvalidInput("A variance and precisions are whole numbers above 0.")

    def measured(self, place: int, cells: Sequence[int]) -> list[int]:
        """The residuals of one table, whose cells are given row by row."""
        table = self._table(place, cells)
        return [
            int(each)
            for axes, _ in self.residuals[place]
            for each in residual(table, self._inside(place, axes)).ravel()
        ]

    def squared_mu(self) -> Fraction:
        """The mu^2 of everything that is measured."""
        moves = (
            precision * prod(same(self.sizes[axis]) for axis in axes)
            for own in self.residuals
            for axes, precision in own
        )
        return Fraction(sum(moves), self.variance)

    def draw(self, source: Source, most: int) -> tuple[list[int], ...]:
        """Noise for all numbers of every table."""
        square = self.variance * most**2
        return tuple(
            [
                int(each)
                for axes, precision in own
                for each in rounded_gaussian(Fraction(square, precision), self._count(axes), source)
            ]
            for own in self.residuals
        )

    def _count(self, axes: Axes) -> int:
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
        super().__post_init__()
        if any(type(rate) is not Fraction or rate <= 0 for rate in self.rates):
            raise InvalidInput("The rate of noise is a fraction above 0.")
        both = [[tuple(sorted((*signs, *cells))) for signs, cells, _ in own] for own in self.signed]
        self._check_measured(both)
        for own in self.signed:
            for signs, _, draw in own:
                if any(self.sizes[axis] != 2 for axis in signs) or draw not in range(
                    len(self.rates)
                ):
                    raise InvalidInput("Signs are of two values, and every table has a draw.")
        for draw in range(len(self.rates)):
            self.law(draw, 1)

    def measured(self, place: int, cells: Sequence[int]) -> list[int]:
        """The signed tables of one table, whose cells are given row by row."""
        table, inside = self._table(place, cells), self._inside
        return [
            int(each)
            for signs, kept, _ in self.signed[place]
            for each in signed_table(table, inside(place, signs), inside(place, kept)).ravel()
        ]

    def epsilon(self) -> Fraction:
        """The epsilon of everything that is measured."""
        return sum(self.rates, Fraction(0))

    def widths(self, draw: int) -> list[int]:
        """How many cells the signed tables of a draw have."""
        every = (each for own in self.signed for each in own)
        return [self.cells(kept) for _, kept, number in every if number == draw]

    def draw(self, source: Source, most: int) -> tuple[list[int], ...]:
        """Noise for all numbers of every table."""
        drawn = [iter(self._noise(number, source, most)) for number in range(len(self.rates))]
        return tuple(
            [x for _, _, number in own for x in next(drawn[number])] for own in self.signed
        )

    def law(self, draw: int, most: int) -> KNormNoise | None:
        """The law of a draw that tables share; None if it is for one table."""
        widths = self.widths(draw)
        blocks = tuple(Diamond(width, most) for width in widths)
        return KNormNoise(self.rates[draw], blocks, 1) if len(widths) > 1 else None

    def _noise(self, draw: int, source: Source, most: int) -> Sequence[list[int]]:
        """The noise of one draw, table by table."""
        law, scale = self.law(draw, most), most / self.rates[draw]
        if law is not None:
            return law.draw(source)
        return [
            [int(each) for each in discrete_laplace(scale, width, source)]
            for width in self.widths(draw)
        ]


TableLaw = ResidualNoise | SignedNoise
"""The law of noise on what tables have in common."""
