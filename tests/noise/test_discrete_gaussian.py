"""`DiscreteGaussian`: golden values, the series against brute force, privacy, samples."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import pi
from typing import Any

import mpmath
import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_mechanism import DiscreteGaussianPrivacyLoss
from flint import arb
from mpmath import mpf
from scipy.stats import norm

from leastnoise.errors import InvalidParameter
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.noise.shapes import gaussian_sums
from leastnoise.noise.shapes.gaussian_shape import GaussianShape
from leastnoise.noise.shapes.gaussian_sums import weight_from
from leastnoise.noise.shapes.lattice_part import gaussian_part
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.variables.lattice_variable import LatticeMasses, LatticeVariable
from tests.scripted import NoEntropy
from tests.statistical.goodness_of_fit import DRAWS, FALSE_ALARM, fit
from tests.time_limit import time_limit

# Narrow ones are summed directly, from 4096 on by Euler and Maclaurin.
VARIANCES = [Fraction(v) for v in ("1/10000", "1/3", "1", "100", "4095", "4096", "30001/3")]
WIDE = Fraction(2**60)
TINY = Fraction(1, 2**16384)  # smaller probabilities are told to be smaller, no more
each_variance = pytest.mark.parametrize("variance", VARIANCES, ids=str)


@pytest.fixture(autouse=True)
def fifty_digits() -> Iterator[None]:
    with mpmath.workdps(50):
        yield


def number(value: Fraction | float) -> mpf:
    fraction = Fraction(value)
    return mpf(fraction.numerator) / fraction.denominator


def holds(bracket: Interval, value: mpf) -> bool:
    """Whether the bracket is narrow and around the value, up to the value's own last digits."""
    if value < number(TINY):
        return bracket == Interval(Fraction(0), TINY)
    slack = abs(value) * mpf(10) ** -45
    lower, upper = number(bracket.lower), number(bracket.upper)
    around = lower - slack <= value <= upper + slack
    return bool(around and upper - lower <= abs(value) / 2**70)


def reach(variance: Fraction) -> int:
    return int(17 * float(variance) ** 0.5) + 2


def weight(variance: Fraction, k: int) -> mpf:
    return mpmath.exp(-mpf(k * k) / (2 * number(variance)))


@lru_cache
def total(variance: Fraction) -> mpf:
    far = reach(variance)
    return mpmath.fsum(weight(variance, k) for k in range(-far, far + 1))


def summed(variance: Fraction, term: Callable[[int], mpf], start: int, stop: int) -> mpf:
    return mpmath.fsum(term(k) * weight(variance, k) for k in range(start, stop)) / total(variance)


@each_variance
def test_pmf(variance: Fraction) -> None:
    law = DiscreteGaussian(variance)
    everything = total(variance)
    for k in (0, 1, -1, 2, -reach(variance) // 10, reach(variance)):
        assert holds(law.pmf(k), weight(variance, k) / everything)


@each_variance
def test_tail_to_full_relative_precision_thirty_sigma_out(variance: Fraction) -> None:
    law, far = DiscreteGaussian(variance), reach(variance)
    for k in (1, 2, far // 17 + 1, far // 2, 30 * far // 17):
        assert holds(law.tail(k), summed(variance, lambda _: mpf(1), k, k + far))
    assert holds(law.tail(0), (1 + law_pmf(variance, 0)) / 2)
    assert holds(law.tail(-3), 1 - summed(variance, lambda _: mpf(1), 4, 4 + far))


def law_pmf(variance: Fraction, k: int) -> mpf:
    return weight(variance, k) / total(variance)


@pytest.mark.parametrize("sigmas", ["1/7", "1", "8", "30"])
def test_tail_of_a_vast_law(sigmas: str) -> None:
    """Against the midpoint rule with its first correction, exact here to 30 digits."""
    k = int(Fraction(sigmas) * 2**30)
    variance, middle = number(WIDE), number(Fraction(2 * k - 1, 2))
    density = mpmath.exp(-(middle**2) / (2 * variance)) / mpmath.sqrt(2 * mpmath.pi * variance)
    integral = mpmath.erfc(middle / mpmath.sqrt(2 * variance)) / 2
    expected = integral - middle / variance * density / 24
    bracket = DiscreteGaussian(WIDE).tail(k)
    assert abs(number(bracket.lower) / expected - 1) < mpf(10) ** -24
    assert abs(number(bracket.upper) / expected - 1) < mpf(10) ** -24


@pytest.mark.spread(12)
@each_variance
@pytest.mark.parametrize("order", [1, 2, 3, 17, 64])
def test_moments(variance: Fraction, order: int) -> None:
    far = reach(variance) + int(2 * order * float(variance) ** 0.5)
    expected = 2 * summed(variance, lambda k: mpf(k) ** order, 1, far)
    assert holds(DiscreteGaussian(variance).moment(order), expected)


def test_moments_of_a_vast_law() -> None:
    """Even ones are those of the Gaussian; the first is known from −B₂/2 = −1/12 on."""
    law, variance = DiscreteGaussian(WIDE), number(WIDE)
    for order in (2, 4, 10, 64):
        assert holds(law.moment(order), mpmath.fac2(order - 1) * variance ** (order // 2))
    normaliser = mpmath.sqrt(2 * mpmath.pi * variance)
    first = 2 * (variance - mpf(1) / 12 - 1 / (240 * variance)) / normaliser
    assert holds(law.moment(1), first)


@pytest.mark.parametrize("variance", ["1/10000", "1/10", "1/3", "1", "100"])
def test_true_variance_lies_below_the_parameter(variance: str) -> None:
    law = DiscreteGaussian(variance=variance)
    assert law.sigma_squared == Fraction(variance)
    assert law.shape.moment(2).compare(law.sigma_squared) == -1


def test_variance_is_the_interval_of_the_true_variance() -> None:
    """1 − 4π²·2e^(−2π²)/(1 + 2e^(−2π²)) to first order."""
    ripple = 2 * mpmath.exp(-2 * mpmath.pi**2)
    expected = 1 - 4 * mpmath.pi**2 * ripple / (1 + ripple)
    assert abs(number(DiscreteGaussian(1).variance.lower) - expected) < mpf(10) ** -30


@pytest.mark.parametrize("variance", [Fraction(100), Fraction(5000), WIDE], ids=str)
@pytest.mark.parametrize("bits", [200, 1000, 3000])
def test_precision_can_be_raised(variance: Fraction, bits: int) -> None:
    for start in (1, int(2 * float(variance) ** 0.5), int(30 * float(variance) ** 0.5)):
        with balls.precision(2 * bits):
            finer = weight_from(variance, start)
        with balls.precision(bits):
            found = weight_from(variance, start)
        assert found.rel_accuracy_bits() > bits - 40
        assert found.overlaps(finer)


def test_precision_holds_a_hundred_million_sigma_out() -> None:
    """The sum is close to the first weight times 1/(1 − e^−0.1)."""
    start = int(WIDE / 10)
    with balls.precision(256):
        found = weight_from(WIDE, start) / gaussian_sums.gaussian_weight(WIDE, start)
        assert found.rel_accuracy_bits() > 150
        assert abs(found * (1 - (-arb(1) / 10).exp()) - 1) < 1e-15


@pytest.mark.parametrize(("start", "power"), [(0, 0), (1, 0), (20, 0), (70, 0), (0, 1), (0, 7)])
@pytest.mark.parametrize("order", [16, 24, 40])
def test_remainder_bounds_what_the_formula_misses(start: int, power: int, order: int) -> None:
    with balls.precision(1000):
        rate = arb(1) / 50
        truth = gaussian_sums._direct_sum(rate, start, power, 900)
        found = gaussian_sums._integral(rate, start, power)
        found += gaussian_sums._corrections(rate, start, power, order)
        bound = gaussian_sums._remainder(rate, start, power, order)
        assert abs(found - truth) < bound
        assert bound < truth * arb(2) ** (4 * power) * (start + 100)


@pytest.mark.parametrize(("start", "power"), [(0, 0), (5, 0), (40, 0), (0, 3)])
def test_the_rest_of_a_direct_sum_is_counted(start: int, power: int) -> None:
    with balls.precision(500):
        rate = arb(1) / 200
        rough = gaussian_sums._direct_sum(rate, start, power, 5)
        assert rough.contains(gaussian_sums._direct_sum(rate, start, power, 450))
        assert 0 < rough.rel_accuracy_bits() < 20


@pytest.mark.parametrize("variance", [1, 2**60, 2**80])
def test_numbers_too_small_for_memory_are_still_bracketed_and_signed(variance: int) -> None:
    law = DiscreteGaussian(variance)
    with time_limit(20):
        assert law.delta(10**6, 1) == Interval(Fraction(0), TINY)
        assert law.tail(10**60) == law.pmf(10**60) == Interval(Fraction(0), TINY)
        assert not law.verify(sensitivity=1, epsilon=10**6)
        assert not law.verify(sensitivity=1, epsilon="0.1")
        assert law.verify(sensitivity=1, epsilon=10**6, delta=TINY)


@pytest.mark.spread(30)
@pytest.mark.parametrize("variance", [Fraction(v) for v in ("1/4", "1", "16", "333/10")], ids=str)
@pytest.mark.parametrize("epsilon", [Fraction(e) for e in ("0", "1/10", "1", "5")], ids=str)
@pytest.mark.parametrize("shift", [1, -1, 2, 3, -7, 40])
def test_hockey_stick_is_the_sum(variance: Fraction, epsilon: Fraction, shift: int) -> None:
    far = reach(variance) + 60
    factor, everything = mpmath.exp(number(epsilon)), total(variance)
    leaks = (
        max(mpf(0), weight(variance, k) - factor * weight(variance, k - shift))
        for k in range(-far, far + 1)
    )
    found = DiscreteGaussian(variance).hockey_stick(epsilon, shift)
    assert abs(number(found.lower) - mpmath.fsum(leaks) / everything) < mpf(10) ** -22


def test_hockey_stick_where_the_threshold_is_an_integer() -> None:
    """Variance 2, ε = 1/4, shift 1: k = 0 has ratio e^ε exactly and adds nothing."""
    law = DiscreteGaussian(variance=2)
    beyond = [law_pmf(Fraction(2), k) for k in (0, 1)]
    assert abs(beyond[0] / beyond[1] - mpmath.exp(mpf(1) / 4)) < mpf(10) ** -45
    cut = law.hockey_stick("1/4", 1)
    expected = summed(Fraction(2), lambda _: mpf(1), 1, 60)
    expected -= mpmath.exp(mpf(1) / 4) * summed(Fraction(2), lambda _: mpf(1), 2, 60)
    assert holds(cut, expected)


@pytest.mark.parametrize("sigma", [1, 3, 10])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("distance", [1, 2])
def test_delta_agrees_with_dp_accounting(sigma: int, epsilon: float, distance: int) -> None:
    """Their tails are cut off, at 1e-15 here by the window's width."""
    peer = DiscreteGaussianPrivacyLoss(sigma, distance, truncation_bound=40 * sigma)
    ours = DiscreteGaussian(sigma**2).delta(epsilon, distance)
    assert float(ours) == pytest.approx(peer.get_delta_for_epsilon(epsilon), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_delta_of_a_vast_law_is_that_of_the_gaussian(epsilon: float) -> None:
    ours = DiscreteGaussian(2**60).delta(epsilon, 2**30)
    gaussian = norm.cdf(0.5 - epsilon) - np.exp(epsilon) * norm.cdf(-0.5 - epsilon)
    assert float(ours) == pytest.approx(gaussian, rel=1e-8)


@pytest.mark.parametrize("variance", [Fraction(v) for v in ("1/4", "1", "9")], ids=str)
@pytest.mark.parametrize("order", ["3/2", "2", "5"])
@pytest.mark.parametrize("distance", [1, 3])
def test_concentrated_privacy(variance: Fraction, order: str, distance: int) -> None:
    """The Rényi divergence is at most order·distance²/(2·variance), with equality for integers."""
    alpha = number(Fraction(order))
    far = reach(variance) + 40
    moment = mpmath.fsum(
        weight(variance, k - distance) ** alpha * weight(variance, k) ** (1 - alpha)
        for k in range(-far, far + 1)
    )
    divergence = mpmath.log(moment / total(variance)) / (alpha - 1)
    bound = alpha * distance**2 / (2 * number(variance))
    assert divergence <= bound + mpf(10) ** -40
    assert Fraction(order).denominator != 1 or divergence > bound - mpf(10) ** -40


def test_verify_accepts_delta_and_nothing_less() -> None:
    law = DiscreteGaussian(variance="30001/3")
    delta = law.delta("0.05", 10)
    assert law.verify(sensitivity=10, epsilon="0.05", delta=delta.upper)
    assert not law.verify(sensitivity=10, epsilon="0.05", delta=delta.lower)


def test_parameter_and_property_do_not_collide() -> None:
    law = DiscreteGaussian(variance=100)
    assert repr(law) == "DiscreteGaussian(variance=100)"
    assert law.sigma_squared == 100
    assert isinstance(law.variance, Interval)
    assert DiscreteGaussian("0.1") == DiscreteGaussian(Fraction(1, 10)) != DiscreteGaussian(0.1)


BAD = [
    float("nan"), float("inf"), -float("inf"), 0, 0.0, -1, "-3", True, "abc", "", None, [1], 1j,
    "1e-7", 2**80 + 1, "1e99999",
]  # fmt: skip


@pytest.mark.parametrize("variance", BAD, ids=repr)
def test_bad_variances_are_refused_before_entropy_is_drawn(variance: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"`variance` must .*; got"):
        DiscreteGaussian(variance).sample(3, source=NoEntropy())


@pytest.mark.parametrize("variance", [Fraction(1, 10**6), 2**80], ids=str)
def test_the_ends_of_the_range_work(variance: Fraction) -> None:
    law = DiscreteGaussian(variance)
    assert law.sample(1000).dtype == np.int64
    assert 0 < law.pmf(0).lower <= 1
    assert law.quantile("0.99") <= 3 * float(variance) ** 0.5


def test_a_tiny_variance_draws_zeros() -> None:
    """P(X ≠ 0) < 1e-2171."""
    assert not DiscreteGaussian("1e-4").sample(10**5).any()


def scaled(variance: Fraction, percent: int) -> DiscreteGaussian:
    return DiscreteGaussian(variance * Fraction(percent, 100) ** 2)


SAMPLED = [Fraction(1), Fraction(100), Fraction(30001, 3), WIDE]


@pytest.mark.parametrize("variance", SAMPLED, ids=str)
def test_samples_fit(variance: Fraction) -> None:
    law = DiscreteGaussian(variance)
    assert fit(law.sample(DRAWS), law) >= FALSE_ALARM


@pytest.mark.parametrize("variance", SAMPLED, ids=str)
@pytest.mark.parametrize("percent", [90, 110])
def test_scale_off_by_a_tenth_is_rejected(variance: Fraction, percent: int) -> None:
    drawn = scaled(variance, percent).sample(DRAWS)
    assert fit(drawn, DiscreteGaussian(variance)) < FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [10**3, 10**6, 10**9])
def test_many_samples_have_the_right_variance_and_low_bits(sigma: int) -> None:
    """4·10**6 draws: 5 deviations of the mean square and of the sum of each low bit."""
    count = 4_000_000
    drawn = DiscreteGaussian(sigma**2).sample(count)
    assert abs((drawn / sigma).var() - 1) < 5 * (2 / count) ** 0.5
    for bit in range(8):
        assert abs(((drawn >> bit) & 1).mean() - 0.5) < 5 * 0.5 / count**0.5
    assert abs(np.abs(drawn / sigma).mean() - (2 / pi) ** 0.5) < 5 / count**0.5


@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(7, 3), Fraction(400)])
def test_balls_of_many_points_are_those_of_each(variance: Fraction) -> None:
    shape = GaussianShape(variance)
    for bits in (64, 300):
        with balls.precision(bits):
            found = shape.pmf_balls(30)
            assert [str(each) for each in found] == [
                str(shape.pmf(k).ball()) for k in range(30 + 1)
            ]


@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(9)])
def test_the_mass_at_infinity_is_found_without_all_others(variance: Fraction) -> None:
    part = gaussian_part(GaussianShape(variance), 3, lambda _: Interval.exactly(0))
    assert part is not None
    left_out = part.masses().infinite
    assert str(part.infinite_chance()) == str(left_out)
    assert 0 < left_out.rad() < 2.0**-255

    def never() -> LatticeMasses:
        raise AssertionError("all masses, at sixteen thousand bits")

    alone = LatticeVariable(((replace(part, masses=never), 2),))
    whole = LatticeVariable(((replace(part, infinite=None), 2),))
    assert alone.infinite_mass == whole.infinite_mass
    assert 0 < alone.infinite_mass.upper < Fraction(1, 2**253)


@pytest.mark.parametrize(("sigma", "above"), [(1, "1.0457"), (2, "1.0106"), (5, "1.00167")])
def test_it_is_not_gdp_with_the_mu_of_a_normal_law(sigma: int, above: str) -> None:
    """docs/proofs/discrete_gaussian.md: the test "at least 1" is better than any at that μ."""
    law = DiscreteGaussian(variance=sigma**2)
    alarm, missed = law.tail(1).upper, 1 - law.tail(0).lower
    mu = Fraction(above) / sigma
    with balls.precision(128):
        least = (balls.ball(mu) / 2 / arb(2).sqrt()).erfc() / 2  # Φ(−μ/2): where both are alike
        assert balls.ball(Fraction(alarm)) < least
        assert balls.ball(Fraction(missed)) < least
