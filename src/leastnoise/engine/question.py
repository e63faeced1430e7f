"""Questions: what users ask of a table, as values. A closed family."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, assert_never

from leastnoise.engine.aggregate import (
    Aggregate,
    CountRows,
    CountUnits,
    DistanceAbove,
    DistanceBelow,
    SumOf,
    contribution,
    mean_sensitivity,
    sensitivity,
)
from leastnoise.engine.bounds import Bounds
from leastnoise.engine.expression import Column, Condition
from leastnoise.engine.grid import Grid
from leastnoise.engine.keys import Keys
from leastnoise.engine.measurement import Measurement
from leastnoise.engine.sensitivity import Sensitivity
from leastnoise.engine.table import Table


@dataclass(frozen=True)
class Groups:
    """For which groups, and which rows, a question is asked.

    Attributes:
        by: the columns that make the groups; none for one total.
        keys: the groups; public. None for a total.
        where: only rows for which this is true.
    """

    by: tuple[Column, ...] = ()
    keys: Keys | None = None
    where: Condition | None = None

    @property
    def count(self) -> int:
        """How many answers there will be."""
        return 1 if self.keys is None else len(self.keys.rows)


@dataclass(frozen=True)
class Count:
    """How many rows, or how many units."""

    name: str
    groups: Groups
    units: bool
    importance: Fraction


@dataclass(frozen=True)
class Sum:
    """The sum of a column; a missing value counts as 0."""

    name: str
    groups: Groups
    column: Column
    grid: Grid
    importance: Fraction


@dataclass(frozen=True)
class Mean:
    """The mean of a column; missing values do not count."""

    name: str
    groups: Groups
    column: Column
    grid: Grid
    importance: Fraction


Question: TypeAlias = Count | Sum | Mean


def aggregates(question: Question) -> tuple[Aggregate, ...]:
    """What the engine sums for a question."""
    match question:
        case Count():
            return (CountUnits(),) if question.units else (CountRows(),)
        case Sum():
            return (SumOf(question.column, question.grid),)
        case Mean():
            column, grid = question.column, question.grid
            return DistanceBelow(column, grid), DistanceAbove(column, grid)
        case _:
            assert_never(question)


def measurement(question: Question, bounds: Bounds) -> Measurement:
    """What the engine is asked for a question."""
    groups = question.groups
    return Measurement(aggregates(question), bounds, groups.by, groups.keys, groups.where)


def reach(question: Question, table: Table, bounds: Bounds) -> Sensitivity:
    """How far one unit can move everything the engine sums for a question, as one vector."""
    groups = question.groups
    least = table.effective_bounds(bounds, grouped=bool(groups.by), keys=groups.keys)
    if isinstance(question, Mean):
        return mean_sensitivity(question.grid, least, table.neighbours)
    (single,) = aggregates(question)
    return sensitivity(single, least, table.neighbours)


def row_size(question: Question) -> int:
    """The most one row adds to a sum, in the engine's integers: errors are weighed against it."""
    low, high = contribution(aggregates(question)[0])
    return max(-low, high)


def step(question: Question) -> Fraction:
    """What one unit of the engine's integers is worth."""
    return Fraction(1) if isinstance(question, Count) else question.grid.step
