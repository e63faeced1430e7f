"""The search for centred Gaussian noise: known values, the bound, and that its price is real."""

import random
from fractions import Fraction
from itertools import product

import pytest

from leastnoise.certificates.gaussian_plan_bound import gaussian_plan_bound
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.part import Box, Everyone, Part, Simplex
from leastnoise.numeric import ball as balls
from leastnoise.release.price import centred_search
from leastnoise.release.price.activity import hardest_units
from leastnoise.release.price.centred_search import best_centred
from leastnoise.release.price.corner_program import least_gaussian
from leastnoise.release.price.gaussian_price import GaussianPrice
from leastnoise.tabulation.correlated_shape import CorrelatedShape

HALF, ONE = Fraction(1, 2), Fraction(1)


def scattered(mechanism: CentredGaussian, place: int) -> Fraction:
    """The variance of a number before rounding, but for the lattice."""
    return mechanism.parameter * mechanism.cell(place).squares


def worth(mechanism: CentredGaussian, weights: list[Fraction]) -> float:
    """Σ weight·variance at the price S/V."""
    numbers = zip(mechanism.parts, weights, strict=True)
    return float(
        sum(w * part.cells * scattered(mechanism, i) for i, (part, w) in enumerate(numbers))
    )


def at_one(parts: list[Part], weights: list[Fraction]) -> float:
    return worth(best_centred(parts, weights, HALF), weights)


@pytest.mark.parametrize("count", [2, 3, 5, 10, 50, 100, 1000])
def test_equal_counts_have_the_least_noise_there_is(count: int) -> None:
    parts: list[Part] = [Box(0, 1)] * count
    weights = [ONE] * count
    found = at_one(parts, weights)
    best = count * float(balls.enclosure(CorrelatedShape(count).least_variance))
    assert best * (1 - 1e-9) <= found <= best * (1 + 1e-4)
    assert found <= 1.005 * float(gaussian_plan_bound(hardest_units(parts, weights)))


def test_ten_counts_with_the_number_of_units() -> None:
    # ((Σ√ω + √Ω)/2)² with ω = 1: 43.31
    closed = (10 + 10**0.5) ** 2 / 4
    assert at_one([*[Box(0, 1)] * 10, Everyone()], [ONE] * 10 + [Fraction(0)]) == pytest.approx(
        closed, rel=1e-6
    )


def test_sums_by_the_closed_form() -> None:
    reaches, weights = [1, 3, 7, 2, 50, 4, 9], [Fraction(n) for n in (3, 1, 2, 9, 1, 4, 5)]
    sizes = [reach * float(weight) ** 0.5 for reach, weight in zip(reaches, weights, strict=True)]
    closed = (sum(sizes) + sum(size**2 for size in sizes) ** 0.5) ** 2 / 4
    parts: list[Part] = [*(Box(0, reach) for reach in reaches), Everyone()]
    assert at_one(parts, [*weights, Fraction(0)]) == pytest.approx(closed, rel=1e-5)


# Values of a study of joint noise, computed there in floats by another search.
PLANS: list[tuple[str, list[Part], list[Fraction], float, float]] = [
    ("3 × 20", [Simplex(20, 1)] * 3, [ONE] * 3, 172.8, 1.01),
    ("3 × 8, two groups", [Simplex(8, 2, cell=1)] * 3, [ONE] * 3, 122.5, 1.01),
    (
        "5 + 3 × 20 + 2",
        [*[Box(0, 1)] * 5, *[Simplex(20, 1)] * 3, *[Box(0, 1)] * 2],
        [ONE] * 5 + [Fraction(1, 20)] * 3 + [ONE] * 2,
        58.98,
        1.03,
    ),
    (
        "mixed",
        [Box(0, 1), Simplex(3, 1), Simplex(4, 2, cell=1)],
        [ONE, Fraction(3, 10), HALF],
        11.389,
        1.09,
    ),
]


@pytest.mark.parametrize(
    ("name", "parts", "weights", "value", "gap"), PLANS, ids=lambda x: str(x)[:9]
)
def test_known_plans(
    name: str, parts: list[Part], weights: list[Fraction], value: float, gap: float
) -> None:
    found = at_one(parts, weights)
    assert found == pytest.approx(value, rel=4e-4), name
    assert found <= gap * float(gaussian_plan_bound(hardest_units(parts, weights))), name


def test_the_price_of_the_mixed_plan_is_attained_by_a_unit() -> None:
    _, parts, weights, _, _ = PLANS[3]
    mechanism = best_centred(parts, weights, HALF)
    worst = 0
    blocks = [(1, 1), (3, 1), (4, 2)]
    choices = [
        [unit for unit in product((0, 1), repeat=cells) if sum(unit) <= most]
        for cells, most in blocks
    ]
    for units in product(*choices):
        moved = mechanism.common**2 * mechanism.steps**2
        for unit, fine in zip(units, mechanism.precisions, strict=True):
            total, cells = sum(unit), len(unit)
            moved += fine.own**2 * (fine.scale * total - fine.centre * mechanism.steps) ** 2
            moved += fine.residual**2 * sum((cells * x - total) ** 2 for x in unit)
        worst = max(worst, moved)
    assert worst == mechanism.squared_reach
    assert mechanism.guarantee.rho == HALF


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_free_centres_of_a_few_numbers(count: int) -> None:
    drawn = random.Random(count)
    for _ in range(3):
        boxes = [Box(drawn.choice([0, 0, -1]), drawn.randint(1, 9)) for _ in range(count)]
        weights = [Fraction(drawn.randint(1, 20)) for _ in boxes]
        best = float(least_gaussian(boxes, weights))
        found = at_one(list(boxes), weights)
        assert 1 <= found / best <= (1.01 if count <= 5 else 1.03)


def random_part(drawn: random.Random) -> Part:
    kinds: list[Part] = [
        Box(0, drawn.randint(1, 50)),
        Box(0, 1, cells=drawn.randint(1, 9)),
        Box(-5, 5),
        Box(-2, 9),
        Simplex(drawn.randint(2, 30), drawn.randint(1, 3), cell=1),
        Simplex(5, 4),
    ]
    return drawn.choice(kinds)


def random_plan(drawn: random.Random) -> tuple[list[Part], list[Fraction]]:
    parts = [random_part(drawn) for _ in range(drawn.randint(2, 50))]
    return parts, [Fraction(drawn.randint(1, 9)) for _ in parts]


def test_mixed_plans_are_within_a_tenth_of_the_bound() -> None:
    drawn = random.Random(11)
    for _ in range(25):
        parts, weights = random_plan(drawn)
        bound = float(gaussian_plan_bound(hardest_units(parts, weights)))
        assert bound * (1 - 1e-9) <= at_one(parts, weights) <= 1.1 * bound


def test_targets_are_met_and_no_more() -> None:
    parts, weights = random_plan(random.Random(2))
    for rho in (Fraction(1, 1000), Fraction(3, 10), Fraction(8)):
        assert best_centred(parts, weights, rho).guarantee.rho == rho
    price = GaussianPrice(smoothing=8, square=Fraction(1, 18))
    found = best_centred(parts, weights, price)
    spent = found.squared_reach / (found.parameter - price.smoothing)
    assert price.square * Fraction(999999, 1000000) < spent <= price.square


def test_deviations_are_another_aim() -> None:
    parts: list[Part] = [Box(0, 1), Box(0, 100), Simplex(9, 1), Box(0, 1), Box(0, 2), Box(0, 3)]
    weights = [ONE] * len(parts)
    aims = [best_centred(parts, weights, HALF, objective=o) for o in ("variance", "deviation")]
    sums = [
        sum(part.cells * float(scattered(each, i)) ** 0.5 for i, part in enumerate(parts))
        for each in aims
    ]
    assert sums[1] < 0.9 * sums[0]
    assert worth(aims[0], weights) < worth(aims[1], weights)


def test_deviations_of_a_few_numbers_gain_by_free_centres_too() -> None:
    pair = best_centred([Box(0, 1), Box(0, 3)], [ONE, ONE], HALF, objective="deviation")
    shown = best_centred(
        [Box(0, 1), Box(0, 3), Everyone()], [ONE, ONE, Fraction(0)], HALF, objective="deviation"
    )
    sums = [sum(float(scattered(each, i)) ** 0.5 for i in (0, 1)) for each in (pair, shown)]
    assert sums[0] < 0.99 * sums[1]


def test_symmetric_sums_share_nothing() -> None:
    found = best_centred([Box(-3, 3), Box(-1, 1, cells=4)], [ONE, ONE], HALF)
    assert found.common == 0
    assert worth(found, [ONE, ONE]) == pytest.approx((3 + 4) ** 2, rel=1e-6)


def test_parts_without_weight_are_noisy_and_cheap() -> None:
    alone = at_one([Box(0, 1)], [ONE])
    for other in (Box(0, 9), Box(0, 10**9), Box(-7, 10**6, cells=9), Simplex(5, 2)):
        beside = at_one([Box(0, 1), other], [ONE, Fraction(0)])
        assert beside == pytest.approx(alone, rel=1e-4)


def test_without_any_weight_all_weigh_the_same() -> None:
    parts: list[Part] = [Box(0, 1), Simplex(3, 1)]
    assert best_centred(parts, [Fraction(0)] * 2, HALF) == best_centred(parts, [ONE] * 2, HALF)


def test_what_no_lattice_of_80_bits_holds_is_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"2\*\*80"):
        best_centred([Box(0, 10**13)] * 3, [ONE] * 3, HALF)


def test_a_design_is_searched_for_once_for_all_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[object] = []
    design = centred_search._design

    def counted(*asked: object) -> object:
        searched.append(asked)
        return design(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(centred_search, "_design", counted)
    parts: list[Part] = [Box(0, 3), Simplex(7, 4), Everyone()]
    cheap, dear = (best_centred(parts, [ONE] * 3, Fraction(n, 97)) for n in (1, 4))
    assert len(searched) == 1
    assert scattered(cheap, 0) == pytest.approx(4 * scattered(dear, 0), rel=1e-4)
    best_centred(parts, [ONE] * 3, ONE, objective="deviation")
    assert len(searched) == 2
