"""Exact draws of real vectors rounded to integers: as many random bits as the rounding needs."""

from collections.abc import Callable, Sequence

from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.randomness.source import Source

_BITS = 128
_GUARD = 64

Points = Callable[[Sequence[arb]], list[arb]]


def rounded_point(points: Points, uniforms: int, source: Source) -> list[int]:
    r"""⌊yᵢ + 1/2⌋ for y = points(u), u uniform in the cube of so many dimensions.

    Theorem: the result has exactly the law of the rounded point. u is known to more and more bits,
    all of them random; a ball around y that lies within one cell of the rounding settles it, and
    until then both the bits and the precision are doubled. Boundaries have probability 0.
    """
    bits, known = _BITS, [source.bits(_BITS) for _ in range(uniforms)]
    while True:
        with balls.precision(bits + _GUARD):
            unit = arb(2) ** -bits
            cells = [
                (y + arb("0.5")).floor().unique_fmpz()
                for y in points([(arb(2 * k + 1) / 2 + arb(0, "0.5")) * unit for k in known])
            ]
        if all(cell is not None for cell in cells):
            return [int(cell) for cell in cells if cell is not None]
        known = [(k << bits) | source.bits(bits) for k in known]
        bits *= 2


def normals(uniforms: Sequence[arb], count: int) -> list[arb]:
    """Independent standard normal numbers from twice half as many uniform ones (Box, Muller)."""
    found: list[arb] = []
    for first, second in zip(uniforms[::2], uniforms[1::2], strict=True):
        sine, cosine = (2 * second).sin_cos_pi()
        radius = (-2 * first.log()).sqrt()
        found += [radius * cosine, radius * sine]
    return found[:count]
