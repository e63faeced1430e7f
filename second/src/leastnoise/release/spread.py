"""Variances and standard deviations of rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leastnoise.release.estimate import Answers, Floats, Measured
from leastnoise.tables.totals import Centred, Present, Squared, Total


@dataclass(frozen=True, eq=False)
class Spread:
    """The variance of values within a range, or its square root.

    With y the steps from the middle of the range, m their mean and n rows, the variance is the mean
    of (y - m)^2. To first order the error of m does not count, so at a fixed m it is a sum of noisy
    totals over n.

    Attributes:
        squared: the sum of 2 y^2 - h^2, with h half the range.
        root: whether the answer is the standard deviation.
    """

    squared: Squared
    root: bool

    @cached_property
    def centred(self) -> Centred:
        """The sum of y."""
        each = self.squared
        return Centred(each.where, each.value, each.lower, each.upper)

    @cached_property
    def present(self) -> Present:
        """The number of rows."""
        return Present(self.squared.where, self.squared.value)

    @property
    def totals(self) -> tuple[Total, ...]:
        """The three totals that it needs."""
        return self.present, self.centred, self.squared

    @property
    def low(self) -> float:
        """The least answer."""
        return 0.0

    @property
    def high(self) -> float:
        """The greatest answer: half of the rows at each end of the range."""
        half = float(self.centred.width) / 2
        return half if self.root else half**2

    def noise(self, mean: Floats, variance: Floats) -> dict[Total, Floats]:
        """The coefficients of (sum of (y - m)^2) - n * variance, in steps."""
        h = float(self.centred.half)
        return {
            self.present: h**2 / 2 + mean**2 - variance,
            self.centred: -2 * mean,
            self.squared: np.full_like(mean, 0.5),
        }

    def answers(self, measured: Measured, level: float) -> Answers:
        """The answer of every group.

        With v and m as measured, n * (variance - v) is the noise of a sum of totals at the true m, plus
        n * (m - true m)^2. A twelfth of the risk is for that square, which is added above.
        """
        n, y, z = (measured.values[total] for total in self.totals)
        h, step = float(self.centred.half), float(self.centred.step)
        risk = 1 - level
        known = n > 2 * measured.quantile({self.present: 1.0}, risk / 24)
        rows = np.where(known, n, 1)
        mean = np.where(known, np.clip(y / rows, -h, h), 0)
        variance = np.clip((z + n * h**2) / 2 / rows - mean**2, 0, h**2)
        variance = np.where(known, variance, h**2 / 4)
        noise = self.noise(mean, variance)
        margin = measured.quantile(noise, risk * 11 / 24) / rows
        far = (
            measured.quantile({self.centred: np.ones_like(mean), self.present: -mean}, risk / 24)
            / rows
        )
        low = np.where(known, np.clip(variance - margin, 0, h**2), 0)
        high = np.where(known, np.clip(variance + margin + far**2, 0, h**2), h**2)
        error = measured.deviation(noise) / rows
        if self.root:
            error = error / np.maximum(2 * np.sqrt(variance), 1e-6 * h)
            variance, low, high = (np.sqrt(each) for each in (variance, low, high))
        scale = step if self.root else step**2
        error = np.minimum(error, (high - low) / 2)
        found = Answers(*(each * scale for each in (variance, low, high, error)))
        return found.within(self.low, self.high)
