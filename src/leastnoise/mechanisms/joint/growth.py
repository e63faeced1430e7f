"""How many points the sets of a joint draw have, as a function of a counter."""

from math import log
from typing import Protocol

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass

Floats = NDArray[np.float64]


class Growth(Protocol):
    """A number of points that is log-concave in the counter, and never falls."""

    def points(self, counter: int) -> arb:
        """A ball around the number, at the working precision."""

    def log_points(self, counters: Floats) -> Floats:
        """Its logarithm, roughly; counters may lie between whole numbers."""


@dataclass(frozen=True)
class Sides:
    """(counter·step + first)**count points: `count` intervals, each `step` longer every time."""

    step: int
    first: int = 1
    count: int = 1

    def points(self, counter: int) -> arb:
        """A power of the length of one interval."""
        return arb(counter * self.step + self.first) ** self.count

    def log_points(self, counters: Floats) -> Floats:
        """In floats."""
        if not self.step:
            return np.full(counters.shape, self.count * log(self.first))
        inside = np.log(counters + float(self.first) / float(self.step))
        found: Floats = self.count * (log(self.step) + inside)
        return found


def gathered(sides: list[Sides]) -> tuple[Sides, ...]:
    """Equal intervals counted together."""
    counts: dict[tuple[int, int], int] = {}
    for side in sides:
        key = side.step, side.first
        counts[key] = counts.get(key, 0) + side.count
    return tuple(Sides(step, first, count) for (step, first), count in counts.items())
