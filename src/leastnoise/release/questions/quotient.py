"""`Quotient`: one noisy number over another."""

from abc import abstractmethod
from dataclasses import replace
from fractions import Fraction

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expected import Expected
from leastnoise.release.draw.drawn import Found
from leastnoise.release.draw.noisy_numbers import Floats, scaled
from leastnoise.release.questions.compound import Compound
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.integer_answers import spread
from leastnoise.release.questions.moved_answer import Moved
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.own_unit import in_own_unit
from leastnoise.release.questions.sum import Sum
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.groups import Groups


@dataclass(frozen=True)
class Quotient(Compound):
    """A count or sum over another one.

    Attributes:
        name: how the answer is found again.
        top: what is divided.
        bottom: by what.
    """

    name: str
    top: Count | Sum
    bottom: Count | Sum

    @property
    def groups(self) -> Groups:
        """For which groups and rows it is asked."""
        return self.bottom.groups

    @property
    def centre(self) -> float:
        """What is added to the quotient."""
        return 0.0

    @property
    def limits(self) -> tuple[float, float]:
        """What the answer lies between in every table."""
        return -np.inf, np.inf

    @property
    def parts(self) -> tuple[Count | Sum, Count | Sum]:
        """Both numbers."""
        return self.top, self.bottom

    @property
    @abstractmethod
    def divisor(self) -> Fraction:
        """What one row adds to the divisor, as far as can be guessed."""

    @abstractmethod
    def guesses(self, answer: Fraction | None) -> tuple[float, ...]:
        """What the answer may be, so that its error is largest; about `answer` if there is one."""

    @abstractmethod
    def told_of(self, told: Forecast, expected: Expected) -> Forecast:
        """The forecast with what it assumes."""

    def forecast(self, given: Allotment, confidence: Fraction) -> Forecast:
        """The error of the quotient, for the rows expected."""
        told = self.top.forecast(self.allotments(given)[0], confidence)
        share = given[0].share + given[1].share
        told = replace(told, question=self.name, share=share, ratio=None)
        noise = NoiseTogether.of(given.grants, [float(1 / _step(each)) for each in self.parts])
        rate, most = abs(float(self.divisor)), self.limits[1] - self.limits[0]
        found = [theta - self.centre for theta in self.guesses(given.expected.answer)]
        cases = [Moved((1.0, -each), (0.0, 1.0), rate=rate, most=most) for each in found]
        own = in_own_unit(told, noise, cases, 1.0, given.expected.rows, confidence)
        return self.told_of(own, given.expected)

    def answer(self, given: Allotment, found: Found, confidence: Fraction) -> ReleasedTable:
        """The quotients; the interval moves both numbers by what half the risk allows."""
        steps = [_step(each) for each in self.parts]
        numbers = [scaled(one.values[0], step) for one, step in zip(found, steps, strict=True)]
        pairs = list(zip(given, steps, strict=True))
        margins = [float(one.law.quantile((1 + confidence) / 2) * step) for one, step in pairs]
        spreads = [spread(one) * float(step) for one, step in pairs]
        limits = self.limits[0] - self.centre, self.limits[1] - self.centre
        lower, upper = quotient_ends((numbers[0], numbers[1]), (margins[0], margins[1]), limits)
        unknown = bool(np.isnan(lower).any())
        return ReleasedTable(
            name=self.name,
            columns=self.groups.names,
            rows=found[1].rows,
            values=self._inside(numbers[0] / _apart_from_0(numbers[1], spreads[1])),
            standard_error=self._spread(numbers, spreads, lower),
            lower=self.centre + lower,
            upper=self.centre + upper,
            mechanism="; ".join(dict.fromkeys(one.words for one in given)),
            notes=("no interval is known where the divisor is within its noise",) * unknown,
        )

    def _inside(self, quotients: Floats) -> Floats:
        return np.asarray(np.clip(self.centre + quotients, *self.limits))

    def _spread(self, numbers: list[Floats], spreads: list[float], lower: Floats) -> Floats:
        """To first order, and at most half of what the limits leave; nan where nothing is known."""
        bottom = _apart_from_0(numbers[1], spreads[1])
        quotients = self._inside(numbers[0] / bottom) - self.centre
        first = np.hypot(spreads[0], quotients * spreads[1]) / np.abs(bottom)
        most = (self.limits[1] - self.limits[0]) / 2
        return np.where(np.isnan(lower), np.nan, np.minimum(first, most))


def quotient_ends(
    numbers: tuple[Floats, Floats], margins: tuple[float, float], limits: tuple[float, float]
) -> tuple[Floats, Floats]:
    """The least and greatest quotient with both numbers within their margins.

    Theorem: they hold the quotient with the chance that both margins hold, however the noises hang
    together. Proof: top/bottom rises in top if bottom is positive, falls if it is negative, and is
    monotone in bottom on either side of 0; where 0 is within the margin the ends are the limits.

    Args:
        numbers: what is divided, and by what.
        margins: how far off each may be.
        limits: what every quotient lies between; nan is said of infinite ones.
    """
    top, size = numbers[0] * np.sign(numbers[1]), np.abs(numbers[1])
    sure = size > margins[1]
    few, many = np.where(sure, size - margins[1], 1), size + margins[1]
    low, high = top - margins[0], top + margins[0]
    least = np.clip(low / np.where((low < 0) | ~sure, few, many), *limits)
    most = np.clip(high / np.where((high < 0) & sure, many, few), *limits)
    ends = [each if np.isfinite(each) else np.nan for each in limits]
    return np.where(sure, least, ends[0]), np.where(sure, most, ends[1])


def _step(part: Count | Sum) -> Fraction:
    return part.grid.step if isinstance(part, Sum) else Fraction(1)


def _apart_from_0(numbers: Floats, noise: float) -> Floats:
    """A divisor at least as large as its noise, so that a quotient is a number at all."""
    least = np.maximum(np.abs(numbers), noise or 1.0)
    return np.where(
        (numbers == 0) | (np.abs(numbers) < noise), np.copysign(least, numbers), numbers
    )
