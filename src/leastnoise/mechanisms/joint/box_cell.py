"""`BoxCell`: the noise of one number of a box, for forecasts."""

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.forecast import Forecast
from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.radius_table import RadiusTable


@dataclass(frozen=True, eq=False, repr=False)
class BoxCell(Forecast):
    r"""(U − (r·a + s)/2) + c·(P − r/2): U uniform on 0..r·a + s, P on 0..r, r from a table.

    Given r this is exact; see docs/proofs/joint_noise.md, section 4.

    Args:
        table: the law of r.
        width: a, how far one unit's values lie apart.
        start: s.
        centre: c = |low + high|; 0 where there is one counter.
    """

    table: RadiusTable
    width: int
    start: int
    centre: int

    @property
    def _tolerance(self) -> float:
        return self.table.tolerance

    def _lengths(self) -> Floats:
        """r·a + s."""
        return self.table.radii * float(self.width) + float(self.start)

    def _square(self) -> float:
        radii, lengths = self.table.radii, self._lengths()
        spread = float(self.centre) ** 2 * radii * (radii + 2)
        return self.table.mean(lengths * (lengths + 2) + spread) / 12

    def _absolute(self) -> float:
        """E|U′ + y| = |y| + (h−|y|)⁺(h+1−|y|)/(2h+1), h = (r·a + s)/2, averaged over y."""
        r, half, c = self.table.radii, self._lengths() / 2, float(self.centre)
        even = r % 2 == 0
        far = c * ((r + 1) ** 2 - even) / (4 * (r + 1))
        first = np.where(even, 1.0, 0.5)
        reach = np.minimum(half / c, r / 2) if c else r / 2
        n = np.maximum(np.floor(reach - first) + 1, 0)
        once = n * first + n * (n - 1) / 2
        twice = n * first**2 + first * n * (n - 1) + n * (n - 1) * (2 * n - 1) / 6
        inner = n * half * (half + 1) - c * (2 * half + 1) * once + c * c * twice
        near = (even * half * (half + 1) + 2 * inner) / ((2 * half + 1) * (r + 1))
        return self.table.mean(far + near)

    def _beyond(self, bound: float) -> float:
        """P(|X| > bound): twice the share of pairs (U, P) below −bound."""
        r, lengths = self.table.radii, self._lengths()
        room = (lengths + self.centre * r) / 2 - bound
        pairs = self._pairs(room) - self._pairs(room - lengths - 1)
        return 2 * self.table.mean(pairs / ((r + 1) * (lengths + 1)))

    def _pairs(self, room: Floats) -> Floats:
        """Σ (room − c·p)⁺ over p = 0..r."""
        r, c = self.table.radii, float(self.centre)
        if not c:
            return (r + 1) * np.maximum(room, 0)
        n = np.clip(np.floor(room / c) + 1, 0, r + 1)
        found: Floats = n * room - c * n * (n - 1) / 2
        return found
