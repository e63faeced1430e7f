"""Norm staircases: every answer against sums over points, all shifts tried, the draw layer by layer."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction as F
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from leastnoise.noise.balls import NormStaircase
from leastnoise.noise.laws import DiscreteLaplace, Staircase
from leastnoise.numbers.cost import TailProbability
from leastnoise.numbers.errors import InvalidInput

Point = tuple[int, ...]

LAWS = [
    NormStaircase(2, 3, F(3, 2), 2, "l1"),
    NormStaircase(2, 3, F(3, 2), 2, "linf"),
    NormStaircase(2, 2, F(2), 1, "l1"),
    NormStaircase(2, 1, F(1), 1, "linf"),
    NormStaircase(3, 2, F(5, 2), 2, "l1"),
    NormStaircase(3, 2, F(5, 2), 1, "linf"),
]
REACH = {2: 42, 3: 18}  # the rest is below 1e-6


@cache
def points(law: NormStaircase) -> dict[Point, float]:
    reach = REACH[law.dimension]
    rate = float(law.rate)
    weights = {
        x: math.exp(-rate * law.level(length(law, x)))
        for x in itertools.product(range(-reach, reach + 1), repeat=law.dimension)
    }
    total = math.fsum(weights.values())
    return {x: w / total for x, w in weights.items()}


def length(law: NormStaircase, x: Point) -> int:
    return sum(map(abs, x)) if law.norm == "l1" else max(map(abs, x))


def divergence(law: NormStaircase, epsilon: float, shift: Point) -> float:
    known, factor = points(law), math.exp(epsilon)
    moved = (known.get(tuple(a - b for a, b in zip(x, shift, strict=True)), 0.0) for x in known)
    return math.fsum(max(0.0, p - factor * q) for p, q in zip(known.values(), moved, strict=True))


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_answers_are_those_of_the_points(law: NormStaircase) -> None:
    known = points(law)
    for x in [(0,) * law.dimension, (1, -2, 3)[: law.dimension]]:
        assert float(law.pmf(x)) == pytest.approx(known[x], rel=1e-4)
    for m in (0, 1, 2, 3, 6):
        tail = math.fsum(p for x, p in known.items() if length(law, x) >= m)
        assert float(law.tail(m)) == pytest.approx(tail, rel=1e-4)
        assert float(law.expected(TailProbability(m))) == float(law.tail(m + 1))
    for order in (1, 2):
        moment = math.fsum(p * length(law, x) ** order for x, p in known.items())
        assert float(law.moment(order)) == pytest.approx(moment, rel=3e-3)
    assert float(law.expected(lambda e: e)) == pytest.approx(float(law.moment(1)), rel=1e-9)
    m = law.quantile("0.9")
    assert float(law.tail(m + 1)) <= 0.1 < float(law.tail(m))


@pytest.mark.parametrize("law", LAWS[:4], ids=repr)
def test_the_divergence_is_the_greatest_over_all_shifts_of_that_norm(law: NormStaircase) -> None:
    for distance in (1, 2, 4):
        shifts = [
            x
            for x in itertools.product(range(distance + 1), repeat=2)
            if length(law, x) == distance
        ]
        for epsilon in (0.0, 0.6, 1.6):
            greatest = max(divergence(law, epsilon, shift) for shift in shifts)
            found = float(law.hockey_stick(F(epsilon), distance))
            assert found == pytest.approx(greatest, abs=2e-5)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_it_keeps_its_promise_exactly(law: NormStaircase) -> None:
    assert law.hockey_stick(law.rate, law.period).upper == 0
    assert law.hockey_stick(law.rate - F(1, 1000), law.period).lower > 0
    assert law.renyi(math.inf, law.period).upper == law.rate
    assert law.renyi(math.inf, law.period + 1).upper == 2 * law.rate


def test_renyi_divergences_are_those_of_the_points() -> None:
    for law in LAWS[:3]:
        shift = (3, 0) if law.norm == "l1" else (3, 3)
        known = points(law)
        inside = {x: p for x, p in known.items() if max(map(abs, x)) < 35}
        for order in (2, 5):
            ratio = {x: p / known[x[0] - shift[0], x[1] - shift[1]] for x, p in inside.items()}
            total = math.fsum(p * ratio[x] ** (order - 1) for x, p in inside.items())
            assert float(law.renyi(order, 3)) == pytest.approx(
                math.log(total) / (order - 1), rel=1e-3
            )


def test_in_one_dimension_it_is_the_staircase() -> None:
    for norm in ("l1", "linf"):
        law, line = NormStaircase(1, 4, "1.5", 3, norm), Staircase(4, "1.5", 3)
        for order in (1, 2, 5):
            assert float(law.moment(order)) == pytest.approx(float(line.moment(order)), rel=1e-12)
        for shift in (1, 4, 7):
            for epsilon in (0, 1, 2):
                one, other = law.hockey_stick(epsilon, shift), line.hockey_stick(epsilon, shift)
                assert float(one) == pytest.approx(float(other), abs=1e-15)


def test_with_period_1_in_l1_the_numbers_are_independent() -> None:
    law, single = NormStaircase(5, 1, "0.5", 1), DiscreteLaplace("0.5")
    assert float(law.moment(1)) == pytest.approx(5 * float(single.moment(1)), rel=1e-12)
    chance = math.prod(float(single.pmf(k)) for k in (0, 1, 0, -3, 2))
    assert float(law.pmf((0, 1, 0, -3, 2))) == pytest.approx(chance, rel=1e-12)
    assert float(law.hockey_stick("0.2", 1)) == pytest.approx(
        float(single.hockey_stick("0.2", 1)), rel=1e-12
    )


def test_the_norm_of_cube_noise_is_near_a_gamma_law() -> None:
    """Steinke and Ullman 2015, section 2.1; errata B3: P(norm >= 5s) is .968 for d = 10."""
    law = NormStaircase(10, 1, "1e-5", 1, "linf")
    assert float(law.tail(500_000)) == pytest.approx(0.968172, abs=1e-4)
    assert float(law.moment(1)) == pytest.approx(10 * 100_000, rel=1e-5)


@pytest.mark.parametrize("law", [LAWS[0], LAWS[5]], ids=repr)
def test_draws_have_the_chances_of_every_point_and_norm(law: NormStaircase) -> None:
    """A false alarm has chance 1e-9. That the draw is exact is shown where joint noise is tested."""
    count = 6000
    drawn = law.sample(count)
    assert drawn.shape == (count, law.dimension)
    norms = np.abs(drawn).sum(axis=1) if law.norm == "l1" else np.abs(drawn).max(axis=1)
    shells = [m for m in range(60) if float(law._pmf(m).interval()) * count >= 10]
    expected = np.array([float(law._pmf(m).interval()) * count for m in shells])
    found = np.array([(norms == m).sum() for m in shells])
    assert chi2.sf(((found - expected) ** 2 / expected).sum(), len(shells)) > 1e-9
    near = list(itertools.product((-1, 0, 1), repeat=law.dimension))
    expected = np.array([float(law.pmf(x)) * count for x in near])
    found = np.array([(drawn == np.array(x)).all(axis=1).sum() for x in near])
    assert chi2.sf(((found - expected) ** 2 / expected).sum(), len(near)) > 1e-9


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_the_joint_noise_that_is_drawn_is_this_law(law: NormStaircase) -> None:
    """Layer by layer: ball j of joint noise is ball j of the mixture, and weighs as much."""
    (block,) = law._joint.blocks
    assert law._joint.rate == law.rate and law._joint.counters == 1
    for layer in range(5):
        assert block.points(layer, 0) == law.points(law.width - 1 + layer * law.period)


BAD: list[Callable[[], Any]] = [
    lambda: NormStaircase(0, 1, 1, 1), lambda: NormStaircase(2, 1, 0, 1),
    lambda: NormStaircase(2, 3, 1, 4), lambda: NormStaircase(2, 3, 1, 1, "l2"),
    lambda: NormStaircase(1000, 3, 1, 1), lambda: LAWS[0].pmf((1, 2, 3)),
    lambda: LAWS[0].pmf((0.5, 1)), lambda: LAWS[0].quantile(1),
]  # fmt: skip


@pytest.mark.parametrize("call", BAD)
def test_bad_input_gets_one_sentence(call: Callable[[], Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert "\n" not in str(caught.value)
