"""`ThresholdGate`: the noisy threshold itself, and how often it may still be passed."""

import numpy as np

from leastnoise import _check
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.mechanisms.thresholds.threshold_question import ThresholdQuestion
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.exact_sum import exact_sum
from leastnoise.randomness.source import Source

_CHUNK = 1 << 16  # so that little is drawn in vain once the last passage is found


class ThresholdGate:
    """Holds threshold + ρ; ρ is drawn when it is made, and again after a passage if it restarts.

    This is the secret state of a sparse vector. Whoever holds a gate guards it by `SingleUse`.

    Args:
        question: where the threshold is, and how far apart neighbours can be.
        noise: the laws of ρ and ν, made for that distance.
        source: where they are drawn from.
    """

    __slots__ = ("_level", "_queries", "_restart", "_source", "_threshold", "_thresholds", "left")

    left: int

    def __init__(self, question: ThresholdQuestion, noise: ThresholdNoise, source: Source) -> None:
        if noise.sensitivity != question.reach:
            raise _check.refuse(
                "`noise` must be made for the question's sensitivity on its lattice",
                f"{noise.sensitivity} steps where {question.reach} are possible",
                "Use `above_threshold` or `sparse_vector`, which see to it.",
            )
        self._threshold, self._source, self._restart = question.level, source, noise.restart
        self._thresholds, self._queries = noise.threshold_sampler, noise.query_sampler
        self._level = self._drawn_level()
        self.left = noise.positives

    def _drawn_level(self) -> int:
        return self._threshold + int(self._thresholds.sample(1, self._source)[0])

    def _pass(self) -> None:
        self.left -= 1
        if self._restart and self.left:
            self._level = self._drawn_level()

    def excess(self, place: int) -> int:
        """By how much place + ν exceeds threshold + ρ; from 0 on it has passed: one fewer left."""
        drawn = int(self._queries.sample(1, self._source)[0])
        excess = place + drawn - self._level
        if excess >= 0:
            self._pass()
        return excess

    def excesses(self, places: Draws) -> list[Draws]:
        """The same for many places in order, in pieces, up to the last passage there is."""
        pieces: list[Draws] = []
        for start in range(0, len(places), _CHUNK):
            row = places[start : start + _CHUNK]
            drawn = self._queries.sample(len(row), self._source)
            pieces += self._between_restarts(exact_sum(row, drawn))
            if not self.left:
                break
        return pieces

    def _between_restarts(self, noisy: Draws) -> list[Draws]:
        """Excesses of noisy places; those after a restart are compared with the new level only."""
        pieces: list[Draws] = []
        while len(noisy) and self.left:
            most = 1 if self._restart else self.left
            excess = exact_sum(noisy, -self._level)
            passed = np.flatnonzero(excess >= 0)[:most]
            end = int(passed[-1]) + 1 if len(passed) == most else len(noisy)
            pieces.append(excess[:end])
            noisy = noisy[end:]
            for _ in passed:
                self._pass()
        return pieces
