r"""`Bin`: which of several equal parts of a range a number falls in, in exact integers."""

from typing import SupportsIndex, TypeAlias

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Column, Term
from leastnoise.release.ask.grid import Grid

MOST_CELLS = 2**20


@dataclass(frozen=True, init=False, eq=False)
class Bin(Term):
    r"""The number 0..cells−1 of the part of a grid's range that a column's value falls in.

    Law: a value with place q is in part min(cells − 1, ⌊(q − least)·cells/(most − least)⌋). Parts
    are closed below, the last one on both sides; values outside the range are in the first or last
    part. A missing value (NULL, NaN) is in none.

    Args:
        column: what is cut into parts: a column of numbers or truth values, or one computed.
        grid: its range and how finely values are told apart in it.
        cells: how many parts, an integer in 1..2^20 and at most most − least.

    Example:
        >>> age = Bin(Column("age"), Grid(lower=0, upper=110), 11)
        >>> [age.number(age.grid.place(value)) for value in (-3, 0, 9.75, 10, 110, 150)]
        [0, 0, 0, 1, 10, 10]
    """

    column: Term
    grid: Grid
    cells: int

    def __init__(self, column: Term, grid: Grid, cells: SupportsIndex) -> None:
        count = _check.integer_between(cells, "cells", 1, MOST_CELLS)
        if count > grid.most - grid.least:
            raise _check.refuse(
                "`cells` must be at most the steps of the grid",
                f"{count} parts of {grid.most - grid.least} steps",
                "Give the grid more bits, or ask for fewer parts.",
            )
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "cells", count)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those that are cut into parts."""
        return self.column.columns

    def number(self, place: int) -> int:
        """The part that a place on the grid is in."""
        steps = self.grid.most - self.grid.least
        return min(self.cells - 1, (place - self.grid.least) * self.cells // steps)

    def __str__(self) -> str:
        return f"{self.column} in {self.cells} parts"


KeyExpression: TypeAlias = Term
"""What rows can be grouped by: a term whose values can be told apart exactly."""
