r"""Which range of values makes noise and cut together least, as noisy hats of values tell it.

A wider range needs more noise, a narrower one cuts more of the values off. All of this is computed
from public numbers: a poor choice costs accuracy, never privacy.
"""

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.chosen_ends import TOLD_APART
from leastnoise.release.draw.noisy_numbers import Floats
from leastnoise.release.spread.chosen_bounds import mean_error
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.value_weights import value_weights

_NOBODY = 1e-9
_AS_GOOD = 1.001  # of such ranges, the narrowest is taken

Boolean = NDArray[np.bool_]
Range = tuple[Fraction, Fraction]
"""Lower and upper."""


@dataclass(frozen=True, eq=False)
class RangeStake:
    """One question whose range is chosen, and what is known of the values behind it.

    Attributes:
        hats: values of the units on a public grid; each unit weighs 1.
        step: of the grid.
        rows: how many rows of a unit count.
        answers: how many numbers share what is cut off.
        noise: the mean |noise| of one answer, for a row that adds at most 1.
        normal: whether that noise is Gaussian.
        by_width: whether noise grows with upper − lower; else with the farther one's distance
            from 0, and a missing value counts as 0.
        is_mean: whether the answer is a mean: values do not count from 0 on.
        of_squares: whether it is a variance: a mean of squared distances.
        lower: if it is given.
        upper: if it is given.
    """

    hats: Hats
    step: Fraction
    rows: float
    answers: int
    noise: float
    normal: bool
    by_width: bool
    is_mean: bool
    lower: Fraction | None = None
    upper: Fraction | None = None
    of_squares: bool = False

    def costs(self, lower: Floats, upper: Floats) -> Floats:
        """The mean |noise + cut| of one answer; what cannot be a range costs infinitely much."""
        lost = self._lost_squares if self.of_squares else self._lost
        cut = self.rows * lost(lower, upper) / self.answers
        valid = _is_range(lower, upper)
        spread = self.reach(lower, upper) * (self._place(lower, upper) if self.is_mean else 1.0)
        noise = self.noise * np.where(valid, spread, 1.0)
        return np.where(valid, mean_error(noise, cut, normal=self.normal), np.inf)

    def _lost(self, lower: Floats, upper: Floats) -> Floats:
        """How much values are moved, up and down together: these need not cancel in each group."""
        values, weights = self._values, self._weights
        below = np.maximum(lower[:, None] - values, 0) @ weights
        above = np.maximum(values - upper[:, None], 0) @ weights
        return np.asarray(below[:, None] + above)

    def _lost_squares(self, lower: Floats, upper: Floats) -> Floats:
        """How much squared distances from the mean change, at most: a² − b² = (a − b)·(a + b)."""
        values, weights, away = self._values, self._weights, np.abs(self._values - self._centre)

        def moved(ends: Floats, by: Floats) -> Floats:
            far = away + np.abs(ends - self._centre)[:, None]
            return np.asarray((np.maximum(by, 0) * far) @ weights)

        below = moved(lower, lower[:, None] - values)
        return np.asarray(below[:, None] + moved(upper, values - upper[:, None]))

    def reach(self, lower: Floats, upper: Floats) -> Floats:
        """What noise grows with; a sum's row may be missing, so that 0 is always among values."""
        if self.of_squares:
            return np.asarray((upper - lower[:, None]) ** 2 / 4)
        if self.is_mean:
            return np.asarray(upper - lower[:, None])
        low, high = np.minimum(lower, 0)[:, None], np.maximum(upper, 0)
        return np.asarray(high - low if self.by_width else np.maximum(-low, high))

    def _place(self, lower: Floats, upper: Floats) -> Floats:
        """A mean at the place p of its range has the noise of (1 − p)·Z − p·Z', to first order.

        A variance has that of Z − 2·m·Z', with m = 2·p − 1.
        """
        width = upper - lower[:, None]
        place = np.clip((self._centre - lower[:, None]) / np.where(width > 0, width, 1.0), 0, 1)
        if self.of_squares:
            return np.asarray(np.hypot(1, 2 * (2 * place - 1)))
        return np.asarray(np.hypot(place, 1 - place))

    @cached_property
    def _centre(self) -> float:
        weights = self._weights
        return float(self._values @ weights / max(weights.sum(), _NOBODY))

    @cached_property
    def _weights(self) -> Floats:
        return value_weights(self.hats)

    @property
    def _values(self) -> Floats:
        return np.array(self.hats.knots, dtype=np.float64) * float(self.step)

    def candidates(self) -> tuple[list[Fraction], list[Fraction]]:
        """Of both ends: what is given; else knots, of a sum on the end's own side of 0."""
        knots = [each * self.step for each in self.hats.knots]
        low = [each for each in knots if self.is_mean or each <= 0]
        high = [each for each in knots if self.is_mean or each >= 0]
        return (
            low if self.lower is None else [self.lower],
            high if self.upper is None else [self.upper],
        )


def least_range(stake: RangeStake) -> Range:
    """The range with the least error; of those that are as good, the narrowest."""
    low, high = stake.candidates()
    lower, upper = np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)
    costs = stake.costs(lower, upper)
    width = np.where(costs <= _AS_GOOD * costs.min(), upper - lower[:, None], np.inf)
    one, other = np.unravel_index(int(np.argmin(width)), width.shape)
    return low[int(one)], high[int(other)]


def _is_range(lower: Floats, upper: Floats) -> Boolean:
    """Whether the ends rise, and are told apart next to their size."""
    farthest = np.maximum(np.abs(lower)[:, None], np.abs(upper))
    width = upper - lower[:, None]
    return np.asarray((width > 0) & (width >= float(TOLD_APART) * farthest))
