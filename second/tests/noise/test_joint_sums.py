"""Variances, tails and quantiles of joint noise agree with exact laws and with draws."""

from fractions import Fraction
from math import comb, exp

import numpy as np
import pytest

from leastnoise.noise.joint_gaussian import Ball, CentredGaussian
from leastnoise.noise.joint_pure import (
    UNITS,
    Block,
    Box,
    Diamond,
    KNormNoise,
    Simplex,
)
from leastnoise.noise.joint_tables import variance
from leastnoise.noise.source import Source
from leastnoise.noise.sums import NoisePoints, noise_of
from leastnoise.noise.vector_laplace import LaplaceNoise

F = Fraction
S = 1 << 20


@pytest.mark.parametrize(
    ("cells", "start", "expected"),
    [(1, 0, 1.8413), (2, 0, 3.1630), (5, 0, 9.1667), (10, 0, 25.833), (50, 0, 459.17),
     (2, 1, 3.155), (10, 6, 20.317), (20, 14, 58.75), (50, 38, 281.6)],
)  # fmt: skip
def test_variances_of_counts(cells: int, start: int, expected: float) -> None:
    law = KNormNoise(F(1), (Box(0, 1, cells=cells, start=start),))
    assert variance(law, 0) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [((Simplex(2, 1),) * 3, 6.67), ((Simplex(8, 1),) * 3, 12.12), ((Simplex(5, 1),) * 5, 24.7),
     ((Simplex(20, 1),) * 3, 15.03)],
)  # fmt: skip
def test_variances_of_group_bys(blocks: tuple[Block, ...], expected: float) -> None:
    assert variance(KNormNoise(F(1), blocks), 0) == pytest.approx(expected, rel=2e-3)


def test_variances_at_one_half() -> None:
    half = F(693147180559945309417232121458, 10**30)
    simplex = KNormNoise(half, (Simplex(2, 1), Box(0, 1)))
    assert variance(simplex, 0) == pytest.approx(104 / 17, rel=1e-6)
    assert variance(simplex, 1) == pytest.approx(164 / 17, rel=1e-6)
    sums = KNormNoise(half, (Box(-1, 2), UNITS))
    assert [variance(sums, place) for place in (0, 1)] == pytest.approx([134 / 7, 64 / 7])


def exact_variance(law: KNormNoise, place: int) -> float:
    """From the definition, in Python integers."""
    total = found = 0.0
    for p in range(40):
        for q in range(40 if law.counters == 2 else 1):
            weight = exp(-float(law.rate) * (p + q)) * law.points(p, q)
            total += weight
            found += weight * mean_square(law.blocks[place], p, q)
    return found / total


def mean_square(block: Block, p: int, q: int) -> float:
    """The sum over t of (2t - 1)*P(|x_1| >= t) of a uniform point."""
    return sum((2 * t - 1) * beyond(block, p, q, t - 1, 1) for t in range(1, 60)) + sum(
        (2 * t - 1) * beyond(block, p, q, t - 1, -1) for t in range(1, 60)
    )


def beyond(block: Block, p: int, q: int, t: int, side: int) -> float:
    """P(side*x_1 > t) of a uniform point, by counting the points with x_1 that much nearer to 0."""
    d = block.cells
    if isinstance(block, Simplex):
        up, down = (e * block.total + block.start for e in ((p, q) if side > 0 else (q, p)))
        terms = (
            comb(d - 1, j - 1) * comb(up - t, j) * comb(down + d - j, d - j)
            for j in range(1, d + 1)
        )
        return sum(terms) / block.points(p, q) if t <= up else 0.0
    assert isinstance(block, Diamond)
    radius = (p + q) * block.total + block.start - t
    balls = (comb(d - 1, j - 1) * comb(max(radius, 0), j) * 2 ** (j - 1) for j in range(1, d + 1))
    return float(sum(balls) / block.points(p, q))


@pytest.mark.parametrize(
    "law",
    [
        KNormNoise(F(1), (Simplex(3, 1), Box(0, 1))),
        KNormNoise(F(3, 2), (Diamond(3, 2, start=1), Box(0, 1))),
        KNormNoise(F(1), (Diamond(4, 1),), 1),
    ],
    ids=str,
)
def test_variances_from_the_definition(law: KNormNoise) -> None:
    assert variance(law, 0) == pytest.approx(exact_variance(law, 0), rel=1e-5)


def test_a_small_epsilon_is_a_stretched_table() -> None:
    for blocks in ((Box(0, 1, cells=5),), (Simplex(20, 1),)):
        scaled = [
            variance(KNormNoise(rate, blocks), 0) * float(rate) ** 2
            for rate in (F(1, 300), F(1, 10**6))
        ]
        assert scaled[0] == pytest.approx(scaled[1], rel=5e-3)
    assert scaled[1] == pytest.approx(2, rel=1e-3)  # alone it is Laplace noise


# Tails


def exact_tail(law: KNormNoise, x: int) -> float:
    """P(noise of the first number > x) from the definition; blocks in steps of S."""
    total = found = 0.0
    for p in range(70):
        for q in range(70 if law.counters == 2 else 1):
            block, weight = law.blocks[0], exp(-float(law.rate) * (p + q)) * law.points(p, q)
            total += weight
            if isinstance(block, Box):
                side = (p + q) * (block.high - block.low) + block.start + 1
                lowest = p * block.low - q * block.high - block.start // 2
                found += weight * min(max(lowest + side - 1 - x, 0), side) / side
            else:
                found += weight * beyond(block, p, q, x, 1)
    return found / total


@pytest.mark.parametrize(
    "law",
    [
        KNormNoise(F(1), (Box(0, S, cells=10, start=7 * S),)),
        KNormNoise(F(1), (Box(-S, 2 * S), Box(0, S))),
        KNormNoise(F(1), (Box(-S, S, cells=4),), 1),
        KNormNoise(F(1), (Simplex(3, S), Box(0, S))),
        KNormNoise(F(1), (Diamond(3, S),), 1),
    ],
    ids=str,
)
def test_the_stated_tail_error(law: KNormNoise) -> None:
    noise = noise_of([law], {(0, 0, 0): 1.0})
    assert noise.deviation**2 == pytest.approx(variance(law, 0), rel=0.01)
    for risk in (0.25, 0.05, 0.025, 0.01, 0.002, 0.0005):
        x = noise.quantile(risk)
        assert exact_tail(law, int(x)) == pytest.approx(risk, rel=0.04 if risk >= 0.01 else 0.1)
        assert noise.tail(x) == pytest.approx(risk, rel=0.01)


def drawn_deviation(law: KNormNoise, numbers: dict[tuple[int, int], float], count: int) -> float:
    source, found = Source(), []
    for _ in range(count):
        blocks = law.draw(source)
        found.append(sum(c * blocks[at][cell] for (at, cell), c in numbers.items()))
    return float(np.std(found))


@pytest.mark.parametrize(
    ("law", "numbers"),
    [
        (
            KNormNoise(F(1), (Box(0, S, cells=5), Box(-S, S))),
            {(0, 0): 1.0, (0, 3): 1.0, (1, 0): -2.0},
        ),
        (KNormNoise(F(1), (Simplex(2, 2 * S), Simplex(2, 2 * S))), {(0, 0): 0.5, (0, 1): 0.5}),
        (KNormNoise(F(1), (Simplex(4, S), Box(0, S))), {(0, 0): 1.0, (0, 1): -1.0, (1, 0): 1.0}),
        (KNormNoise(F(1), (Diamond(3, S), UNITS)), {(0, 0): 1.0, (0, 2): 1.0}),
    ],
    ids=str,
)
def test_sums_of_numbers_of_one_draw(
    law: KNormNoise, numbers: dict[tuple[int, int], float]
) -> None:
    """False alarm below 1e-6: 6 standard errors of 3,000 draws, with a kurtosis of at most 6."""
    noise = noise_of([law], {(0, *number): c for number, c in numbers.items()})
    drawn = drawn_deviation(law, numbers, 3000)
    assert noise.deviation == pytest.approx(drawn, rel=6 * (5 / 4 / 3000) ** 0.5 + 0.01)


def test_sums_of_independent_draws() -> None:
    one, other = KNormNoise(F(1), (Box(0, S, cells=3),)), LaplaceNoise(S, Simplex(5, S))
    third = CentredGaussian(S**2, 1, (Ball(1, 1),), (1,))
    noise = noise_of([one, other, third], {(0, 0, 0): 1.0, (1, 0, 4): 2.0, (2, 0, 0): 1.0})
    expected = variance(one, 0) + 4 * variance(other, 0) + variance(third, 0)
    assert noise.deviation**2 == pytest.approx(expected, rel=0.02)


def test_gaussian_sums_are_normal() -> None:
    law = CentredGaussian(S**2, 2, (Box(0, 3, cells=2), Ball(1, 1)), (5, 1))
    found = NoisePoints((law,), ((0, 0, 0), (0, 0, 1), (0, 1, 0)))
    noise = found.sum({(0, 0, 0): 1.0, (0, 0, 1): -1.0})
    assert noise.deviation == pytest.approx(S * (2 / 10**2) ** 0.5, rel=1e-9)  # n cancels
    assert found.sum({(0, 0, 0): 1.0, (0, 0, 1): 1.0}).deviation == pytest.approx(
        S * (2 / 10**2 + (3 / 2) ** 2) ** 0.5, rel=1e-9
    )
    assert noise.quantile(0.025) == pytest.approx(1.95996 * noise.deviation, rel=1e-5)
    assert noise.tail(noise.quantile(0.025)) == pytest.approx(0.025)


def test_points_of_laplace_noise() -> None:
    law = LaplaceNoise(2, Simplex(3, 1))
    noise = noise_of([law], {(0, 0, 0): 1.0})
    p = exp(-1 / 2)
    for m in range(6):
        assert float(noise.tail(m)) == pytest.approx(p ** (m + 1) / (1 + p), rel=0.01)
