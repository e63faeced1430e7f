"""What a `Table` must draw for a word just below, at, and just above each of its thresholds."""

from collections.abc import Callable, Iterable
from random import Random

import mpmath
import numpy as np

from leastnoise.noise.uniform import Table
from tests.scripted import Ended, Scripted, word

Floors = Callable[[int, int], int]
"""(n, bits) to the floor of P(N >= n) * 2**bits, computed independently of the code."""

WORD = 2**64


def floor_of(number: Callable[[], mpmath.mpf], bits: int) -> int:
    """The floor of a real number in [0, 1], times 2**bits, by mpmath."""
    with mpmath.workprec(bits + 200):
        return int(mpmath.floor(number() * mpmath.mpf(2) ** bits))


def value_of(floors: Floors, drawn: int, bits: int, length: int | None) -> int | None:
    """N for a U with these first bits; None if one threshold equals them."""
    if not length and not drawn:  # below every threshold that is not 0 yet
        return None
    low, high = 0, length - 1 if length else 1
    while not length and floors(high, bits) >= drawn:
        high *= 2
    while low < high:  # the greatest n whose threshold is above or equal
        middle = (low + high + 1) // 2
        low, high = (middle, high) if floors(middle, bits) >= drawn else (low, middle - 1)
    return None if low and floors(low, bits) == drawn else low


def sampled(table: Table, drawn: int, bits: int) -> int | None:
    """What the table draws from these first bits of U; None if it asks for more."""
    words = [drawn >> at & WORD - 1 for at in range(bits - 64, -1, -64)]
    # The tail of the first word is the upper 48 bits of a word. The lower ones must not matter.
    tail = (words[0] << 16 | Random(drawn).getrandbits(16)) % WORD
    script = Scripted(word(words[0] >> 48, 16), word(tail), *map(word, words[1:]))
    try:
        return int(table.sample(1, script)[0])
    except Ended:
        return None


def check_thresholds(
    table: Table, floors: Floors, numbers: Iterable[int], length: int | None = None
) -> None:
    """Every value around the thresholds of these n is right, at 64, 128 and 192 bits."""
    for n in numbers:
        for bits in (64, 128, 192):
            threshold = floors(n, bits)
            for drawn in (threshold - 1, threshold, threshold + 1):
                if 0 <= drawn < 2**bits:
                    expected = value_of(floors, drawn, bits, length)
                    assert sampled(table, drawn, bits) == expected, (n, bits, drawn - threshold)


def check_heads(table: Table, floors: Floors, length: int | None = None) -> None:
    """All 65,536 heads, in one sample: each value lies between those of its two ends."""
    heads = np.arange(1 << 16, dtype=np.uint16)
    tails = np.random.default_rng(1).bytes(8 << 16)
    found = table.sample(1 << 16, Scripted(heads.tobytes(), tails))
    thresholds, n = list[int](), 1
    while n < length if length else not thresholds or thresholds[-1]:
        thresholds.append(floors(n, 64))
        n += 1
    rising = np.array([min(each, WORD - 1) for each in thresholds[::-1]], dtype=np.uint64)
    first = heads.astype(np.uint64) << np.uint64(48)
    most = len(rising) - np.searchsorted(rising, first, side="left")
    least = len(rising) - np.searchsorted(rising, first | np.uint64((1 << 48) - 1), side="right")
    assert ((least <= found) & (found <= most)).all()
