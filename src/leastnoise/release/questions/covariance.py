"""`Covariance`: how two columns vary together; rows without one of both values do not count."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.covariance_ends import Sums, covariance_ends
from leastnoise.release.questions.integer_answers import lattice_forecast, noisy_step, spread
from leastnoise.release.questions.moments import half_range, sum_of_products
from leastnoise.release.questions.moved_answer import Moved, moved_covariance
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.own_unit import in_own_unit
from leastnoise.release.questions.yardstick import measured_by
from leastnoise.release.result.forecast import Forecast, shown_size
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.aggregate import CountPresent, SumFromCentre, Summed, contribution
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step

_INSIDE = -1.0, 1.0


@dataclass(frozen=True)
class Covariance:
    r"""The covariance Σ (x − mean)·(z − mean)/n of two columns, over rows that have both.

    Four sums are released: the number n of rows, and with y and w the places of both values between
    their bounds, from −1 to 1, Σ y, Σ w and Σ y·w. The covariance is the product of half the ranges
    times Σ y·w/n − Σ y/n·Σ w/n.
    """

    name: str
    groups: Groups
    columns: tuple[Term, Term]
    grids: tuple[Grid, Grid]
    importance: Fraction

    @property
    def present(self) -> tuple[Term, Term]:
        """Both columns, where both have a value: a term has none where one of its columns has."""
        one, other = self.columns
        return one + 0 * other, other + 0 * one

    @property
    def _aggregates(self) -> tuple[Summed, ...]:
        (one, other), grids = self.present, self.grids
        first, second = zip(self.columns, grids, strict=True)
        return (
            CountPresent(one, grids[0]),
            SumFromCentre(one, grids[0]),
            SumFromCentre(other, grids[1]),
            sum_of_products(first, second),
        )

    @property
    def scales(self) -> tuple[int, ...]:
        """What a row adds to each sum at most, in steps."""
        return tuple(contribution(each)[1] for each in self._aggregates)

    @property
    def limits(self) -> tuple[float, float]:
        """None is greater than that of two halves at both bounds."""
        unit = float(_unit(self.grids))
        return -unit, unit

    @property
    def cut_to(self) -> tuple[tuple[str, Grid], ...]:
        """The bounds of all columns."""
        pairs = zip(self.columns, self.grids, strict=True)
        return tuple((column.name, grid) for column, grid in pairs)

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return f"The covariance of {self.told()}"

    def told(self) -> str:
        """The columns, their bounds and what counts."""
        cuts = [f"{float(each.lower):g} … {float(each.upper):g}" for each in self.grids]
        return (
            f"{self.columns[0].name} and {self.columns[1].name}{self.groups}; values are cut to "
            f"{cuts[0]} and {cuts[1]}, and rows without one of both do not count."
        )

    def demands(self, table: BoundedTable) -> tuple[Demand, ...]:
        """Noise for each sum; an error is weighed against the most that one row adds."""
        pairs = zip(self.measurements(table), self.scales, strict=True)
        return tuple(cells_demand(asked, table, self.importance / most) for asked, most in pairs)

    def measurements(self, table: BoundedTable) -> tuple[Measurement, ...]:
        """Four sums per group, each by itself."""
        return tuple(self.groups.measurement((each,), table) for each in self._aggregates)

    def steps(self, given: Allotment, among: Step | None) -> tuple[Step, ...]:
        """A draw for each of the four sums."""
        pairs = zip(self.measurements(given.table), given, strict=True)
        return tuple(noisy_step(asked, each, among) for asked, each in pairs)

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of the covariance, for the rows expected."""
        step, answer = Fraction(1, self.scales[3]), given.expected.answer
        told = lattice_forecast(self.name, self.groups, given[3], step, confidence)
        share = sum((each.share for each in given), Fraction(0))
        known = "" if answer is None else f", with a covariance of {shown_size(float(answer))}"
        assumed = known or ", whatever the values are"
        told = replace(told, share=share, ratio=None, assumed=assumed)
        cases, unit, rows = self._cases(answer), self.limits[1], given.expected.rows
        own = in_own_unit(told, self._noise(given), cases, unit, rows, confidence)
        return measured_by(own, None, "", answer)

    def _cases(self, answer: Fraction | None) -> list[Moved]:
        """Means and covariances that a table may have, so that errors are largest."""
        corners = list(product(_INSIDE, _INSIDE))
        if answer is None:
            return [
                *(moved_covariance(*each, 0.0) for each in corners),
                *(moved_covariance(0.0, 0.0, together) for together in _INSIDE),
            ]
        true = min(max(float(answer) / self.limits[1], -1.0), 1.0)
        far = math.sqrt(1 - abs(true))
        means = [(far * one, far * other) for one, other in (*corners, (0.0, 0.0))]
        return [moved_covariance(*each, true) for each in means]

    def make_ready(self, given: Allotment, confidence: Fraction) -> None:
        """How far the sums reach is known before the charge: found for any sums."""
        any_sum = np.ones(1)
        sums = any_sum, any_sum, any_sum, any_sum
        covariance_ends(sums, self._noise(given), float(1 - confidence))

    def _noise(self, given: Allotment) -> NoiseTogether:
        return NoiseTogether.of(given.grants, tuple(map(float, self.scales)))

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The covariances; the interval holds what the joint law of the sums does not rule out."""
        count, one, other, both = (
            each.values[0].astype(np.float64) / most
            for each, most in zip(found, self.scales, strict=True)
        )
        sums = count, one, other, both
        lower, upper = covariance_ends(sums, self._noise(given), float(1 - confidence))
        spreads = [spread(each) / most for each, most in zip(given, self.scales, strict=True)]
        unit, values = float(_unit(self.grids)), _covariance(sums)
        return ReleasedTable(
            name=self.name,
            columns=self.groups.names,
            rows=found[0].rows,
            values=unit * values,
            standard_error=unit * _spread(sums, spreads),
            lower=unit * np.minimum(lower, values),
            upper=unit * np.maximum(upper, values),
            mechanism="; ".join(dict.fromkeys(each.words for each in given)),
        )


def _unit(grids: tuple[Grid, Grid]) -> Fraction:
    """The greatest covariance there is: half of one range times half of the other."""
    return half_range(grids[0]) * half_range(grids[1])


def _means(sums: Sums) -> list[Floats]:
    rows = np.maximum(sums[0], 1)
    return [np.asarray(np.clip(each / rows, *_INSIDE)) for each in sums[1:]]


def _covariance(sums: Sums) -> Floats:
    one, other, both = _means(sums)
    return np.asarray(np.clip(both - one * other, *_INSIDE))


def _spread(sums: Sums, spreads: list[float]) -> Floats:
    """To first order, and at most the greatest covariance there is."""
    one, other, both = _means(sums)
    slopes = np.array([2 * one * other - both, other, one, np.ones_like(one)])
    moved = np.sqrt(np.sum((slopes.T * spreads) ** 2, axis=1))
    return np.asarray(np.minimum(moved / np.maximum(sums[0], 1), 1))
