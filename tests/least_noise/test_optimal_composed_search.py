"""What a search by floats sees is close to the truth; nothing in it is trusted further."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from leastnoise.least_noise.composed import sketch as sketches
from leastnoise.least_noise.composed.composed_problem import ComposedProblem
from leastnoise.least_noise.composed.rays import (
    CutRay,
    MedianRay,
    PowerRay,
    Ray,
    StaircaseRay,
)
from leastnoise.least_noise.composed.search_by_floats import least_cost, least_scale
from leastnoise.noise.laws.expected_cost import expected_cost
from leastnoise.numeric.cost import SQUARED, Cost, OwnCost, TailProbability

DELTA = Fraction(1, 10**6)


def problem(steps: int, count: int, cost: Cost = SQUARED) -> ComposedProblem:
    return ComposedProblem(steps, Fraction(1), DELTA, count, cost, Fraction(1, steps))


def rays(question: ComposedProblem) -> list[Ray]:
    return [
        PowerRay(question, Fraction(1)),
        PowerRay(question, Fraction(3, 2)),
        PowerRay(question, Fraction(2)),
        StaircaseRay(question, 0.0),
        StaircaseRay(question, 0.5),
        CutRay(question, Fraction(1, 10**8), 0.0),
        CutRay(question, Fraction(1, 10**8), 0.5),
        MedianRay(question, 6),
    ]


@pytest.mark.spread(14)
@pytest.mark.parametrize(("steps", "count"), [(4, 1), (4, 3), (4, 12), (1, 40), (4, 300)])
@pytest.mark.parametrize("number", range(8))
def test_sketch_leaks_and_costs_about_what_the_law_does(
    steps: int, count: int, number: int
) -> None:
    question = problem(steps, count)
    ray = rays(question)[number]
    scale = 1.1 * ray.start
    law = ray.law(Fraction(scale))
    leak = float(question.leak(law))
    found = ray.sketch(scale).leak(question.points, count, 1.0)
    if leak > 1e-15:
        # One per cent of noise changes a leak by thirty.
        assert log(found / leak) == pytest.approx(0, abs=0.3)
    else:  # a billionth of δ and less is not looked at
        assert found < 1e-14
    cost = ray.sketch(scale).cost(question.price)
    assert cost == pytest.approx(float(expected_cost(law, SQUARED, question.step)), rel=0.03)


@pytest.mark.parametrize("number", range(8))
def test_a_wide_law_is_looked_at_in_places(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    question = problem(4, 30)
    ray = rays(question)[number]
    sketch = ray.sketch(ray.start)
    every = sketch.leak(question.points, 30, 1.0), sketch.cost(question.price)
    monkeypatch.setattr(sketches, "_MOST_NODES", 1 << 9)
    some = sketch.leak(question.points, 30, 1.0), sketch.cost(question.price)
    assert sketch._spacing > 1
    assert log(some[0] / every[0]) == pytest.approx(0, abs=0.1)
    assert some[1] == pytest.approx(every[1], rel=0.02)


def test_prices_of_costs_without_a_formula() -> None:
    capped = OwnCost(lambda error: min(error, Fraction(3)), growth=1)
    magnitudes = np.array([0.0, 1.0, 5.0, 12.0, 5000.0])
    found = problem(4, 10, capped).price(magnitudes)
    assert found == pytest.approx([0, 0.25, 1.25, 3, 3])
    tail = problem(4, 10, TailProbability(1)).price(magnitudes)
    assert tail.tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize("start", [1e-3, 0.5, 6.9, 40.0, 1e4])
def test_least_scale_from_anywhere(start: float) -> None:
    found = least_scale(lambda scale: exp(-scale), 1e-3, start)
    assert found == pytest.approx(log(1e3), rel=1e-4)
    assert exp(-float(found or 0)) <= 1e-3


def test_least_scale_at_a_cliff_and_nowhere() -> None:
    assert least_scale(lambda scale: float(scale < 2), 1e-6, 1.0) == pytest.approx(2, rel=1e-4)
    assert least_scale(lambda _: 1.0, 1e-6, 1.0) is None
    assert least_scale(lambda _: 0.0, 1e-6, 1.0) is None


@pytest.mark.parametrize("valley", [0.0, 0.13, 0.5, 0.77, 1.0])
def test_least_cost_finds_the_valley(valley: float) -> None:
    places = [0.0, 0.25, 0.5, 0.75, 1.0]
    found = least_cost(lambda place: (place - valley) ** 2, places, 12)
    assert found == pytest.approx(valley, abs=5e-3)


def test_least_cost_where_most_places_have_none() -> None:
    found = least_cost(lambda x: float("inf") if x < 0.7 else 1 - x, [0.0, 0.5, 1.0], 8)
    assert found == 1.0
