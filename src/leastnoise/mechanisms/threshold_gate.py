"""`ThresholdGate`: the noisy threshold itself, and how often it may still be passed."""

import numpy as np

from leastnoise.mechanisms.threshold_noise import ThresholdNoise
from leastnoise.noise.shape import Draws
from leastnoise.randomness.source import Source

_CHUNK = 1 << 16
_MOST = 1 << 61


class ThresholdGate:
    """Holds threshold + ρ, with ρ drawn when it is made and never again.

    This is the secret state of a sparse vector. Whoever holds a gate guards it by `SingleUse`.

    Args:
        threshold: an integer.
        noise: the laws of ρ and ν.
        source: where they are drawn from.
    """

    __slots__ = ("_level", "_noise", "_source", "left")

    left: int

    def __init__(self, threshold: int, noise: ThresholdNoise, source: Source) -> None:
        self._noise, self._source = noise, source
        self._level = threshold + int(noise.threshold_sampler.sample(1, source)[0])
        self.left = noise.positives

    def excess(self, place: int) -> int:
        """By how much place + ν exceeds threshold + ρ; from 0 on it has passed: one fewer left."""
        drawn = int(self._noise.query_sampler.sample(1, self._source)[0])
        excess = place + drawn - self._level
        self.left -= excess >= 0
        return excess

    def excesses(self, places: Draws) -> list[Draws]:
        """The same for many places in order, in pieces, up to the last passage there is."""
        pieces = []
        for start in range(0, len(places), _CHUNK):
            pieces.append(self._piece(places[start : start + _CHUNK]))
            if not self.left:
                break
        return pieces

    def _piece(self, places: Draws) -> Draws:
        drawn = self._noise.query_sampler.sample(len(places), self._source)
        excess = whole_sum(places, drawn, -self._level)
        passed = np.flatnonzero(excess >= 0)[: self.left]
        self.left -= len(passed)
        return excess if self.left else excess[: int(passed[-1]) + 1]


def whole_sum(places: Draws, noise: Draws, shift: int = 0) -> Draws:
    """The sum of all of them, in Python's integers where 64 bits might not hold it."""
    if abs(shift) < _MOST and _small(places) and _small(noise):
        return np.asarray(places + noise + shift)
    return np.asarray(places.astype(np.object_) + noise.astype(np.object_) + shift)


def _small(numbers: Draws) -> bool:
    whole = numbers.dtype != np.object_
    return whole and int(numbers.min(initial=0)) > -_MOST and int(numbers.max(initial=0)) < _MOST
