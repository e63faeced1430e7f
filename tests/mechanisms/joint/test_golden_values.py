"""Variances at e^−ε = 1/2, known as fractions, and at ε = 1 to some digits.

The fractions were found by summing the law as it is defined, with independent code.
"""

from fractions import Fraction
from math import log

import pytest

from leastnoise.mechanisms.joint.box_counters import BoxCounters
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.pair_counters import PairCounters
from leastnoise.mechanisms.joint.part import Box, Diamond, Part, Simplex
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise

HALF = Fraction(log(2))  # forecasts are floats, so a float will do
EVERYONE = Box(1, 1)


def variances(*parts: Box) -> list[float]:
    counters = BoxCounters(HALF, parts)
    return [float(counters.cell(part).moment(2)) for part in parts]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([Box(0, 1)], ["4"]),
        ([Box(0, 1, 2)], ["88/13"]),
        ([Box(0, 1, 3)], ["256/25"]),
        ([Box(0, 1, 5)], ["30064/1561"]),
        ([Box(0, 1, 10)], ["87539285968/1622632573"]),
        ([Box(0, 1, 2, 2), EVERYONE], ["200/29", "288/29"]),
        ([Box(0, 1, 3, 2), EVERYONE], ["1912/197", "2912/197"]),
        ([Box(0, 1), Box(0, 2)], ["164/23", "618/23"]),
        ([Box(-1, 2), EVERYONE], ["134/7", "64/7"]),
    ],
    ids=str,
)
def test_fractions(parts: list[Box], expected: list[str]) -> None:
    fractions = [float(Fraction(text)) for text in expected]
    assert variances(*parts) == pytest.approx(fractions, rel=1e-9)


def test_a_histogram_with_a_count() -> None:
    counters = PairCounters(HALF, [Simplex(2, 1), Box(0, 1)])
    assert float(counters.cell(Simplex(2, 1)).moment(2)) == pytest.approx(104 / 17, rel=1e-9)
    assert float(counters.cell(Box(0, 1)).moment(2)) == pytest.approx(164 / 17, rel=1e-9)


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1, 1.8413), (2, 3.1630), (3, 4.8326), (5, 9.1667), (10, 25.833), (20, 84.167), (50, 459.17)],
)
def test_unit_counts_at_one(count: int, expected: float) -> None:
    noise = TwoCounterNoise(1, [Box(0, 1, cells=count)])
    assert float(noise.cell(0).moment(2)) == pytest.approx(expected, rel=3e-5)


@pytest.mark.parametrize(
    ("blocks", "cells", "start", "expected"),
    [
        (3, 2, 0, 6.67),
        (10, 2, 0, 41.7),
        (3, 8, 0, 12.12),
        (5, 5, 0, 24.7),
        (3, 20, 0, 15.03),
        (3, 2, 1, 6.54),
        (10, 2, 4, 40.9),
    ],
)
def test_histograms_at_one(blocks: int, cells: int, start: int, expected: float) -> None:
    noise = TwoCounterNoise(1, [Simplex(cells, 1, start)] * blocks)
    assert float(noise.cell(0).moment(2)) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([Diamond(1, 1)], 1.8413),  # discrete Laplace noise, whatever the number of cells
        ([Diamond(9, 1)], 1.8413),
        ([Diamond(8, 1)] * 3, 14.4),  # one radius for a product of balls
        ([Diamond(5, 1)] * 5, 33.4),
        ([Diamond(20, 1)] * 3, 16.37),
    ],
    ids=str,
)
def test_one_counter_at_one(parts: list[Part], expected: float) -> None:
    noise = OneCounterNoise(1, parts)
    assert float(noise.cell(0).moment(2)) == pytest.approx(expected, rel=2e-2)


@pytest.mark.parametrize("count", [1, 3, 10])
def test_small_prices_follow_the_limit(count: int) -> None:
    """(k+2)(k+3)/6 for counts and (D+1)(D+2)/3 for a cube, over ε²."""
    epsilon = Fraction(1, 10**6)
    two = TwoCounterNoise(epsilon, [Box(0, 1, cells=count)])
    one = OneCounterNoise(epsilon, [Box(-1, 1, cells=count)])
    limits = (count + 2) * (count + 3) / 6, (count + 1) * (count + 2) / 3
    found = [float(noise.cell(0).moment(2)) / 1e12 for noise in (two, one)]
    assert found == pytest.approx(limits, rel=1e-5)
