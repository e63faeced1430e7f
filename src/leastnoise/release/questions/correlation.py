"""`Correlation`: how nearly two columns rise together, from −1 to 1."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.compound import Compound
from leastnoise.release.questions.covariance import Covariance
from leastnoise.release.questions.moved_answer import Moved, MovedCorrelation
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.own_unit import in_own_unit
from leastnoise.release.questions.variance import Variance
from leastnoise.release.questions.yardstick import measured_by
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import Numbers, ReleasedTable
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups

_EVEN = 1 / 3  # the variance of values spread evenly over −1..1
_OWN = 0, 1, 2, 3, 6, 7, 9  # of all numbers those that differ; see `_moved`


@dataclass(frozen=True)
class Correlation(Compound):
    """The covariance over the root of both variances, of the rows that have both values."""

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
    def parts(self) -> tuple[Covariance, Variance, Variance]:
        """The covariance, and both variances."""
        asked = self.covariance
        one, other = (
            Variance(asked.name, asked.groups, column, grid, asked.importance)
            for column, grid in zip(asked.present, asked.grids, strict=True)
        )
        return asked, one, other

    @property
    def limits(self) -> tuple[float, float]:
        """Of every correlation."""
        return -1.0, 1.0

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return f"The correlation of {self.covariance.told()}"

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of the correlation, of values spread evenly over their ranges."""
        told = self.covariance.forecast(self.allotments(given)[0], confidence)
        answer, rows = given.expected.answer, given.expected.rows
        true = 0.0 if answer is None else min(max(float(answer), -1.0), 1.0)
        words = f", with values spread evenly over their ranges and a correlation of {true:.3g}"
        share = sum((each.share for each in given), Fraction(0))
        own = in_own_unit(told, self._noise(given), [_moved(true)], 1.0, rows, confidence)
        return measured_by(replace(own, share=share, assumed=words), None, "", answer)

    def _noise(self, given: Allotment) -> NoiseTogether:
        """Of the covariance's sums, of both sums of squares, and of the other number of rows.

        The sums of values are those of the covariance.
        """
        scales = [scale for part in self.parts for scale in part.scales]
        return NoiseTogether.of([given[i] for i in _OWN], [scales[i] for i in _OWN])

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The correlations; the interval holds whenever each part is within a third of the risk."""
        sure = 1 - (1 - confidence) / 3
        parts = zip(self.parts, self.allotments(given), self.found(found, given.table), strict=True)
        both, one, other = (part.answer(own, shown, sure) for part, own, shown in parts)
        values = _over(both.values, one.values, other.values)
        return replace(
            both,
            values=values,
            standard_error=_spread(values, (both, one, other)),
            lower=_least(both.lower, (one, other)),
            upper=-_least(-both.upper, (one, other)),
        )


def _moved(correlation: float) -> MovedCorrelation:
    """For places y and w spread evenly over −1..1: their variances are 1/3, their means 0.

    The numbers are n, Σ y, Σ w, Σ y·w, Σ (y² − 1/2), n again, and Σ (w² − 1/2).
    """
    together = correlation * _EVEN
    y, w = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    n, again = (1.0, *(0.0,) * 6), (*(0.0,) * 5, 1.0, 0.0)
    rest = 0.5 - _EVEN
    parts = (
        Moved((-together, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), n, y, w, most=2.0),
        Moved((rest, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0), n, y, y, most=1.0),
        Moved((0.0, 0.0, 0.0, 0.0, 0.0, rest, 1.0), again, w, w, most=1.0),
    )
    return MovedCorrelation(parts, (together, _EVEN, _EVEN))


def _over(covariance: Numbers, one: Numbers, other: Numbers) -> Floats:
    """Their quotient, between −1 and 1; 0 where a column seems not to vary."""
    root = np.sqrt(one * other)
    return np.asarray(np.clip(covariance / np.where(root > 0, root, np.inf), -1, 1))


def _least(lower: Floats, variances: tuple[ReleasedTable, ReleasedTable]) -> Floats:
    """The least correlation with a covariance from `lower` on and variances in their intervals.

    Below 0 small variances make it less, above 0 great ones; −1 if a variance may be 0.
    """
    one, other = variances
    small, great = np.sqrt(one.lower * other.lower), np.sqrt(one.upper * other.upper)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = lower / np.where(lower < 0, small, great)
    return np.asarray(np.where(small > 0, np.clip(found, -1, 1), -1.0))


def _spread(values: Floats, parts: tuple[ReleasedTable, ReleasedTable, ReleasedTable]) -> Floats:
    """To first order, as if the three were independent, and at most 1."""
    both, one, other = parts
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.sqrt(
            both.standard_error**2 / (one.values * other.values)
            + (values * one.standard_error / (2 * one.values)) ** 2
            + (values * other.standard_error / (2 * other.values)) ** 2
        )
    return np.asarray(np.fmin(first, 1))
