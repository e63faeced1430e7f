"""`Correlation`: how nearly two columns rise together, from −1 to 1."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.grid import Grid
from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.covariance import Covariance
from leastnoise.release.questions.integer_answers import lattice_forecast, noisy_step, spread
from leastnoise.release.questions.moved_answer import MovedCorrelation
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.own_unit import in_own_unit
from leastnoise.release.questions.yardstick import measured_by
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.aggregate import SumOfSquares, contribution
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step

_FEW = 2.0  # variances of fewer times their own error may be none
_NOT_KNOWN = "where a column varies no more than its noise the correlation is not known"


@dataclass(frozen=True)
class Correlation:
    """The covariance over the root of both variances, of the rows that have both values.

    Six sums are released: those of the covariance, and Σ (y² − 1/2) of both columns.
    """

    covariance: Covariance

    @property
    def name(self) -> str:
        """How the answer is found again."""
        return self.covariance.name

    @property
    def groups(self) -> Groups:
        """For which groups and rows it is asked."""
        return self.covariance.groups

    @property
    def _squares(self) -> list[SumOfSquares]:
        pairs = zip(self.covariance.present, self.covariance.grids, strict=True)
        return [SumOfSquares(column, grid) for column, grid in pairs]

    @property
    def _scales(self) -> tuple[float, ...]:
        """In how many steps each sum is told."""
        widths = [grid.most - grid.least for grid in self.covariance.grids]
        return *map(float, self.covariance.scales), *(float(each) ** 2 for each in widths)

    @property
    def limits(self) -> tuple[float, float]:
        """Of every correlation."""
        return -1.0, 1.0

    @property
    def cut_to(self) -> tuple[tuple[str, Grid], ...]:
        """The bounds of both columns."""
        return self.covariance.cut_to

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return f"The correlation of {self.covariance.told()}"

    def _apart(self, table: BoundedTable) -> list[Measurement]:
        return [self.groups.measurement((each,), table) for each in self._squares]

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Those of the covariance, and noise for both sums of squares."""
        pairs = zip(self._apart(table), self._squares, strict=True)
        return *self.covariance.demands(table), *(
            cells_demand(
                asked, table, self.covariance.importance / max(map(abs, contribution(own)))
            )
            for asked, own in pairs
        )

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """Six sums per group, each by itself."""
        return *self.covariance.measurements(table), *self._apart(table)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """A draw for each of the six sums."""
        pairs = zip(self.measurements(given.table), given, strict=True)
        return tuple(noisy_step(asked, each, among) for asked, each in pairs)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of the correlation, of values spread evenly over their ranges."""
        answer, rows = given.expected.answer, given.expected.rows
        told = lattice_forecast(self.name, self.groups, given[3], Fraction(1), confidence)
        true = 0.0 if answer is None else min(max(float(answer), -1.0), 1.0)
        words = f", with values spread evenly over their ranges and a correlation of {true:.3g}"
        share = sum((each.share for each in given), Fraction(0))
        told = replace(told, share=share, ratio=None, assumed=words)
        cases = [MovedCorrelation.of_even(true)]
        own = in_own_unit(told, self._noise(given), cases, 1.0, rows, confidence)
        return measured_by(own, None, "", answer)

    def make_ready(self, given: Allotment, confidence: Fraction) -> None:
        """What the noises are together is known before the charge."""
        del confidence
        _ = self._noise(given).points

    def _noise(self, given: Allotment) -> NoiseTogether:
        return NoiseTogether.of(given.grants, self._scales)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The correlations; the interval is of first order in the noise, by its joint law."""
        sums = np.array([
            each.values[0].astype(np.float64) / scale
            for each, scale in zip(found, self._scales, strict=True)
        ])  # fmt: skip
        shifts = [
            own.shift / scale for own, scale in zip(self._squares, self._scales[4:], strict=True)
        ]
        spreads = np.array([spread(g) / s for g, s in zip(given, self._scales, strict=True)])
        values, slopes, known = _first_order(sums, shifts, spreads)
        rows = np.maximum(sums[0], 1)
        half = self._noise(given).quantiles(slopes, float(1 - confidence)) / rows
        return ReleasedTable(
            name=self.name,
            columns=self.groups.names,
            rows=found[0].rows,
            values=values,
            standard_error=np.minimum(np.sqrt((slopes * spreads) ** 2 @ np.ones(6)) / rows, 1),
            lower=np.where(known, np.maximum(values - half, -1), -1.0),
            upper=np.where(known, np.minimum(values + half, 1), 1.0),
            mechanism="; ".join(dict.fromkeys(each.words for each in given)),
            notes=() if known.all() else (_NOT_KNOWN,),
        )


def _first_order(
    sums: Floats, shifts: list[float], spreads: Floats
) -> tuple[Floats, Floats, Floats]:
    r"""The correlations, what noise does to each times the number of rows, and which are known.

    With τ as for covariance and variances (docs/proofs/intervals.md, sections 3 and 4) it is
    τ_xy/√(v_x·v_y) − ρ/2·(τ_x/v_x + τ_y/v_y). Known is it where both variances are above twice
    their standard errors.
    """
    rows = np.maximum(sums[0], 1)
    one, two = (np.clip(each / rows, -1, 1) for each in sums[1:3])
    first, second = (sums[4] / rows + shifts[0] - one**2, sums[5] / rows + shifts[1] - two**2)
    both, zero, unit = sums[3] / rows - one * two, np.zeros_like(one), np.ones_like(one)
    of_both = np.array([one * two - both, -two, -one, unit, zero, zero])
    of_first = np.array([shifts[0] + one**2 - first, -2 * one, zero, zero, unit, zero])
    of_second = np.array([shifts[1] + two**2 - second, zero, -2 * two, zero, zero, unit])
    errors = [np.sqrt(spreads**2 @ each**2) / rows for each in (of_first, of_second)]
    known = (first > _FEW * errors[0]) & (second > _FEW * errors[1])
    first, second = np.where(known, first, 1.0), np.where(known, second, 1.0)
    values = np.clip(both / np.sqrt(first * second), -1, 1)
    slopes = of_both / np.sqrt(first * second)
    slopes = slopes - values / 2 * (of_first / first + of_second / second)
    return values, slopes.T, known
