r"""Noise for marginals that are measured together: on residuals (Gaussian), or on signed tables (pure).

Both laws know the shapes of the tables and which numbers are measured of which table; every residual
is measured of one table. `measured` takes a table to these numbers, `draw` gives noise for all of
them, and the price is that of `residual_price`, whose theorem says why. Tables are then estimated
from the noisy numbers alone, which costs nothing.

Trusted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.joint_pure import Block, Box, Diamond, KNormNoise
from leastnoise.noise.laplace import discrete_laplace
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.workloads.residual_price import (
    Axes,
    Integers,
    epsilon,
    residual,
    signed_table,
    squared_mu,
)

Shape = tuple[int, ...]


@dataclass(frozen=True)
class ResidualNoise:
    """Independent rounded Gaussian noise on weighted residuals.

    Attributes:
        variance: of the noise of every number.
        shapes: of the tables.
        residuals: for each table those that are measured of it: axes and weight.

    >>> law = ResidualNoise(100, ((2, 5), (5,)), ((((), 3), ((0, 1), 1)), (((0,), 2),)))
    >>> law.measured(1, [1, 0, 0, 0, 2]), law.squared_mu()
    ([4, -6, -6, -6, 14], Fraction(109, 100))
    """

    variance: int
    shapes: tuple[Shape, ...]
    residuals: tuple[tuple[tuple[Axes, int], ...], ...]

    def __post_init__(self) -> None:
        weights = [weight for own in self.residuals for _, weight in own]
        if any(type(each) is not int or each < 1 for each in (self.variance, *weights)):
            raise InvalidInput("A variance and weights are whole numbers above 0.")
        _check(self.shapes, [[axes for axes, _ in own] for own in self.residuals])

    def measured(self, place: int, numbers: Sequence[int]) -> list[int]:
        """The weighted residuals of one table, whose numbers come in the order of their places."""
        table = _table(numbers, self.shapes[place])
        return [
            weight * int(each)
            for axes, weight in self.residuals[place]
            for each in residual(table, axes).ravel()
        ]

    def squared_mu(self, most: int = 1) -> Fraction:
        """The mu^2, if one unit moves every table by at most `most` in l1 norm."""
        parts = (
            ([shape[axis] for axis in axes], weight)
            for shape, own in zip(self.shapes, self.residuals, strict=True)
            for axes, weight in own
        )
        return squared_mu(parts, self.variance, most)

    def draw(self, source: Source) -> tuple[list[int], ...]:
        """Noise for all numbers of every table."""
        return tuple(
            [int(each) for each in rounded_gaussian(Fraction(self.variance), count, source)]
            for count in map(self._count, range(len(self.shapes)))
        )

    def _count(self, place: int) -> int:
        shape = self.shapes[place]
        sizes = ([shape[axis] for axis in axes] for axes, _ in self.residuals[place])
        return sum(prod(1 if size == 2 else size for size in each) for each in sizes)


@dataclass(frozen=True)
class SignedNoise:
    """Noise on signed tables, of which those with the same number share a draw.

    The noise x of one draw has probability proportional to e^(-rate * N(x / step)), N the greatest l1
    norm of a table rounded up: `KNormNoise` with one counter. A draw for one table is independent
    Laplace noise.

    Attributes:
        step: the move of a table that the noise is made for, in l1 norm.
        rates: of the draws.
        shapes: of the tables.
        signed: for each table what is measured of it: sign axes, cell axes, number of the draw.
    """

    step: int
    rates: tuple[Fraction, ...]
    shapes: tuple[Shape, ...]
    signed: tuple[tuple[tuple[Axes, Axes, int], ...], ...]

    def __post_init__(self) -> None:
        if type(self.step) is not int or self.step < 1 or any(rate <= 0 for rate in self.rates):
            raise InvalidInput("A step and rates are above 0.")
        _check(self.shapes, [[(*signs, *cells) for signs, cells, _ in own] for own in self.signed])
        for shape, own in zip(self.shapes, self.signed, strict=True):
            for signs, _, draw in own:
                if any(shape[axis] != 2 for axis in signs) or draw not in range(len(self.rates)):
                    raise InvalidInput("Sign axes have two values, and every table has a draw.")

    def measured(self, place: int, numbers: Sequence[int]) -> list[int]:
        """The signed tables of one table, whose numbers come in the order of their places."""
        table = _table(numbers, self.shapes[place])
        return [
            int(each)
            for signs, cells, _ in self.signed[place]
            for each in signed_table(table, signs, cells).ravel()
        ]

    def epsilon(self, most: int = 1) -> Fraction:
        """The epsilon, if one unit moves every table by at most `most` in l1 norm."""
        return epsilon(self.rates, self.step, most)

    @cached_property
    def widths(self) -> tuple[tuple[int, ...], ...]:
        """How many cells the signed tables of each draw have."""
        found: list[list[int]] = [[] for _ in self.rates]
        for draw, width in self._tables():
            found[draw].append(width)
        return tuple(map(tuple, found))

    def law(self, draw: int) -> KNormNoise | None:
        """The law of a draw: first all single numbers, then wider tables; None if it is for one."""
        widths = self.widths[draw]
        singles = widths.count(1)
        blocks: list[Block] = [Box(-self.step, self.step, singles)] if singles else []
        blocks += [Diamond(width, self.step) for width in widths if width > 1]
        return KNormNoise(self.rates[draw], tuple(blocks), 1) if len(widths) > 1 else None

    def draw(self, source: Source) -> tuple[list[int], ...]:
        """Noise for all numbers of every table."""
        waiting = [self._drawn(draw, source) for draw in range(len(self.rates))]
        return tuple(
            [x for table in own for x in self._next(waiting, place, table)]
            for place, own in enumerate(self.signed)
        )

    def _next(
        self, waiting: list[Iterator[list[int]]], place: int, table: tuple[Axes, Axes, int]
    ) -> list[int]:
        del place
        return next(waiting[table[2]])

    def _drawn(self, draw: int, source: Source) -> Iterator[list[int]]:
        """The noise of one draw, table by table."""
        widths, law = self.widths[draw], self.law(draw)
        if law is None:
            scale = self.step / self.rates[draw]
            for width in widths:
                yield [int(each) for each in discrete_laplace(scale, width, source)]
            return
        drawn = iter(law.draw(source))
        singles = iter(next(drawn) if 1 in widths else [])
        for width in widths:
            yield [next(singles)] if width == 1 else next(drawn)

    def _tables(self) -> Iterator[tuple[int, int]]:
        """Draw and width of every signed table, in their order."""
        for shape, own in zip(self.shapes, self.signed, strict=True):
            for _, cells, draw in own:
                yield draw, prod(shape[axis] for axis in cells)


def _table(numbers: Sequence[int], shape: Shape) -> Integers:
    found = np.empty(len(numbers), dtype=np.object_)
    found[:] = numbers
    return found.reshape(shape)


def _check(shapes: Sequence[Shape], axes: Sequence[Sequence[Axes]]) -> None:
    """Refuses shapes and axes that do not fit together."""
    if len(shapes) != len(axes) or any(size < 2 for shape in shapes for size in shape):
        raise InvalidInput("Every table has a shape, with two values or more along each axis.")
    for shape, own in zip(shapes, axes, strict=True):
        for each in own:
            if len(set(each)) < len(each) or not set(each) <= set(range(len(shape))):
                raise InvalidInput("What is measured of a table has axes of it, each once.")
