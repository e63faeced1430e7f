r"""`LossTable`: a loss on a table of floats, by which the cells of a grid are chosen.

It carries no proof: any edges are sound, and any step.

A tilt θ ≥ 0 weighs the pair (P, Q): e^(θL) under P. A tilt below 0 weighs the reversed pair, whose
losses are −L under Q: e^(θL) again.
"""

import math

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.privacy.variables.pooling import Floats, Places

_SHARE = 0.03  # of the grid's own error that wide cells may add, by width
_WIDEST = 20  # cells of up to 2**20 steps
_SLIMMEST = 32.0  # a cell at loss l is at most l/32 wide
_MOST_EDGES = 20000  # each takes some microseconds
_NOTHING = 60.0  # weights below e^-60 of the whole are left out
_TILTS = (1e-6, 1e12)
_NEAR = 1.1


@dataclass(frozen=True)
class LossTable:
    """Increasing losses, and how much mass lies above each under P and under Q."""

    losses: Floats
    above: Floats
    other_above: Floats

    @property
    def upper_half(self) -> "LossTable":
        """Of a table that is the same both ways: its losses from 0 on."""
        half = len(self.losses) // 2
        return LossTable(self.losses[half:], self.above[half:], self.other_above[half:])

    def likely_tilt(self, count: int, rarity: float, *, removing: bool = True) -> float:
        """Where δ ≈ e^(K − θ·K′)/(θ(θ+1)·√(2π·K″)) of a sum of copies is e^−rarity."""
        sign = 1.0 if removing else -1.0
        low, high = _TILTS
        while high > _NEAR * low:
            tilt = math.sqrt(low * high)
            cumulant, mean, variance = (count * each for each in self._cumulants(sign * tilt))
            rare = sign * tilt * mean - cumulant
            rare += math.log1p(tilt * (tilt + 1) * math.sqrt(2 * math.pi * variance))
            low, high = (tilt, high) if rare < rarity else (low, tilt)
        return sign * low

    def deviation(self, tilt: float) -> float:
        """The standard deviation of the tilted loss."""
        return math.sqrt(self._cumulants(tilt)[2])

    def _cumulants(self, tilt: float) -> tuple[float, float, float]:
        """The logarithm of E e^(tilt·L), and the mean and the variance of the tilted loss."""
        mass = -np.diff(self._beyond(tilt))
        middle = (self.losses[1:] + self.losses[:-1]) / 2
        exponents = np.log(np.maximum(mass, 1e-300)) + tilt * middle
        shift = float(exponents.max())
        tilted = np.exp(exponents - shift)
        total = float(tilted.sum())
        mean = float((tilted * middle).sum()) / total
        # Within an interval of the table as if even: a narrow law has a deviation too.
        squares = (middle - mean) ** 2 + np.diff(self.losses) ** 2 / 12
        variance = float((tilted * squares).sum()) / total
        return shift + math.log(total), mean, variance

    def _beyond(self, tilt: float) -> Floats:
        return self.above if tilt >= 0 else self.other_above

    def edges(self, step: float, tilt: float, negligible: float = 0.0) -> Places:
        """Edges from the least loss to the greatest, in cells of 1, 2, 4, … steps.

        A cell of w steps adds about mass·e^(tilt·L)·w² to the error that single steps make
        everywhere. What weighs next to nothing is left out, and so is negligible mass above.
        """
        beyond = np.maximum(self._beyond(tilt), 1e-300)
        weight = np.log(beyond) + tilt * self.losses
        heavy, common = weight > weight.max() - _NOTHING, beyond > negligible
        last = min(int(np.flatnonzero(kept)[-1]) for kept in (heavy, common)) + 2
        losses, weight = self.losses[:last], weight[:last]
        slim = np.log2(np.maximum(losses / step, 1.0) / _SLIMMEST)
        share = _SHARE
        while True:
            free = np.minimum((math.log(share) - weight) / math.log(4), slim)
            allowed = np.clip(np.minimum.accumulate(free[::-1])[::-1], 0, _WIDEST).astype(int)
            edges = _edges(losses, allowed, step)
            if len(edges) <= _MOST_EDGES or share > math.exp(_NOTHING):
                return edges
            share *= 4


def _edges(losses: Floats, allowed: NDArray[np.int_], step: float) -> Places:
    place, end = math.floor(losses[0] / step) - 1, math.ceil(losses[-1] / step) + 1
    runs = []
    for power in range(_WIDEST + 1):
        wider = losses[allowed > power]
        width = 1 << power
        stop = (
            end if not wider.size else math.ceil(float(wider[0]) / step / (2 * width)) * 2 * width
        )
        if stop > place:
            runs.append(np.arange(place, stop, width, dtype=np.int64))
            place = max(int(runs[-1][-1]) + width, stop)
    return np.concatenate([*runs, np.array([place], dtype=np.int64)])
