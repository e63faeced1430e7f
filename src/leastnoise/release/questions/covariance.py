"""`Covariance`: how two columns vary together; rows without one of both values do not count."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from leastnoise.release.ask.expression import Cut, Term
from leastnoise.release.ask.grid import Grid
from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.integer_answers import lattice_forecast, noisy_step, spread
from leastnoise.release.questions.moved_answer import Moved
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.own_unit import in_own_unit
from leastnoise.release.questions.quotient import quotient_ends
from leastnoise.release.questions.yardstick import measured_by
from leastnoise.release.result.forecast import Forecast, shown_error
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.aggregate import CountPresent, SumFromCentre, Summed, contribution
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand, cells_demand
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step

Sums = tuple[Floats, Floats, Floats, Floats]
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
    def _product(self) -> Term:
        one, other = (
            Cut(column, grid.lower, grid.upper) - Fraction(grid.least + grid.most, 2) * grid.step
            for column, grid in zip(self.columns, self.grids, strict=True)
        )
        return one * other

    @property
    def _aggregates(self) -> tuple[Summed, ...]:
        (one, other), grids, unit = self.present, self.grids, _unit(self.grids)
        return (
            CountPresent(one, grids[0]),
            SumFromCentre(one, grids[0]),
            SumFromCentre(other, grids[1]),
            SumFromCentre(self._product, Grid(lower=-unit, upper=unit)),
        )

    @property
    def _scales(self) -> tuple[int, ...]:
        """What a row adds at most."""
        return tuple(contribution(each)[1] for each in self._aggregates)

    @property
    def limits(self) -> tuple[float, float]:
        """None is greater than that of two halves at both bounds."""
        unit = float(_unit(self.grids))
        return -unit, unit

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
        pairs = zip(self.measurements(table), self._scales, strict=True)
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
        step, answer = Fraction(1, self._scales[3]), given.expected.answer
        told = lattice_forecast(self.name, self.groups, given[3], step, confidence)
        share = sum((each.share for each in given), Fraction(0))
        known = "" if answer is None else f", with a covariance of {shown_error(float(answer))}"
        assumed = known or ", whatever the values are"
        told = replace(told, share=share, ratio=None, assumed=assumed)
        noise, unit = NoiseTogether.of(given.grants, self.scales), float(_unit(self.grids))
        cases, rows = self._cases(answer), given.expected.rows
        own = in_own_unit(told, noise, cases, unit, rows, confidence)
        return measured_by(own, None, "", answer)

    @property
    def scales(self) -> tuple[float, ...]:
        """In how many steps each sum is told."""
        return tuple(map(float, self._scales))

    def _cases(self, answer: Fraction | None) -> list[Moved]:
        """Means and covariances that a table may have, so that errors are largest."""
        if answer is None:
            corners = [_moved(one, other, 0.0) for one in _INSIDE for other in _INSIDE]
            return [*corners, *(_moved(0.0, 0.0, together) for together in _INSIDE)]
        true = min(max(float(answer / _unit(self.grids)), -1.0), 1.0)
        far = math.sqrt(1 - abs(true))
        means = [(far * one, far * other) for one in _INSIDE for other in _INSIDE]
        return [_moved(*each, true) for each in (*means, (0.0, 0.0))]

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The covariances; the interval holds whenever each sum is within a quarter's risk."""
        count, one, other, both = (
            each.values[0].astype(np.float64) / most
            for each, most in zip(found, self._scales, strict=True)
        )
        sums = count, one, other, both
        sure = 1 - (1 - confidence) / 4
        pairs = list(zip(given, self._scales, strict=True))
        lower, upper = _ends(sums, [float(each.law.quantile(sure)) / most for each, most in pairs])
        spreads = [spread(each) / most for each, most in pairs]
        unit = float(_unit(self.grids))
        return ReleasedTable(
            name=self.name,
            columns=self.groups.names,
            rows=found[0].rows,
            values=unit * _covariance(sums),
            standard_error=unit * _spread(sums, spreads),
            lower=unit * lower,
            upper=unit * upper,
            mechanism="; ".join(dict.fromkeys(each.words for each in given)),
        )


def _moved(one: float, other: float, covariance: float) -> Moved:
    """What noise does to the covariance of a table with these means of y and w."""
    return Moved(
        first=(one * other - covariance, -other, -one, 1.0),
        bottom=(1.0, 0.0, 0.0, 0.0),
        left=(-one, 1.0, 0.0, 0.0),
        right=(-other, 0.0, 1.0, 0.0),
        most=2.0,
    )


def _unit(grids: tuple[Grid, Grid]) -> Fraction:
    """The greatest covariance there is: half of one range times half of the other."""
    one, other = (each.step * (each.most - each.least) / 2 for each in grids)
    return one * other


def _means(sums: Sums) -> list[Floats]:
    rows = np.maximum(sums[0], 1)
    return [np.asarray(np.clip(each / rows, *_INSIDE)) for each in sums[1:]]


def _covariance(sums: Sums) -> Floats:
    one, other, both = _means(sums)
    return np.asarray(np.clip(both - one * other, *_INSIDE))


def _ends(sums: Sums, margins: list[float]) -> tuple[Floats, Floats]:
    """The least and greatest covariance with every sum within its margin."""
    pairs = zip(sums[1:], margins[1:], strict=True)
    one, other, both = (
        quotient_ends((each, sums[0]), (margin, margins[0]), _INSIDE) for each, margin in pairs
    )
    products = [a * b for a in one for b in other]
    low = both[0] - np.maximum.reduce(products)
    high = both[1] - np.minimum.reduce(products)
    return np.asarray(np.clip(low, *_INSIDE)), np.asarray(np.clip(high, *_INSIDE))


def _spread(sums: Sums, spreads: list[float]) -> Floats:
    """To first order, and at most the greatest covariance there is."""
    one, other, both = _means(sums)
    slopes = np.array([2 * one * other - both, other, one, np.ones_like(one)])
    moved = np.sqrt(np.sum((slopes.T * spreads) ** 2, axis=1))
    return np.asarray(np.minimum(moved / np.maximum(sums[0], 1), 1))
