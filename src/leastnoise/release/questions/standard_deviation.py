"""`StandardDeviation`: how far values lie from their mean; missing ones do not count."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.questions.moved_answer import EVEN, Case, Moved, MovedRoot
from leastnoise.release.questions.variance import Variance
from leastnoise.release.result.forecast import shown_size
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.grant import Allotment


@dataclass(frozen=True)
class StandardDeviation(Variance):
    """The root of the variance, from the same three sums: who asks for both pays once."""

    @property
    def limits(self) -> tuple[float, float]:
        """None is greater than half the range."""
        return 0.0, math.sqrt(self._unit)

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        return super().words().replace("The variance", "The standard deviation", 1)

    @property
    def _sizes(self) -> tuple[Fraction, Fraction]:
        """Half the range, and what values have that are spread evenly over it."""
        range_ = self.grid.upper - self.grid.lower
        return range_ / 2, range_ / Fraction(math.sqrt(12))

    def _assumed(self, answer: Fraction | None) -> str:
        if answer is None:
            return ", with values spread evenly over the range"
        return f", with a standard deviation of {shown_size(float(answer))}"

    def _cases(self, answer: Fraction | None) -> list[Case]:
        """Without a guess: values spread evenly, as roots next to 0 move without end."""
        if answer is None:
            return [MovedRoot(self.moved(0.0, EVEN), EVEN)]
        squares, true = super()._cases(answer**2), min(float(answer**2) / self._unit, 1.0)
        return [MovedRoot(each, true) for each in squares if isinstance(each, Moved)]

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The roots of the variances; a root never decreases, so that intervals stay as sure."""
        told = super().answer(given, found, confidence)
        values = np.sqrt(told.values)
        return replace(
            told,
            values=values,
            standard_error=_spread(values, told.standard_error),
            lower=np.sqrt(told.lower),
            upper=np.sqrt(told.upper),
        )


def _spread(roots: Floats, spread: Floats) -> Floats:
    """To first order, and never more than the root of what the variance is off by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first = spread / (2 * roots)
    return np.asarray(np.fmin(first, np.sqrt(spread)))
