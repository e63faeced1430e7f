"""Joint noise for pure epsilon: the theorem by enumeration, the draw exactly, the price in integers."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, prod
from typing import Any

import mpmath
import numpy as np
import pytest

from leastnoise.noise import joint_pure
from leastnoise.noise.joint_pure import (
    MOST_BESIDE_SIMPLEX,
    MOST_CELLS,
    UNITS,
    Block,
    Box,
    Diamond,
    KNormNoise,
    Simplex,
    _counter,
    _prepared,
    _subset,
    covers,
    ends,
)
from leastnoise.noise.source import Source
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.numbers.errors import InvalidInput
from tests.noise.thresholds import check_thresholds, floor_of

F = Fraction
Point = tuple[int, ...]

BLOCKS: list[Block] = [
    Box(0, 1),
    Box(0, 2, start=1),
    Box(-1, 2),
    Box(1, 1),
    Box(1, 3, start=2),
    Box(0, 1, cells=2, start=3),
    Simplex(1, 2),
    Simplex(2, 1),
    Simplex(2, 2, start=1),
    Simplex(3, 1),
    Diamond(1, 2),
    Diamond(2, 1, start=1),
    Diamond(3, 1),
]


def inside(block: Block, p: int, q: int, x: Point) -> bool:
    """Whether x is in C(p, q), as the docstring of the module defines it."""
    if isinstance(block, Box):
        low, high = p * block.low - q * block.high, p * block.high - q * block.low
        below = block.start // 2
        return all(low - below <= each <= high + block.start - below for each in x)
    if isinstance(block, Diamond):
        return sum(map(abs, x)) <= (p + q) * block.total + block.start
    up, down = sum(e for e in x if e > 0), -sum(e for e in x if e < 0)
    return up <= p * block.total + block.start and down <= q * block.total + block.start


@cache
def members(block: Block, p: int, q: int) -> list[Point]:
    most = (p + q) * max(map(abs, ends(block))) + block.start
    return [
        x for x in product(range(-most, most + 1), repeat=block.cells) if inside(block, p, q, x)
    ]


def moves(reach: Block) -> list[Point]:
    """Everything that one unit may add."""
    if isinstance(reach, Box):
        return [*product(range(reach.low, reach.high + 1), repeat=reach.cells)]
    most = reach.total
    least = 0 if isinstance(reach, Simplex) else -most
    cube = product(range(least, most + 1), repeat=reach.cells)
    return [v for v in cube if sum(map(abs, v)) <= most]


# The draw of a block


def all_choices(draw: Callable[[], Point], patch: pytest.MonkeyPatch) -> dict[Point, Fraction]:
    """The law of a draw from integers below bounds: every choice of every integer is tried."""
    found: dict[Point, Fraction] = defaultdict(Fraction)
    open_: list[list[int]] = [[]]
    while open_:
        script = open_.pop()
        asked: list[int] = []

        def choose(
            bound: int, _: object, script: list[int] = script, asked: list[int] = asked
        ) -> int:
            asked.append(bound)
            if len(asked) > len(script):
                raise StopIteration
            return script[len(asked) - 1]

        patch.setattr(joint_pure, "uniform_below", choose)
        try:
            point = draw()
        except StopIteration:
            open_ += [[*script, value] for value in range(asked[-1])]
        else:
            found[point] += F(1, prod(asked))
    return dict(found)


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_is_drawn_uniformly(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    for p, q in [(0, 0), (1, 0), (0, 1), (2, 1)]:
        expected = members(block, p, q)
        assert block.points(p, q) == len(expected)
        if len(expected) > 60:
            continue
        found = all_choices(lambda: tuple(block.draw(p, q, Source())), monkeypatch)  # noqa: B023
        assert found == dict.fromkeys(expected, F(1, len(expected)))


def test_points_of_wide_blocks() -> None:
    for p, q in [(3, 0), (1, 4)]:
        up, down = p * 2**40 + 5, q * 2**40 + 5
        terms = (comb(7, j) * comb(up, j) * comb(down + 7 - j, 7 - j) for j in range(8))
        assert Simplex(7, 2**40, start=5).points(p, q) == sum(terms)
        radius = (p + q) * 2**40 + 5
        balls = (comb(7, j) * comb(radius, j) * 2**j for j in range(8))
        assert Diamond(7, 2**40, start=5).points(p, q) == sum(balls)


def test_subsets_of_long_ranges() -> None:
    drawn = _subset(5, 10**30, Source())
    assert drawn == sorted(set(drawn)) and len(drawn) == 5 and drawn[0] >= 0 and drawn[-1] < 10**30
    assert _subset(4, 4, Source()) == [0, 1, 2, 3]


# The theorem


def shares(blocks: Sequence[Block], counters: int, most: int) -> dict[tuple[int, Point], Fraction]:
    """2^-(p + q) summed over p + q <= most, by (p - q, x); with one counter by x alone."""
    found: dict[tuple[int, Point], Fraction] = defaultdict(Fraction)
    for p in range(most + 1):
        for q in range(most - p + 1 if counters == 2 else 1):
            parts = [members(block, p, q) for block in blocks]
            for x in product(*parts):
                key = (p - q if counters == 2 else 0), tuple(n for part in x for n in part)
                found[key] += F(1, 2 ** (p + q))
    return found


def violations(blocks: Sequence[Block], reach: Sequence[Block], counters: int = 2) -> int:
    """Points with noise whose chance falls by more than e^rate = 2 if one unit comes or goes.

    By the theorem's proof each sum up to R is at most twice one up to R + 1 at the moved point.
    """
    short, long = (shares(blocks, counters, most) for most in (3, 4))
    units = 1 if counters == 2 else 0
    count = 0
    for parts in product(*map(moves, reach)):
        v = [n for part in parts for n in part]
        for sign in (1, -1):
            for (n, x), share in short.items():
                moved = n + sign * units, tuple(a + sign * b for a, b in zip(x, v, strict=True))
                count += 2 * long.get(moved, F(0)) < share
    return count


MIXTURES: list[list[Block]] = [
    [Box(0, 1), Box(0, 2)],
    [Box(0, 1, start=1), Box(0, 1, start=1)],
    [Box(-1, 2, start=2)],
    [Box(1, 2)],
    [Simplex(2, 1)],
    [Simplex(2, 1, start=1), Box(0, 1, start=2)],
    [Simplex(2, 1), Box(-1, 1)],
    [Diamond(2, 1), Box(0, 1)],
    [UNITS, Box(0, 1)],
]


@pytest.mark.parametrize("blocks", MIXTURES, ids=str)
def test_every_units_move_changes_chances_by_at_most_e_to_the_rate(blocks: list[Block]) -> None:
    assert violations(blocks, blocks) == 0


@pytest.mark.parametrize(
    "blocks", [[Box(-1, 1, start=1)], [Diamond(2, 1)], [Diamond(1, 1), Box(-1, 1)]]
)
def test_one_counter(blocks: list[Block]) -> None:
    assert violations(blocks, blocks, counters=1) == 0
    assert KNormNoise(F(1), tuple(blocks), 1).epsilon(blocks) == 1


def test_a_reach_of_two_under_a_box_of_one_is_refused() -> None:
    law, reach = [Box(0, 1), Box(0, 1)], [Box(0, 2), Box(0, 1)]
    assert violations(law, reach)
    with pytest.raises(InvalidInput, match="Block 0"):
        KNormNoise(F(1), tuple(law)).epsilon(reach)


@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("reach", BLOCKS, ids=str)
def test_what_covers_holds_every_move(block: Block, reach: Block) -> None:
    """`covers` is right, and refuses nothing that it could allow within one kind of block."""
    if block.cells == reach.cells:
        holds = set(moves(reach)) <= set(moves(block))
        assert covers(block, reach) <= holds
        if type(block) is type(reach) or isinstance(block, Box):
            assert covers(block, reach) == holds
    else:
        assert not covers(block, reach)


# The counters


LAWS = [
    (Box(0, 1),),
    (Box(0, 1, cells=3, start=2), UNITS),
    (Box(-1, 2), Box(3, 3), Diamond(2, 1, start=1)),
    (Simplex(2, 1),),
    (Simplex(3, 2, start=1), Simplex(2, 5), Box(0, 3, start=4), UNITS),
]


@pytest.mark.parametrize("blocks", LAWS, ids=str)
def test_the_number_of_points_is_a_sum_of_binomials(blocks: tuple[Block, ...]) -> None:
    """F(p, q) = sum of c(u, v) C(p, u) C(q, v), with integers c >= 0, beyond the degree too."""
    law = KNormNoise(F(1), blocks)
    rows = law.coefficients()
    assert all(type(c) is int and c >= 0 for row in rows for c in row)
    for p, q in product(range(law.cells + 4), repeat=2):
        found = sum(
            c * comb(p, u) * comb(q, n - u) for n, row in enumerate(rows) for u, c in enumerate(row)
        )
        assert found == law.points(p, q)


def test_the_number_of_points_with_one_counter() -> None:
    law = KNormNoise(F(1), (Box(-2, 2, start=1), Diamond(2, 1)), 1)
    rows = law.coefficients()
    for p in range(9):  # a draw gives all n to the one counter
        found = sum(c * comb(p, u) for row in rows for u, c in enumerate(row))
        assert found == law.points(p, 0)


def test_a_negative_number_of_points_is_never_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    for rows in ([[1], [2, -1]], [[1], [-1, 2]], [[-1], [2, 2]]):
        monkeypatch.setattr(KNormNoise, "coefficients", lambda _law, rows=rows: rows)
        with pytest.raises(AssertionError, match="is negative"):
            _prepared.__wrapped__(KNormNoise(F(1), (Box(0, 1),)))


@pytest.mark.parametrize("rate", [F(1), F(1, 50), F(7)])
@pytest.mark.parametrize("blocks", LAWS[1:4:2], ids=str)
def test_the_table_of_the_degree(blocks: tuple[Block, ...], rate: F) -> None:
    law = KNormNoise(rate, blocks)
    weights = [sum(row) for row in law.coefficients()]

    @cache
    def floors(n: int, bits: int) -> int:
        def chance() -> mpmath.mpf:
            odds = 1 / (mpmath.exp(mpmath.mpf(rate.numerator) / rate.denominator) - 1)
            parts = [w * odds**k for k, w in enumerate(weights)]
            return mpmath.fsum(parts[n:]) / mpmath.fsum(parts)

        return floor_of(chance, bits)

    table, _ = _prepared(law)
    numbers = [n for n in range(1, len(weights)) if weights[n]]
    check_thresholds(table, floors, numbers, len(weights))


def test_a_counter_is_u_and_u_plus_1_geometric_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def geometric(rate: F, count: int, _: Source) -> list[int]:
        asked.append((rate, count))
        return [10**i for i in range(count)]

    monkeypatch.setattr(joint_pure, "geometric", geometric)
    assert _counter(3, F(1, 7), Source()) == 3 + 1111
    assert asked == [(F(1, 7), 4)]
    # Both sides of the theorem, at b = 1/2: p has weight C(p, u) 2^-p.
    for u in range(4):
        total = F(2) ** (-u) / F(1, 2) ** (u + 1)
        for p in range(u, u + 6):
            of_draws = F(comb(p - u + u, u), 2 ** (p - u)) * F(1, 2) ** (u + 1)
            assert of_draws == F(comb(p, u), 2**p) / total


def exact_variance(law: KNormNoise, place: int) -> Fraction:
    """At e^-rate = 1/2, from the mixture: then p has mean 2u + 1 and variance 2u + 2."""
    block = law.blocks[place]
    assert isinstance(block, Box)
    centre, width = block.low + block.high, block.high - block.low
    rows, total, found = law.coefficients(), F(0), F(0)
    for n, row in enumerate(rows):
        for u, c in enumerate(row):
            v = n - u
            mean, spread = 2 * n + 2, 2 * n + 4  # of p + q
            square, difference = spread + mean**2, spread + (2 * (u - v)) ** 2
            long = width**2 * square + 2 * width * block.start * mean + block.start**2
            long += 2 * (width * mean + block.start)
            total += c
            found += c * (F(long, 12) + F(centre**2 * difference, 4))
    return found / total


@pytest.mark.parametrize(
    ("blocks", "place", "expected"),
    [
        ((Box(0, 1),), 0, F(4)),
        ((Box(0, 1, cells=2),), 0, F(88, 13)),
        ((Box(0, 1, cells=3),), 0, F(256, 25)),
        ((Box(0, 1, cells=10),), 0, F(87539285968, 1622632573)),
        ((Box(0, 1, cells=2, start=1), UNITS), 0, F(133, 20)),
        ((Box(0, 1, cells=2, start=1), UNITS), 1, F(57, 5)),
        ((Box(0, 1, cells=2, start=2), UNITS), 0, F(200, 29)),
        ((Box(0, 1, cells=3, start=2), UNITS), 0, F(1912, 197)),
        ((Box(0, 1, cells=3, start=2), UNITS), 1, F(2912, 197)),
        ((Box(-1, 2), UNITS), 0, F(134, 7)),
        ((Box(-1, 2), UNITS), 1, F(64, 7)),
        ((Box(0, 1), Box(0, 2)), 0, F(164, 23)),
        ((Box(0, 1), Box(0, 2)), 1, F(618, 23)),
    ],
)
def test_variances_at_one_half(blocks: tuple[Block, ...], place: int, expected: F) -> None:
    assert exact_variance(KNormNoise(F(1), blocks), place) == expected


# Whole draws


def exact_law(law: KNormNoise, most: int) -> Counter[Point]:
    """Chances in floats, from the definition."""
    found: Counter[Any] = Counter()
    for p in range(most):
        for q in range(most if law.counters == 2 else 1):
            weight = np.exp(-float(law.rate) * (p + q))
            for x in product(*(members(block, p, q) for block in law.blocks)):
                found[tuple(n for part in x for n in part)] += weight
    total = sum(found.values())
    return Counter({x: weight / total for x, weight in found.items()})


def misfit(law: KNormNoise, drawn: list[Point], most: int) -> tuple[float, int]:
    """Pearson's statistic over points that are likely enough, and its degrees of freedom."""
    chances, seen = exact_law(law, most), Counter(drawn)
    likely = {x: c * len(drawn) for x, c in chances.items() if c * len(drawn) >= 12}
    rest = len(drawn) - sum(likely.values())
    other = len(drawn) - sum(seen[x] for x in likely)
    parts = [(seen[x] - n) ** 2 / n for x, n in likely.items()]
    return sum(parts) + (other - rest) ** 2 / rest, len(likely)


@pytest.mark.parametrize(
    ("law", "most"),
    [
        (KNormNoise(F(2), (Box(0, 1, start=1), Box(0, 1), UNITS)), 8),
        (KNormNoise(F(2), (Simplex(2, 1), Box(0, 1))), 6),
        (KNormNoise(F(2), (Diamond(2, 1), Box(-1, 1, start=2)), 1), 8),
    ],
    ids=str,
)
def test_whole_draws_have_the_law(law: KNormNoise, most: int) -> None:
    """False alarm 1e-7 in all. A mirrored last block is seen, where that is another law."""
    from scipy.stats import chi2

    source = Source()
    drawn = [tuple(n for part in law.draw(source) for n in part) for _ in range(6000)]
    statistic, free = misfit(law, drawn, most)
    assert statistic < chi2.isf(3e-8, free)
    if law.counters == 2:
        mirrored = [(*x[:-1], -x[-1]) for x in drawn]
        assert misfit(law, mirrored, most)[0] > 2 * chi2.isf(3e-8, free)


def test_draws_at_release_scale() -> None:
    """2^20 steps to a row, a small epsilon: Python's integers, of about the right size."""
    law = KNormNoise(F(1, 1000), (Simplex(20, 2**20), Box(0, 2**40, cells=3, start=2**45), UNITS))
    simplex, box, units = law.draw(Source())
    assert all(type(n) is int for n in (*simplex, *box, *units)) and len(simplex) == 20
    assert max(map(abs, box)) < 2**40 * 10**6 and abs(units[0]) < 10**6


# Prices and refusals


def test_epsilon_is_the_rate_for_a_covered_reach() -> None:
    law = KNormNoise(F(1, 3), (Box(0, 2, start=7), Simplex(3, 4), UNITS))
    assert law.epsilon([Box(0, 1), Simplex(3, 4), UNITS]) == F(1, 3)
    wrong: tuple[list[Block], ...] = ([Box(0, 1), Simplex(3, 4)], [Box(0, 1), Simplex(3, 5), UNITS],
                  [Box(0, 1), Simplex(2, 4), UNITS], [Box(0, 1), Simplex(3, 4), Box(0, 1)],
                  [Box(-1, 1), Simplex(3, 4), UNITS], [Box(0, 1), Diamond(3, 4), UNITS])  # fmt: skip
    for reach in wrong:
        with pytest.raises(InvalidInput):
            law.epsilon(reach)


def bad() -> Iterator[Callable[[], object]]:
    huge: Any = 1.0
    yes: Any = True
    yield lambda: Box(1, 0)
    yield lambda: Box(huge, 2)
    yield lambda: Box(0, yes)
    yield lambda: Box(0, 1, cells=0)
    yield lambda: Box(0, 1, start=-1)
    yield lambda: Simplex(0, 1)
    yield lambda: Simplex(1, -1)
    yield lambda: Simplex(1, 1, -1)
    yield lambda: Diamond(1, huge)
    yield lambda: KNormNoise(F(0), (UNITS,))
    yield lambda: KNormNoise(huge, (UNITS,))
    yield lambda: KNormNoise(F(1), ())
    yield lambda: KNormNoise(F(1), (UNITS,), 3)
    yield lambda: KNormNoise(F(1), (UNITS, huge))
    yield lambda: KNormNoise(F(1), (UNITS,)).epsilon([huge])
    yield lambda: KNormNoise(F(1), (UNITS,), 1)
    yield lambda: KNormNoise(F(1), (Simplex(2, 1),), 1)
    yield lambda: KNormNoise(F(1), (Box(-1, 1), Box(0, 1)), 1)
    yield lambda: KNormNoise(F(1), (Box(0, 1, cells=MOST_CELLS + 1),))
    yield lambda: KNormNoise(F(1), (Box(0, 1, cells=MOST_BESIDE_SIMPLEX), Simplex(1, 1)))
    yield lambda: LaplaceNoise(0, UNITS)
    yield lambda: LaplaceNoise(3, Simplex(2, 1)).epsilon([Simplex(3, 1)])


@pytest.mark.parametrize("make", [*bad()])
def test_what_makes_no_sense_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput):
        make()


def test_a_refusal_names_what_is_wrong() -> None:
    with pytest.raises(InvalidInput, match="cells of Box is no whole number from 1 on"):
        Box(0, 1, cells=0)


def test_a_total_may_be_0_and_is_not_below() -> None:
    for kind in (Simplex, Diamond):
        assert kind(2, 0) == kind(cells=2, total=0, start=0)
        with pytest.raises(
            InvalidInput, match=f"total of {kind.__name__} is no whole number from 0 on"
        ):
            kind(2, -1)


def test_independent_noise() -> None:
    law = LaplaceNoise(6, Simplex(4, 3))
    assert law.epsilon([Simplex(4, 3)]) == F(1, 2) == law.epsilon([Diamond(4, 3)])
    assert law.epsilon([Box(-1, 2, cells=4)]) == F(8, 6)
    (drawn,) = law.draw(Source())
    assert len(drawn) == 4 and all(type(n) is int for n in drawn)
