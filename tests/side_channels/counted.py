"""A source that repeats itself, for tests, and counts what it gives."""

import numpy as np
from numpy.typing import NDArray

from leastnoise.randomness.source import Source


class RepeatedSource(Source):
    """The same bytes for the same seed, handed out and counted."""

    def __init__(self, seed: int) -> None:
        self._numbers = np.random.default_rng(seed)
        self.asked: list[int] = []

    def bytes(self, count: int) -> NDArray[np.uint8]:
        self.asked.append(count)
        return self._numbers.integers(0, 256, count, dtype=np.uint8)
