"""`GeneralizedGaussian`: its sums against brute force, its ends, ties, far places, divergences."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace, GeneralizedGaussian
from leastnoise.noise.shapes import generalized_gaussian_sums as sums_module
from leastnoise.noise.shapes.generalized_gaussian_shape import GeneralizedGaussianShape
from leastnoise.noise.shapes.generalized_gaussian_sums import WeightSums
from leastnoise.noise.shapes.shift_divergence import shift_renyi
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.log_concave import log_concave_sum
from tests.noise.brute_force import number

# Below 64 the sums are made term by term, from there on by Euler and Maclaurin.
SCALES = [Fraction(s) for s in ("1/7", "1", "10", "64", "129/2")]
POWERS = [Fraction(q) for q in ("9/8", "5/4", "3/2", "7/4", "63/32")]
each_scale = pytest.mark.parametrize("scale", SCALES, ids=str)
each_power = pytest.mark.parametrize("power", POWERS, ids=str)


@pytest.fixture(autouse=True)
def forty_digits() -> Iterator[None]:
    with mpmath.workdps(40):
        yield


def weight(scale: Fraction, power: Fraction, k: int) -> mpf:
    return mpmath.exp(-((abs(k) / number(scale)) ** number(power)))


@lru_cache
def summed(scale: Fraction, power: Fraction, start: int, order: int) -> mpf:
    """Σ k**order·weight(k) over k ≥ start, until the terms are below 1e-60 of the sum."""
    total, k = mpf(0), start
    while True:
        term = weight(scale, power, k) * mpf(k) ** order
        total += term
        if k > scale and term < total * mpf(10) ** -45:
            return total
        k += 1


def holds(bracket: Interval, value: mpf) -> bool:
    slack = abs(value) * mpf(10) ** -34
    lower, upper = number(bracket.lower), number(bracket.upper)
    around = lower - slack <= value <= upper + slack
    return bool(around and upper - lower <= abs(value) / 2**60)


@pytest.mark.spread(5)
@each_scale
@pytest.mark.parametrize("power", POWERS[1::2], ids=str)
def test_probabilities_and_moments_against_sums(scale: Fraction, power: Fraction) -> None:
    law = GeneralizedGaussian(scale, power)
    total = 1 + 2 * summed(scale, power, 1, 0)
    far = int(4 * scale) + 2
    assert holds(law.pmf(0), 1 / total)
    assert holds(law.pmf(-far), weight(scale, power, far) / total)
    assert holds(law.tail(far), summed(scale, power, far, 0) / total)
    assert holds(law.tail(1), summed(scale, power, 1, 0) / total)
    assert holds(law.tail(-1), 1 - summed(scale, power, 2, 0) / total)
    for order in (1, 2, 5):
        assert holds(law.moment(order), 2 * summed(scale, power, 1, order) / total)


@pytest.mark.spread(15)
@each_power
@pytest.mark.parametrize("scale", [64, 250])
@pytest.mark.parametrize(("start", "order"), [(1, 0), (1, 2), (1, 64), (30, 0), (2000, 0)])
def test_both_ways_to_sum_agree(
    monkeypatch: pytest.MonkeyPatch, power: Fraction, scale: int, start: int, order: int
) -> None:
    smooth = _sum(scale, power, start, order)
    monkeypatch.setattr(sums_module, "_WIDE", 10**6)
    assert smooth.overlaps(_sum(scale, power, start, order))
    assert smooth.rel_accuracy_bits() > 80


def _sum(scale: int, power: Fraction, start: int, order: int) -> Any:
    sums_module._summed.cache_clear()
    with balls.precision(128):
        found = sums_module._summed(WeightSums(Fraction(scale), power), start, order, 128)
    sums_module._summed.cache_clear()
    return found


@pytest.mark.spread(15)
@each_power
@pytest.mark.parametrize("radius", [2, 3, 5])
@pytest.mark.parametrize(("start", "order"), [(6, 0), (6, 3), (200, 0)])
def test_remainder_is_needed_and_enough(
    power: Fraction, radius: int, start: int, order: int
) -> None:
    """Few corrections leave an error that only the remainder's bound makes up for."""
    sums = WeightSums(Fraction(20), power)
    formula = sums_module._EulerMaclaurin(sums, start, order, radius)
    with balls.precision(256):
        rough = formula.sum()
        exact = log_concave_sum(lambda k: arb(k) ** order * sums.weight(k), start, start)
        bound = formula._remainder(2 * radius + 2 * order)
        assert rough.contains(exact)
        assert abs(rough.mid() - exact) > exact * arb(2) ** -200
        assert bound < exact


@pytest.mark.parametrize("scale", [10, 1000, 2**40])
@pytest.mark.parametrize("distance", [0, 1, 20, 1000])
def test_precision_can_be_raised(scale: int, distance: int) -> None:
    sums, start = WeightSums(Fraction(scale), Fraction(3, 2)), 1 + distance * scale
    with balls.precision(800):
        finer = sums.beyond(start)
    with balls.precision(400):
        found = sums.beyond(start)
    assert found.rel_accuracy_bits() > 200
    assert found.overlaps(finer)


def test_vast_law_has_the_moments_of_the_density() -> None:
    """E|X|^p → s^p·Γ((p+1)/q)/Γ(1/q), up to corrections of the order s^−min(2, 1+q)."""
    law, scale, power = GeneralizedGaussian(2**40, "3/2"), mpf(2) ** 40, mpf(3) / 2
    for order in (1, 2, 7):
        expected = scale**order * mpmath.gamma((order + 1) / power) / mpmath.gamma(1 / power)
        assert abs(number(law.moment(order).lower) / expected - 1) < mpf(10) ** -20


@each_scale
def test_ends_are_the_known_laws(scale: Fraction) -> None:
    one, two = GeneralizedGaussian(scale, 1), GeneralizedGaussian(scale, 2)
    assert one.shape == DiscreteLaplace(scale).shape
    assert two.shape == DiscreteGaussian(scale**2 / 2).shape
    near = GeneralizedGaussian(scale, 2 - Fraction(1, 1024))
    assert float(near.variance) == pytest.approx(float(two.variance), rel=2e-2)


def hockey_stick(scale: Fraction, power: Fraction, epsilon: Fraction, distance: int) -> mpf:
    reach = int(float(scale) * 90.0 ** float(1 / power)) + distance + 2
    factor = mpmath.exp(number(epsilon))
    chances = {k: weight(scale, power, k) for k in range(-reach - distance, reach + 1)}
    leak = mpmath.fsum(
        max(mpf(0), chances[k] - factor * chances[k - distance]) for k in range(-reach, reach + 1)
    )
    return leak / (1 + 2 * summed(scale, power, 1, 0))


@pytest.mark.spread(10)
@pytest.mark.parametrize("power", POWERS[1:4], ids=str)
@pytest.mark.parametrize("distance", [1, 2, 7])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10), Fraction(1)], ids=str)
def test_hockey_stick_is_a_sum(power: Fraction, distance: int, epsilon: Fraction) -> None:
    for scale in (Fraction(1), Fraction(7, 2), Fraction(70)):
        found = GeneralizedGaussian(scale, power).hockey_stick(epsilon, distance)
        expected = hockey_stick(scale, power, epsilon, distance)
        assert abs(number(found.lower) - expected) < mpf(10) ** -30
        assert abs(number(found.upper) - expected) < mpf(10) ** -30


# (scale, power, epsilon, distance) where the loss at one place equals epsilon, and that place.
TIES = [
    ("1", "3/2", "1", 1, 0),
    ("4", "3/2", "1/8", 1, 0),
    ("5", "5/4", "0", 4, 2),
    ("1", "3/2", "7", 3, -1),
    ("2", "3/2", "7", 6, -2),
]


@pytest.mark.parametrize(("scale", "power", "epsilon", "distance", "place"), TIES)
def test_ties(scale: str, power: str, epsilon: str, distance: int, place: int) -> None:
    """A loss that equals epsilon is known to, and does not count as larger."""
    law, level = GeneralizedGaussian(scale, power), Fraction(epsilon)
    with balls.precision(128):
        assert law.shape.loss(place, distance).contains(balls.ball(level))  # type: ignore[union-attr]
    found = law.hockey_stick(epsilon, distance)
    expected = hockey_stick(Fraction(scale), Fraction(power), level, distance)
    assert abs(number(found.upper) - expected) < mpf(10) ** -30
    assert found.upper - found.lower < Fraction(1, 10**30)
    tail, strictly = law.privacy(distance).tail(epsilon), law.cdf(place - 1)
    assert abs(Fraction(tail.lower) - Fraction(strictly.lower)) < Fraction(1, 10**30)
    if level:  # a little less epsilon, and the place counts
        less = law.privacy(distance).tail(level - Fraction(1, 10**90))
        assert abs(Fraction(less.lower) - Fraction(law.cdf(place).lower)) < Fraction(1, 10**30)


@pytest.mark.parametrize("power", ["1025/1024", "9/8", "3/2", "2047/1024"])
@pytest.mark.parametrize("epsilon", ["50", "1000", "1e300", "1e4000"])
@pytest.mark.parametrize("distance", [1, 10**30])
def test_huge_epsilon_and_distance_are_answered(power: str, epsilon: str, distance: int) -> None:
    found = GeneralizedGaussian(3, power).hockey_stick(epsilon, distance)
    assert 0 <= found.lower <= found.upper <= 1
    if distance == 1:
        assert found.upper < Fraction(1, 10**20)
    elif Fraction(epsilon) < 10**30:
        assert found.lower > 1 - Fraction(1, 10**20)


def renyi(scale: Fraction, power: Fraction, order: mpf, distance: int) -> mpf:
    def exponent(k: int) -> mpf:
        return (abs(k) / number(scale)) ** number(power)

    reach = int(60 * scale) + 40 * distance + 200
    places, total = range(-reach, reach), 1 + 2 * summed(scale, power, 1, 0)
    if order == 1:
        terms = (weight(scale, power, k) * (exponent(k - distance) - exponent(k)) for k in places)
        return mpmath.fsum(terms) / total
    terms = (
        mpmath.exp(-order * exponent(k) + (order - 1) * exponent(k - distance)) for k in places
    )
    return mpmath.log(mpmath.fsum(terms) / total) / (order - 1)


@pytest.mark.spread(6)
@pytest.mark.parametrize("order", ["1/2", "1", "3/2", "10"])
@pytest.mark.parametrize("distance", [1, 2, 5])
def test_renyi_divergence_is_a_sum(order: str, distance: int) -> None:
    for scale, power in ((Fraction(1), Fraction(3, 2)), (Fraction(13, 2), Fraction(5, 4))):
        found = shift_renyi(GeneralizedGaussian(scale, power), order, distance)
        expected = renyi(scale, power, number(Fraction(order)), distance)
        assert abs(number(found.lower) / expected - 1) < mpf(10) ** -25
        assert abs(number(found.upper) / expected - 1) < mpf(10) ** -25


def test_renyi_divergence_between_laplace_and_gauss() -> None:
    law = GeneralizedGaussian(4, "3/2")
    assert shift_renyi(law, float("inf"), 1).lower == float("inf")
    assert shift_renyi(law, 2, -3) == shift_renyi(law, 2, 3)
    with pytest.raises(UnsupportedQuery, match="coarser lattice"):
        shift_renyi(GeneralizedGaussian(2**30, "3/2"), 2, 1)


@given(
    st.fractions(Fraction(1, 10), 50, max_denominator=50),
    st.fractions(Fraction(33, 32), Fraction(63, 32), max_denominator=32),
    st.integers(1, 20),
)
def test_loss_falls_so_that_the_worst_event_is_a_half_line(
    scale: Fraction, power: Fraction, distance: int
) -> None:
    shape = GeneralizedGaussianShape(scale, power)
    with balls.precision(256):
        losses = [shape.loss(k, distance) for k in range(-30, 31)]
    assert all(bool(after < before) for before, after in pairwise(losses))


@given(
    st.fractions(Fraction(1, 2), 20, max_denominator=20),
    st.fractions(1, 2, max_denominator=16),
    st.fractions(0, 3, max_denominator=20),
    st.integers(1, 6),
)
@settings(max_examples=40)
def test_a_longer_shift_never_leaks_less(
    scale: Fraction, power: Fraction, epsilon: Fraction, distance: int
) -> None:
    law = GeneralizedGaussian(scale, power)
    assert law.delta(epsilon, distance).lower <= law.delta(epsilon, distance + 1).upper


CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: GeneralizedGaussian(0, "3/2"), "`scale` must be positive"),
    (lambda: GeneralizedGaussian(float("nan"), "3/2"), "`scale` must be a finite number"),
    (lambda: GeneralizedGaussian("1/1001", "3/2"), r"`scale` must lie in \[1/1000"),
    (lambda: GeneralizedGaussian(2**40 + 1, "3/2"), r"`scale` must lie in \[1/1000"),
    (lambda: GeneralizedGaussian(1, "0.999"), r"`power` must lie in \[1, 2\]"),
    (lambda: GeneralizedGaussian(1, "2.001"), r"`power` must lie in \[1, 2\]"),
    (lambda: GeneralizedGaussian(1, "1025/1025"), ""),
    (lambda: GeneralizedGaussian(1, 1.1), "denominator"),
    (lambda: GeneralizedGaussian(1, None), "`power` must be a finite number"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_bad_parameters_are_refused(call: Callable[[], object], message: str) -> None:
    if not message:
        call()
        return
    with pytest.raises(InvalidParameter, match=message):
        call()
