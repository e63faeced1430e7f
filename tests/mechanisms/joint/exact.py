"""The law of joint noise from its definition, in exact arithmetic, for tests only."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part

Row = tuple[int, ...]
Point = tuple[Row, ...]


def points(part: Part, p: int, q: int) -> list[Row]:
    """C(p, q) by going through a cube that holds it."""
    if isinstance(part, Everyone):
        return [(p - q,)]
    if isinstance(part, Box):
        half = part.start // 2
        side = range(p * part.low - q * part.high - half, p * part.high - q * part.low + half + 1)
        return list(product(side, repeat=part.cells))
    up, down = p * part.total + part.start, q * part.total + part.start
    cube = product(range(-down, up + 1), repeat=part.cells)
    if isinstance(part, Diamond):
        return [x for x in cube if sum(map(abs, x)) <= up]
    return [x for x in cube if _sum(x, 1) <= up and _sum(x, -1) <= down]


def _sum(x: Row, sign: int) -> int:
    return sum(sign * v for v in x if sign * v > 0)


def all_points(parts: Sequence[Part], p: int, q: int) -> Iterator[Point]:
    return product(*(points(part, p, q) for part in parts))


def contributions(part: Part) -> list[Row]:
    """What one unit may add."""
    if isinstance(part, Everyone):
        return [(1,)]
    if isinstance(part, Box):
        return list(product(range(part.low, part.high + 1), repeat=part.cells))
    sides = range(-part.total if isinstance(part, Diamond) else 0, part.total + 1)
    cube = product(sides, repeat=part.cells)
    return [x for x in cube if sum(map(abs, x)) <= part.total]


def shifted(point: Point, by: Point, sign: int = 1) -> Point:
    return tuple(
        tuple(a + sign * b for a, b in zip(row, move, strict=True))
        for row, move in zip(point, by, strict=True)
    )


def two_counter_law(parts: Sequence[Part], ratio: Fraction, most: int) -> dict[Point, Fraction]:
    """Weights Σ ratio^(p+q) over the pairs with p + q ≤ most that hold a point."""
    law: dict[Point, Fraction] = {}
    for p in range(most + 1):
        for q in range(most + 1 - p):
            for x in all_points(parts, p, q):
                law[x] = law.get(x, Fraction(0)) + ratio ** (p + q)
    return law


def one_counter_law(parts: Sequence[Part], ratio: Fraction, most: int) -> dict[Point, Fraction]:
    """The same for one counter: the sets of p units that come and p that leave."""
    law: dict[Point, Fraction] = {}
    for p in range(most + 1):
        for x in all_points([_halved(part) for part in parts], p, p):
            law[x] = law.get(x, Fraction(0)) + ratio**p
    return law


def _halved(part: Part) -> Part:
    """A symmetric box is the sum of two of half its height: here it is taken as half a unit's."""
    if isinstance(part, Box):
        return Box(0, part.high, part.cells, part.start)
    return part


def moved(parts: Sequence[Part]) -> list[Point]:
    """All that one unit may add to all parts."""
    return list(product(*(contributions(part) for part in parts)))
