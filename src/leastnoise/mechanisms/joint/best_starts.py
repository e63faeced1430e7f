"""`best_starts`: how wide the noise of a joint draw should be before any unit is counted.

A search in floats. Every start width keeps the promise; a good one costs less error.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import floor, log2

import numpy as np

from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.joint.checked_parts import checked_parts, checked_rate
from leastnoise.mechanisms.joint.growth import Floats
from leastnoise.mechanisms.joint.part import Box, Everyone, Part
from leastnoise.mechanisms.joint.radius_table import RadiusTable

_FINE = 16  # wider boxes are told apart by their order of magnitude only
_GOLDEN = 0.381966
_ROUNDS = 16
_NO_NOISE = 1e-300  # at a large ε nothing is left to be made less


def best_starts(epsilon: Exact, parts: Sequence[Part]) -> tuple[Part, ...]:
    """The same parts; boxes get the start width that makes their noise least, on the whole.

    One scale serves all: start = scale·(high − low), made even. What is made least is the sum over
    all numbers of the variance with starts over that without. Other parts stay as they are.

    Example:
        >>> best_starts(1, [Box(0, 1, cells=10)])
        (Box(low=0, high=1, cells=10, start=6),)
    """
    rate, given = float(checked_rate(epsilon, "epsilon")), checked_parts(parts, "parts")
    boxes = tuple(part for part in given if isinstance(part, Box) and part.high > part.low)
    if not boxes:
        return given
    others = sum(p.cells for p in given if not isinstance(p, Box | Everyone))
    scale = _best_scale(rate, boxes, others)
    return tuple(_started(part, scale) if isinstance(part, Box) else part for part in given)


@lru_cache(maxsize=1024)
def _best_scale(rate: float, boxes: tuple[Box, ...], others: int) -> float:
    """Searched for once: a preview, its advice and the release ask for the same."""
    return _Search.of(rate, boxes, others).best()


def _started(box: Box, scale: float) -> Box:
    return replace(box, start=int(_even(np.array(scale * (box.high - box.low)))))


def _even(widths: Floats) -> Floats:
    rounded: Floats = 2 * np.rint(widths / 2)
    return rounded


@dataclass(frozen=True)
class _Search:
    """Kinds of boxes: their widths, |low + high| over the width, and how many numbers there are."""

    rate: float
    widths: Floats
    centres: Floats
    counts: Floats
    others: int

    @classmethod
    def of(cls, rate: float, boxes: Sequence[Box], others: int) -> "_Search":
        kinds: dict[tuple[float, float], int] = {}
        for box in boxes:
            width = box.high - box.low
            rough = float(width if width <= _FINE else 2 ** round(log2(width)))
            key = rough, round(abs(box.low + box.high) / width, 1)
            kinds[key] = kinds.get(key, 0) + box.cells
        widths, centres = np.array(list(kinds)).T
        return cls(rate, widths, centres, np.array(list(kinds.values()), dtype=float), others)

    def best(self) -> float:
        """The scale, by golden section; then the starts are made even, and 0 gets a chance."""
        plain = np.maximum(self._variances(np.zeros_like(self.widths)), _NO_NOISE)

        def cost(starts: Floats) -> float:
            return float(self.counts @ (self._variances(starts) / plain))

        top = 2 * (float(self.counts.sum()) + 2) / self.rate
        scale = _least(lambda scale: cost(scale * self.widths), top)
        narrowest = float(self.widths.min())
        below = 2 * floor(scale * narrowest / 2) / narrowest
        choices = {0.0, scale, below, below + 2 / narrowest}
        return min(sorted(choices), key=lambda scale: cost(_even(scale * self.widths)))

    def _variances(self, starts: Floats) -> Floats:
        """Over the squares of the widths."""
        table, relative = self._table(starts), starts / self.widths
        once, twice = table.mean(table.radii), table.mean(table.radii**2)
        long = twice + 2 * relative * once + relative**2 + 2 * (once + relative) / self.widths
        found: Floats = (long + self.centres**2 * (twice + 2 * once)) / 12
        return found

    def _table(self, starts: Floats) -> RadiusTable:
        """The law of p + q; cells of other parts grow with it as those of boxes do."""
        firsts = [*((starts + 1) / self.widths).tolist(), 1.0]
        counts = dict.fromkeys(sorted(firsts), 0.0)  # few: NumPy would take longer to begin
        for first, count in zip(firsts, [*self.counts.tolist(), self.others + 1], strict=True):
            counts[first] += count
        sides, powers = np.array([*counts])[:, np.newaxis], np.array([*counts.values()])

        def log_weight(radii: Floats) -> Floats:
            found: Floats = powers @ np.log(radii + sides) - self.rate * radii
            return found

        return RadiusTable.outline(log_weight)


def _least(cost: Callable[[float], float], high: float) -> float:
    """Where a function that falls and then rises is least in 0..high, by golden section."""
    low, left, right = 0.0, _GOLDEN * high, (1 - _GOLDEN) * high
    at_left, at_right = cost(left), cost(right)
    for _ in range(_ROUNDS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = low + _GOLDEN * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = high - _GOLDEN * (high - low)
            at_right = cost(right)
    return (low + high) / 2
