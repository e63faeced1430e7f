"""A source with a seed, for experiments that must come out the same each time. Tests only."""

import numpy as np
from numpy.typing import NDArray

from leastnoise.randomness.source import Source


class SeededSource(Source):
    """Bytes of NumPy's generator: repeatable, and therefore never to be used outside tests."""

    def __init__(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)

    def bytes(self, count: int) -> NDArray[np.uint8]:
        return np.frombuffer(self.generator.bytes(count), dtype=np.uint8).copy()
