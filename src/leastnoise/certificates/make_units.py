r"""How often a random unit moves each part, so that Σ √λ is large: a climb in floats.

λ are the eigenvalues of `certificates/plan_spectrum.py`. Σ √λ is concave in the matrix; its slope
in a chance t is half of tr(A^(−½)·dA/dt), so that one decomposition gives all slopes.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.tables_part import TablesPart

Floats = NDArray[np.float64]

_CLIMBS = 30
_MOST_KINDS = 32
_NUDGE = 1e-6
_TINY = 1e-300


def best_chances(parts: Sequence[PlanPart | TablesPart]) -> list[float]:
    """For each part a number in 0..1.

    Of a box it is the part of its numbers that the unit raises, on average; of other parts, how
    often it moves as many rows as it may.
    """
    kinds = [_limits(part) for part in parts]
    if len(set(kinds)) > _MOST_KINDS:
        kinds = [_rough(part) for part in parts]
    times = Counter(kinds)
    first = dict(zip(reversed(kinds), reversed(parts), strict=True))
    climb = Climb([first[kind] for kind in times], list(times.values()))
    found = dict(zip(times, climb.climbed().tolist(), strict=True))
    return [found[kind] for kind in kinds]


def _limits(part: PlanPart | TablesPart) -> object:
    """Parts with equal limits get the same chance."""
    return replace(part, questions=(), variance=Fraction(0))


def _rough(part: PlanPart | TablesPart) -> object:
    """Parts that are nearly alike, too."""
    if isinstance(part, TablesPart):
        return _limits(part)
    size = max(part.high, -part.low)
    matter = log2(float(part.weight)) + 2 * log2(size) if part.weight and size else 0
    ends = round(4 * part.low / (size or 1))
    kind = part.is_box, part.alone, part.either, part.moved if part.moved < part.rows else 0
    return *kind, ends, round(log2(part.rows)), round(matter / 2)


class Shape(NamedTuple):
    """What the climb knows of a part; `own` times √chance is Σ √λ where no other part matters."""

    box: bool
    alone: bool
    rows: float
    moved: float
    either: float
    low: float
    high: float
    upper: float
    scale: float
    own: float

    @classmethod
    def of(cls, part: PlanPart | TablesPart) -> "Shape":
        """Tables are one row with one number, their total, and directions of their own."""
        root = float(part.weight) ** 0.5
        if isinstance(part, PlanPart):
            sizes = float(part.rows), float(part.moved), float(part.either)
            ends = float(part.low), float(part.high), float(part.upper)
            return cls(part.is_box, part.alone, *sizes, *ends, root / part.either**0.5, 0.0)
        shares = part.shares()
        total = float(shares.pop(())) ** 0.5
        roots = (part.directions(each) * float(share) ** 0.5 for each, share in shares.items())
        own = root * part.high * sum(roots)
        return cls(False, False, 1.0, 1.0, 1.0, 0.0, float(part.high), 1.0, root * total, own)


class Climb:
    """Some kinds of parts, and how many there are of each."""

    def __init__(self, parts: Sequence[PlanPart | TablesPart], times: Sequence[int]) -> None:
        shapes = [Shape.of(part) for part in parts]
        self.times = np.array(times, dtype=np.float64)
        self.box = np.array([each.box for each in shapes])
        self.alone = np.array([each.alone for each in shapes])
        numbers = np.array([each[2:] for each in shapes], dtype=np.float64).T
        self.rows, self.moved, self.either, low, high, upper, self.scale, self.own = numbers
        self.size = np.maximum(self.scale * np.maximum(high, -low), _TINY)
        self.low, self.width = self.scale * low, self.scale * (high - low)
        self.mean = self.scale * (upper * high + (1 - upper) * low)
        self.square = self.scale**2 * (upper * high**2 + (1 - upper) * low**2)

    def climbed(self) -> Floats:
        """The chances at the end of the climb; each step is taken only if it leads up."""
        place, step = self._start(), 0.25
        value, slope = self._value(place)
        for _ in range(_CLIMBS):
            ahead = np.clip(place + step * slope / max(np.abs(slope).max(), _TINY), 0, 1)
            there, next_slope = self._value(ahead)
            if there > value:
                place, value, slope, step = ahead, there, next_slope, step * 1.5
            else:
                step /= 3
        return place

    def _start(self) -> Floats:
        """Boxes: half, and more the more the part matters; others nearly always."""
        centre = self.low + self.width / 2
        total = np.sqrt(max((self.times * self.rows * centre**2).sum(), _TINY))
        return np.clip(np.where(self.box, 0.5 + 0.5 * centre / total, 0.8), 0.02, 1)

    def _value(self, place: Floats) -> tuple[float, Floats]:
        """Σ √λ, and its slope in each chance over the size of the part."""
        apart, spread, mean = self._parts(place)
        more = self._parts(np.minimum(place + _NUDGE, 1))
        less = self._parts(np.maximum(place - _NUDGE, 0))
        nudge = np.minimum(place + _NUDGE, 1) - np.maximum(place - _NUDGE, 0)
        ends = zip(more, less, strict=True)
        d_apart, d_spread, d_mean = ((high - low) / nudge for high, low in ends)
        vector = np.sqrt(self.times) * mean
        values, vectors = np.linalg.eigh(np.diag(spread) + np.outer(vector, vector))
        roots = np.sqrt(np.maximum(values, _TINY))
        weighed = vectors / roots  # the columns of A^(−½), in its own coordinates
        beside = weighed @ (vectors.T @ vector)
        diagonal = (weighed * vectors).sum(axis=1)
        alone = np.sqrt(np.maximum(spread, 0))
        total = (self.times * apart).sum() + ((self.times - 1) * alone).sum() + roots.sum()
        slope = self.times * d_apart + diagonal * d_spread / 2
        slope += np.sqrt(self.times) * d_mean * beside
        slope += (self.times - 1) * d_spread / (2 * np.maximum(alone, 1e-9 * self.size))
        return float(total), slope / (self.times * self.rows * self.size)

    def _parts(self, place: Floats) -> tuple[Floats, Floats, Floats]:
        """Each part's own Σ √λ, and variance and mean in the direction in which parts meet."""
        count = place * self.moved
        whole = np.floor(count)
        together = whole * (2 * count - whole - 1)
        alone = count * place * (self.moved - 1)
        pairs = np.where(self.box, together, count * (self.moved - 1))
        pairs = np.where(self.alone, alone, pairs)
        others = np.maximum(self.rows - 1, 1)
        size = np.where(self.box, self.width**2, self.square)
        met = np.where(self.box, self.width**2, self.mean**2)
        own = (count * size - pairs * met / others) / self.rows
        apart = (self.rows - 1) * np.sqrt(np.maximum(own, 0))
        apart += self.rows * (self.either - 1) * np.sqrt(count * size / self.rows)
        apart += self.own * np.sqrt(place)
        step = np.where(self.box, self.width, self.mean)
        mean = (np.where(self.box, self.rows * self.low, 0) + count * step) / np.sqrt(self.rows)
        spread = (count * size + pairs * met - (count * step) ** 2) / self.rows
        return apart, np.maximum(spread, 0), mean
