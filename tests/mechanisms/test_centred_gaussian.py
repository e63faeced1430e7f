"""Joint Gaussian noise: its price against all units, its noise against the measured numbers."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.joint_part import JointDraw
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.mechanisms.joint.squared_reach import squared_reach
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.privacy.guarantee import ZCDP
from tests.attacks.seeded import SeededSource

NONE = Precision(own=1, centre=0, scale=1)


def contributions(part: Part) -> Iterator[tuple[int, ...]]:
    """All that one unit may add to a part."""
    match part:
        case Everyone():
            yield (1,)
        case Diamond():
            raise AssertionError("no part of centred noise")
        case Box():
            yield from product(range(part.low, part.high + 1), repeat=part.cells)
        case Simplex():
            most = part.cell or part.total
            for cells in product(range(most + 1), repeat=part.cells):
                if sum(cells) <= part.total:
                    yield cells


def moved(part: Part, fine: Precision, unit: tuple[int, ...], c: int) -> list[int]:
    """How a part's measured numbers move."""
    if isinstance(part, Everyone):
        return []
    if isinstance(part, Box) or part.cells == 1:
        return [fine.own * (fine.scale * x - fine.centre * c) for x in unit]
    total = sum(unit)
    spread = [fine.residual * (part.cells * x - total) for x in unit]
    return [*spread, fine.own * (fine.scale * total - fine.centre * c)]


def whole(mechanism: CentredGaussian, units: tuple[tuple[int, ...], ...], c: int) -> list[int]:
    """How all measured numbers move."""
    parts = zip(mechanism.parts, mechanism.precisions, units, strict=True)
    return [mechanism.common * c, *(each for part in parts for each in moved(*part, c))]


def made(
    parts: list[Part], precisions: list[Precision], common: int, steps: int
) -> CentredGaussian:
    return CentredGaussian(
        parts=parts, precisions=precisions, common=common, steps=steps, parameter=2**40
    )


SMALL = [
    made([Box(0, 1), Box(0, 1, cells=2)], [Precision(3, 1, 2), Precision(2, 1, 2)], 4, 1),
    made([Box(0, 1, cells=3)], [Precision(700, 1, 2000)], 900, 1000),
    made([Box(-1, 2), Box(-2, 2), Box(0, 3)], [Precision(5, 1, 2), NONE, Precision(2, 3, 2)], 7, 1),
    made([Simplex(3, 1), Box(0, 1)], [Precision(2, 3, 4, residual=1), Precision(3, 1, 2)], 3, 1),
    made([Simplex(3, 4, cell=2)], [Precision(1, 5, 2, residual=2)], 3, 1),
    made([Simplex(4, 7, cell=3), Everyone()], [Precision(3, 5, 1, residual=1), NONE], 2, 3),
    made([Simplex(5, 5, cell=1), Everyone()], [Precision(1, 1, 1, residual=3), NONE], 1, 1),
    made([Simplex(5, 8, cell=2), Everyone()], [Precision(4, 1, 2, residual=2), NONE], 1, 1),
    made([Simplex(2, 3)], [Precision(1, 1, 3, residual=4)], 2, 1),
    made([Simplex(2, 9, cell=2)], [Precision(7, 1, 3, residual=1)], 2, 1),
    made([Simplex(1, 3), Everyone()], [Precision(2, 3, 2), NONE], 5, 1),
    made([Box(0, 1, cells=2), Everyone()], [Precision(2, 1, 2), NONE], 5, 1),
    made([Box(-3, 3, cells=2)], [Precision(2, 0, 1)], 0, 1),
]


def shown_units(mechanism: CentredGaussian) -> Iterator[tuple[tuple[int, ...], ...]]:
    yield from product(*(list(contributions(part)) for part in mechanism.parts))


def squared(vector: list[int]) -> int:
    return sum(each**2 for each in vector)


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_no_unit_moves_the_measured_numbers_farther(mechanism: CentredGaussian) -> None:
    bound, worst = mechanism.squared_reach, 0
    counted = any(isinstance(part, Everyone) for part in mechanism.parts)
    choices = [mechanism.steps] if counted else range(-2, 3 * mechanism.steps + 3)
    for units in shown_units(mechanism):
        worst = max(worst, min(squared(whole(mechanism, units, c)) for c in choices))
    assert worst <= bound
    fixed = max(squared(whole(mechanism, u, mechanism.steps)) for u in shown_units(mechanism))
    if counted or bound == fixed:
        assert bound == fixed
    else:
        assert bound - worst <= squared(whole(mechanism, units, 1)[:1]) + bound // 100


simplices = st.builds(
    Simplex, st.integers(1, 4), st.integers(1, 8), cell=st.none() | st.integers(1, 5)
)
fines = st.builds(
    Precision, st.integers(1, 6), st.integers(-3, 12), st.integers(1, 4), st.integers(1, 5)
)


@settings(max_examples=150, deadline=None)
@given(simplices, fines)
def test_the_price_of_a_simplex_is_attained(part: Simplex, fine: Precision) -> None:
    if part.cells == 1:
        fine = Precision(fine.own, fine.centre, fine.scale)
    worst = max(squared(moved(part, fine, unit, 1)) for unit in contributions(part))
    assert squared_reach([part, Everyone()], [fine, NONE], 1, 1) == 1 + worst


def test_integers_of_64_bits_do_not_wrap() -> None:
    def price(integer: type) -> ZCDP:
        box, most = Box(integer(0), integer(2**40)), integer(2**33)
        parts: list[Part] = [box, Simplex(3, most, cell=most)]
        fine = [Precision(1, 0, 2**24), Precision(2**10, 0, 1, residual=2**10)]
        noise = CentredGaussian(parts=parts, precisions=fine, common=0, steps=1, parameter=2**80)
        return noise.guarantee

    assert price(np.int64) == price(int)
    assert price(int).rho > 2**47


def test_a_diamond_has_no_centre() -> None:
    with pytest.raises(TypeError, match="Diamond"):
        squared_reach([Diamond(3, 1)], [NONE], 1, 1)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_the_price_of_boxes_that_hide_the_number_of_units(data: st.DataObject) -> None:
    def whole_number(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    parts = [
        Box(low := whole_number(-2, 1), low + whole_number(0, 2), whole_number(1, 2))
        for _ in range(2)
    ]
    found = [Precision(whole_number(1, 9), whole_number(-5, 9), whole_number(1, 40)) for _ in parts]
    mechanism = made(list(parts), found, whole_number(1, 9), whole_number(1, 30))
    square = squared(whole(mechanism, ((0,) * parts[0].cells, (0,) * parts[1].cells), 1))
    exact = []
    for units in shown_units(mechanism):
        zero, one, back = (squared(whole(mechanism, units, c)) for c in (0, 1, -1))
        exact.append(zero - Fraction(back - one, 4) ** 2 / square)
    whole_steps = math.floor(max(exact) + Fraction(square, 4))
    one_for_all = max(
        squared(whole(mechanism, units, mechanism.steps)) for units in shown_units(mechanism)
    )
    assert mechanism.squared_reach == min(whole_steps, one_for_all)


def test_boxes_of_many_kinds_have_one_step_for_all() -> None:
    parts: list[Part] = [Box(0, n) for n in range(1, 14)]
    found = [Precision(1, n, 2000) for n in range(1, 14)]
    for_all = [10**6 * (5000**2 + sum(n**2 for n in range(1, last + 1))) for last in (12, 13)]
    assert squared_reach(parts, found, 5000, 1000) == for_all[1]
    assert squared_reach(parts[:12], found[:12], 5000, 1000) < for_all[0] // 100


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_the_squares_behind_a_number_are_those_of_its_noise(mechanism: CentredGaussian) -> None:
    large = 10**30
    squares = [Fraction(0)] * len(mechanism.parts)
    for i in range(mechanism.coordinates):
        drawn = np.array([large * (i == j) for j in range(mechanism.coordinates)], dtype=object)
        noise = mechanism.noise_of(drawn, np.zeros(numbers(mechanism), np.uint8))
        squares = [
            total + Fraction(int(part[0]), large) ** 2
            for total, part in zip(squares, noise, strict=True)
        ]
    for place, found in enumerate(squares):
        assert float(mechanism.cell(place).squares) == pytest.approx(float(found), rel=1e-12)


def numbers(mechanism: CentredGaussian) -> int:
    return sum(part.cells for part in mechanism.parts)


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_a_unit_does_to_the_numbers_what_it_does_to_their_noise(mechanism: CentredGaussian) -> None:
    """The theorem itself: a contribution is a shift of the measured numbers, whatever c; ties too.

    Noise of a few steps makes ties common: rounding them away from 0 would fail here.
    """
    generator = np.random.default_rng(7)
    counted = any(isinstance(part, Everyone) for part in mechanism.parts)
    for size in (1, 3, 30, 10**6):
        drawn = generator.integers(-size, size + 1, mechanism.coordinates)
        coins = generator.integers(0, 2, numbers(mechanism), dtype=np.uint8)
        before = mechanism.noise_of(drawn, coins)
        for units in list(shown_units(mechanism))[::3]:
            for c in [mechanism.steps] if counted else [-1, 0, 5]:
                shift = np.array(whole(mechanism, units, c))
                after = mechanism.noise_of(drawn + shift, coins)
                for new, old, added in zip(after, before, units, strict=True):
                    assert (new - old).tolist() == list(added)


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_noise_is_symmetric_and_so_unbiased(mechanism: CentredGaussian) -> None:
    generator = np.random.default_rng(8)
    for size in (1, 3, 50, 10**4, 10**15):
        drawn = generator.integers(-size, size + 1, mechanism.coordinates)
        coins = generator.integers(0, 2, numbers(mechanism), dtype=np.uint8)
        forth, back = mechanism.noise_of(drawn, coins), mechanism.noise_of(-drawn, 1 - coins)
        assert all((one == -other).all() for one, other in zip(forth, back, strict=True))


def test_coins_decide_ties_and_nothing_else() -> None:
    noise = made([Box(0, 1, cells=5)], [Precision(1, 0, 2)], 0, 1)
    drawn = np.array([9, -3, -1, 1, 3, 4])
    assert noise.noise_of(drawn, np.zeros(5, np.uint8))[0].tolist() == [-1, 0, 1, 2, 2]
    assert noise.noise_of(drawn, np.ones(5, np.uint8))[0].tolist() == [-2, -1, 0, 1, 2]


def test_less_noise_costs_more() -> None:
    mechanism = SMALL[3]
    rho = mechanism.guarantee.rho
    assert rho == Fraction(mechanism.squared_reach, 2**41)
    less = CentredGaussian(
        **{**mechanism.parameters, "parameter": mechanism.parameter * Fraction(99, 100)}
    )
    assert less.guarantee.rho > rho
    assert less.privacy().renyi(order=2).upper > mechanism.privacy().renyi(order=2).upper
    assert mechanism.privacy(3).renyi(order=2).upper == 18 * rho


def test_draws_have_the_shape_of_the_parts_and_the_variance_that_is_told() -> None:
    scale = 2**20
    mechanism = CentredGaussian(
        parts=[Box(0, 1, cells=2000), Simplex(cells=2000, total=1), Everyone()],
        precisions=[
            Precision(scale, 1, 2),
            Precision(scale, 1, 1, residual=scale // 2**9),
            NONE,
        ],
        common=scale,
        steps=1,
        parameter=100 * 2**42,
    )
    joint: JointDraw = mechanism
    joint.make_ready()
    draws = [joint.draw(SeededSource(seed)) for seed in range(60)]
    assert [len(each) for each in draws[0]] == [2000, 2000, 1]
    for place in (0, 1):
        found = np.mean([each[place].astype(float) ** 2 for each in draws])
        told = float(joint.cell(place).moment(2))
        tolerance = 0.35 if place == 0 else 0.02  # the common draw varies
        assert found == pytest.approx(told, rel=tolerance)
        absolute = np.mean([np.abs(each[place].astype(float)) for each in draws])
        assert absolute == pytest.approx(float(joint.cell(place).moment(1)), rel=tolerance)


def test_it_answers_what_every_mechanism_answers() -> None:
    mechanism = SMALL[5]
    assert isinstance(mechanism, Mechanism)
    release = mechanism.release([[3, 1, 4, 1], [9]], SeededSource(1))
    noise = mechanism.draw(SeededSource(1))
    assert [row.tolist() for row in release.value] == [
        (np.array(row) + more).tolist()
        for row, more in zip([[3, 1, 4, 1], [9]], noise, strict=True)
    ]
    assert release.guarantee == mechanism.guarantee
    assert mechanism.expected_cost() in [mechanism.cell(place).moment(1) for place in (0, 1)]
    with pytest.raises(InvalidParameter):
        mechanism.release([[3, 1, 4], [9]])


def test_a_mechanism_is_a_value() -> None:
    mechanism = SMALL[5]
    again = CentredGaussian(**mechanism.parameters)
    assert again == mechanism
    assert hash(again) == hash(mechanism)
    assert isinstance(mechanism.guarantee, ZCDP)


class _Shrinking(Precision):
    """Not what it was when it was priced."""


BAD: list[dict[str, Any]] = [
    {"parts": []},
    {"parts": [Box(1, 0)]},
    {"parts": [Simplex(3, 0)]},
    {"parts": [Diamond(3, 1)]},
    {"parts": [Simplex(3, 1, cell=0)]},
    {"parts": [Simplex(3, 9, cell=2.5)]},  # type: ignore[arg-type]
    {"parts": [Box(0.5, 1)]},  # type: ignore[arg-type]
    {"parts": [Box(0, 1), Box(0, 1)]},
    {"parts": [Simplex(3, 1)]},
    {"precisions": [Precision(1, 1, 2, residual=1)]},
    {"precisions": [7]},
    {"precisions": [_Shrinking(1, 1, 2)]},
    {"common": 0},
    {"common": 0, "parts": [Everyone()]},
    {"steps": 0},
    {"parameter": 2**20},
    {"parameter": 2**81},
]


@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_what_cannot_be_measured_is_refused(bad: dict[str, Any]) -> None:
    good: dict[str, Any] = {
        "parts": [Box(0, 1)],
        "precisions": [Precision(1, 1, 2)],
        "common": 1,
        "steps": 1,
        "parameter": 2**30,
    }
    assert CentredGaussian(**good).squared_reach == 2
    with pytest.raises(InvalidParameter):
        CentredGaussian(**{**good, **bad})
