"""Quantiles from noisy counts of rows in cells of a range, at several levels of fineness.

A range is cut into cells, 16 of which make one cell of the next coarser level. Each level is
measured by itself, and least squares make the levels agree. The number of rows below an edge is a
sum of few cells of each level, so its noise is small wherever the edge lies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise.ledger.meters import Family
from leastnoise.release.estimate import Answers, Floats, Measured, quantile
from leastnoise.tables.expressions import Call, Expression, Literal
from leastnoise.tables.schema import Type
from leastnoise.tables.totals import Total

FAN = 16
MOST_CELLS = FAN**3


@dataclass(frozen=True)
class Histogram:
    """The cells of a range, in which rows are counted.

    Attributes:
        where: which rows are counted; all, if None.
        value: of which expression; values outside the range are clipped to it.
        lower: the lower end of the range.
        upper: the upper end.
    """

    where: Expression | None
    value: Expression
    lower: Fraction
    upper: Fraction

    @property
    def is_whole(self) -> bool:
        """Whether every cell is one whole number."""
        ends = self.lower.denominator == self.upper.denominator == 1
        return self.value.type is Type.INTEGER and ends and self.upper - self.lower < MOST_CELLS

    @cached_property
    def cells(self) -> int:
        """The number of the finest cells."""
        return int(self.upper - self.lower) + 1 if self.is_whole else MOST_CELLS

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of cells of every level, the coarsest first."""
        found = [self.cells]
        while found[0] > FAN:
            found.insert(0, -(-found[0] // FAN))
        return tuple(found)

    def code(self, level: int) -> Expression:
        """The cell of a row at a level; missing where the value is."""
        low, high = _literal(self.lower), _literal(self.upper)
        place = Call("-", (Call("clip", (self.value, low, high)), low))
        if not self.is_whole:
            width = _literal((self.upper - self.lower) / self.cells)
            place = Call("floor", (Call("/", (place, width)),))
            place = Call("least", (place, Literal(self.cells - 1)))
        together = FAN ** (len(self.sizes) - 1 - level)
        return place if together == 1 else Call("floor", (Call("/", (place, Literal(together))),))

    def edges(self, depth: int) -> Floats:
        """The lower ends of the finest of `depth` levels of cells, and the upper end of the last one."""
        together = FAN ** (len(self.sizes) - depth)
        places = np.minimum(np.arange(self.sizes[depth - 1] + 1) * together, self.cells)
        if self.is_whole:
            places = places.astype(np.float64)
            return np.asarray(float(self.lower) + places)
        found: Floats = float(self.lower) + places * (float(self.upper - self.lower) / self.cells)
        return found


def _literal(number: Fraction) -> Literal:
    return Literal(int(number) if number.denominator == 1 else number)


@dataclass(frozen=True, eq=False)
class Quantile:
    """The value below which a given part of the rows lies."""

    histogram: Histogram
    q: Fraction

    @property
    def totals(self) -> tuple[Total, ...]:
        """None beside the cells."""
        return ()

    @property
    def histograms(self) -> tuple[Histogram, ...]:
        """The cells."""
        return (self.histogram,)

    @property
    def low(self) -> Fraction:
        """The lower end of the range."""
        return self.histogram.lower

    @property
    def high(self) -> Fraction:
        """The upper end."""
        return self.histogram.upper

    def spread(self, family: Family, sizes: Sequence[float]) -> Floats:
        """The standard deviation of (rows below an edge) - q * (all rows), for every edge.

        The rows below an edge that lies inside a cell are a part of the rows of that cell, with noise
        that those do not share. From the finest level up, `part` and `own` are that part, and the
        variance of that noise.
        """
        tree = _Tree(self.histogram.sizes[: len(sizes)], sizes)
        place = np.arange(tree.cells[-1] + 1)
        part, own = np.zeros(len(place)), np.zeros(len(place))
        for variances, together in zip(tree.variances[:0:-1], tree.together[::-1], strict=True):
            before = _running(variances)
            inside, parent = np.append(variances, 0)[place], place // FAN
            left = before[place] - before[parent * FAN]
            first, second = left + part * inside, left + part**2 * inside
            whole = np.append(together, 1)[parent]
            own += second - first**2 / whole
            part, place = first / whole, parent
        before, inside = _running(tree.variances[0]), np.append(tree.variances[0], 0)[place]
        q, above = float(self.q), before[-1] - before[place] - inside
        variance = (1 - q) ** 2 * before[place] + (part - q) ** 2 * inside + q**2 * above + own
        found: Floats = np.sqrt(variance * (1 if family == "gaussian" else 2))
        return found

    def margin_in_rows(self, measured: Measured, level: float) -> float:
        """How many rows from its place the value may be expected to lie, at most."""
        spread = self.spread(measured.family, measured.sizes[self.histogram]).max()
        return float(spread) * _deviations(measured.family, level)

    def answers(self, measured: Measured, level: float) -> Answers:
        """The answer of every group.

        The interval holds every cell to whose left there may be too few rows, and to whose right too
        many; which cell that is, two tests decide, each with half of the risk.
        """
        cells, sizes = measured.cells[self.histogram], measured.sizes[self.histogram]
        edges = self.histogram.edges(len(cells))
        rows = _Tree(self.histogram.sizes[: len(sizes)], sizes).rows(cells)
        below = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)], axis=1)
        surplus = below - float(self.q) * below[:, -1:]
        spread = self.spread(measured.family, sizes)
        margin = spread * _deviations(measured.family, level)
        whole = self.histogram.is_whole and len(cells) == len(self.histogram.sizes)
        low = edges[_cell(_rising(surplus + margin))]
        high = edges[_cell(_rising_late(surplus - margin)) + (not whole)]
        value = (_crossing(_rising(surplus), edges) + _crossing(_rising_late(surplus), edges)) / 2
        error = _crossing(_rising_late(surplus - spread), edges) - _crossing(
            _rising(surplus + spread), edges
        )
        if whole:
            value = (edges[_cell(_rising(surplus))] + edges[_cell(_rising_late(surplus))]) / 2
            value = np.round(value)
            low, high = np.minimum(low, value - 0.5), np.maximum(high, value + 0.5)
        low, high = (np.clip(end, edges[0], edges[-1]) for end in (low, high))
        low, high = np.minimum(low, value), np.maximum(high, value)
        in_its_cell = (edges[1] - edges[0]) / 12**0.5  # the value may lie anywhere in its cell
        error = np.maximum(error / 2, in_its_cell)
        return Answers(value, low, high, np.minimum(error, (high - low) / 2))


class _Tree:
    """Rows in cells of several levels, each measured by itself, made to agree by least squares.

    Hay, Rastogi, Miklau and Suciu 2010. `variances` are those of the cells of every level, from
    their own measurement and from the finer levels; `together` their sums over each coarser cell.
    """

    def __init__(self, cells: Sequence[int], sizes: Sequence[float]) -> None:
        self.cells = cells
        self.measured = [size**2 for size in sizes]
        self.variances = [np.full(cells[-1], self.measured[-1])]
        self.together = list[Floats]()
        for variance in self.measured[-2::-1]:
            self.together.insert(0, _by_parent(self.variances[0]))
            self.variances.insert(0, 1 / (1 / variance + 1 / self.together[0]))

    def rows(self, levels: Sequence[Floats]) -> Floats:
        """The rows in the finest cells of every group."""
        found = [levels[-1]]
        for level in range(len(levels) - 2, -1, -1):
            own, finer = levels[level] / self.measured[level], _by_parent(found[0])
            found.insert(0, self.variances[level] * (own + finer / self.together[level]))
        rows = found[0]
        for level, finer in enumerate(found[1:]):
            parent = np.arange(finer.shape[1]) // FAN
            missing = (rows - _by_parent(finer)) / self.together[level]
            rows = finer + self.variances[level + 1] * missing[:, parent]
        return rows


def _by_parent(cells: Floats) -> Floats:
    """Sums over the cells of each coarser cell (last axis)."""
    starts = np.arange(0, cells.shape[-1], FAN)
    found: Floats = np.add.reduceat(cells, starts, axis=-1)
    return found


def _running(numbers: Floats) -> Floats:
    """The sum of the numbers before each place, and of all."""
    return np.concatenate([[0.0], np.cumsum(numbers)])


def _deviations(family: Family, level: float) -> float:
    """How many standard deviations an interval takes to either side.

    Of a sum of Laplace noises between one alone and a normal law, whichever needs more.
    """
    normal = quantile("gaussian", [1.0], (1 - level) / 2)
    return (
        normal
        if family == "gaussian"
        else max(normal, quantile(family, [0.5**0.5], (1 - level) / 2))
    )


def _rising(values: Floats) -> Floats:
    """The greatest value so far: above 0 from the first edge on at which the values are."""
    found: Floats = np.maximum.accumulate(values, axis=1)
    return found


def _rising_late(values: Floats) -> Floats:
    """The least value from here on: above 0 from the last edge on at which the values become so."""
    found: Floats = np.minimum.accumulate(values[:, ::-1], axis=1)[:, ::-1]
    return found


def _cell(surplus: Floats) -> NDArray[np.intp]:
    """The cell in which a rising function of the edge crosses 0, for every group."""
    above = surplus > 0
    first = np.where(above.any(axis=1), above.argmax(axis=1), surplus.shape[1] - 1)
    return np.asarray(np.clip(first - 1, 0, surplus.shape[1] - 2))


def _crossing(surplus: Floats, edges: Floats) -> Floats:
    """Where a rising function of the edge crosses 0, for every group; within a cell by a line."""
    rows, at = np.arange(surplus.shape[0]), _cell(surplus)
    left, right = surplus[rows, at], surplus[rows, at + 1]
    place = np.clip(-left / np.where(right > left, right - left, 1), 0, 1)
    found: Floats = edges[at] + place * (edges[at + 1] - edges[at])
    return found
