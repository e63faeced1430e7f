"""`Scripted`: a source that hands out given bytes, so that a test can enumerate every draw."""

from collections import defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import TypeVar

from leastnoise.noise.source import Source

T = TypeVar("T", bound=Hashable)


class Ended(Exception):
    """A draw asked for more bytes than the script has."""


class Scripted(Source):
    """Hands out the given bytes in their order; `left` is what nobody asked for."""

    def __init__(self, *pieces: bytes) -> None:
        super().__init__()
        self.left = b"".join(pieces)

    def _bytes(self, count: int) -> bytes:
        if count > len(self.left):
            raise Ended
        taken, self.left = self.left[:count], self.left[count:]
        return taken


def word(value: int, bits: int = 64) -> bytes:
    """The bytes from which a source reads this word."""
    return value.to_bytes(bits // 8, "little")


def law(draw: Callable[[Source], T], depth: int) -> dict[T | None, Fraction]:
    """The exact law of a draw: all scripts of up to `depth` bytes; None is what they leave open."""
    found: dict[T | None, Fraction] = defaultdict(Fraction)
    scripts = [b""]
    while scripts:
        script = scripts.pop()
        try:
            found[draw(Scripted(script))] += Fraction(1, 256 ** len(script))
        except Ended:
            if len(script) == depth:
                found[None] += Fraction(1, 256 ** len(script))
            else:
                scripts += [script + bytes([byte]) for byte in range(256)]
    return dict(found)
