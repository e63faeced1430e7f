"""Exponentials and logarithms of arrays err by no more than is claimed, against balls."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.numeric.proved_floats import (
    EXP_ERROR,
    FALL_ERROR,
    SHARP_ERROR,
    TINY,
    UNIT,
    above,
    below,
    exp,
    fall,
    falls,
    geometric,
    geometric_at,
    log,
    sharp_floats,
)

DRAWN = np.random.default_rng(20)
WIDE = DRAWN.uniform(-680, 690, 2000)
NEAR = np.concatenate([DRAWN.uniform(-1, 1, 2000), np.arange(-64, 65) * math.log(2) / 64])
SMALL = 10 ** DRAWN.uniform(-12, 2.5, 2000)


def worst(found: np.ndarray, points: np.ndarray, truth: Callable[[arb], arb]) -> float:
    """The largest relative error."""
    with balls.precision(256):
        errors = (
            float(abs(arb(value) / truth(arb(point)) - 1).upper())
            for value, point in zip(found.tolist(), points.tolist(), strict=True)
        )
        return max(errors)


@pytest.mark.parametrize("points", [WIDE, NEAR, -SMALL], ids=["wide", "near", "small"])
def test_exponentials(points: np.ndarray) -> None:
    assert worst(exp(points), points, lambda x: x.exp()) <= EXP_ERROR


def test_exponentials_that_are_no_floats_are_nothing() -> None:
    assert exp(np.array([-700.0, -1e9, -689.0])).tolist()[:2] == [0.0, 0.0]
    assert exp(np.array([-689.0]))[0] > TINY


@pytest.mark.parametrize("points", [np.abs(NEAR) + 1e-9, SMALL], ids=["near", "small"])
def test_what_an_exponential_falls_by(points: np.ndarray) -> None:
    assert worst(fall(points), points, lambda x: -(-x).expm1()) <= FALL_ERROR
    assert fall(np.zeros(1))[0] == 0.0


@pytest.mark.parametrize("points", [np.exp(NEAR), np.exp(WIDE), 1 + SMALL / 1e4, 1 - SMALL / 1e3])
def test_logarithms(points: np.ndarray) -> None:
    with balls.precision(256):
        for value, point in zip(log(points).tolist(), points.tolist(), strict=True):
            truth = arb(point).log()
            assert abs(arb(value) - truth) <= UNIT * (8 + 4 * abs(truth))


@pytest.mark.parametrize("rate", ["0.000123", "-0.02", "3"])
def test_geometric_sequences(rate: str) -> None:
    with balls.precision(256):
        exact = arb(rate)
    for first, count in ((-200, 301), (0, 1), (-7, 1000 if rate != "3" else 100)):
        places = np.arange(first, first + count)
        found = geometric(exact, first, count)
        kept = found > TINY
        assert worst(found[kept], places[kept], lambda x: (exact * x).exp()) <= EXP_ERROR
        sparse = np.array([first, first + count // 7, first + count - 1])
        some = np.unique(sparse)
        assert geometric_at(exact, some, 0).tolist() == pytest.approx(
            found[some - first].tolist(), rel=2 * EXP_ERROR
        )


def test_geometric_sequences_from_far_down() -> None:
    """Places far apart: their powers are no floats, and the largest is still right."""
    found = geometric_at(arb(14), np.array([-560000, 560000]), 560000)
    assert found.tolist() == [0.0, 1.0]


def test_falling_sequences() -> None:
    with balls.precision(256):
        rate = arb("0.00037")
        found = falls(rate, 3000)
        assert found[0] == 0.0
        truth: Callable[[arb], arb] = lambda x: -(-rate * x).expm1()  # noqa: E731
        assert worst(found[1:], np.arange(1.0, 3000.0), truth) <= 2 * EXP_ERROR


def test_ends_of_balls_are_rounded_outward() -> None:
    with balls.precision(128):
        third = arb(1) / 3
        assert arb(below(third)) < third < arb(above(third))
        assert above(arb(2) ** -2000) > 0
        assert below(-(arb(2) ** -2000)) < 0
        assert above(arb(0)) == below(arb(0)) == 0.0


def test_balls_that_are_not_sharp_are_added_up() -> None:
    with balls.precision(128):
        values = [arb(1) / 3, arb("0.25", "1e-9"), arb(2) ** -1100]
        found, sharp, rest = sharp_floats(values)
    assert sharp.tolist() == [True, False, False]
    assert abs(found[0] * 3 - 1) <= SHARP_ERROR
    assert 0.25 + 1e-9 <= rest <= 0.2501


def test_a_sum_that_is_rounded_errs_by_up_to_a_unit() -> None:
    """Half way between two floats: no smaller number would do."""
    exact = 1 + Fraction(1, 2**53)
    error = abs(Fraction(1.0 + 2.0**-53) - exact) / exact
    assert Fraction(UNIT) / (1 + Fraction(UNIT)) == error
    assert EXP_ERROR == 4 * 2.0**-53
