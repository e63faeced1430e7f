r"""`Moments`: the noisy sums of products of columns that regressions are made of."""

from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Cut, Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountRows,
    SumFromCentre,
    SumOfSquares,
    contribution,
)

Pair = tuple[int, int]


@dataclass(frozen=True)
class Moments:
    r"""Σ z·zᵀ over rows, z = (1, places of some columns between their bounds, from −1 to 1).

    Each sum is measured by itself: whoever asks for one of them too has the same number. Squares
    are measured less 1/2, which halves their reach; those of a column with two values are 1.

    Attributes:
        columns: of which every row has a value.
        grids: theirs.
        two_valued: the columns whose values are bounds, by their places from 1 on.
        left_out: the columns whose squares nobody needs, by their places from 1 on.
    """

    columns: tuple[Term, ...]
    grids: tuple[Grid, ...]
    two_valued: frozenset[int]
    left_out: frozenset[int]

    @property
    def size(self) -> int:
        """How long z is."""
        return len(self.columns) + 1

    @cached_property
    def aggregates(self) -> dict[Pair, Aggregate]:
        """What is summed for each place i ≤ j of the matrix that needs a sum of its own."""
        unneeded = self.two_valued | self.left_out
        return {
            (i, j): self._aggregate(i, j)
            for i, j in combinations_with_replacement(range(self.size), 2)
            if not (i == j and i in unneeded)
        }

    def _aggregate(self, i: int, j: int) -> Aggregate:
        if j == 0:
            return CountRows()
        column, grid = self.columns[j - 1], self.grids[j - 1]
        if i == 0:
            return SumFromCentre(column, grid)
        if i == j:
            return SumOfSquares(column, grid)
        other = self.columns[i - 1], self.grids[i - 1]
        # In one order, so that whoever asks for the same product has the same sum.
        one, two = sorted([other, (column, grid)], key=lambda each: str(each[0]))
        return sum_of_products(one, two)

    @cached_property
    def scales(self) -> tuple[float, ...]:
        """In how many steps each sum is told."""
        squares = {pair for pair in self.aggregates if pair[0] == pair[1] != 0}
        return tuple(
            float((self.grids[pair[0] - 1].most - self.grids[pair[0] - 1].least) ** 2)
            if pair in squares
            else float(contribution(each)[1])
            for pair, each in self.aggregates.items()
        )

    @cached_property
    def _shifts(self) -> Floats:
        """What one row adds to each square beside what is measured of it."""
        found = np.zeros(self.size)
        for (i, j), each in self.aggregates.items():
            if i == j and isinstance(each, SumOfSquares):
                found[i] = each.shift / (each.grid.most - each.grid.least) ** 2
        found[list(self.two_valued)] = 1
        return found

    def matrices(self, sums: Floats) -> Floats:
        """Of one row of sums for each group: Σ z·zᵀ, a matrix for each; 0 where nobody needs it."""
        found = np.zeros((len(sums), self.size, self.size))
        for place, (i, j) in enumerate(self.aggregates):
            found[:, i, j] = found[:, j, i] = sums[:, place]
        squares = range(self.size)
        found[:, squares, squares] += sums[:, :1] * self._shifts
        return found

    def factors(self, left: Floats, right: Floats) -> Floats:
        """What leftᵀ·(Σ z·zᵀ)·right has of each sum, row by row."""
        found = [
            left[:, i] * right[:, j] + (left[:, j] * right[:, i] if i < j else 0)
            for i, j in self.aggregates
        ]
        found[0] = found[0] + (left * right) @ self._shifts
        return np.stack(found, axis=1)


def sum_of_products(one: tuple[Term, Grid], other: tuple[Term, Grid]) -> SumFromCentre:
    """The sum of products of two columns' distances from the middle of their ranges."""
    first, second = (
        Cut(column, grid.lower, grid.upper) - Fraction(grid.least + grid.most, 2) * grid.step
        for column, grid in (one, other)
    )
    unit = half_range(one[1]) * half_range(other[1])
    return SumFromCentre(first * second, Grid(lower=-unit, upper=unit))


def half_range(grid: Grid) -> Fraction:
    """How far values are from the middle of their range at most."""
    return grid.step * Fraction(grid.most - grid.least, 2)
