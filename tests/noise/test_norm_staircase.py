"""Staircase noise in a norm, and the lattice points of balls behind it."""

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise.laws.staircase import Staircase
from leastnoise.noise.vectors import layer_sum
from leastnoise.noise.vectors.ball_moment import power_sum_over_ball
from leastnoise.noise.vectors.cross_polytope import CrossPolytope, uniform_subset
from leastnoise.noise.vectors.norm import Norm, ball_of
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from leastnoise.numeric import ball as balls
from leastnoise.randomness.source import Source
from tests.noise.norm_reference import norms
from tests.noise.test_norm_laplace import FALSE_ALARM, fit_of_norms, p_value

NORMS: tuple[Norm, ...] = ("l1", "linf")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
def test_counts_of_lattice_points(norm: Norm, dimension: int) -> None:
    ball = ball_of(norm, dimension)
    points = np.array(list(product(range(-5, 6), repeat=dimension)))
    found = norms(points, norm)
    polynomial, squares = ball.polynomial(), power_sum_over_ball(ball, 2)
    for radius in range(6):
        count = int((found <= radius).sum())
        assert ball.points(radius).unique_fmpz() == count == polynomial(radius)
        assert squares(radius) == int((found[found <= radius] ** 2).sum())
    assert ball.points(-1) == 0


@pytest.mark.parametrize("norm", NORMS)
def test_counts_in_many_dimensions(norm: Norm) -> None:
    ball = ball_of(norm, 300)
    exact = ball.polynomial()(40)
    if norm == "l1":
        assert exact == sum(math.comb(300, t) * math.comb(40, t) * 2**t for t in range(41))
    assert ball.points(40).contains(exact.p)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("width", [1, 3, 7])
def test_one_dimension_is_the_staircase_law(norm: Norm, width: int) -> None:
    law = NormStaircase(dimension=1, sensitivity=7, epsilon=2, width=width, norm=norm)
    plain = Staircase(sensitivity=7, epsilon=2, width=width)
    for k in (0, 1, -2, 3, 6, 7, -10, 29):
        assert float(law.pmf([k])) == pytest.approx(float(plain.pmf(k)), rel=1e-15)
    for distance in (1, 7, 8):
        assert law.delta("1.5", distance) == plain.delta("1.5", distance)
    assert float(law.moment(2)) == pytest.approx(float(plain.moment(2)), rel=1e-15)


@pytest.mark.parametrize("norm", NORMS)
def test_steps_one_wide_are_the_laplace_law(norm: Norm) -> None:
    law = NormStaircase(dimension=4, sensitivity=1, epsilon="1/3", width=1, norm=norm)
    plain = NormLaplace(4, 3, norm)
    assert law.pmf([1, 0, -2, 0]) == plain.pmf([1, 0, -2, 0])
    assert law.delta("0.2", 2) == plain.delta("0.2", 2)


def continuous_mean(dimension: int, epsilon: float, share: float) -> float:
    """E‖X‖/Δ of the staircase on R^d, in any norm: d/(d+1)·S_(d+1)/S_d."""

    def powers(order: int) -> float:
        return math.fsum(math.exp(-epsilon * k) * (k + share) ** order for k in range(2000))

    return dimension / (dimension + 1) * powers(dimension + 1) / powers(dimension)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    ("dimension", "epsilon", "share"), [(1, 2, 0.3), (2, 4, 0.25), (3, 8, 0.125), (4, 1, 0.5)]
)
def test_fine_lattices_approach_the_continuous_law(
    norm: Norm, dimension: int, epsilon: int, share: float
) -> None:
    fine = 2**24
    law = NormStaircase(
        dimension=dimension, sensitivity=fine, epsilon=epsilon, width=int(share * fine), norm=norm
    )
    expected = continuous_mean(dimension, epsilon, share)
    assert float(law.moment(1)) / fine == pytest.approx(expected, rel=1e-6)


def test_a_bad_width_loses_to_laplace() -> None:
    assert continuous_mean(4, 1, 0.5) == pytest.approx(4.0006, abs=1e-4)
    fine = 2**20
    law = NormStaircase(dimension=4, sensitivity=fine, epsilon=1, width=fine // 2, norm="l1")
    assert law.moment(1).lower > NormLaplace(4, fine, "l1").moment(1).upper


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dimension", [2, 3, 8])
def test_both_ways_to_sum_layers_agree(
    norm: Norm, dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for few in (-1, 10**9):
        monkeypatch.setattr(layer_sum, "_FEW_LAYERS", few)
        law = NormStaircase(dimension=dimension, sensitivity=6, epsilon="1/5", width=4, norm=norm)
        answers.append([law.tail(50), law.moment(3), law.delta("0.1", 5), law.norm_pmf(9)])
    for one, other in zip(*answers, strict=True):
        assert float(one) == pytest.approx(float(other), rel=1e-15)


@pytest.mark.parametrize("narrower", range(9))
@pytest.mark.parametrize(("norm", "axis"), [("l1", True), ("linf", False)])
def test_least_overlap_of_two_balls(norm: Norm, axis: bool, narrower: int) -> None:
    """The sums over layers are right if each overlap is the least over all shifts."""
    dimension, distance, radius, rate = 2, 8, 3, 60
    ball = ball_of(norm, dimension)
    points = np.array(list(product(range(-9, 10), repeat=dimension)))
    near = points[norms(points, norm) <= radius]

    def common(shift: tuple[int, ...]) -> int:
        return int((norms(near - np.array(shift), norm) <= radius + distance - narrower).sum())

    shifts = [tuple(point) for point in points if norms(point, norm) <= distance]
    worst = (distance, 0) if axis else (distance, distance)
    assert min(map(common, shifts)) == common(worst)
    with balls.precision(128):
        # At such a rate the sum is its first term.
        found = ball.overlaps(Fraction(rate), radius, 10**3, narrower)
        assert abs(found - common(worst)) < 1e-12


class WithoutSigns(CrossPolytope):
    """Forgets that every coordinate that is not 0 has two signs."""

    def _support_weights(self, radius: int) -> list[int]:
        return [weight >> t for t, weight in enumerate(super()._support_weights(radius))]


@pytest.mark.parametrize(("dimension", "radius"), [(2, 4), (3, 3), (5, 2)])
def test_points_of_an_l1_ball_are_equally_likely(dimension: int, radius: int) -> None:
    assert fit_of_ball(CrossPolytope(dimension), radius) > FALSE_ALARM
    assert fit_of_ball(WithoutSigns(dimension), radius) < FALSE_ALARM


def fit_of_ball(ball: CrossPolytope, radius: int) -> float:
    points = [
        point
        for point in product(range(-radius, radius + 1), repeat=ball.dimension)
        if ball.norm(list(point)) <= radius
    ]
    places = {point: place for place, point in enumerate(points)}
    drawn = ball.uniform(np.full(100 * len(points), radius), Source())
    codes = [places[tuple(row)] for row in drawn.tolist()]
    return p_value(np.bincount(codes, minlength=len(points)), np.full(len(points), 1 / len(points)))


def test_subsets_are_equally_likely() -> None:
    subsets = [list(subset) for subset in combinations(range(6), 3)]
    source = Source()
    codes = [subsets.index(uniform_subset(3, 6, source)) for _ in range(4000)]
    assert p_value(np.bincount(codes, minlength=20), np.full(20, 1 / 20)) > FALSE_ALARM
    assert uniform_subset(0, 5, source) == []
    assert uniform_subset(5, 5, source) == [0, 1, 2, 3, 4]
    assert all(0 <= place < 2**70 for place in uniform_subset(9, 2**70, source))


@pytest.mark.spread(3)
@pytest.mark.parametrize(("norm", "draws"), [("l1", 1 << 13), ("linf", 1 << 15)])
@pytest.mark.parametrize(("dimension", "epsilon"), [(2, 2), (6, "4/5"), (40, 8)])
def test_norms_of_draws_fit_and_other_sensitivities_do_not(
    norm: Norm, draws: int, dimension: int, epsilon: Any
) -> None:
    def law(sensitivity: int) -> NormStaircase:
        return NormStaircase(
            dimension=dimension, sensitivity=sensitivity, epsilon=epsilon, width=40, norm=norm
        )

    drawn = law(100).sample(draws)
    assert fit_of_norms(drawn, law(100), norm) > FALSE_ALARM
    for wrong in (90, 110):
        assert fit_of_norms(drawn, law(wrong), norm) < FALSE_ALARM


@pytest.mark.parametrize(("norm", "dimension"), [("l1", 200), ("linf", 20_000)])
def test_many_dimensions(norm: Norm, dimension: int) -> None:
    law = NormStaircase(dimension=dimension, sensitivity=10, epsilon=2, width=5, norm=norm)
    found = norms(law.sample(3), norm)
    low, high = law.quantile("1e-9"), law.quantile(1 - 1e-9)
    assert ((low <= found) & (found <= high)).all()


def test_values_beyond_64_bits_are_whole() -> None:
    for norm in NORMS:
        law = NormStaircase(dimension=3, sensitivity=2**62, epsilon="0.01", width=9, norm=norm)
        drawn = law.sample(4)
        assert drawn.dtype == np.object_
        values = drawn.ravel().tolist()
        assert all(type(value) is int for value in values)
        assert max(map(abs, values)) > 2**64


def test_moments_in_too_many_dimensions_are_refused() -> None:
    law = NormStaircase(dimension=5000, sensitivity=2, epsilon=1, width=1, norm="linf")
    with pytest.raises(UnsupportedQuery):
        law.moment(1)


GOOD: dict[str, Any] = {"dimension": 2, "sensitivity": 4, "epsilon": 1, "width": 2, "norm": "l1"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dimension", 0),
        ("dimension", 2.0),
        ("sensitivity", 0),
        ("sensitivity", 4.0),
        ("sensitivity", 2**62 + 1),
        ("epsilon", 0),
        ("epsilon", float("nan")),
        ("epsilon", float("inf")),
        ("epsilon", 10**9),
        ("epsilon", True),
        ("width", 0),
        ("width", 5),
        ("width", 2.0),
        ("width", True),
        ("norm", "l3"),
        ("norm", 1),
    ],
)
def test_bad_parameters(name: str, value: Any) -> None:
    with pytest.raises(InvalidParameter):
        NormStaircase(**{**GOOD, name: value})
