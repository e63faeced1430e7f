"""`PairBoxCell`: the noise of one number of a box beside histograms, for forecasts."""

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.forecast import Forecast
from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.pair_table import PairTable
from leastnoise.mechanisms.joint.part import Box


@dataclass(frozen=True, eq=False, repr=False)
class PairBoxCell(Forecast):
    r"""Uniform on y − h .. y + h: h = ((p+q)·a + s)/2, y = (low+high)·(p−q)/2, (p, q) from a table.

    It is `BoxCell` where p is not uniform given p + q.
    """

    table: PairTable
    box: Box

    @property
    def _tolerance(self) -> float:
        return self.table.tolerance

    @property
    def _half(self) -> Floats:
        width = float(self.box.high - self.box.low)
        return ((self.table.p + self.table.q) * width + float(self.box.start)) / 2

    @property
    def _middle(self) -> Floats:
        """|y|."""
        return np.abs(self.table.p - self.table.q) * float(abs(self.box.low + self.box.high)) / 2

    def _square(self) -> float:
        return self.table.mean(self._half * (self._half + 1) / 3 + self._middle**2)

    def _absolute(self) -> float:
        inner = np.maximum(self._half - self._middle, 0) * (self._half + 1 - self._middle)
        return self.table.mean(self._middle + inner / (2 * self._half + 1))

    def _beyond(self, bound: float) -> float:
        """Values of p between those listed widen the interval."""
        half = self._half + self.table.gaps * float(abs(self.box.low + self.box.high)) / 2
        length = 2 * half + 1
        outside = sum(np.clip(half + side * self._middle - bound, 0, length) for side in (-1, 1))
        return self.table.mean(outside / length)
