"""Centred Gaussian noise: its price is attained by the worst unit, its draw is the estimates' noise."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import isqrt
from random import Random
from typing import Any

import numpy as np
import pytest

from leastnoise.noise import joint_gaussian
from leastnoise.noise.joint_gaussian import Ball, CentredGaussian
from leastnoise.noise.joint_pure import UNITS, Box, Diamond, KNormNoise, Simplex
from leastnoise.noise.joint_tables import variance
from leastnoise.noise.source import Source
from leastnoise.noise.vector_laplace import LaplaceNoise
from leastnoise.numbers.errors import InvalidInput

F = Fraction
TWO = CentredGaussian(1 << 40, 1 << 10, (Box(0, 1), Box(-1, 3)), (1 << 10, 1 << 9))


def random_law(rng: Random) -> tuple[CentredGaussian, list[Box | Ball]]:
    """A law, and reaches that may lie beside its boxes."""
    blocks, reach = list[Box | Ball](), list[Box | Ball]()
    for _ in range(rng.randint(1, 3)):
        low = rng.randint(-3, 3)
        block = Box(low, low + rng.randint(0, 3), rng.randint(1, 2))
        blocks.append(block)
        reach.append(
            Box(block.low - rng.randint(0, 2), block.high + rng.randint(-1, 2) + 1, block.cells)
        )
    if rng.random() < 0.5:
        blocks.append(Ball(2, 1))
        reach.append(Ball(2, rng.choice([1, 2, 4, 5, 25])))
    weights = tuple(rng.randint(1, 9) for _ in blocks)
    return CentredGaussian(rng.randint(1, 99), rng.randint(1, 9), tuple(blocks), weights), reach


def moved(law: CentredGaussian, reach: list[Box | Ball]) -> int:
    """The most that one unit moves the measurements, in squares, by trying its moves."""
    total = law.common**2
    for block, weight, each in zip(law.blocks, law.weights, reach, strict=True):
        if isinstance(block, Box) and isinstance(each, Box):
            moves = product(range(each.low, each.high + 1), repeat=block.cells)
            centre = block.low + block.high
            total += max(sum((weight * (2 * x - centre)) ** 2 for x in v) for v in moves)
        else:
            assert isinstance(each, Ball)
            r = isqrt(each.square)
            squares = (x * x + y * y for x in range(-r, r + 1) for y in range(-r, r + 1))
            total += weight**2 * max(s for s in squares if s <= each.square)
    return total


def test_the_worst_unit_attains_the_price() -> None:
    for seed in range(300):
        law, reach = random_law(Random(seed))
        assert law.squared_reach(reach) == moved(law, reach)
        assert law.squared_mu(reach) == F(moved(law, reach), law.variance)


def test_the_price_of_ten_counts() -> None:
    law = CentredGaussian(7, 3, (Box(0, 5, cells=10),), (2,))
    assert law.squared_mu([Box(0, 5, cells=10)]) == F(9 + 10 * 4 * 25, 7)


@pytest.mark.parametrize(
    ("reach", "square"),
    [(Ball(3, 7), 7), (Simplex(3, 4), 16), (Diamond(3, 4), 16), (Box(-2, 1, cells=3), 12)],
)
def test_a_ball_is_priced_by_the_length_of_a_move(reach: Any, square: int) -> None:
    law = CentredGaussian(1, 0, (Ball(3, 1),), (5,))
    assert law.squared_reach([reach]) == 25 * square


def test_noise_is_that_of_the_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates of x from the measured numbers, with n and all, are x plus what is drawn."""
    law = CentredGaussian(
        10**6, 7, (Box(0, 3, cells=2), Ball(2, 9), Box(-2, 2), UNITS, Box(1, 4)), (5, 4, 3, 0, 11)
    )
    rng = Random(1)
    for _ in range(200):
        z = [rng.randint(-(10**4), 10**4) for _ in range(1 + law.cells)]
        asked = []

        def gaussian(variance: F, count: int, _: Source, z: list[int] = z) -> list[int]:
            asked.append((variance, count))  # noqa: B023
            return z

        monkeypatch.setattr(joint_gaussian, "rounded_gaussian", gaussian)
        drawn = law.draw(Source())
        assert asked == [(F(10**6), 8)]
        n, own = rng.randint(0, 10**6), iter(z[1:])
        measured_n = 7 * n + z[0]
        for block, weight, noise in zip(law.blocks, law.weights, drawn, strict=True):
            assert len(noise) == block.cells
            for each in noise:
                x, error = rng.randint(-99, 10**6), next(own)
                if isinstance(block, Ball):
                    estimate = F(weight * x + error, weight)
                elif block == UNITS:
                    x, estimate = n, F(2 * measured_n, 7) / 2
                else:
                    centre = block.low + block.high
                    measured = weight * (2 * x - centre * n) + error
                    estimate = (F(measured, weight) + F(centre * measured_n, 7)) / 2
                assert x + each == (estimate + F(1, 2)).__floor__()


def test_variances_and_correlation_of_draws() -> None:
    """False alarm below 1e-6: 6 standard errors; a common weight off by 5 % is seen."""
    law = CentredGaussian(1 << 30, 1 << 12, (Box(0, 3, cells=2), Ball(1, 9), UNITS), (5000, 999, 0))
    source, count = Source(), 6000
    x = np.array(
        [[n for part in law.draw(source) for n in part] for _ in range(count)], dtype=float
    )
    found = np.cov(x.T)
    expected = [variance(law, place) for place in (0, 0, 1, 2)]
    assert np.abs(np.diag(found) / expected - 1).max() < 6 * (2 / count) ** 0.5
    shared = law.variance * (3 / (2 * law.common)) ** 2
    assert abs(found[0, 1] - shared) < 6 * expected[0] * (2 / count) ** 0.5
    assert np.abs(x.mean(axis=0)).max() < 6 * max(expected) ** 0.5 / count**0.5


def bad() -> Iterator[Callable[[], object]]:
    real: Any = 2.0
    yield lambda: Ball(0, 1)
    yield lambda: Ball(1, -1)
    yield lambda: Ball(1, real)
    yield lambda: CentredGaussian(0, 1, (UNITS,), (0,))
    yield lambda: CentredGaussian(real, 1, (UNITS,), (0,))
    yield lambda: CentredGaussian(1, 1, (), ())
    yield lambda: CentredGaussian(1, 1, (Box(0, 1),), (1, 1))
    yield lambda: CentredGaussian(1, 1, (Box(0, 1),), (0,))
    yield lambda: CentredGaussian(1, 1, (Ball(1, 1),), (0,))
    yield lambda: CentredGaussian(1, 1, (Box(0, 1),), (-1,))
    yield lambda: CentredGaussian(1, 0, (Box(0, 1),), (1,))
    yield lambda: CentredGaussian(1, 0, (UNITS,), (1,))
    yield lambda: CentredGaussian(1, 1, (Box(0, 1),), real)
    yield lambda: TWO.squared_reach([Box(0, 1)])
    yield lambda: TWO.squared_reach([Box(0, 1), real])
    yield lambda: TWO.squared_reach([Box(0, 1), Ball(1, 1)])
    yield lambda: TWO.squared_reach([Box(0, 1), Box(0, 1, cells=2)])
    yield lambda: CentredGaussian(1, 1, (UNITS,), (0,)).squared_reach([Box(0, 1)])


@pytest.mark.parametrize("make", [*bad()])
def test_what_makes_no_sense_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput):
        make()


def test_a_plan_that_is_centred_at_0_needs_no_count_of_units() -> None:
    law = CentredGaussian(4, 0, (Box(-3, 3), Ball(2, 5)), (1, 2))
    assert law.squared_reach([Box(-3, 3), Ball(2, 5)]) == 36 + 20
    assert [len(part) for part in law.draw(Source())] == [1, 2]


def test_a_law_cannot_be_changed() -> None:
    for kind in (Ball, CentredGaussian, Box, Simplex, Diamond, KNormNoise, LaplaceNoise):
        assert kind.__dataclass_params__.frozen  # type: ignore[union-attr]


def test_a_ball_may_have_the_radius_0() -> None:
    assert Ball(1, 0).square == 0
    for cells, square in ((0, 0), (1, -1)):
        with pytest.raises(InvalidInput):
            Ball(cells, square)
