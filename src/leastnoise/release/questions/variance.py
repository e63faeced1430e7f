"""`Variance`: the variance of a column; missing values do not count."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.chosen_ends import NONE_CHOSEN, ChosenEnds
from leastnoise.release.ask.expression import Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.integer_answers import lattice_forecast, noisy_step, spread
from leastnoise.release.questions.moved_answer import Case, Moved
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.own_unit import in_own_unit
from leastnoise.release.questions.variance_ends import Sums, variance_ends
from leastnoise.release.questions.yardstick import measured_by
from leastnoise.release.result.forecast import Forecast, shown_size
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.aggregate import (
    Aggregate,
    CountPresent,
    SumFromCentre,
    SumOfSquares,
    contribution,
)
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step

_MEANS = -1.0, -0.5, 0.0, 0.5, 1.0  # of y, as far out as the variance allows


@dataclass(frozen=True)
class Variance:
    r"""The variance Σ (x − mean)²/n of a column; missing values do not count.

    Three sums are released: the number n of values, and with y the place of a value between the
    bounds, from −1 to 1, Σ y and Σ (y² − 1/2). The variance is (half the range)² times
    Σ y²/n − (Σ y/n)².
    """

    name: str
    groups: Groups
    column: Term
    grid: Grid
    importance: Fraction
    ends: ChosenEnds = NONE_CHOSEN

    @property
    def _aggregates(self) -> tuple[CountPresent, SumFromCentre, SumOfSquares]:
        parts = self.column, self.grid
        return CountPresent(*parts), SumFromCentre(*parts), SumOfSquares(*parts)

    @property
    def _steps(self) -> int:
        return self.grid.most - self.grid.least

    @property
    def limits(self) -> tuple[float, float]:
        """None is greater than that of two halves at both bounds."""
        return 0.0, self._unit

    @property
    def inside(self) -> tuple[float, float] | None:
        """The bounds that values are cut to."""
        return float(self.grid.lower), float(self.grid.upper)

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return (
            f"The variance of {self.column.name}{self.groups}; values are cut to "
            f"{self.ends.words(self.grid)}, missing ones do not count."
        )

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for each sum; an error is weighed against the most that one row adds."""
        ranges = [contribution(aggregate) for aggregate in self._aggregates]
        return tuple(
            cells_demand(asked, table, self.importance / max(-low, high))
            for asked, (low, high) in zip(self._apart(table), ranges, strict=True)
        )

    def _apart(self, table: BoundedTable) -> list[Measurement]:
        asked: tuple[Aggregate, ...] = self._aggregates
        return [self.groups.measurement((aggregate,), table) for aggregate in asked]

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """Three sums per group."""
        return (self.groups.measurement(self._aggregates, table),)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """A draw for each of the three sums."""
        pairs = zip(self._apart(given.table), given, strict=True)
        return tuple(noisy_step(asked, each, among) for asked, each in pairs)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of the variance, for the rows expected."""
        step, answer = Fraction(1, self._steps**2), given.expected.answer
        told = lattice_forecast(self.name, self.groups, given[2], step, confidence)
        share = sum((each.share for each in given), Fraction(0))
        noise, rows = NoiseTogether.of(given.grants, self.scales), given.expected.rows
        cases, (unit, even) = self._cases(answer), self._sizes
        told = replace(told, share=share, ratio=None, assumed=self._assumed(answer))
        own = in_own_unit(told, noise, cases, float(unit), rows, confidence)
        return measured_by(own, even, "that of values spread evenly over the range", answer)

    @property
    def _sizes(self) -> tuple[Fraction, Fraction]:
        """The greatest answer there is, and that of values spread evenly over the range."""
        range_ = self.grid.upper - self.grid.lower
        return range_**2 / 4, range_**2 / 12

    def _assumed(self, answer: Fraction | None) -> str:
        if answer is None:
            return ", whatever the values are"
        return f", with a variance of {shown_size(float(answer))}"

    def _cases(self, answer: Fraction | None) -> list[Case]:
        """Means and variances that a table may have, so that errors are largest."""
        if answer is None:
            return [self.moved(m, 1 - m**2) for m in _MEANS]
        true = min(max(float(answer) / self._unit, 0.0), 1.0)
        return [self.moved(m * math.sqrt(1 - true), true) for m in _MEANS]

    def moved(self, mean: float, variance: float) -> Moved:
        """What noise does to the variance of a table with this mean and variance of y."""
        first = self._shift + mean**2 - variance, -2 * mean, 1.0
        apart = -mean, 1.0, 0.0
        return Moved(first, (1.0, 0.0, 0.0), apart, apart, most=1.0)

    def make_ready(self, given: Allotment, confidence: Fraction) -> None:
        """How far the sums reach is known before the charge: found for any sums."""
        noise, any_sum = NoiseTogether.of(given.grants, self.scales), np.ones(1)
        variance_ends((any_sum, any_sum, any_sum), noise, self._shift, float(1 - confidence))

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The variances; the interval holds what the joint law of the sums does not rule out."""
        scales = self.scales
        count, total, squares = (
            each.values[0].astype(np.float64) / scale
            for each, scale in zip(found, scales, strict=True)
        )
        sums = count, total, squares
        spreads = [spread(grant) / scale for grant, scale in zip(given, scales, strict=True)]
        noise = NoiseTogether.of(given.grants, scales)
        ends = variance_ends(sums, noise, self._shift, float(1 - confidence))
        values, (lower, upper) = self._variance(sums), (self._unit * end for end in ends)
        return ReleasedTable(
            name=self.name,
            columns=self.groups.names,
            rows=found[0].rows,
            values=values,
            standard_error=self._spread(sums, spreads),
            lower=np.minimum(lower, values),
            upper=np.maximum(upper, values),
            mechanism="; ".join(grant.words for grant in given),
        )

    @property
    def scales(self) -> tuple[float, float, float]:
        """In how many steps each sum is told."""
        return 1.0, float(self._steps), float(self._steps) ** 2

    @property
    def _shift(self) -> float:
        return self._aggregates[2].shift / self._steps**2

    @property
    def _unit(self) -> float:
        return float(self.grid.upper - self.grid.lower) ** 2 / 4

    def _variance(self, sums: Sums) -> Floats:
        count, total, squares = np.maximum(sums[0], 1), sums[1], sums[2]
        inner = squares / count + self._shift - np.clip(total / count, -1, 1) ** 2
        return np.asarray(self._unit * np.clip(inner, 0, 1))

    def _spread(self, sums: Sums, spreads: list[float]) -> Floats:
        """To first order, and at most the greatest variance there is."""
        count, total, squares = np.maximum(sums[0], 1), sums[1], sums[2]
        slopes = (
            (2 * total**2 / count - squares) / count**2,
            -2 * total / count**2,
            1 / count,
        )
        first = np.sqrt(sum((a * b) ** 2 for a, b in zip(slopes, spreads, strict=True)))
        return np.asarray(self._unit * np.minimum(first, 1))
