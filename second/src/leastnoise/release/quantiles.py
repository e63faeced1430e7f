"""Quantiles from noisy counts of rows in cells of a range, at several levels of fineness.

A range is cut into cells, 16 of which make one cell of the next coarser level. Each level is
measured by itself. The number of rows below an edge is the sum of at most 15 cells of each level,
so its noise is small wherever the edge lies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from leastnoise.ledger.meters import Family
from leastnoise.release.estimate import Answers, Estimator, Floats, Measured, quantile
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


def histograms_of(estimate: Estimator) -> tuple[Histogram, ...]:
    """The histograms that an answer is computed from."""
    return tuple(getattr(estimate, "histograms", ()))


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
        """The standard deviation of (rows below an edge) - q * (all rows), for every edge."""
        q, edges = float(self.q), np.arange(self.histogram.sizes[len(sizes) - 1] + 1)
        variance = np.zeros(len(edges))
        for level, (cells, size) in enumerate(zip(self.histogram.sizes, sizes, strict=False)):
            place = edges // FAN ** (len(sizes) - 1 - level)
            below = place if level == 0 else place % FAN
            # Of the coarsest level every cell is in the number of all rows.
            whole = below * (1 - q) ** 2 + (cells - below) * q**2
            variance += size**2 * (whole if level == 0 else below)
        found: Floats = np.sqrt(variance * (1 if family == "gaussian" else 2))
        return found

    def answers(self, measured: Measured, level: float) -> Answers:
        """The answer of every group."""
        cells = measured.cells[self.histogram]
        edges = self.histogram.edges(len(cells))
        below, total = _rows_below(cells), cells[0].sum(axis=1, keepdims=True)
        surplus = below - float(self.q) * total
        spread = self.spread(measured.family, measured.sizes[self.histogram])
        margin = spread * _deviations(measured.family, level)
        whole = self.histogram.is_whole and len(cells) == len(self.histogram.sizes)
        low = _crossing(_rising(surplus + margin), edges, whole=whole)
        high = _crossing(_rising_late(surplus - margin), edges, whole=whole)
        first = _crossing(_rising(surplus), edges, whole=whole)
        value = (first + _crossing(_rising_late(surplus), edges, whole=whole)) / 2
        value = np.round(value) if whole else value
        error = _crossing(_rising_late(surplus - spread), edges, whole=whole) - _crossing(
            _rising(surplus + spread), edges, whole=whole
        )
        return Answers(value, np.minimum(low, value), np.maximum(high, value), error / 2)


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


def _rows_below(levels: Sequence[Floats]) -> Floats:
    """For every group and every edge of the finest cells: the rows below."""
    start = np.zeros((levels[0].shape[0], 1))
    for cells in levels:
        parents, size = start.shape[1], cells.shape[1]
        padded = np.zeros((cells.shape[0], size if parents == 1 else parents * FAN))
        padded[:, :size] = cells
        blocks = padded.reshape(cells.shape[0], parents, -1)
        inside = np.cumsum(blocks, axis=2) - blocks
        start = (start[:, :, None] + inside).reshape(cells.shape[0], -1)[:, :size]
    end = levels[0].sum(axis=1, keepdims=True)
    return np.asarray(np.concatenate([start, end], axis=1))


def _rising(values: Floats) -> Floats:
    """The greatest value so far: above 0 from the first edge on at which the values are."""
    found: Floats = np.maximum.accumulate(values, axis=1)
    return found


def _rising_late(values: Floats) -> Floats:
    """The least value from here on: above 0 from the last edge on at which the values become so."""
    found: Floats = np.minimum.accumulate(values[:, ::-1], axis=1)[:, ::-1]
    return found


def _crossing(surplus: Floats, edges: Floats, *, whole: bool) -> Floats:
    """Where a rising function of the edge crosses 0, for every group; within a cell by a line."""
    above = surplus > 0
    first = np.where(above.any(axis=1), above.argmax(axis=1), surplus.shape[1] - 1)
    at = np.clip(first - 1, 0, surplus.shape[1] - 2)
    if whole:
        return np.asarray(edges[at])
    rows = np.arange(surplus.shape[0])
    left, right = surplus[rows, at], surplus[rows, at + 1]
    rise = np.where(right > left, right - left, 1)
    place = np.clip(np.where(first > 0, -left / rise, 0), 0, 1)
    found: Floats = edges[at] + place * (edges[at + 1] - edges[at])
    return found
