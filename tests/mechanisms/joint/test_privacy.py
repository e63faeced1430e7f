"""Joint noise keeps its promise, exactly, and a little less noise does not."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest

from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from tests.mechanisms.joint.exact import (
    Point,
    all_points,
    moved,
    one_counter_law,
    shifted,
    two_counter_law,
)

RATIO = Fraction(1, 2)

TWO: list[list[Part]] = [
    [Box(0, 1, cells=2), Everyone()],
    [Box(0, 2, start=2), Everyone()],
    [Box(-1, 2), Box(1, 2)],
    [Simplex(2, 1), Everyone()],
    [Simplex(2, 1, 1), Box(0, 1)],
    [Simplex(1, 2), Box(-1, 1, start=2), Everyone()],
]
ONE: list[list[Part]] = [
    [Box(-1, 1, cells=2)],
    [Box(-2, 2, start=2), Simplex(2, 1)],
    [Diamond(2, 2, 1), Box(-1, 1)],
]


def kept(law: dict[Point, Fraction], more: dict[Point, Fraction], moves: Sequence[Point]) -> bool:
    """Whether P(x ± v) ≥ P(x)/2 for all x and all v; `more` has one counter's step more in it.

    Sums over r ≤ R + 1 at x ± v and over r ≤ R at x: as R grows both become the law itself.
    """
    return all(
        more.get(shifted(x, v, sign), Fraction(0)) >= RATIO * weight
        for x, weight in law.items()
        for v in moves
        for sign in (1, -1)
    )


@pytest.mark.parametrize("parts", TWO, ids=str)
def test_two_counters(parts: list[Part]) -> None:
    law, more = (two_counter_law(parts, RATIO, most) for most in (4, 5))
    assert kept(law, more, moved(parts))
    # Nothing is left to spare: the ratio is attained.
    assert any(
        more[shifted(x, v)] == RATIO * weight for x, weight in law.items() for v in moved(parts)
    )


@pytest.mark.parametrize("parts", ONE, ids=str)
def test_one_counter(parts: list[Part]) -> None:
    law, more = (one_counter_law(parts, RATIO, most) for most in (3, 4))
    assert kept(law, more, _differences(parts))


def _differences(parts: Sequence[Part]) -> list[Point]:
    """What a replaced unit may change: of a simplex, one point less another."""
    choices = []
    for part in parts:
        mine = [row for (row,) in moved([part])]
        pairs = product(mine, mine) if isinstance(part, Simplex) else ((x, x) for x in mine)
        rows = {tuple(a - b for a, b in zip(x, y, strict=True)) for x, y in pairs}
        choices.append(sorted(rows) if isinstance(part, Simplex) else mine)
    return list(product(*choices))


@pytest.mark.parametrize(
    ("built", "moves"),
    [
        (Box(0, 99), Box(0, 100)),
        (Box(-99, 0), Box(-100, 0)),
        (Simplex(1, 99), Simplex(1, 100)),
    ],
    ids=str,
)
def test_one_percent_less_is_not_private(built: Part, moves: Part) -> None:
    """A reach of 100 against noise for 99."""
    parts = [built, Everyone()]
    law, more = (two_counter_law(parts, RATIO, most) for most in (1, 6))
    moved_by = [(row, (1,)) for (row,) in moved([moves])]
    inner = {x: w for x, w in law.items() if abs(x[0][0]) <= 100}
    assert not kept(inner, more, moved_by)


@pytest.mark.parametrize("parts", TWO, ids=str)
def test_the_law_is_symmetric(parts: list[Part]) -> None:
    law = two_counter_law(parts, RATIO, 3)
    zero: Point = tuple((0,) * part.cells for part in parts)
    assert all(law[shifted(zero, x, -1)] == weight for x, weight in law.items())


def test_two_units_cost_twice() -> None:
    parts: list[Part] = [Box(0, 1), Simplex(2, 1), Everyone()]
    law, more = (two_counter_law(parts, RATIO, most) for most in (3, 5))
    twice = {shifted(v, w) for v in moved(parts) for w in moved(parts)}
    found = [
        more.get(shifted(x, v), Fraction(0)) / weight for x, weight in law.items() for v in twice
    ]
    assert min(found) == RATIO**2


def wrong_law(parts: Sequence[Part], most: int) -> dict[Point, Fraction]:
    """The pitfall: counters drawn by b^(p+q) alone, then a uniform point."""
    law: dict[Point, Fraction] = {}
    for p, q in product(range(most + 1), repeat=2):
        inside = list(all_points(parts, p, q)) if p + q <= most else []
        for x in inside:
            law[x] = law.get(x, Fraction(0)) + RATIO ** (p + q) / len(inside)
    return law


def test_counters_drawn_without_their_points_are_not_private() -> None:
    parts: list[Part] = [Box(0, 1, cells=3)]
    law, more = (wrong_law(parts, most) for most in (2, 7))
    near = {x: w for x, w in law.items() if not any(x[0])}
    assert not kept(near, more, moved(parts))
    right, right_more = (two_counter_law(parts, RATIO, most) for most in (4, 5))
    assert kept(right, right_more, moved(parts))
