"""`ColumnQuantiles`: the values of a column below which given parts of the rows lie."""

from collections.abc import Sequence
from fractions import Fraction
from typing import SupportsIndex

import numpy as np

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.people import said_value
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.release.ask.bin import Bin
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.dates import is_dated, words_of_range
from leastnoise.release.ask.expression import Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.values_of_ranks import quantiles_in_values
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.histograms import Grouping, Histograms
from leastnoise.release.step.step import Step

_HALF = Fraction(1, 2)
_USUAL_PARTS = 1 << 14  # finer than what noise tells apart, and quick
_MOST_VALUES = 1 << 16  # of whole numbers that get a part each


@dataclass(frozen=True)
class ColumnQuantiles:
    """Quantiles of a column, in all or in each group.

    The column's range is cut into many equal parts; what is found are parts that hold the
    quantiles, and the answer is the middle of the part. Whole numbers have a part each.

    Attributes:
        name: how the answer is found again.
        groups: for which groups, if any.
        part: the parts of the column's range.
        levels: which quantiles, rising, in (0, 1).
        importance: of an error of one row in the rank.
    """

    name: str
    groups: Groups
    part: Bin
    levels: tuple[Fraction, ...]
    importance: Fraction

    @classmethod
    def of(
        cls,
        name: str,
        groups: Groups,
        part: Bin,
        *,
        levels: Sequence[Exact],
        importance: Fraction,
    ) -> "ColumnQuantiles":
        """The question, its levels checked."""
        promise = PureDP(epsilon=1)
        return cls(
            name=name,
            groups=groups,
            part=part,
            levels=Quantiles(levels, cells=part.cells, contribution=1, promise=promise).levels,
            importance=importance,
        )

    @property
    def limits(self) -> tuple[float, float]:
        """Answers are looked for between the bounds."""
        return float(self.part.grid.lower), float(self.part.grid.upper)

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        asked = ", ".join(f"{float(100 * level):g} %" for level in self.levels)
        return (
            f"The values of {self.part.column.name} below which {asked} of the rows "
            f"lie{self.groups}, looked for in {self.part.cells} {words_of_range(self.part)}; "
            "missing values do not count."
        )

    def _mechanism(
        self, promise: PureDP | ZCDP, table: BoundedTable, *, ends: bool = True
    ) -> Quantiles:
        return Quantiles(
            self.levels,
            cells=self.part.cells,
            contribution=table.most,
            promise=promise,
            replace=table.neighbours is Neighbours.REPLACE,
            grouped=bool(self.groups.by),
            ends=ends,
        )

    def _granted(self, given: Allotment) -> Quantiles:
        price = given[0].price
        # A promise of ε is one of (ε, δ) too.
        promise = price if isinstance(price, PureDP | ZCDP) else PureDP(epsilon=price.epsilon)
        return self._mechanism(promise, given.table)

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Errors are of ranks, and weighed against one row.

        A third of how far a pair of choices reaches, as for a count whose interval reaches as far,
        is about the bound with an even chance of one choice: the latter is of trees too.
        """
        pure, concentrated = (
            float(max(self._mechanism(promise, table, ends=False).error_bounds(_HALF)))
            for promise in (PureDP(epsilon=1), ZCDP(rho=1))
        )
        return (Demand(self.importance / table.row_weight, pure, concentrated),)

    def measurements(self, table: BoundedTable) -> tuple[Histograms, ...]:
        """One count per part and group."""
        grouping = Grouping((*self.groups.by, self.part), self.groups.public_keys)
        return (Histograms((grouping,), table.max_rows, self.groups.counted),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """One draw for all quantiles of all groups."""
        mechanism = self._granted(given)
        return (Step(self.measurements(given.table)[0], mechanism, mechanism.promise, among),)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of the ranks, before any data is read; of values, if rows are expected."""
        mechanism = self._granted(given)
        told = Forecast(
            question=self.name,
            answers=None
            if self.groups.are_private
            else len(self.levels) * (self.groups.count or 1),
            mechanism=str(mechanism.way),
            expected_error=mechanism.usual_error / given.table.row_weight,
            interval=Fraction(mechanism.likely_reach(confidence), given.table.row_weight),
            share=given[0].share,
            of="rank",
        )
        return quantiles_in_values(told, self.part, given.expected.rows)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The middles of the parts found, and the parts between which quantiles surely lie."""
        mechanism, rows = self._granted(given), found[0].rows
        cells = found[0].values[0].reshape(-1, 3)
        return ReleasedTable(
            name=self.name,
            columns=(*self.groups.names, "quantile"),
            rows=tuple((*key, float(level)) for key in rows for level in self.levels),
            values=self._place(cells[:, 0], _HALF),
            standard_error=np.full(len(cells), np.nan),
            lower=self._place(cells[:, 1], Fraction(0)),
            upper=self._place(cells[:, 2], Fraction(1)),
            mechanism=str(mechanism.way),
            notes=(self._note(mechanism, given.table, confidence),),
            dated=is_dated(self.part),
        )

    def _place(self, cells: np.ndarray, inside: Fraction) -> Floats:
        """A place inside each part, as a value of the column."""
        grid = self.part.grid
        width = (grid.upper - grid.lower) / self.part.cells
        return float(grid.lower + width * inside) + float(width) * cells.astype(np.float64)

    def _note(self, mechanism: Quantiles, table: BoundedTable, confidence: Fraction) -> str:
        rows = mechanism.likely_reach(confidence) / table.row_weight
        return (
            f"the interval of each answer reaches about {said_value(rows, rows)} rows to either "
            "side of it, in the column as it would be if it were sorted"
        )


def quantile_parts(
    column: Term, lower: Exact, upper: Exact, parts: SupportsIndex | None, kind: ColumnType
) -> Bin:
    """The parts to look for quantiles in.

    Whole numbers get a part each, with the number in its middle, if there are not too many.
    """
    low, high = _check.rational(lower, "lower"), _check.rational(upper, "upper")
    whole = kind in {ColumnType.TRUTH, ColumnType.INTEGER, ColumnType.WIDE_INTEGER}
    if parts is None and whole and 0 < high - low < _MOST_VALUES:
        first, last = low.__floor__(), high.__ceil__()
        return Bin(column, Grid(lower=first - _HALF, upper=last + _HALF), last - first + 1)
    count = _USUAL_PARTS if parts is None else parts
    return Bin(column, Grid(lower=low, upper=high), count)
