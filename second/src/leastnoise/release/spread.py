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
        """The answer of every group."""
        n, y, z = (measured.values[total] for total in self.totals)
        h, step = float(self.centred.half), float(self.centred.step)
        known = n > 0
        rows = np.where(known, n, 1)
        mean = np.clip(y / rows, -h, h)
        variance = np.where(known, np.clip((z + n * h**2) / 2 / rows - mean**2, 0, h**2), h**2 / 4)
        noise = self.noise(mean, variance)
        error = measured.deviation(noise) / rows
        each = ({total: c[at] for total, c in noise.items()} for at in range(len(mean)))
        margin = np.array([measured.quantile(c, (1 - level) / 2) for c in each]) / rows
        low, high = np.maximum(variance - margin, 0), np.minimum(variance + margin, h**2)
        low, high = np.where(known, low, 0), np.where(known, high, h**2)
        if self.root:
            value, low, high = (np.sqrt(each) * step for each in (variance, low, high))
            error = np.minimum(error / np.maximum(2 * np.sqrt(variance), 1e-300), h) * step
            return Answers(value, low, high, np.minimum(error, (high - low)))
        return Answers(*(each * step**2 for each in (variance, low, high, np.minimum(error, h**2))))
