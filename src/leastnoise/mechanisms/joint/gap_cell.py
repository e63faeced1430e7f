"""`GapCell`: the noise of one number of a histogram, for forecasts."""

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.forecast import Forecast
from leastnoise.mechanisms.joint.growth import Floats


@dataclass(frozen=True, eq=False, repr=False)
class GapCell(Forecast):
    r"""|X| is a gap of a uniform j-subset of 1..A with chance j/d, for each of the sides; else 0.

    With G the least element of the subset, P(G > t) = C(A−t, j)/C(A, j), E G = (A+1)/(j+1) and
    E G(G+1)/2 = (A+1)(A+2)/((j+1)(j+2)).

    Args:
        reaches: values of A.
        shares: for each of them, the chances of j = 0..d.
        sides: 2 if j counts the positive numbers, and the others are as likely so large; 1 if it
            counts all that are not 0.
        tolerance: how far means may be from the truth, relatively.
    """

    reaches: Floats
    shares: Floats
    sides: int
    tolerance: float

    @property
    def _tolerance(self) -> float:
        return self.tolerance

    def _mean(self, of_gap: Floats) -> float:
        """The mean of a function of |X|, given for each A and each j ≥ 1; at 0 it is 0."""
        cells = self.shares.shape[1] - 1
        chances = self.shares[:, 1:] * np.arange(1, cells + 1) / cells
        return self.sides * float((chances * of_gap).sum())

    def _ranks(self) -> tuple[Floats, Floats]:
        return self.reaches[:, np.newaxis], np.arange(1.0, self.shares.shape[1])

    def _absolute(self) -> float:
        reach, j = self._ranks()
        return self._mean((reach + 1) / (j + 1))

    def _square(self) -> float:
        reach, j = self._ranks()
        return self._mean((reach + 1) / (j + 1) * (2 * (reach + 2) / (j + 2) - 1))

    def _beyond(self, bound: float) -> float:
        reach, j = self._ranks()
        left = np.maximum(reach - bound - j + 1, 0)
        ratios: Floats = left / np.maximum(reach - j + 1, 1)
        return self._mean(np.multiply.accumulate(ratios, axis=1))
