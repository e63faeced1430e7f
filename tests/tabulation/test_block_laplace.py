"""Joint Laplace noise in blocks: counted, drawn, and held against its law point by point."""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.vectors.cross_polytope import CrossPolytope
from leastnoise.randomness.source import Source
from leastnoise.tabulation.signed.block_laplace import BlockLaplace
from leastnoise.tabulation.signed.block_variance import block_variances, smooth_variance
from tests.noise.test_norm_laplace import p_value
from tests.scripted import NoEntropy
from tests.statistical.goodness_of_fit import FALSE_ALARM

Point = tuple[int, ...]
LAWS = [(1, 1), (1, 1, 1), (1, 2), (2, 2), (3,)]


def norm(widths: tuple[int, ...], x: Point) -> int:
    ends = np.cumsum((0, *widths))
    pairs = pairwise(ends)
    return max(sum(map(abs, x[low:high])) for low, high in pairs)


def occurs(widths: tuple[int, ...], x: Point) -> bool:
    """All even or all odd, if all blocks of several are single numbers."""
    return set(widths) != {1} or len({each % 2 for each in x}) == 1


def window(widths: tuple[int, ...], radius: int) -> list[Point]:
    points = product(range(-radius, radius + 1), repeat=sum(widths))
    return [x for x in points if occurs(widths, x) and norm(widths, x) <= radius]


@pytest.mark.parametrize("widths", LAWS[:-1], ids=str)
@pytest.mark.parametrize("radius", [0, 1, 2, 4])
def test_points_are_counted(widths: tuple[int, ...], radius: int) -> None:
    law = BlockLaplace(widths, Fraction(1))
    found = window(widths, radius)
    if law.is_even:
        found = [x for x in found if (x[0] - radius) % 2 == 0]
    assert abs(float(law.points(radius)) - len(found)) < 1e-6
    assert law.points(radius).contains(len(found))


@pytest.mark.parametrize("widths", LAWS[:-1], ids=str)
def test_the_mixture_of_balls_is_private_and_has_the_law(widths: tuple[int, ...]) -> None:
    """Radius by its weight, then a uniform point, with e^−rate = 1/2: ratios of at most 2."""
    law, b = BlockLaplace(widths, Fraction(1)), Fraction(1, 2)
    far = 4 if sum(widths) < 4 else 2
    step = 2 if law.is_even else 1

    def weight(x: Point) -> Fraction:
        least = norm(widths, x)
        # Each radius r has weight b^r·points(r), and each point 1/points(r) of it.
        return sum((b**r for r in range(least, least + 10, step)), Fraction(0))

    unit = [v for v in window(widths, 1) if not law.is_even or all(v)]
    for x in window(widths, far):
        for v in unit:
            moved = tuple(a + c for a, c in zip(x, v, strict=True))
            assert occurs(widths, moved)
            assert b <= weight(moved) / weight(x) <= 1 / b


@pytest.mark.spread(3)
@pytest.mark.parametrize("widths", LAWS, ids=str)
def test_draws_fit_and_another_rate_does_not(widths: tuple[int, ...]) -> None:
    law, source = BlockLaplace(widths, Fraction(2)), Source()
    draws = [tuple(np.concatenate(law.draw(source)).tolist()) for _ in range(4000)]
    assert fit(widths, draws, 2) > FALSE_ALARM
    assert fit(widths, draws, 2.5) < FALSE_ALARM


def fit(widths: tuple[int, ...], draws: list[Point], rate: float) -> float:
    """Points near 0 one by one, the others together."""
    near, far = window(widths, 1), 12
    total = sum(
        math.exp(-rate * r) * (len_of(widths, r) - len_of(widths, r - 1)) for r in range(far)
    )
    chances = [math.exp(-rate * norm(widths, x)) / total for x in near]
    places = {x: place for place, x in enumerate(near)}
    codes = [places.get(x, len(near)) for x in draws]
    observed = np.bincount(codes, minlength=len(near) + 1)
    return p_value(observed, np.array([*chances, 1 - sum(chances)]))


def len_of(widths: tuple[int, ...], radius: int) -> int:
    if radius < 0:
        return 0
    if set(widths) == {1}:
        return int((radius + 1) ** len(widths) + radius ** len(widths))
    return math.prod(CrossPolytope(width).count(radius) for width in widths)


@pytest.mark.parametrize(
    ("widths", "rate", "far"),
    [((1, 1), 1, 40), ((1, 1, 1), 3, 9), ((1, 2), 2, 10), ((2, 2), 8, 4), ((3,), 3, 8)],
    ids=str,
)
def test_variances(widths: tuple[int, ...], rate: int, far: int) -> None:
    law = BlockLaplace(widths, Fraction(rate))
    points = np.array(window(widths, far))
    ends = np.cumsum((0, *widths))
    sums = [np.abs(points[:, low:high]).sum(axis=1) for low, high in pairwise(ends)]
    weights = np.exp(-rate * np.max(sums, axis=0))
    for place, width in zip(ends, widths, strict=False):
        brute = (weights * points[:, place] ** 2).sum() / weights.sum()
        assert block_variances(law)[width] == pytest.approx(brute, rel=1e-5)


def test_variances_of_wide_laws_are_those_on_the_line() -> None:
    for widths in ((1,) * 56, (5, 10), (40, 40, 7)):
        law = BlockLaplace(widths, Fraction(1, 2**20))
        for width, variance in block_variances(law).items():
            smooth = smooth_variance(width, sum(widths)) * 4**20
            assert variance == pytest.approx(smooth, rel=1e-5)


def test_making_ready_draws_nothing_and_too_wide_is_refused() -> None:
    BlockLaplace((1, 2), Fraction(1)).make_ready()
    with pytest.raises(AssertionError, match="entropy"):
        BlockLaplace((1, 2), Fraction(1)).draw(NoEntropy())
    with pytest.raises(UnsupportedQuery):
        BlockLaplace((1, 2), Fraction(1, 2**60))


def test_wide_draws_are_exact_integers() -> None:
    drawn = BlockLaplace((3, 1), Fraction(1, 2**54)).draw(Source())
    assert max(abs(int(x)) for block in drawn for x in block) > 2**40
