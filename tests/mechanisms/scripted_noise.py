"""Noise played from a script: what an object does with given draws, without chance."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from leastnoise.mechanisms.thresholds import threshold_noise
from leastnoise.randomness.source import Source


class ScriptedSampler:
    """Hands out the given draws in order."""

    def __init__(self, draws: Iterable[int]) -> None:
        self.draws: Iterator[int] = iter(draws)

    def sample(self, count: int, source: Source) -> NDArray[np.int64] | NDArray[np.object_]:
        del source
        drawn = [next(self.draws) for _ in range(count)]
        if all(abs(draw) < 2**62 for draw in drawn):
            return np.array(drawn, dtype=np.int64)
        return np.array(drawn, dtype=np.object_)


Play = Callable[[Iterable[int], Iterable[int]], None]


def player(patch: pytest.MonkeyPatch) -> Play:
    """A function that fixes the draws of ρ and of ν for the objects made and asked afterwards."""

    def play(rho: Iterable[int], nu: Iterable[int]) -> None:
        samplers = {"threshold": ScriptedSampler(rho), "query": ScriptedSampler(nu)}
        noise = threshold_noise.ThresholdNoise
        patch.setattr(noise, "threshold_sampler", property(lambda _: samplers["threshold"]))
        patch.setattr(noise, "query_sampler", property(lambda _: samplers["query"]))

    return play


def geometric_chance(rate: Fraction, value: int) -> float:
    """P(noise = value)."""
    return float(-np.expm1(-float(rate)) * np.exp(-float(rate) * value))
