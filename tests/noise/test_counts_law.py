"""`CountsLaw`: against sums over the whole law, exact fractions, and samples."""

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.noise import Canonical, CountsLaw
from leastnoise.noise.vectors.counts_layers import CountsLayers
from leastnoise.noise.vectors.counts_leak import leaks, outward_points

LAWS = [
    CountsLaw(dimension=2, epsilon=1),
    CountsLaw(dimension=2, sensitivity=2, epsilon=2, start=1),
    CountsLaw(dimension=2, sensitivity=3, epsilon=3, start=2),
    CountsLaw(dimension=1, epsilon=1, start=3),
    CountsLaw(dimension=2, epsilon=1, start=1, radius=4, edge="1/4"),
    CountsLaw(dimension=3, epsilon=2, start=2, radius=3, edge="1/2"),
    CountsLaw(dimension=1, epsilon=1, radius=5),
]
each = pytest.mark.parametrize("law", LAWS, ids=repr)
cut = pytest.mark.parametrize("law", [law for law in LAWS if law.radius], ids=repr)
REACH = {1: 60, 2: 30, 3: 8}


def level(law: CountsLaw, x: tuple[int, ...]) -> int:
    """p + q as the docstring says it."""
    above = max(0, max(x) - -(-law.start // 2))
    below = max(0, max(-each for each in x) - law.start // 2)
    return -(-above // law.sensitivity) + -(-below // law.sensitivity)


@lru_cache
def table(law: CountsLaw) -> dict[tuple[int, ...], float]:
    reach, weights = REACH[law.dimension], {}
    for x in product(range(-reach, reach + 1), repeat=law.dimension):
        n = level(law, x)
        share = 1.0 if law.radius is None or n < law.radius else float(law.edge)
        if law.radius is None or n <= law.radius:
            weights[x] = share * exp(-float(law.epsilon) * n)
    total = sum(weights.values())
    return {x: weight / total for x, weight in weights.items()}


def errors(law: CountsLaw) -> dict[int, float]:
    """The law of 2·X₁ less its mean."""
    found: dict[int, float] = {}
    for x, chance in table(law).items():
        error = 2 * x[0] - law.start % 2
        found[error] = found.get(error, 0.0) + chance
    return found


@each
def test_probabilities_are_those_of_the_docstring(law: CountsLaw) -> None:
    chances = table(law)
    for x in product((-3, 0, 1, 4), repeat=law.dimension):
        assert float(law.pmf(x)) == pytest.approx(chances.get(x, 0.0), abs=1e-7)


@each
def test_one_answer_is_a_sum(law: CountsLaw) -> None:
    chances = errors(law)
    for error in range(-5, 6):
        here = chances.get(error, 0.0)
        assert float(law.cell.pmf(error)) == pytest.approx(here, abs=1e-7)
    for magnitude in (-1, 0, 1, 2, 3, 6):
        outside = sum(chance for error, chance in chances.items() if abs(error) > magnitude)
        assert float(law.cell.outside(magnitude).interval()) == pytest.approx(outside, abs=1e-7)
    for order in (1, 2, 3):
        mean = sum(abs(error) ** order * chance for error, chance in chances.items())
        assert float(law.cell.moment(order)) == pytest.approx(mean, rel=1e-4)
    assert law.cell.moment(0).is_exact


@each
def test_all_answers_together(law: CountsLaw) -> None:
    for magnitude in (0, 1, 3, 6):
        inside = sum(
            chance
            for x, chance in table(law).items()
            if all(abs(2 * one - law.start % 2) <= magnitude for one in x)
        )
        found = float(law.within(magnitude).interval())
        if law.radius is None:
            assert found == pytest.approx(inside, abs=1e-6)
        else:
            assert found <= inside + 1e-9
    m = law.quantile("0.9")
    assert law.within(m).compare(Fraction(9, 10)) >= 0
    assert law.within(m - 1).compare(Fraction(9, 10)) < 0


def greatest(law: CountsLaw, epsilon: float) -> float:
    """δ of the worst of all units, added or removed, by going through all points."""
    chances, found = table(law), 0.0
    steps = range(law.sensitivity + 1)
    for v, way in product(product(steps, repeat=law.dimension), (1, -1)):
        gaps = (
            chance
            - exp(epsilon) * chances.get(tuple(a + way * b for a, b in zip(x, v, strict=True)), 0)
            for x, chance in chances.items()
            if max(map(abs, x)) < REACH[law.dimension] - law.sensitivity
        )
        found = max(found, sum(gap for gap in gaps if gap > 1e-15))
    return found


@cut
@pytest.mark.parametrize("more", ["-0.3", "0", "0.4"])
def test_delta_is_that_of_the_worst_unit(law: CountsLaw, more: str) -> None:
    epsilon = law.epsilon + Fraction(more)
    assert float(law.delta(epsilon)) == pytest.approx(greatest(law, float(epsilon)), abs=1e-9)


@pytest.mark.parametrize("law", [law for law in LAWS if not law.radius], ids=repr)
def test_without_a_radius_nothing_leaks_at_its_epsilon_and_something_just_below(
    law: CountsLaw,
) -> None:
    assert greatest(law, float(law.epsilon)) < 1e-12
    assert greatest(law, float(law.epsilon) - 0.01) > 1e-6
    assert law.verify(epsilon=law.epsilon)
    assert not law.verify(epsilon=law.epsilon - Fraction(1, 10**9))
    assert not law.verify(epsilon=law.epsilon, sensitivity=law.sensitivity + 1)


def test_golden_deltas_in_fractions() -> None:
    """Source: the formula of docs/proofs/many_counts.md at b = 1/2 and b = 1/3, by enumeration."""
    for k, radius, b, truth in (
        (2, 3, Fraction(1, 2), Fraction(7, 74)),
        (3, 2, Fraction(1, 3), Fraction(25, 101)),
    ):
        layers = CountsLayers(k, 1, 0, Fraction(1))
        total = sum(b**r * layers.points(r) for r in range(radius + 1))
        assert max(leaks({radius: b**radius}, k, 0)) / total == truth


def test_golden_sizes_of_balls() -> None:
    """Points with p + q ≤ 2 for two counts with Δ = 1: a hexagon of 19 points."""
    layers = CountsLayers(2, 1, 0, Fraction(1))
    assert sum(layers.points(r) for r in range(3)) == 19


def test_golden_variances() -> None:
    """Source: linear recursions at b = e^-1 in floats, 16 digits, beside the study's figures."""
    for k, start, truth in ((2, 1, 3.155), (5, 3, 8.139), (10, 6, 20.317), (50, 38, 281.574)):
        law = CountsLaw(dimension=k, epsilon=1, start=start)
        assert float(law.variance) == pytest.approx(truth, abs=6e-4)


def test_one_count_is_canonical_noise() -> None:
    """The cut law of one count, its edge as light as may be, is the optimum for one query."""
    best = Canonical(epsilon=1, delta="0.01")
    law = CountsLaw(dimension=1, epsilon=1, radius=4, edge="0.9022949014588448")
    assert float(law.variance) == pytest.approx(float(best.moment(2)), rel=1e-9)
    assert float(law.delta(1)) == pytest.approx(0.01, rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(layer=st.integers(0, 3), counts=st.integers(1, 3), start=st.integers(0, 2), data=st.data())
def test_points_moved_outward_are_counted(
    layer: int, counts: int, start: int, data: st.DataObject
) -> None:
    ones = data.draw(st.integers(0, counts))
    law = CountsLaw(dimension=counts, epsilon=1, start=start)
    v = (1,) * ones + (0,) * (counts - ones)
    around = product(range(-layer - 2, layer + 4), repeat=counts)
    moved = [
        x
        for x in around
        if level(law, x) == layer
        and level(law, tuple(a + b for a, b in zip(x, v, strict=True))) > layer
    ]
    assert len(moved) == outward_points(layer, ones, counts, start)


@each
def test_samples_have_the_law(law: CountsLaw) -> None:
    """Second moments of 2^16 draws within six standard errors; a start two wider is noticed."""
    drawn = 2 * law.sample(1 << 16).astype(np.float64) - law.start % 2
    square, fourth = float(law.cell.moment(2)), float(law.cell.moment(4))
    slack = 6 * np.sqrt((fourth - square**2) / (1 << 16))
    for column in drawn.T:
        assert abs((column**2).mean() - square) < slack
        assert abs(column.mean()) < 6 * np.sqrt(square / (1 << 16))
    wider = CountsLaw(**(law.parameters | {"start": law.start + 2}))
    assert abs(float(wider.cell.moment(2)) - square) > slack


def test_samples_stay_within_the_radius_and_thin_out_at_it() -> None:
    law = CountsLaw(dimension=2, epsilon=1, start=1, radius=2, edge="1/8")
    levels = np.array([level(law, tuple(x)) for x in law.sample(20000).tolist()])
    chances = table(law)
    for n in range(3):
        truth = sum(chance for x, chance in chances.items() if level(law, x) == n)
        slack = 6 * np.sqrt(truth * (1 - truth) / 20000)
        assert abs((levels == n).mean() - truth) < slack
    assert levels.max() == 2


def test_wide_laws_are_drawn_in_pythons_integers() -> None:
    law = CountsLaw(dimension=2, sensitivity=2**61, epsilon="1/8", start=7)
    assert law.sample(50).dtype == object


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"edge": "1/2"}, "without a `radius`"),
        ({"radius": 4, "sensitivity": 2}, "`sensitivity` 1"),
        ({"radius": 4, "dimension": 257}, "at most 256"),
        ({"radius": 0}, "radius"),
        ({"epsilon": 0}, "epsilon"),
        ({"start": -1}, "start"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], rule: str) -> None:
    with pytest.raises(InvalidParameter, match=rule):
        CountsLaw(**({"dimension": 2, "epsilon": 1} | changes))


def test_a_smaller_epsilon_than_its_own_has_no_delta() -> None:
    with pytest.raises(InvalidParameter, match="at least that of a law without"):
        CountsLaw(dimension=2, epsilon=1).delta("0.5")


def test_groups_pay_for_each_unit() -> None:
    law = CountsLaw(dimension=2, sensitivity=3, epsilon="0.5")
    assert float(law.privacy(3).epsilon(0).upper) == pytest.approx(0.5)
    assert float(law.privacy(4).epsilon(0).upper) == pytest.approx(1)
