"""Sources for tests only: bytes played from a script, bytes counted, and bytes forbidden."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from leastnoise.randomness.source import Source

Script = bytes  # inside the classes below `bytes` is the method


class ScriptExhausted(AssertionError):
    """A sampler asked for more bytes than the script holds."""


class ScriptedSource(Source):
    """Plays the given bytes in order and raises `ScriptExhausted` when they run out."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.used = 0

    @property
    def left(self) -> int:
        return len(self.script) - self.used

    def bytes(self, count: int) -> NDArray[np.uint8]:
        if count > self.left:
            raise ScriptExhausted(f"{count} bytes asked for, {self.left} left")
        start, self.used = self.used, self.used + count
        return np.frombuffer(self.script[start : self.used], dtype=np.uint8).copy()


class CountingSource(Source):
    """A true source that remembers how many bytes it gave."""

    def __init__(self) -> None:
        super().__init__()
        self.given = 0

    def bytes(self, count: int) -> NDArray[np.uint8]:
        self.given += count
        return super().bytes(count)


class NoEntropy(Source):
    """For code that must not draw at all."""

    def __init__(self) -> None:
        """No key is made either."""

    def bytes(self, count: int) -> NDArray[np.uint8]:
        raise AssertionError(f"{count} bytes of entropy drawn where none may be")


def script(values: Iterable[int], width: int) -> Script:
    """Words of `width` bytes each, as a source would hand them out."""
    return b"".join(value.to_bytes(width, "little") for value in values)


def words(*values: int) -> Script:
    """64-bit words."""
    return script(values, 8)
